import type { DiagnosticEntry } from '../entry.js'

/** The `<mitre>` blocks of rules (BEHAVIOUR.md#mitre). */
export const MITRE_DIAGNOSTICS = {
  mitre_block_empty: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    example: {
      wrong: '<mitre></mitre>',
      right: '<mitre><id>T1110</id></mitre>',
    },
    en: {
      title: 'Empty mitre block',
      message: 'A <mitre> of rule {id} is empty.',
      hint: 'Add <id>T…</id> with the technique, or remove the block.',
      doc: 'Wazuh warns and continues without the block, so the alert carries no ATT&CK data.',
    },
    pt: {
      title: 'Bloco mitre vazio',
      message: 'Um <mitre> da regra {id} está vazio.',
      hint: 'Adicione <id>T…</id> com a técnica ou remova o bloco.',
      doc: 'O Wazuh avisa e segue sem o bloco; o alerta fica sem dados do ATT&CK.',
    },
  },
  mitre_id_empty: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    en: {
      title: 'Empty element in a mitre block',
      message: '<{name}> in the <mitre> of rule {id} is empty; Wazuh drops the block.',
      hint: 'Write the id, or remove the element.',
      doc: 'One empty element is enough for Wazuh to drop the whole block with all its techniques.',
    },
    pt: {
      title: 'Elemento vazio em um bloco mitre',
      message: '<{name}> no <mitre> da regra {id} está vazio; o Wazuh descarta o bloco.',
      hint: 'Escreva o id ou remova o elemento.',
      doc: 'Um só elemento vazio basta para o Wazuh descartar o bloco inteiro, com todas as técnicas.',
    },
  },
  mitre_mixed_format: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    example: {
      wrong: `<mitre>
|   <id>T1110</id>
|   <tacticID>TA0006</tacticID>
| </mitre>`,
      right: `<mitre>
|   <id>T1110</id>
| </mitre>`,
    },
    en: {
      title: 'Two mitre formats in one rule',
      message: 'Rule {id} mixes <id> with <tacticID> and <techniqueID>; Wazuh drops part of it.',
      hint: 'Use either <id> elements, or pairs of <tacticID> and <techniqueID>, in the whole rule.',
      doc: 'Within one block the mixture drops the block. Over several blocks pairs win: ids collected before a pair are dropped, ids after it are not taken.',
    },
    pt: {
      title: 'Dois formatos de mitre em uma regra',
      message: 'A regra {id} mistura <id> com <tacticID> e <techniqueID>; o Wazuh descarta uma parte.',
      hint: 'Use elementos <id> ou pares de <tacticID> e <techniqueID> na regra inteira.',
      doc: 'Em um só bloco, a mistura descarta o bloco. Entre vários blocos, os pares vencem: ids lidos antes de um par são descartados, e ids depois dele não são aceitos.',
    },
  },
  mitre_too_many: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    en: {
      title: 'Several pairs in one mitre block',
      message: 'A <mitre> of rule {id} has more than one tactic or technique; Wazuh drops the block.',
      hint: 'Write one <mitre> block for each pair of <tacticID> and <techniqueID>.',
      doc: 'A block holds either any number of ids or exactly one pair.',
    },
    pt: {
      title: 'Vários pares em um bloco mitre',
      message: 'Um <mitre> da regra {id} tem mais de uma tática ou técnica; o Wazuh descarta o bloco.',
      hint: 'Escreva um bloco <mitre> para cada par de <tacticID> e <techniqueID>.',
      doc: 'Um bloco contém ou qualquer número de ids ou exatamente um par.',
    },
  },
  mitre_technique_missing: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    en: {
      title: 'Tactic without technique',
      message: 'A <mitre> of rule {id} has a <tacticID> but no <techniqueID>; Wazuh drops the block.',
      hint: 'Add <techniqueID>, or use <id> alone.',
      doc: 'A tactic is only taken together with one of its techniques.',
    },
    pt: {
      title: 'Tática sem técnica',
      message: 'Um <mitre> da regra {id} tem <tacticID>, mas não <techniqueID>; o Wazuh descarta o bloco.',
      hint: 'Adicione <techniqueID> ou use apenas <id>.',
      doc: 'Uma tática só é aceita junto com uma das suas técnicas.',
    },
  },
  mitre_tactic_missing: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    en: {
      title: 'Technique without tactic',
      message: 'A <mitre> of rule {id} has a <techniqueID> but no <tacticID>; Wazuh drops the block.',
      hint: 'Add <tacticID>, or write the technique as <id>: Wazuh then finds the tactics itself.',
      doc: '<techniqueID> is only taken together with a <tacticID>.',
    },
    pt: {
      title: 'Técnica sem tática',
      message: 'Um <mitre> da regra {id} tem <techniqueID>, mas não <tacticID>; o Wazuh descarta o bloco.',
      hint: 'Adicione <tacticID> ou escreva a técnica como <id>: o Wazuh encontra as táticas sozinho.',
      doc: '<techniqueID> só é aceito junto com um <tacticID>.',
    },
  },
  mitre_option_invalid: {
    severity: 'error',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    example: {
      wrong: '<mitre><technique>T1110</technique></mitre>',
      right: '<mitre><id>T1110</id></mitre>',
    },
    en: {
      title: 'Unknown element in a mitre block',
      message: '<{name}> is not allowed inside <mitre> (rule {id}); Wazuh drops the block.',
      hint: 'Use <id>, or <tacticID> with <techniqueID>.',
      doc: 'The rule is kept without the block, but the message counts as an error.',
    },
    pt: {
      title: 'Elemento desconhecido em um bloco mitre',
      message: '<{name}> não é permitido dentro de <mitre> (regra {id}); o Wazuh descarta o bloco.',
      hint: 'Use <id>, ou <tacticID> com <techniqueID>.',
      doc: 'A regra é mantida sem o bloco, mas a mensagem conta como erro.',
    },
  },
  mitre_id_invalid: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    example: {
      wrong: '<id>1110</id>',
      right: '<id>T1110</id>',
    },
    en: {
      title: 'Unknown ATT&CK technique',
      message: '"{value}" in rule {id} is not an ATT&CK technique.',
      hint: 'Write an id such as T1110 or T1110.001, with a capital T.',
      doc: 'Wazuh keeps the id in the alert, but finds no name and no tactic for it, and warns at every event.',
    },
    pt: {
      title: 'Técnica ATT&CK desconhecida',
      message: '"{value}" na regra {id} não é uma técnica do ATT&CK.',
      hint: 'Escreva um id como T1110 ou T1110.001, com T maiúsculo.',
      doc: 'O Wazuh mantém o id no alerta, mas não encontra nome nem tática para ele e avisa a cada evento.',
    },
  },
  mitre_technique_deprecated: {
    severity: 'warning',
    source: 'rules',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Retired ATT&CK technique',
      message: 'Technique {value} of rule {id} is {state} in ATT&CK.',
      hint: 'Look up its successor on attack.mitre.org and use that.',
      doc: 'Techniques are revoked or deprecated when ATT&CK is revised; dashboards then no longer place the alert.',
    },
    pt: {
      title: 'Técnica ATT&CK aposentada',
      message: 'A técnica {value} da regra {id} está marcada como {state} no ATT&CK.',
      hint: 'Procure a sucessora em attack.mitre.org e use-a.',
      doc: 'Técnicas são revogadas ou descontinuadas quando o ATT&CK é revisado; os painéis deixam de situar o alerta.',
    },
  },
  mitre_tactic_mismatch: {
    severity: 'warning',
    source: 'rules',
    effect: 'ignore',
    engineNumbers: [],
    en: {
      title: 'Tactic and technique do not belong together',
      message: 'Technique {technique} of rule {id} does not belong to the tactic {tactic}.',
      hint: 'Choose a tactic that the technique has, or write the technique as <id>.',
      doc: 'For a pair that does not exist in ATT&CK, Wazuh leaves the MITRE data out of the alert and warns at every event.',
    },
    pt: {
      title: 'Tática e técnica não correspondem',
      message: 'A técnica {technique} da regra {id} não pertence à tática {tactic}.',
      hint: 'Escolha uma tática que a técnica tenha ou escreva a técnica como <id>.',
      doc: 'Para um par que não existe no ATT&CK, o Wazuh deixa os dados do MITRE fora do alerta e avisa a cada evento.',
    },
  },
  mitre_missing: {
    severity: 'info',
    source: 'rules',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'No ATT&CK technique',
      message: 'Rule {id} has level {level} but names no ATT&CK technique.',
      hint: 'Add <mitre><id>T…</id></mitre> if the rule detects an attack technique.',
      doc: 'Coverage reports and dashboards only see rules that name their techniques.',
    },
    pt: {
      title: 'Sem técnica ATT&CK',
      message: 'A regra {id} tem level {level}, mas não indica nenhuma técnica ATT&CK.',
      hint: 'Adicione <mitre><id>T…</id></mitre> se a regra detectar uma técnica de ataque.',
      doc: 'Relatórios de cobertura e painéis só enxergam regras que indicam suas técnicas.',
    },
  },
} as const satisfies Record<string, DiagnosticEntry>
