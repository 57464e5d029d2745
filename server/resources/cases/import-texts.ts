/** Why a part of a suite is no case, in words. */
import type { Locale } from '../../i18n/locale.js'
import type { ImportFault } from './schema.js'

export const IMPORT_TEXTS: Readonly<Record<Locale, Readonly<Record<ImportFault, string>>>> = {
  'en-US': {
    line_unread: 'Neither a section, a comment nor a key (log N pass, log N fail, rule, alert, decoder).',
    section_empty: 'The section has no event, and tests nothing.',
    event_empty: 'An event is empty.',
    events_limit: 'A case can have 1000 events.',
    rule_invalid: 'The rule is not a number.',
    level_invalid: 'The alert level is not a number from 0 to 16.',
    decoder_invalid: 'The name of the decoder is too long.',
    pass_incomplete: 'A pass without a decoder, rule or alert level never succeeds.',
    fail_inexpressible: 'A fail succeeds when decoder, rule or level is another, which no case can say. Say what must not match in forbidden_rule_ids.',
  },
  'pt-BR': {
    line_unread: 'Não é seção, comentário nem chave (log N pass, log N fail, rule, alert, decoder).',
    section_empty: 'A seção não tem evento e não testa nada.',
    event_empty: 'Um evento está vazio.',
    events_limit: 'Um caso pode ter 1000 eventos.',
    rule_invalid: 'A regra não é um número.',
    level_invalid: 'O nível do alerta não é um número de 0 a 16.',
    decoder_invalid: 'O nome do decoder é longo demais.',
    pass_incomplete: 'Um pass sem decoder, regra ou nível de alerta nunca tem sucesso.',
    fail_inexpressible: 'Um fail tem sucesso quando o decoder, a regra ou o nível é outro, o que nenhum caso pode dizer. Diga em forbidden_rule_ids o que não deve casar.',
  },
}
