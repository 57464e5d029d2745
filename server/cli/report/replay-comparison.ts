/** What two contents make of the same events, on the page of a replay. */
import type { Locale } from '#engine'
import { html, type Markup } from '../../core/http/text/html.js'
import { bar, type Column, columnChart, figure } from '../../core/report-page/charts.js'
import { section } from '../../core/report-page/page.js'
import { type Row, table } from '../../core/report-page/table.js'
import { fill } from '../../core/i18n/translate.js'
import type { ComparisonSummary } from '../replay/comparison-summary.js'
import type { Summary } from '../replay/summary.js'
import { formatNumber } from '../terminal/numbers.js'
import { shorten } from '../terminal/printable.js'
import { costChange, describeThresholds, forecast, REPLAY_WORDS } from './replay-report.js'

/** Rows of a table, rules whose alerts are shown, and characters of a log. */
const SHOWN = 25
const SAMPLED = 10
const LOG_SHOWN = 300

const WORDS = {
  'en-US': {
    title: 'Compared with {other}',
    before: 'before',
    after: 'after',
    added: 'new',
    lost: 'lost',
    chart: 'Alerts before and after, new and lost',
    rules: 'Rules whose alerts differ',
    rule: 'Rule',
    aDay: 'a day',
    samples: 'Alerts that differ',
    event: 'Event',
    instead: 'instead of rule {rule}',
    now: 'now rule {rule}',
    costs: 'Rules whose cost differs most',
    steps: 'Steps',
    shown: 'The first {shown} of {total} are shown.',
  },
  'pt-BR': {
    title: 'Comparação com {other}',
    before: 'antes',
    after: 'depois',
    added: 'novos',
    lost: 'perdidos',
    chart: 'Alertas antes e depois, novos e perdidos',
    rules: 'Regras cujos alertas diferem',
    rule: 'Regra',
    aDay: 'por dia',
    samples: 'Alertas que diferem',
    event: 'Evento',
    instead: 'em vez da regra {rule}',
    now: 'agora regra {rule}',
    costs: 'Regras cujo custo mais difere',
    steps: 'Passos',
    shown: 'São mostradas as primeiras {shown} de {total}.',
  },
} as const satisfies Readonly<Record<Locale, unknown>>

type Words = (typeof WORDS)[Locale]
type Rule = ComparisonSummary['rules'][number]

/** Empty: nothing is compared. */
export function comparisonSections(summary: Summary, locale: Locale): Markup[] {
  const { compare } = summary
  if (compare === null) return []
  const words = WORDS[locale]
  const number = (value: number): string => formatNumber(value, locale)
  const said = REPLAY_WORDS[locale]
  const different = compare.rules.filter(({ new: added, lost }) => added.alerts > 0 || lost.alerts > 0)
  const columns = (
    [
      [words.before, compare.alerts.before, 'part'],
      [words.after, compare.alerts.after, 'full'],
      [words.added, compare.new_alerts, 'full'],
      [words.lost, compare.lost_alerts, 'part'],
    ] as const
  ).map(([label, value, tone]): Column => ({ label, shown: number(value), parts: [{ value, tone }], title: `${label}: ${number(value)}` }))
  return [
    section(
      fill(words.title, { other: compare.with }),
      html`${figure({ title: words.chart, legend: [], chart: columnChart(words.chart, columns), table: null })}
<p>${said.alerted(number(compare.newly_alerted_events), number(compare.no_longer_alerted_events))}.</p>
<p>${forecast(compare, locale)}.</p>
<p>${costChange(compare, locale)}.</p>
${describeThresholds(summary, locale).map((line) => html`<p><strong>${line}</strong></p>\n`)}`,
      'whole',
    ),
    ...ruleTable(different, words, locale),
    ...sampleTable(different, words),
    ...costTable(compare, words, locale),
  ]
}

function ruleTable(different: readonly Rule[], words: Words, locale: Locale): Markup[] {
  if (different.length === 0) return []
  const number = (value: number | null, digits = 0): string => (value === null ? '–' : formatNumber(value, locale, digits))
  const most = Math.max(...different.map(({ new: added, lost }) => added.alerts + lost.alerts))
  const rows = different.slice(0, SHOWN).map((rule): Row => {
    const { id, description, file, line, new: added, lost, alerts, alerts_a_day: days } = rule
    const drawn = bar(
      [
        { value: added.alerts, tone: 'full' },
        { value: lost.alerts, tone: 'part' },
      ],
      most,
    )
    return [
      html`${id} ${description} <span class="quiet">${file}:${line}</span>${drawn}`,
      { number: number(alerts.before) },
      { number: number(alerts.after) },
      { number: `+${number(added.alerts)}` },
      { number: `−${number(lost.alerts)}` },
      { number: number(days.after, 1) },
    ]
  })
  const columns: Row = [words.rule, { number: words.before }, { number: words.after }, { number: words.added }, { number: words.lost }, { number: words.aDay }]
  return [section(words.rules, html`${table(columns, rows)}${more(rows.length, different.length, words, locale)}`)]
}

function sampleTable(different: readonly Rule[], words: Words): Markup[] {
  const rows = different
    .slice(0, SAMPLED)
    .flatMap(({ id, new: added, lost }) => [
      ...added.samples.map((sample): Row => [html`+ ${id}`, eventCell(sample, sample.other_rule === null ? '' : fill(words.instead, { rule: sample.other_rule }))]),
      ...lost.samples.map((sample): Row => [html`− ${id}`, eventCell(sample, sample.other_rule === null ? '' : fill(words.now, { rule: sample.other_rule }))]),
    ])
  return rows.length === 0 ? [] : [section(words.samples, table([words.rule, words.event], rows))]
}

function eventCell({ source, line, time, log }: Rule['new']['samples'][number], note: string): Markup {
  return html`<code>${shorten(log, LOG_SHOWN)}</code><br><span class="quiet">${source}:${line} · ${time}${note === '' ? '' : ` · ${note}`}</span>`
}

function costTable({ rules }: ComparisonSummary, words: Words, locale: Locale): Markup[] {
  const change = ({ steps: { before, after } }: Rule): number => Math.abs((after ?? 0) - (before ?? 0))
  const different = rules.filter((rule) => change(rule) > 0).sort((a, b) => change(b) - change(a))
  if (different.length === 0) return []
  const number = (value: number | null): string => (value === null ? '–' : formatNumber(value, locale))
  const most = Math.max(...different.map(({ steps: { before, after } }) => Math.max(before ?? 0, after ?? 0)))
  const rows = different
    .slice(0, SHOWN)
    .map(
      ({ id, description, steps: { before, after } }): Row => [
        html`${id} ${description}${bar([{ value: before ?? 0, tone: 'part' }], most)}${bar([{ value: after ?? 0, tone: 'full' }], most)}`,
        { number: number(before) },
        { number: number(after) },
      ],
    )
  const columns: Row = [words.rule, { number: `${words.steps} ${words.before}` }, { number: `${words.steps} ${words.after}` }]
  return [section(words.costs, html`${table(columns, rows)}${more(rows.length, different.length, words, locale)}`)]
}

function more(shown: number, total: number, words: Words, locale: Locale): Markup | '' {
  return shown >= total ? '' : html`\n<p class="quiet">${fill(words.shown, { shown: formatNumber(shown, locale), total: formatNumber(total, locale) })}</p>`
}
