/** Charts of the coverage of rules, which several reports have. */
import type { TechniqueState } from '#engine-data'
import type { Locale } from '../i18n/locale.js'
import { fill, reportTexts } from '../i18n/translate.js'
import { html, type Markup } from '../http/text/html.js'
import { bar, cellChart, columnChart, figure, type Tone } from './charts.js'
import { type CoveredCount, coveredMatrix, type FileCoverage, type LevelCoverage, LEVELS, type TechniqueCoverage, techniqueNames } from './rule-coverage.js'
import { list, PRINTED, type Row, table } from './table.js'

/** Columns of a chart of levels are narrow on a phone: from here on a number is written in thousands. */
const THOUSAND = 1000

const TONES: Readonly<Record<TechniqueState, Tone>> = { cases: 'full', rules: 'part', none: 'none' }

/** The words of a page in its reader's language. */
export interface CoverageWords {
  readonly locale: Locale
  readonly number: (value: number) => string
  /** States how many of all entries the page has. */
  readonly shown: (counts: { readonly shown: number; readonly total: number }) => string
}

export function coverageWords(locale: Locale): CoverageWords {
  const numbers = new Intl.NumberFormat(locale)
  const number = (value: number): string => numbers.format(value)
  const { shown: sentence } = reportTexts(locale).sentences
  return { locale, number, shown: ({ shown, total }) => fill(sentence, { shown: number(shown), total: number(total) }) }
}

/** A table of files with a bar each. @param total number of files, including those that are not listed @param counted what is in the files; null: rules */
export function fileTable(files: readonly FileCoverage[], total: number, words: CoverageWords, counted: string | null = null): Markup {
  const { columns, charts } = reportTexts(words.locale)
  const rows = files.map(({ filename, ...count }): Row => [filename, { drawn: coveredBar(count, count.total) }, { number: ofText(count, words) }])
  return list([columns.file, { drawn: html`${charts.tested}` }, { number: counted ?? columns.rules }], rows, total, words.shown)
}

/** The rules by level. */
export function levelFigure(levels: readonly LevelCoverage[], words: CoverageWords): Markup {
  const { columns, charts } = reportTexts(words.locale)
  const byLevel = new Map(levels.map((one) => [one.level, one]))
  const numbers = Array.from({ length: LEVELS }, (_, level) => byLevel.get(level) ?? { level, total: 0, covered: 0 })
  const drawn = numbers.map(({ level, total, covered }) => ({
    label: String(level),
    shown: short(total, words.locale),
    parts: [
      { value: covered, tone: 'full' as const },
      { value: total - covered, tone: 'part' as const },
    ],
    title: fill(charts.level, { level, covered: words.number(covered), total: words.number(total) }),
  }))
  const rows = levels.map(({ level, total, covered }): Row => [String(level), { number: words.number(total) }, { number: words.number(covered) }])
  return figure({
    title: charts.levels,
    legend: [
      { tone: 'full', text: charts.tested },
      { tone: 'part', text: charts.untested },
    ],
    chart: columnChart(charts.levels, drawn),
    table: { summary: charts.numbers, content: table([columns.level, { number: columns.rules }, { number: charts.tested }], rows) },
  })
}

/** The matrix of ATT&CK, and a table of the techniques that rules name. @param total number of techniques, including those that are not listed */
export function attackFigure(techniques: readonly TechniqueCoverage[], total: number, words: CoverageWords): Markup {
  const { columns, charts } = reportTexts(words.locale)
  const rows = coveredMatrix(techniques).map(({ name, covered, techniques: ofTactic }) => ({
    label: name,
    shown: fill(charts.of, { part: words.number(covered), whole: words.number(ofTactic.length) }),
    cells: ofTactic.map(({ id, name: technique, rules, tested, state }) => ({
      tone: TONES[state],
      title: `${id} ${technique}: ${fill(charts.rulesTested, { total: words.number(rules.length), covered: words.number(tested) })}`,
    })),
  }))
  const names = techniqueNames()
  const listed = techniques.map(({ id, rules, tested }): Row => {
    const first = rules.slice(0, PRINTED).join(', ')
    const named = rules.length <= PRINTED ? first : html`${first}, … <span class="quiet">${words.shown({ shown: PRINTED, total: rules.length })}</span>`
    return [html`${id} <span class="quiet">${names.get(id) ?? ''}</span>`, named, { number: ofText({ total: rules.length, covered: tested.length }, words) }]
  })
  return html`${figure({
    title: charts.matrix,
    legend: [
      { tone: 'full', text: charts.withCase },
      { tone: 'part', text: charts.withRule },
      { tone: 'none', text: charts.withoutRule },
    ],
    chart: cellChart(charts.matrix, rows),
    table: null,
  })}${list([columns.technique, columns.rules, { number: charts.tested }], listed, total, words.shown)}`
}

/** A bar with the covered part. */
export function coveredBar({ total, covered }: CoveredCount, whole: number): Markup {
  return bar(
    [
      { value: covered, tone: 'full' },
      { value: total - covered, tone: 'part' },
    ],
    whole,
  )
}

function ofText({ total, covered }: CoveredCount, { locale, number }: CoverageWords): string {
  return fill(reportTexts(locale).charts.of, { part: number(covered), whole: number(total) })
}

function short(value: number, locale: Locale): string {
  return value < THOUSAND ? String(value) : `${(value / THOUSAND).toLocaleString(locale, { maximumSignificantDigits: 2 })}k`
}
