/** Formats a measurement and a profile as text. */
import type { Locale } from '#engine'
import { formatMs, formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import type { Measurement, PhaseSpeed } from './measure.js'
import type { Profile, ProfileItem } from './profile.js'

/** Rows of a profile in the text; JSON contains all. */
const TOP_SHOWN = 20
export const NAME_SHOWN = 70

const ENGLISH = {
  engine: 'One thread, new sessions, no trace',
  formats: 'Formats of the events',
  perSecond: 'events/s',
  phases: { predecode: 'pre-decoding', decode: 'decoders', rules: 'rules', whole: 'total', report: 'with the report', json: 'with the report as JSON' },
  latency: 'Latency of an event',
  kinds: 'By kind of line',
  compile: 'Compiling',
  cold: 'cold (first in this process)',
  warm: 'again',
  layered: '50 rules on the compiled base',
  memory: 'Memory',
  rules: 'Most expensive rules',
  decoders: 'Most expensive decoders',
  patterns: 'Most expensive patterns',
  columns: ['ns/event', 'checks', 'matches', 'skipped', 'ns/check', 'what'],
}

export const BENCH_WORDS: Readonly<Record<Locale, typeof ENGLISH>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    engine: 'Uma thread, sessões novas, sem rastro',
    formats: 'Formatos dos eventos',
    perSecond: 'eventos/s',
    phases: { predecode: 'pré-decodificação', decode: 'decoders', rules: 'regras', whole: 'total', report: 'com o relatório', json: 'com o relatório em JSON' },
    latency: 'Latência de um evento',
    kinds: 'Por tipo de linha',
    compile: 'Compilação',
    cold: 'a frio (primeira do processo)',
    warm: 'de novo',
    layered: '50 regras sobre a base compilada',
    memory: 'Memória',
    rules: 'Regras mais caras',
    decoders: 'Decoders mais caros',
    patterns: 'Padrões mais caros',
    columns: ['ns/evento', 'testes', 'acertos', 'evitados', 'ns/teste', 'o quê'],
  },
}

export function describeMeasurement(
  { events_per_second, bytes_per_second, phases, latency_us, kinds, compile_ms, memory_mb, events, formats }: Measurement,
  locale: Locale,
  paint: Palette,
): string {
  const words = BENCH_WORDS[locale]
  const number = (value: number, digits = 0): string => formatNumber(value, locale, digits)
  const lines = [
    `${paint.bold(paint.good(number(events_per_second)))} ${words.perSecond} ${paint.dim(`· ${number(bytes_per_second / 1024 / 1024, 1)} MB/s · ${number(events)} × · ${words.engine}`)}`,
    paint.dim(describeFormats(formats, locale)),
    '',
  ]
  for (const [phase, { events_per_second: speed, us_per_event }] of Object.entries(phases) as [keyof Measurement['phases'], PhaseSpeed][]) {
    lines.push(`  ${words.phases[phase].padEnd(24)}${number(us_per_event, 2).padStart(10)} µs${number(speed).padStart(14)} ${words.perSecond}`)
  }
  const { p50, p90, p99, max } = latency_us
  lines.push('', paint.bold(words.latency), `  p50 ${number(p50, 1)} µs   p90 ${number(p90, 1)} µs   p99 ${number(p99, 1)} µs   max ${formatMs(max / 1000, locale)}`)
  if (Object.keys(kinds).length > 0) {
    lines.push('', paint.bold(words.kinds))
    for (const [kind, speed] of Object.entries(kinds)) lines.push(`  ${printable(kind).padEnd(20)}${number(speed).padStart(12)} ${words.perSecond}`)
  }
  lines.push('', paint.bold(words.compile))
  for (const [label, ms] of [
    [words.cold, compile_ms.cold],
    [words.warm, compile_ms.warm],
    [words.layered, compile_ms.layered],
  ] as const) {
    lines.push(`  ${label.padEnd(32)}${formatMs(ms, locale).padStart(10)}`)
  }
  lines.push('', `${paint.bold(words.memory)}  heap ${number(memory_mb.heap_used)} MB, rss ${number(memory_mb.rss)} MB`, '')
  return lines.join('\n')
}

/** Which formats the events ran in, and how many in each. */
export function describeFormats(formats: Measurement['formats'], locale: Locale): string {
  const counts = Object.entries(formats).map(([format, count]) => `${format} ${formatNumber(count, locale)}`)
  return `${BENCH_WORDS[locale].formats}: ${counts.join(', ')}`
}

export function describeProfile({ rules, decoders, patterns }: Profile, locale: Locale, paint: Palette): string {
  const words = BENCH_WORDS[locale]
  const parts: string[] = []
  for (const [title, items] of [
    [words.rules, rules],
    [words.decoders, decoders],
    [words.patterns, patterns],
  ] as const) {
    parts.push(paint.bold(title), table(items.slice(0, TOP_SHOWN), words, locale, paint), '')
  }
  return `\n${parts.join('\n')}`
}

/** Column widths. Columns are separated by a blank, because a number may be wider than its column. */
const WIDTHS = [10, 11, 11, 11, 10] as const

function table(items: readonly ProfileItem[], { columns }: typeof ENGLISH, locale: Locale, paint: Palette): string {
  const head = `${columns
    .slice(0, 5)
    .map((column, index) => column.padStart(WIDTHS[index]))
    .join(' ')}  ${columns[5]}`
  const rows = items.map(({ name, filename, line, checks, matches, prefilter_skips, ns_per_check, ns_per_event }) => {
    const cells = [formatNumber(ns_per_event, locale, 1), ...[checks, matches, prefilter_skips, ns_per_check].map((value) => formatNumber(value, locale))]
    const place = filename === null ? '' : paint.dim(`  ${printable(filename)}:${line}`)
    return `${cells.map((cell, index) => cell.padStart(WIDTHS[index])).join(' ')}  ${printable(shorten(name, NAME_SHOWN))}${place}`
  })
  return [paint.dim(head), ...rows].join('\n')
}
