/** The worst event for a pattern, as text: how its steps grow, from which length on Wazuh is blind, and how long it stalls. */
import type { AttackRecord, Locale, PatternAttack, PlainWorst } from '#engine'
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
  reads: 'reads',
  readsBytes: (reads: string, bytes: string, seconds: string) => `${reads} bytes of an event of ${bytes} bytes, in about ${seconds} s`,
  plainDegree: (degree: number) => (degree <= 1 ? 'linear: what is read grows with the length' : `polynomial: what is read grows with the length to the power of ${degree}`),
  rule: (id: string) => `rule ${id}`,
  decoder: (name: string) => `decoder "${name}"`,
  reach: 'reached',
  reaches: (bytes: string) => `by an event of ${bytes} bytes, which was run: the pattern is tried on this text`,
  unreached: 'no event was found that brings this text to the pattern',
  totals: (blind: string, stall: string, reached: string, searched: string) =>
    `${blind} patterns can be blinded, ${stall} stalled; ${reached} by an event that was run. ${searched} patterns were searched`,
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
    reads: 'leitura',
    readsBytes: (reads, bytes, seconds) => `${reads} bytes de um evento de ${bytes} bytes, em cerca de ${seconds} s`,
    plainDegree: (degree) => (degree <= 1 ? 'linear: o que é lido cresce com o comprimento' : `polinomial: o que é lido cresce com o comprimento elevado a ${degree}`),
    rule: (id) => `regra ${id}`,
    decoder: (name) => `decoder "${name}"`,
    reach: 'alcance',
    reaches: (bytes) => `por um evento de ${bytes} bytes, que foi executado: o padrão é testado neste texto`,
    unreached: 'não foi encontrado evento que leve este texto ao padrão',
    totals: (blind, stall, reached, searched) =>
      `${blind} padrões podem ser cegados, ${stall} travados; ${reached} por um evento que foi executado. Foram examinados ${searched} padrões`,
  },
}

/** An attack on a pattern of a rule or decoder, with the event that reaches it. */
export function describeAttackRecord(record: AttackRecord, locale: Locale, paint: Palette): string {
  const { rule_id, decoder, option, pattern, kind, degree, prefix, pump, suffix, copies, bytes, steps, ms, event } = record
  const words = WORDS[locale]
  const owner = rule_id === null ? words.decoder(printable(decoder ?? '')) : words.rule(rule_id)
  const at = { copies, bytes }
  const attack: Found = { prefix, pump, suffix, degree, blind: kind === 'blind' ? at : null, stall: { ...at, steps, ms } }
  const reach = event === null ? paint.dim(words.unreached) : words.reaches(formatNumber(Buffer.byteLength(event.event), locale))
  const rows = describeAttack(pattern, attack, locale, paint)
  return `${paint.accent(owner)} <${printable(option)}>\n${rows}  ${paint.dim(words.reach)}  ${reach}\n`
}

export function describeAttackTotals(records: readonly AttackRecord[], searched: number, locale: Locale, paint: Palette): string {
  const number = (value: number): string => formatNumber(value, locale)
  const blind = records.filter(({ kind }) => kind === 'blind').length
  const reached = records.filter(({ event }) => event !== null).length
  const text = WORDS[locale].totals(number(blind), number(records.length - blind), number(reached), number(searched))
  return `${records.length === 0 ? paint.good(text) : text}\n`
}

/** The worst event for a pattern of OSRegex or OSMatch. */
export function describeWorst(pattern: string, worst: PlainWorst, locale: Locale, paint: Palette): string {
  const words = WORDS[locale]
  const { copies, bytes, reads, degree, ms } = worst
  const rows: [string, string][] = [
    [words.event, partsOf(worst, copies, locale)],
    [words.reads, words.readsBytes(formatNumber(reads, locale), formatNumber(bytes, locale), formatNumber(ms / 1000, locale, 1))],
  ]
  const growth = words.plainDegree(degree)
  return [paint.bold(printable(pattern)), `  ${degree <= 1 ? paint.good(growth) : paint.warning(growth)}`, ...rowsOf(rows, paint), ''].join('\n')
}

function partsOf({ prefix, pump, suffix }: Pick<Found, 'prefix' | 'pump' | 'suffix'>, copies: number, locale: Locale): string {
  const quoted = (text: string): string => `"${printable(text)}"`
  const repeated = WORDS[locale].copies(quoted(pump), formatNumber(copies, locale))
  return [...(prefix === '' ? [] : [quoted(prefix)]), repeated, ...(suffix === '' ? [] : [quoted(suffix)])].join(' + ')
}

function rowsOf(rows: readonly [string, string][], paint: Palette): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${paint.dim(name.padEnd(width))}  ${text}`)
}

export function describeAttack(pattern: string, attack: Found | null, locale: Locale, paint: Palette): string {
  const words = WORDS[locale]
  const head = paint.bold(printable(pattern))
  if (attack === null) return `${head}\n  ${paint.good(words.none)}\n`
  const whole = (value: number): string => formatNumber(value, locale)
  const { degree, blind, stall } = attack
  const rows: [string, string][] = [[words.event, partsOf(attack, (blind ?? stall).copies, locale)]]
  if (blind !== null) rows.push([words.blind, words.isBlind(whole(blind.bytes))])
  rows.push([words.stall, words.stalls(whole(stall.bytes), formatNumber(stall.ms / 1000, locale, 1))])
  const growth = degree === null ? words.multiplied : words.degree(degree)
  return [head, `  ${paint.warning(growth)}`, ...rowsOf(rows, paint), ''].join('\n')
}
