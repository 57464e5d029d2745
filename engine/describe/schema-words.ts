/** Texts of the schema for tags that are in no option table: those around rules and decoders. */
import type { Locale } from '../diagnostics/text.js'

const ENGLISH = {
  decoder: 'A decoder: says which logs are its own, and takes fields out of them.',
  decoderName: 'Name of the decoder; children of one parent that share a name run one after the other.',
  decoderStatus: 'A note for readers. It has no effect.',
  group: 'Rules that belong together. Every rules file consists of these.',
  groupName: 'Groups of all rules in it, separated by commas; end it with a comma, because the groups of the rules are joined to it as they stand.',
  rule: 'A rule: conditions on a decoded event, and what it means.',
  variable: 'A text that may be used as $NAME in the rest of the file.',
  variableName: 'Name of the variable.',
  attackElement: 'An id of MITRE ATT&CK.',
}

export type SchemaWords = typeof ENGLISH

export const SCHEMA_WORDS: Readonly<Record<Locale, SchemaWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    decoder: 'Um decoder: diz quais logs são seus e extrai campos deles.',
    decoderName: 'Nome do decoder; filhos do mesmo pai com o mesmo nome rodam um depois do outro.',
    decoderStatus: 'Uma nota para quem lê. Não tem efeito.',
    group: 'Regras que andam juntas. Todo arquivo de regras é feito destes grupos.',
    groupName: 'Grupos de todas as regras dentro dele, separados por vírgulas; termine com vírgula, pois os grupos das regras são emendados como estão.',
    rule: 'Uma regra: condições sobre um evento decodificado e o que ele significa.',
    variable: 'Um texto que pode ser usado como $NOME no resto do arquivo.',
    variableName: 'Nome da variável.',
    attackElement: 'Um id do MITRE ATT&CK.',
  },
}
