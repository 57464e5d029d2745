/** A measurement and a profile as an HTML page. */
import type { Locale } from '#engine'
import { fill } from '../../core/i18n/translate.js'
import { readVersion } from '../../core/version.js'
import { html, type Markup } from '../../core/http/text/html.js'
import { bar } from '../../core/report-page/charts.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { type Row, table } from '../../core/report-page/table.js'
import { PROGRAM } from '../help.js'
import { formatMs, formatNumber } from '../terminal/numbers.js'
import { shorten } from '../terminal/printable.js'
import { BENCH_WORDS, describeFormats, NAME_SHOWN } from './bench-report.js'
import type { Measurement } from './measure.js'
import type { Profile, ProfileItem } from './profile.js'

/** Rows of a profile on the page; JSON contains all. */
const TOP_SHOWN = 25

interface PageWords {
  readonly title: string
  readonly made: string
  readonly speed: string
  readonly stage: string
  readonly perEvent: string
  readonly perSecond: string
  readonly share: string
  readonly time: string
  readonly kind: string
  readonly percentile: string
  readonly memory: string
  readonly name: string
  readonly cost: string
  readonly checks: string
  readonly matches: string
  readonly events: string
  readonly top: string
}

const ENGLISH: PageWords = {
  title: 'Speed of the ruleset',
  made: '{program} {version}, Node {node}, {at} (UTC)',
  speed: 'Events per second',
  stage: 'Stage',
  perEvent: 'µs per event',
  perSecond: 'Events per second',
  share: 'Compared',
  time: 'Time',
  kind: 'Kind of line',
  percentile: 'Percentile',
  name: 'Name',
  cost: 'ns per event',
  checks: 'Checks',
  matches: 'Matches',
  memory: 'Memory: heap {heap} MB, resident {rss} MB.',
  events: '{count} different events, {rate} MB/s. {engine}.',
  top: 'The first {shown} of {total} are shown.',
}

const WORDS: Readonly<Record<Locale, PageWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    title: 'Velocidade do conjunto de regras',
    made: '{program} {version}, Node {node}, {at} (UTC)',
    speed: 'Eventos por segundo',
    stage: 'Etapa',
    perEvent: 'µs por evento',
    perSecond: 'Eventos por segundo',
    share: 'Comparação',
    time: 'Tempo',
    kind: 'Tipo de linha',
    percentile: 'Percentil',
    name: 'Nome',
    cost: 'ns por evento',
    checks: 'Testes',
    matches: 'Acertos',
    memory: 'Memória: heap {heap} MB, residente {rss} MB.',
    events: '{count} eventos diferentes, {rate} MB/s. {engine}.',
    top: 'São mostrados os primeiros {shown} de {total}.',
  },
}

/** @param at when it was measured */
export function benchPage(measurement: Measurement, profile: Profile | null, locale: Locale, at = new Date()): string {
  const words = WORDS[locale]
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)
  const { rules, decoders, patterns } = BENCH_WORDS[locale]
  return reportPage({
    locale,
    title: words.title,
    heading: words.title,
    lead: [html`<p class="quiet">${fill(words.made, { program: PROGRAM, version: readVersion(), node: process.versions.node, at: moment })}</p>`],
    sections: [
      speedSection(measurement, locale),
      latencySection(measurement, locale),
      ...kindsSection(measurement, locale),
      compileSection(measurement, locale),
      ...(profile === null
        ? []
        : [profileSection(rules, profile.rules, locale), profileSection(decoders, profile.decoders, locale), profileSection(patterns, profile.patterns, locale)]),
    ],
  })
}

function speedSection({ events, formats, events_per_second, bytes_per_second, phases }: Measurement, locale: Locale): Markup {
  const words = WORDS[locale]
  const said = BENCH_WORDS[locale]
  const number = (value: number, digits = 0): string => formatNumber(value, locale, digits)
  const names = Object.keys(phases) as (keyof typeof phases)[]
  const slowest = Math.max(...names.map((name) => phases[name].us_per_event))
  const rows = names.map((name): Row => {
    const { us_per_event, events_per_second: speed } = phases[name]
    return [{ solid: said.phases[name] }, { drawn: one(us_per_event, slowest) }, { number: number(us_per_event, 2) }, { number: number(speed) }]
  })
  return section(
    words.speed,
    html`<p class="score">${number(events_per_second)}</p>
<p class="quiet">${fill(words.events, { count: number(events), rate: number(bytes_per_second / 1024 / 1024, 1), engine: said.engine })} ${describeFormats(formats, locale)}.</p>
${table([words.stage, { drawn: html`${words.share}` }, { number: words.perEvent }, { number: words.perSecond }], rows)}`,
    'whole',
  )
}

function latencySection({ latency_us }: Measurement, locale: Locale): Markup {
  const words = WORDS[locale]
  // The maximum is that of one event, and would make the others invisible.
  const { max, ...shown } = latency_us
  const rows = Object.entries(shown).map(([name, value]): Row => [name, { drawn: one(value, latency_us.p99) }, { number: `${formatNumber(value, locale, 1)} µs` }])
  return section(
    BENCH_WORDS[locale].latency,
    table([words.percentile, { drawn: html`${words.share}` }, { number: words.time }], [...rows, ['max', { drawn: html`` }, { number: formatMs(max / 1000, locale) }]]),
    'whole',
  )
}

function kindsSection({ kinds }: Measurement, locale: Locale): Markup[] {
  const found = Object.entries(kinds)
  if (found.length === 0) return []
  const words = WORDS[locale]
  const fastest = Math.max(...found.map(([, speed]) => speed))
  const rows = found.map(([kind, speed]): Row => [kind, { drawn: one(speed, fastest) }, { number: formatNumber(speed, locale) }])
  return [section(BENCH_WORDS[locale].kinds, table([words.kind, { drawn: html`${words.share}` }, { number: words.perSecond }], rows))]
}

function compileSection({ compile_ms: { cold, warm, layered }, memory_mb }: Measurement, locale: Locale): Markup {
  const words = WORDS[locale]
  const said = BENCH_WORDS[locale]
  const rows = (
    [
      [said.cold, cold],
      [said.warm, warm],
      [said.layered, layered],
    ] as const
  ).map(([label, ms]): Row => [label, { drawn: one(ms, Math.max(cold, warm, layered)) }, { number: formatMs(ms, locale) }])
  return section(
    said.compile,
    html`${table([words.stage, { drawn: html`${words.share}` }, { number: words.time }], rows)}
<p class="quiet">${fill(words.memory, { heap: formatNumber(memory_mb.heap_used, locale), rss: formatNumber(memory_mb.rss, locale) })}</p>`,
    'whole',
  )
}

function profileSection(title: string, all: readonly ProfileItem[], locale: Locale): Markup {
  const items = all.filter(({ ns }) => ns > 0)
  const words = WORDS[locale]
  const number = (value: number, digits = 0): string => formatNumber(value, locale, digits)
  const most = Math.max(1, ...items.map(({ ns_per_event }) => ns_per_event))
  // The bar is below the name, so that both have room on a phone.
  const rows = items
    .slice(0, TOP_SHOWN)
    .map(
      ({ name, filename, line, ns_per_event, checks, matches }): Row => [
        filename === null
          ? html`<code>${shorten(name, NAME_SHOWN)}</code>${one(ns_per_event, most)}`
          : html`${shorten(name, NAME_SHOWN)} <span class="quiet">${filename}:${line ?? ''}</span>${one(ns_per_event, most)}`,
        { number: number(ns_per_event, 1) },
        { number: number(checks) },
        { number: number(matches) },
      ],
    )
  const more = items.length <= TOP_SHOWN ? '' : html`<p class="quiet">${fill(words.top, { shown: number(TOP_SHOWN), total: number(items.length) })}</p>`
  return section(title, html`${table([words.name, { number: words.cost }, { number: words.checks }, { number: words.matches }], rows)}${more}`)
}

function one(value: number, whole: number): Markup {
  return bar([{ value, tone: 'full' }], whole)
}
