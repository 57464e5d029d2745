/** The worst event for a pattern, as text: how its steps grow, from which length on Wazuh is blind, and how long it stalls. */
import type { Locale, PatternAttack } from '#engine'
import { formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'
import { printable } from '../terminal/printable.js'

type Found = NonNullable<PatternAttack['attack']>

const ENGLISH = {
  none: 'no event of 65,536 bytes was found that stalls or blinds it',
  multiplied: 'exponential: each copy of the repeated text multiplies the steps',
  degree: (degree: number) => `polynomial: the steps of one start position grow with the length to the power of ${degree}`,
  event: 'event',
  copies: (text: string, count: string) => `${text} × ${count}`,
  blind: 'blind',
  isBlind: (bytes: string) => `from ${bytes} bytes on PCRE2 gives up after ten million steps, and Wazuh takes that for no match`,
  stall: 'stall',
  stalls: (bytes: string, seconds: string) => `one event of ${bytes} bytes takes about ${seconds} s`,
}

type AttackWords = typeof ENGLISH

const WORDS: Readonly<Record<Locale, AttackWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    none: 'não foi encontrado evento de 65.536 bytes que o trave ou o cegue',
    multiplied: 'exponencial: cada cópia do texto repetido multiplica os passos',
    degree: (degree) => `polinomial: os passos de uma posição inicial crescem com o comprimento elevado a ${degree}`,
    event: 'evento',
    copies: (text, count) => `${text} × ${count}`,
    blind: 'cego',
    isBlind: (bytes) => `a partir de ${bytes} bytes o PCRE2 desiste depois de dez milhões de passos, e o Wazuh toma isso como se não casasse`,
    stall: 'trava',
    stalls: (bytes, seconds) => `um evento de ${bytes} bytes leva cerca de ${seconds} s`,
  },
}

export function describeAttack(pattern: string, attack: Found | null, locale: Locale, paint: Palette): string {
  const words = WORDS[locale]
  const head = paint.bold(printable(pattern))
  if (attack === null) return `${head}\n  ${paint.good(words.none)}\n`
  const whole = (value: number): string => formatNumber(value, locale)
  const { prefix, pump, suffix, degree, blind, stall } = attack
  const quoted = (text: string): string => `"${printable(text)}"`
  const parts = [...(prefix === '' ? [] : [quoted(prefix)]), words.copies(quoted(pump), whole((blind ?? stall).copies)), ...(suffix === '' ? [] : [quoted(suffix)])]
  const rows: [string, string][] = [[words.event, parts.join(' + ')]]
  if (blind !== null) rows.push([words.blind, words.isBlind(whole(blind.bytes))])
  rows.push([words.stall, words.stalls(whole(stall.bytes), formatNumber(stall.ms / 1000, locale, 1))])
  const width = Math.max(...rows.map(([name]) => name.length))
  const growth = degree === null ? words.multiplied : words.degree(degree)
  return [head, `  ${paint.warning(growth)}`, ...rows.map(([name, text]) => `  ${paint.dim(name.padEnd(width))}  ${text}`), ''].join('\n')
}
