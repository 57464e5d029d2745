/** The results of a replay as an HTML page: which alerts there were, what makes the noise, and what is not looked at. */
import type { Locale } from '#engine'
import { fill } from '../../core/i18n/translate.js'
import { readVersion } from '../../core/version.js'
import { html, type Markup } from '../../core/http/text/html.js'
import { bar, type Column, columnChart, figure } from '../../core/report-page/charts.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { techniqueNames } from '../../core/report-page/rule-coverage.js'
import { list, type Row, table } from '../../core/report-page/table.js'
import { PROGRAM } from '../help.js'
import type { Summary } from '../replay/summary.js'
import { formatNumber, percent } from '../terminal/numbers.js'
import { shorten } from '../terminal/printable.js'
import { comparisonSections } from './replay-comparison.js'
import { costSections } from './replay-cost.js'
import { replayNotes } from './replay-report.js'

/** Columns in a chart over time: as many as fit beside each other on a phone, and labels below them. */
const COLUMNS_SHOWN = 48
const LABELS_SHOWN = 4
/** Rows of a table with bars. */
const ROWS_SHOWN = 25
/** Share of all alerts that the noisy rules make together. */
const NOISE_SHARE = 0.8
const EXAMPLE_SHOWN = 300
const YEAR_LENGTH = 'YYYY-'.length
const DATE_LENGTH = 'YYYY-MM-DD'.length
const MINUTE_LENGTH = 'YYYY-MM-DDTHH:MM'.length
const DAY_MS = 86_400_000

interface PageWords {
  readonly title: string
  readonly made: string
  readonly events: string
  readonly overTime: string
  readonly from: string
  readonly rules: string
  readonly noise: string
  readonly rule: string
  readonly level: string
  readonly alerts: string
  readonly share: string
  readonly levels: string
  readonly atLevel: string
  readonly hosts: string
  readonly host: string
  readonly noHost: string
  readonly eventsColumn: string
  readonly attack: string
  readonly technique: string
  readonly silent: string
  readonly place: string
  readonly unknown: string
  readonly template: string
  readonly numbers: string
  readonly shown: string
}

const WORDS: Readonly<Record<Locale, PageWords>> = {
  'en-US': {
    title: 'Replay',
    made: '{program} {version}; events from {first} to {last} (UTC)',
    events: 'alerts of {events} events',
    overTime: 'Alerts over time',
    from: 'From {from}: {alerts}',
    rules: 'Rules with the most alerts',
    noise: '{count} of {total} rules with alerts make {share} of all alerts.',
    rule: 'Rule',
    level: 'Level',
    alerts: 'Alerts',
    share: 'Compared',
    levels: 'Alerts by level',
    atLevel: 'Level {level}: {alerts}',
    hosts: 'Hosts with the most alerts',
    host: 'Host',
    noHost: 'no host in the event',
    eventsColumn: 'Events',
    attack: 'Techniques of ATT&CK',
    technique: 'Technique',
    silent: 'Your own rules that no event fired',
    place: 'Place',
    unknown: 'Events that no decoder knows',
    template: 'Template and example',
    numbers: 'Numbers',
    shown: 'The first {shown} of {total} are shown.',
  },
  'pt-BR': {
    title: 'Replay',
    made: '{program} {version}; eventos de {first} a {last} (UTC)',
    events: 'alertas de {events} eventos',
    overTime: 'Alertas ao longo do tempo',
    from: 'A partir de {from}: {alerts}',
    rules: 'Regras com mais alertas',
    noise: '{count} de {total} regras com alertas geram {share} de todos os alertas.',
    rule: 'Regra',
    level: 'Nível',
    alerts: 'Alertas',
    share: 'Comparação',
    levels: 'Alertas por nível',
    atLevel: 'Nível {level}: {alerts}',
    hosts: 'Hosts com mais alertas',
    host: 'Host',
    noHost: 'nenhum host no evento',
    eventsColumn: 'Eventos',
    attack: 'Técnicas do ATT&CK',
    technique: 'Técnica',
    silent: 'Suas regras que nenhum evento disparou',
    place: 'Lugar',
    unknown: 'Eventos que nenhum decoder conhece',
    template: 'Modelo e exemplo',
    numbers: 'Números',
    shown: 'São mostrados os primeiros {shown} de {total}.',
  },
}

/** Nothing on it is of the machine or its clock. */
export function replayPage(summary: Summary, locale: Locale): string {
  const words = WORDS[locale]
  const { events, alerts, first_event: first, last_event: last } = summary
  const notes = replayNotes(summary, locale)
  return reportPage({
    locale,
    title: words.title,
    heading: words.title,
    lead: [html`<p class="quiet">${fill(words.made, { program: PROGRAM, version: readVersion(), first: first ?? '–', last: last ?? '–' })}</p>`],
    sections: [
      section(
        words.alerts,
        html`<p class="score">${formatNumber(alerts, locale)}</p>
<p class="quiet">${fill(words.events, { events: formatNumber(events, locale) })}</p>
${notes.map((note) => html`<p>${note}</p>\n`)}`,
        'whole',
      ),
      ...comparisonSections(summary, locale),
      ...overTime(summary, words, locale),
      ...noisyRules(summary, words, locale),
      ...byLevel(summary, words, locale),
      ...byHost(summary, words, locale),
      ...byTechnique(summary, words, locale),
      ...silentRules(summary, words, locale),
      ...unknownEvents(summary, words, locale),
      ...costSections(summary, locale),
    ],
  })
}

function overTime({ alerts_over_time: { counts } }: Summary, words: PageWords, locale: Locale): Markup[] {
  if (counts.length < 2) return []
  const number = (value: number): string => formatNumber(value, locale)
  const width = Math.ceil(counts.length / COLUMNS_SHOWN)
  const groups = Array.from({ length: Math.ceil(counts.length / width) }, (_, index) => counts.slice(index * width, (index + 1) * width)).map((group) => ({
    from: group[0].from,
    alerts: group.reduce((sum, { alerts }) => sum + alerts, 0),
  }))
  const most = Math.max(...groups.map(({ alerts }) => alerts))
  // Numbers of equal columns beside each other would overlap.
  const highest = groups.findIndex(({ alerts }) => alerts === most)
  // Within a day the time tells the columns apart, within some days both, else the date.
  const days = (Date.parse(counts[counts.length - 1].from.slice(0, DATE_LENGTH)) - Date.parse(counts[0].from.slice(0, DATE_LENGTH))) / DAY_MS
  const label = (from: string): string =>
    days === 0 ? from.slice(DATE_LENGTH + 1, MINUTE_LENGTH) : days < LABELS_SHOWN ? from.slice(YEAR_LENGTH, MINUTE_LENGTH).replace('T', ' ') : from.slice(0, DATE_LENGTH)
  const labelled = Math.ceil(groups.length / LABELS_SHOWN)
  const columns = groups.map(
    ({ from, alerts }, index): Column => ({
      // A label at the end would be cut there.
      label: index % labelled === labelled >> 1 && groups.length - 1 - index >= labelled >> 1 ? label(from) : '',
      shown: index === highest ? number(alerts) : '',
      parts: [{ value: alerts, tone: 'full' }],
      title: fill(words.from, { from, alerts: number(alerts) }),
    }),
  )
  const rows = groups.map(({ from, alerts }): Row => [{ solid: from }, { number: number(alerts) }])
  return [
    section(
      words.overTime,
      figure({ title: '', legend: [], chart: columnChart(words.overTime, columns), table: { summary: words.numbers, content: table(['UTC', { number: words.alerts }], rows) } }),
      'whole',
    ),
  ]
}

function noisyRules({ rules, alerts: all }: Summary, words: PageWords, locale: Locale): Markup[] {
  const noisy = rules.filter(({ alerts }) => alerts > 0)
  if (noisy.length === 0) return []
  let together = 0
  let count = 0
  while (together < NOISE_SHARE * all) together += noisy[count++].alerts
  const rows = noisy.map(
    ({ id, level, description, file, line, alerts }): Row => [
      html`${id} ${description} <span class="quiet">${file}:${line}</span>${bar([{ value: alerts, tone: 'full' }], noisy[0].alerts)}`,
      { number: String(level) },
      { number: formatNumber(alerts, locale) },
      { number: percent(alerts, all, locale) },
    ],
  )
  const sentence = fill(words.noise, { count: formatNumber(count, locale), total: formatNumber(noisy.length, locale), share: percent(together, all, locale) })
  return [section(words.rules, html`<p>${sentence}</p>\n${first([words.rule, { number: words.level }, { number: words.alerts }, { number: '%' }], rows, words, locale)}`)]
}

function byLevel({ levels }: Summary, words: PageWords, locale: Locale): Markup[] {
  const known = levels.filter(({ alerts }) => alerts > 0)
  if (known.length === 0) return []
  const columns = known.map(({ level, alerts }): Column => {
    const shown = formatNumber(alerts, locale)
    return { label: String(level), shown, parts: [{ value: alerts, tone: 'full' }], title: fill(words.atLevel, { level, alerts: shown }) }
  })
  return [section(words.levels, figure({ title: '', legend: [], chart: columnChart(words.levels, columns), table: null }), 'whole')]
}

function byHost({ hosts }: Summary, words: PageWords, locale: Locale): Markup[] {
  const known = hosts.filter(({ alerts }) => alerts > 0)
  const rows = known.map(
    ({ host, events, alerts }): Row => [
      host ?? html`<span class="quiet">${words.noHost}</span>`,
      { drawn: bar([{ value: alerts, tone: 'full' }], known[0].alerts) },
      { number: formatNumber(alerts, locale) },
      { number: formatNumber(events, locale) },
    ],
  )
  return known.length === 0
    ? []
    : [section(words.hosts, first([words.host, { drawn: html`${words.share}` }, { number: words.alerts }, { number: words.eventsColumn }], rows, words, locale))]
}

function byTechnique({ rules }: Summary, words: PageWords, locale: Locale): Markup[] {
  const counts = new Map<string, number>()
  for (const { attack_ids: ids, alerts } of rules) if (alerts > 0) for (const id of new Set(ids)) counts.set(id, (counts.get(id) ?? 0) + alerts)
  const known = [...counts].sort(([, a], [, b]) => b - a)
  const names = techniqueNames()
  const rows = known.map(
    ([id, alerts]): Row => [
      html`${id} <span class="quiet">${names.get(id) ?? ''}</span>`,
      { drawn: bar([{ value: alerts, tone: 'full' }], known[0][1]) },
      { number: formatNumber(alerts, locale) },
    ],
  )
  return known.length === 0 ? [] : [section(words.attack, first([words.technique, { drawn: html`${words.share}` }, { number: words.alerts }], rows, words, locale))]
}

function silentRules({ own_rules_without_events: silent }: Summary, words: PageWords, locale: Locale): Markup[] {
  if (silent.length === 0) return []
  const rows = silent.map(({ id, level, description, file, line }): Row => [html`${id} ${description}`, { number: String(level) }, `${file}:${line}`])
  const shown = (counts: { readonly shown: number; readonly total: number }): string => sayShown(counts, words, locale)
  return [section(`${words.silent}: ${formatNumber(silent.length, locale)}`, list([words.rule, { number: words.level }, words.place], rows, rows.length, shown))]
}

function unknownEvents({ unknown_events: all, unknown_kinds: kinds }: Summary, words: PageWords, locale: Locale): Markup[] {
  if (all === 0) return []
  const rows = kinds.map(
    ({ template, events, example }): Row => [
      html`<code>${shorten(template, EXAMPLE_SHOWN)}</code><br><code class="quiet">${shorten(example, EXAMPLE_SHOWN)}</code>`,
      { number: formatNumber(events, locale) },
      { number: percent(events, all, locale) },
    ],
  )
  return [section(`${words.unknown}: ${formatNumber(all, locale)}`, first([words.template, { number: words.eventsColumn }, { number: '%' }], rows, words, locale))]
}

/** A table of the first rows. */
function first(columns: Row, rows: readonly Row[], words: PageWords, locale: Locale): Markup {
  const more = rows.length <= ROWS_SHOWN ? '' : html`\n<p class="quiet">${sayShown({ shown: ROWS_SHOWN, total: rows.length }, words, locale)}</p>`
  return html`${table(columns, rows.slice(0, ROWS_SHOWN))}${more}`
}

function sayShown({ shown, total }: { readonly shown: number; readonly total: number }, words: PageWords, locale: Locale): string {
  return fill(words.shown, { shown: formatNumber(shown, locale), total: formatNumber(total, locale) })
}
