import type { DiagnosticDeclaration } from '../entry.js'

/** CDB lists (BEHAVIOUR.md#cdb-lists). */
export const LISTS_DIAGNOSTICS = {
  list_name_folder: {
    severity: 'warning',
    engineNumbers: [7616],
    example: {
      wrong: 'bad-ips',
      right: 'etc/lists/bad-ips',
    },
    title: ['List name without a folder', 'Nome de lista sem pasta'],
    message: [
      'The name of the list {list} has no folder: Wazuh looks for the list in ruleset/rules/, and drops rules that use this name.',
      'O nome da lista {list} não tem pasta: o Wazuh procura a lista em ruleset/rules/ e descarta as regras que usam este nome.',
    ],
    hint: ['Call the list etc/lists/{list}, here and in the rules that use it.', 'Chame a lista de etc/lists/{list}, aqui e nas regras que a usam.'],
    doc: [
      'Wazuh puts ruleset/rules/ before a list name without a slash. No list of the name without the folder is loaded then, so a rule that uses that name is dropped.',
      'O Wazuh põe ruleset/rules/ antes de um nome de lista sem barra. Nenhuma lista com o nome sem a pasta fica carregada, e uma regra que usa esse nome é descartada.',
    ],
  },
  list_name_style: {
    severity: 'info',
    example: {
      wrong: '/etc/lists/bad-ips.cdb',
      right: 'etc/lists/bad-ips',
    },
    title: ['Unusual name of a list', 'Nome de lista incomum'],
    message: ['The name of the list {list} is unusual: {reason}.', 'O nome da lista {list} é incomum: {reason}.'],
    hint: ['Use the path below the folder of Wazuh, without .cdb, such as etc/lists/name.', 'Use o caminho abaixo da pasta do Wazuh, sem .cdb, como etc/lists/nome.'],
    doc: [
      'Rules find a list by its name, letter for letter, so both names must be the same; only .cdb at the end makes no difference. The name is only compared: no file of that path is read.',
      'As regras encontram uma lista pelo nome, letra por letra; por isso os dois nomes precisam ser iguais. Só .cdb no final não faz diferença. O nome é apenas comparado: nenhum arquivo com esse caminho é lido.',
    ],
  },
  list_duplicate_name: {
    severity: 'warning',
    title: ['List name used twice', 'Nome de lista repetido'],
    message: ['There are two lists with the name {list}; only the last one is used.', 'Há duas listas com o nome {list}; apenas a última é usada.'],
    hint: ['Remove one of the two lists, or put the lines of both into one.', 'Remova uma das duas listas ou junte as linhas de ambas em uma só.'],
    doc: [
      'Rules find a list by its name, so of two lists with one name only one can be found.',
      'As regras encontram uma lista pelo nome; de duas listas com o mesmo nome, só uma pode ser encontrada.',
    ],
  },
  list_replaces: {
    severity: 'info',
    title: ['List in the place of another one', 'Lista no lugar de outra'],
    message: ['The list {list} replaces the list of that name of the scope {scope}.', 'A lista {list} substitui a lista de mesmo nome do escopo {scope}.'],
    hint: ['Give the list another name if rules of the scope {scope} must keep their own list.', 'Dê outro nome à lista se as regras do escopo {scope} precisarem manter a sua.'],
    doc: [
      'All rules that name the list read this one instead, also those of the content that had a list of that name.',
      'Todas as regras que citam a lista passam a ler esta, inclusive as do conteúdo que tinha uma lista com esse nome.',
    ],
  },
  list_empty: {
    severity: 'warning',
    example: {
      wrong: '# no address yet',
      right: '10.0.0.1:',
    },
    title: ['Empty list', 'Lista vazia'],
    message: ['The list {list} has no entry, so nothing is found in it.', 'A lista {list} não tem nenhuma entrada; nada é encontrado nela.'],
    hint: ['Add lines of the form key:value, or remove the list.', 'Acrescente linhas na forma chave:valor ou remova a lista.'],
    doc: [
      'In an empty list match_key and address_match_key never pass, and not_match_key always does.',
      'Em uma lista vazia, match_key e address_match_key nunca passam, e not_match_key sempre passa.',
    ],
  },
  list_line_invalid: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: '10.0.0.1',
      right: '10.0.0.1:',
    },
    title: ['Unreadable line of a list', 'Linha de lista ilegível'],
    message: ['The line "{value}" of the list {list} has no key and value, so it is skipped.', 'A linha "{value}" da lista {list} não tem chave e valor e é ignorada.'],
    hint: [
      'Write the line as key:value; the value may be empty, but the colon must be there.',
      'Escreva a linha como chave:valor; o valor pode ser vazio, mas os dois-pontos são obrigatórios.',
    ],
    doc: [
      'Lines without a colon, or with a quote that is not closed, are skipped without notice. Comments are skipped in the same way, as lists have no comments.',
      'Linhas sem dois-pontos, ou com aspas não fechadas, são ignoradas sem aviso. O mesmo vale para comentários, pois listas não têm comentários.',
    ],
  },
  list_key_duplicate: {
    severity: 'warning',
    title: ['Key listed twice', 'Chave repetida na lista'],
    message: ['The list {list} has the key "{key}" twice; only the first one is found.', 'A chave "{key}" aparece duas vezes na lista {list}; apenas a primeira é encontrada.'],
    hint: ['Remove one of the two lines.', 'Remova uma das duas linhas.'],
    doc: [
      'A lookup finds the first entry of a key; a changed value further down has no effect.',
      'A consulta encontra a primeira entrada de uma chave; um valor alterado mais abaixo não tem efeito.',
    ],
  },
  list_key_whitespace: {
    severity: 'warning',
    title: ['Blanks around a key', 'Espaços em volta da chave'],
    message: ['The key "{key}" of the list {list} has blanks around it, which are part of it.', 'A chave "{key}" da lista {list} tem espaços em volta, que fazem parte dela.'],
    hint: ['Remove the blanks before and after the key.', 'Remova os espaços antes e depois da chave.'],
    doc: [
      'Nothing is trimmed in a list: "admin " with a blank at the end never equals admin.',
      'Nada é aparado em uma lista: "admin " com um espaço no final nunca é igual a admin.',
    ],
  },
  list_cidr_key: {
    severity: 'warning',
    example: {
      wrong: '192.168.0.0/16:internal',
      right: '192.168.:internal',
    },
    title: ['CIDR key in a list', 'Chave em formato CIDR'],
    message: [
      'The key "{key}" of the list {list} looks like a network in CIDR form, which Wazuh does not understand.',
      'A chave "{key}" da lista {list} parece uma rede em formato CIDR, que o Wazuh não entende.',
    ],
    hint: [
      'Write the network as a prefix that ends in a dot, such as 192.168. , and look it up with address_match_key.',
      'Escreva a rede como um prefixo terminado em ponto, como 192.168. , e consulte com address_match_key.',
    ],
    doc: [
      'Lists compare text. A key 192.168.0.0/16 is only found by a field that holds exactly these characters.',
      'Listas comparam texto. Uma chave 192.168.0.0/16 só é encontrada por um campo que contenha exatamente esses caracteres.',
    ],
  },
  list_unused: {
    severity: 'info',
    title: ['Unused list', 'Lista não usada'],
    message: ['No rule uses the list {list}.', 'Nenhuma regra usa a lista {list}.'],
    hint: ['Remove the list, or use it in a rule with <list>.', 'Remova a lista ou use-a em uma regra com <list>.'],
    doc: [
      'An unused list does no harm. Often the rule that should use it names another path.',
      'Uma lista que ninguém consulta só custa atenção; muitas vezes a regra que deveria usá-la indica outro caminho.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
