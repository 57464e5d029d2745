/** Messages for the parts of a suite that cannot become a case. */
import type { Locale } from '../../core/i18n/locale.js'
import type { ImportFault } from './schema.js'

export const IMPORT_TEXTS: Readonly<Record<Locale, Readonly<Record<ImportFault, string>>>> = {
  'en-US': {
    line_unread: 'The line is not a section, a comment or a key (log N pass, log N fail, rule, alert, decoder).',
    clock_misplaced: 'The clock ("; now = …") must be an ISO time with a zone, above a section.',
    section_empty: 'The section has no event.',
    event_empty: 'An event is empty.',
    events_limit: 'A case can have at most 1000 events.',
    rule_invalid: 'The rule is not a number.',
    level_invalid: 'The alert level is not a number from 0 to 16.',
    decoder_invalid: 'The name of the decoder is too long.',
    pass_incomplete: 'A pass without a decoder, rule or alert level never succeeds.',
    fail_inexpressible: 'A fail succeeds if decoder, rule or level differs. Cases cannot express that; use forbidden_rule_ids for rules that must not match.',
  },
  'pt-BR': {
    line_unread: 'A linha não é uma seção, um comentário nem uma chave (log N pass, log N fail, rule, alert, decoder).',
    clock_misplaced: 'O relógio ("; now = …") deve ser uma hora ISO com fuso, acima de uma seção.',
    section_empty: 'A seção não tem evento.',
    event_empty: 'Um evento está vazio.',
    events_limit: 'Um caso pode ter no máximo 1000 eventos.',
    rule_invalid: 'A regra não é um número.',
    level_invalid: 'O nível do alerta não é um número de 0 a 16.',
    decoder_invalid: 'O nome do decoder é longo demais.',
    pass_incomplete: 'Um pass sem decoder, regra ou nível de alerta nunca tem sucesso.',
    fail_inexpressible:
      'Um fail tem sucesso quando o decoder, a regra ou o nível é diferente. Um caso não pode expressar isso; use forbidden_rule_ids para as regras que não devem casar.',
  },
}
