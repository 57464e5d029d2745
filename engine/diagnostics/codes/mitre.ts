import type { DiagnosticDeclaration } from '../entry.js'

/** The `<mitre>` blocks of rules (BEHAVIOUR.md#mitre). */
export const MITRE_DIAGNOSTICS = {
  mitre_block_empty: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: '<mitre></mitre>',
      right: '<mitre><id>T1110</id></mitre>',
    },
    title: ['Empty mitre block', 'Bloco mitre vazio'],
    message: ['A <mitre> of rule {id} is empty.', 'Um <mitre> da regra {id} está vazio.'],
    hint: ['Add <id>T…</id> with the technique, or remove the block.', 'Adicione <id>T…</id> com a técnica ou remova o bloco.'],
    doc: ['Wazuh warns and continues without the block, so the alert carries no ATT&CK data.', 'O Wazuh avisa e segue sem o bloco; o alerta fica sem dados do ATT&CK.'],
  },
  mitre_id_empty: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Empty element in a mitre block', 'Elemento vazio em um bloco mitre'],
    message: ['<{name}> in the <mitre> of rule {id} is empty; Wazuh drops the block.', '<{name}> no <mitre> da regra {id} está vazio; o Wazuh descarta o bloco.'],
    hint: ['Write the id, or remove the element.', 'Escreva o id ou remova o elemento.'],
    doc: [
      'One empty element is enough for Wazuh to drop the whole block with all its techniques.',
      'Um só elemento vazio basta para o Wazuh descartar o bloco inteiro, com todas as técnicas.',
    ],
  },
  mitre_mixed_format: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: `<mitre>
|   <id>T1110</id>
|   <tacticID>TA0006</tacticID>
| </mitre>`,
      right: `<mitre>
|   <id>T1110</id>
| </mitre>`,
    },
    title: ['Two mitre formats in one rule', 'Dois formatos de mitre em uma regra'],
    message: [
      'Rule {id} mixes <id> with <tacticID> and <techniqueID>; Wazuh drops part of it.',
      'A regra {id} mistura <id> com <tacticID> e <techniqueID>; o Wazuh descarta uma parte.',
    ],
    hint: ['Use either <id> elements, or pairs of <tacticID> and <techniqueID>, in the whole rule.', 'Use elementos <id> ou pares de <tacticID> e <techniqueID> na regra inteira.'],
    doc: [
      'Within one block the mixture drops the block. Over several blocks pairs win: ids collected before a pair are dropped, ids after it are not taken.',
      'Em um só bloco, a mistura descarta o bloco. Entre vários blocos, os pares vencem: ids lidos antes de um par são descartados, e ids depois dele não são aceitos.',
    ],
  },
  mitre_too_many: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Several pairs in one mitre block', 'Vários pares em um bloco mitre'],
    message: [
      'A <mitre> of rule {id} has more than one tactic or technique; Wazuh drops the block.',
      'Um <mitre> da regra {id} tem mais de uma tática ou técnica; o Wazuh descarta o bloco.',
    ],
    hint: ['Write one <mitre> block for each pair of <tacticID> and <techniqueID>.', 'Escreva um bloco <mitre> para cada par de <tacticID> e <techniqueID>.'],
    doc: ['A block holds either any number of ids or exactly one pair.', 'Um bloco contém ou qualquer número de ids ou exatamente um par.'],
  },
  mitre_technique_missing: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Tactic without technique', 'Tática sem técnica'],
    message: [
      'A <mitre> of rule {id} has a <tacticID> but no <techniqueID>; Wazuh drops the block.',
      'Um <mitre> da regra {id} tem <tacticID>, mas não <techniqueID>; o Wazuh descarta o bloco.',
    ],
    hint: ['Add <techniqueID>, or use <id> alone.', 'Adicione <techniqueID> ou use apenas <id>.'],
    doc: ['A tactic is only taken together with one of its techniques.', 'Uma tática só é aceita junto com uma das suas técnicas.'],
  },
  mitre_tactic_missing: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Technique without tactic', 'Técnica sem tática'],
    message: [
      'A <mitre> of rule {id} has a <techniqueID> but no <tacticID>; Wazuh drops the block.',
      'Um <mitre> da regra {id} tem <techniqueID>, mas não <tacticID>; o Wazuh descarta o bloco.',
    ],
    hint: [
      'Add <tacticID>, or write the technique as <id>: Wazuh then finds the tactics itself.',
      'Adicione <tacticID> ou escreva a técnica como <id>: o Wazuh encontra as táticas sozinho.',
    ],
    doc: ['<techniqueID> is only taken together with a <tacticID>.', '<techniqueID> só é aceito junto com um <tacticID>.'],
  },
  mitre_option_invalid: {
    severity: 'error',
    effect: 'ignore',
    example: {
      wrong: '<mitre><technique>T1110</technique></mitre>',
      right: '<mitre><id>T1110</id></mitre>',
    },
    title: ['Unknown element in a mitre block', 'Elemento desconhecido em um bloco mitre'],
    message: ['<{name}> is not allowed inside <mitre> (rule {id}); Wazuh drops the block.', '<{name}> não é permitido dentro de <mitre> (regra {id}); o Wazuh descarta o bloco.'],
    hint: ['Use <id>, or <tacticID> with <techniqueID>.', 'Use <id>, ou <tacticID> com <techniqueID>.'],
    doc: ['The rule is kept without the block, but the message counts as an error.', 'A regra é mantida sem o bloco, mas a mensagem conta como erro.'],
  },
  mitre_id_invalid: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: '<id>1110</id>',
      right: '<id>T1110</id>',
    },
    title: ['Unknown ATT&CK technique', 'Técnica ATT&CK desconhecida'],
    message: ['"{value}" in rule {id} is not an ATT&CK technique.', '"{value}" na regra {id} não é uma técnica do ATT&CK.'],
    hint: ['Write an id such as T1110 or T1110.001, with a capital T.', 'Escreva um id como T1110 ou T1110.001, com T maiúsculo.'],
    doc: [
      'Wazuh finds no name and no tactic for it, and warns at every event. The alert keeps the id beside one that is known, and has no MITRE data otherwise.',
      'O Wazuh não encontra nome nem tática para ele e avisa a cada evento. O alerta mantém o id ao lado de um conhecido; sem nenhum, fica sem dados MITRE.',
    ],
  },
  mitre_technique_deprecated: {
    severity: 'warning',
    title: ['Retired ATT&CK technique', 'Técnica ATT&CK aposentada'],
    message: ['Technique {value} of rule {id} is {state} in ATT&CK.', 'A técnica {value} da regra {id} está marcada como {state} no ATT&CK.'],
    hint: ['Look up its successor on attack.mitre.org and use that.', 'Procure a sucessora em attack.mitre.org e use-a.'],
    doc: [
      'Techniques are revoked or deprecated when ATT&CK is revised; dashboards then no longer place the alert.',
      'Técnicas são revogadas ou descontinuadas quando o ATT&CK é revisado; os painéis deixam de situar o alerta.',
    ],
  },
  mitre_tactic_mismatch: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Tactic and technique do not belong together', 'Tática e técnica não correspondem'],
    message: ['Technique {technique} of rule {id} does not belong to the tactic {tactic}.', 'A técnica {technique} da regra {id} não pertence à tática {tactic}.'],
    hint: ['Choose a tactic that the technique has, or write the technique as <id>.', 'Escolha uma tática que a técnica tenha ou escreva a técnica como <id>.'],
    doc: [
      'For a pair that does not exist in ATT&CK, Wazuh leaves the MITRE data out of the alert and warns at every event.',
      'Para um par que não existe no ATT&CK, o Wazuh deixa os dados do MITRE fora do alerta e avisa a cada evento.',
    ],
  },
  mitre_missing: {
    severity: 'info',
    title: ['No ATT&CK technique', 'Sem técnica ATT&CK'],
    message: ['Rule {id} has level {level} but names no ATT&CK technique.', 'A regra {id} tem level {level}, mas não indica nenhuma técnica ATT&CK.'],
    hint: ['Add <mitre><id>T…</id></mitre> if the rule detects an attack technique.', 'Adicione <mitre><id>T…</id></mitre> se a regra detectar uma técnica de ataque.'],
    doc: ['Coverage reports and dashboards only see rules that name their techniques.', 'Relatórios de cobertura e painéis só enxergam regras que indicam suas técnicas.'],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
