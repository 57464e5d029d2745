/** Comments of an exported suite about what its format cannot have. */
import type { IniLoss } from '#workers'
import type { Locale } from '../../core/i18n/locale.js'

const ENGLISH = {
  /** With `{what}`: the names, where there are some. */
  losses: {
    session: 'it shares the session {what}',
    location: 'it has the location {what}',
    times: 'its events are at different times ({what} s)',
    lines: 'an event has several lines, or blanks at its ends',
    format: 'an event is not in syslog format ({what})',
    fields: 'it expects fields ({what})',
    rule_ids: 'it expects other rules to match too ({what})',
    forbidden_rule_ids: 'it expects rules not to match ({what})',
    level_without_rule: 'it expects a level and no rule',
    decoder_missing: 'it expects no certain decoder',
    rule_missing: 'it expects no certain rule',
    level_missing: 'it expects no certain level',
  } satisfies Record<IniLoss, string>,
  /** Between the name of a case and its losses. */
  left_out: 'not in this file, because',
  no_rule: 'no rule: this form always succeeds in Wazuh; an import creates a case that expects no rule',
  /** With `{left}` and `{all}`. */
  summary: '{left} of {all} cases are not in this file; the export as JSON has all of them.',
  descriptions: 'Descriptions of cases are not in this file; the export as JSON has them.',
}

export const EXPORT_TEXTS: Readonly<Record<Locale, typeof ENGLISH>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    losses: {
      session: 'compartilha a sessão {what}',
      location: 'tem a localização {what}',
      times: 'seus eventos são em momentos diferentes ({what} s)',
      lines: 'um evento tem várias linhas, ou espaços nas pontas',
      format: 'um evento não está no formato syslog ({what})',
      fields: 'espera campos ({what})',
      rule_ids: 'espera que outras regras também casem ({what})',
      forbidden_rule_ids: 'espera que regras não casem ({what})',
      level_without_rule: 'espera um nível e nenhuma regra',
      decoder_missing: 'não espera um decoder certo',
      rule_missing: 'não espera uma regra certa',
      level_missing: 'não espera um nível certo',
    },
    left_out: 'não está neste arquivo, porque',
    no_rule: 'nenhuma regra: esta forma sempre tem sucesso no Wazuh; uma importação cria um caso que não espera nenhuma regra',
    summary: '{left} de {all} casos não estão neste arquivo; a exportação em JSON tem todos.',
    descriptions: 'As descrições dos casos não estão neste arquivo; a exportação em JSON as tem.',
  },
}
