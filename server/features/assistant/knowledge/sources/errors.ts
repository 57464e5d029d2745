/** A record for each reason of a refusal and language: code, status, what to do. */
import { ERRORS, type ErrorReason } from '../../../../core/errors.js'
import { LOCALES } from '../../../../core/i18n/locale.js'
import { errorTexts } from '../../../../core/i18n/translate.js'
import { lines, recordsOf, wordsOf } from '../record.js'
import type { Source } from './source.js'

export const errors: Source = function* () {
  for (const [reason, { status, code }] of Object.entries(ERRORS)) {
    for (const locale of LOCALES) {
      const { message, hint } = errorTexts(reason as ErrorReason, locale, {})
      const title = `${message} (${wordsOf(locale).error} ${status} ${code})`
      yield* recordsOf({ uid: `interface:error.${reason}:${locale}`, kind: 'interface', title, locale, contextTypes: ['general'] }, lines(message, hint))
    }
  }
}
