/** How many findings there are of each severity, in words. */
import type { Locale, Severity } from '#engine'
import { formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'

type Counted = Exclude<Severity, 'success'>

const WORDS: Readonly<Record<Locale, Record<Counted, readonly [one: string, many: string]>>> = {
  'en-US': { error: ['error', 'errors'], warning: ['warning', 'warnings'], info: ['remark', 'remarks'] },
  'pt-BR': { error: ['erro', 'erros'], warning: ['aviso', 'avisos'], info: ['observação', 'observações'] },
}

/** `1 error, 2 remarks`; empty: there are none. */
export function describeCounts(findings: readonly { readonly severity: Severity }[], locale: Locale, paint: Palette): string {
  const parts = (['error', 'warning', 'info'] as const).flatMap((wanted) => {
    const count = findings.filter(({ severity }) => severity === wanted).length
    return count === 0 ? [] : [paint[wanted](`${formatNumber(count, locale)} ${WORDS[locale][wanted][count === 1 ? 0 : 1]}`)]
  })
  return parts.join(', ')
}
