import type { DiagnosticEntry } from '../entry.js'

/** CDB lists (engine-rules.md 5). */
export const LISTS_DIAGNOSTICS = {
  list_line_invalid: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'ignore',
    engineNumbers: [],
    example: {
      wrong: '10.0.0.1',
      right: '10.0.0.1:',
    },
    en: {
      title: 'Unreadable line of a list',
      message: 'Line {line} of the list {list} has no key and value, so it is skipped.',
      hint: 'Write the line as key:value; the value may be empty, but the colon must be there.',
      doc: 'Lines without a colon, or with a quote that is not closed, are skipped without notice, and so are "comments": a list has none.',
    },
    pt: {
      title: 'Linha de lista ilegível',
      message: 'A linha {line} da lista {list} não tem chave e valor e é ignorada.',
      hint: 'Escreva a linha como chave:valor; o valor pode ser vazio, mas os dois-pontos são obrigatórios.',
      doc: 'Linhas sem dois-pontos, ou com aspas não fechadas, são ignoradas sem aviso; o mesmo vale para "comentários", que não existem em listas.',
    },
  },
  list_key_duplicate: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Key listed twice',
      message: 'The key "{key}" stands twice in the list {list}; only the first one is found.',
      hint: 'Remove one of the two lines.',
      doc: 'A lookup finds the first entry of a key; a changed value further down has no effect.',
    },
    pt: {
      title: 'Chave repetida na lista',
      message: 'A chave "{key}" aparece duas vezes na lista {list}; apenas a primeira é encontrada.',
      hint: 'Remova uma das duas linhas.',
      doc: 'A consulta encontra a primeira entrada de uma chave; um valor alterado mais abaixo não tem efeito.',
    },
  },
  list_key_whitespace: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Blanks around a key',
      message: 'The key "{key}" of the list {list} has blanks around it, which are part of it.',
      hint: 'Remove the blanks before and after the key.',
      doc: 'Nothing is trimmed in a list: "admin " with a blank at the end never equals admin.',
    },
    pt: {
      title: 'Espaços em volta da chave',
      message: 'A chave "{key}" da lista {list} tem espaços em volta, que fazem parte dela.',
      hint: 'Remova os espaços antes e depois da chave.',
      doc: 'Nada é aparado em uma lista: "admin " com um espaço no final nunca é igual a admin.',
    },
  },
  list_cidr_key: {
    severity: 'warning',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    example: {
      wrong: '192.168.0.0/16:internal',
      right: '192.168.:internal',
    },
    en: {
      title: 'CIDR key in a list',
      message: 'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
      hint: 'Write the network as a prefix that ends in a dot, such as 192.168. , and look it up with address_match_key.',
      doc: 'Lists compare text. A key 192.168.0.0/16 is only found by a field that holds exactly these characters.',
    },
    pt: {
      title: 'Chave em formato CIDR',
      message: 'A chave "{key}" da lista {list} parece uma rede em formato CIDR, que o Wazuh não entende.',
      hint: 'Escreva a rede como um prefixo terminado em ponto, como 192.168. , e consulte com address_match_key.',
      doc: 'Listas comparam texto. Uma chave 192.168.0.0/16 só é encontrada por um campo que contenha exatamente esses caracteres.',
    },
  },
  list_unused: {
    severity: 'info',
    source: 'filesystem',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Unused list',
      message: 'No rule uses the list {list}.',
      hint: 'Remove the list, or use it in a rule with <list>.',
      doc: 'A list nobody looks up costs nothing but attention; often the rule that should use it names another path.',
    },
    pt: {
      title: 'Lista não usada',
      message: 'Nenhuma regra usa a lista {list}.',
      hint: 'Remova a lista ou use-a em uma regra com <list>.',
      doc: 'Uma lista que ninguém consulta só custa atenção; muitas vezes a regra que deveria usá-la indica outro caminho.',
    },
  },
} as const satisfies Record<string, DiagnosticEntry>
