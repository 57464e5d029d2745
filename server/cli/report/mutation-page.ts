/** What `mutate` has found as an HTML page: the score, its files, and what no case notices. */
import type { Locale, MutantRow, MutantStatus } from '#engine'
import { html, type Markup } from '../../core/http/text/html.js'
import { bar, type Part } from '../../core/report-page/charts.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { list, type Row, table } from '../../core/report-page/table.js'
import { formatMs, formatNumber } from '../terminal/numbers.js'
import { byFile, changeName, changeText, countedOf, eventsOf, expectedOf, itemName, type Mutation, scoreText, slowest, summaryTexts } from './mutation-report.js'
import { MUTATION_WORDS, type MutationWords } from './mutation-words.js'

/** Events of a case that are shown, from its end. */
const EVENTS_SHOWN = 2

/** Without scripts. Nothing on it is of the machine but the times of the slowest changes. */
export function mutationPage(mutation: Mutation, locale: Locale): string {
  const words = MUTATION_WORDS[locale]
  const { rows, summary, untried } = mutation
  const number = (value: number): string => formatNumber(value, locale)
  const [told, notCounted] = summaryTexts(mutation, locale)
  return reportPage({
    locale,
    title: words.title,
    heading: words.title,
    lead: [html`<p class="${summary.survived === 0 ? 'good' : 'bad'}">${told}</p>`, ...(untried > 0 ? [html`<p>${words.partial(number(untried))}</p>`] : [])],
    sections: [
      section(
        words.scoreColumn,
        html`<p class="score">${countedOf(summary) === 0 ? '–' : scoreText(summary, locale)}</p>\n<p class="quiet">${notCounted}</p>\n${statusTable(rows, words, number)}`,
        'whole',
      ),
      section(words.files, fileTable(rows, words, locale)),
      ...changes(words.survivors, 'survived', rows, words, locale),
      ...changes(words.unknowns, 'unknown', rows, words, locale),
      ...(rows.length === 0 ? [] : [section(words.slowest, slowestTable(rows, words, locale))]),
    ],
  })
}

function statusTable(rows: readonly MutantRow[], words: MutationWords, number: (value: number) => string): Markup {
  const counted = (['killed', 'survived', 'unknown', 'equivalent', 'invalid'] as const).flatMap((status): Row[] => {
    const count = rows.filter((row) => row.status === status).length
    return count === 0 ? [] : [[{ solid: words.statuses[status] }, words.meanings[status], { number: number(count) }]]
  })
  return counted.length === 0 ? html`` : table(['', '', { number: words.changes }], counted)
}

function fileTable(rows: readonly MutantRow[], words: MutationWords, locale: Locale): Markup {
  const files = byFile(rows).map(({ file, summary }): Row => {
    const parts: Part[] = [
      { value: summary.killed, tone: 'full' },
      { value: summary.unknown, tone: 'none' },
      { value: summary.survived, tone: 'bad' },
    ]
    const counted = countedOf(summary)
    return [file, { drawn: bar(parts, Math.max(1, counted)) }, { number: formatNumber(counted, locale) }, { number: scoreText(summary, locale) }]
  })
  return table(
    [
      words.file,
      { drawn: html`${[words.statuses.killed, words.statuses.unknown, words.statuses.survived].join('\u00a0/ ')}` },
      { number: words.changes },
      { number: words.scoreColumn },
    ],
    files,
  )
}

function changes(heading: string, status: MutantStatus, rows: readonly MutantRow[], words: MutationWords, locale: Locale): Markup[] {
  const found = rows.filter((row) => row.status === status)
  if (found.length === 0) return []
  const shown = found.map((row): Row => {
    const events =
      typeof row.case === 'object'
        ? eventsOf(row.case)
            .slice(-EVENTS_SHOWN)
            .map((event) => html`<pre>${event}</pre>`)
        : []
    const expected = typeof row.case === 'object' ? html`<p>${words.expects(expectedOf(row.case, words, locale))}</p>` : ''
    const place = html` <span class="quiet">${row.file}:${formatNumber(row.line, locale)}</span>`
    return [{ solid: itemName(row, words) }, html`<strong>${changeName(row, words)}</strong>${place}<pre>${changeText(row, words)}</pre>${events}${expected}`]
  })
  const columns: Row = [words.item, status === 'survived' ? `${words.change}, ${words.killingCase.toLowerCase()}` : words.change]
  return [section(`${heading} (${formatNumber(found.length, locale)})`, list(columns, shown, shown.length, words.shown))]
}

function slowestTable(rows: readonly MutantRow[], words: MutationWords, locale: Locale): Markup {
  return table(
    [words.item, words.change, { number: words.time }],
    slowest(rows).map((row): Row => [{ solid: itemName(row, words) }, `${changeName(row, words)} · ${row.file}:${row.line}`, { number: formatMs(row.ms, locale) }]),
  )
}
