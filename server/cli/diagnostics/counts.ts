/** Formats the number of diagnostics of each severity. */
import { countOf, type Locale, type Severity } from '#engine'
import { formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'

type Counted = Exclude<Severity, 'success'>

const WORDS: Readonly<Record<Locale, Record<Counted, readonly [one: string, many: string]>>> = {
  'en-US': { error: ['error', 'errors'], warning: ['warning', 'warnings'], info: ['remark', 'remarks'] },
  'pt-BR': { error: ['erro', 'erros'], warning: ['aviso', 'avisos'], info: ['observação', 'observações'] },
}

const FOLLOWING: Readonly<Record<Locale, (count: number) => string>> = {
  'en-US': (count) => (count === 1 ? '1 more follows from another' : `${formatNumber(count, 'en-US')} more follow from others`),
  'pt-BR': (count) => (count === 1 ? 'mais 1 decorre de outro' : `mais ${formatNumber(count, 'pt-BR')} decorrem de outros`),
}

/**
 * `1 error, 2 remarks, 3 more follow from others`; empty: there are none.
 * @param roots diagnostics that are not consequences of another
 * @param following number of consequences
 */
export function describeCounts(roots: readonly { readonly severity: Severity; readonly more: number }[], following: number, locale: Locale, paint: Palette): string {
  const parts = (['error', 'warning', 'info'] as const).flatMap((wanted) => {
    const count = countOf(roots.filter(({ severity }) => severity === wanted))
    return count === 0 ? [] : [paint[wanted](`${formatNumber(count, locale)} ${WORDS[locale][wanted][count === 1 ? 0 : 1]}`)]
  })
  if (following > 0) parts.push(FOLLOWING[locale](following))
  return parts.join(', ')
}
