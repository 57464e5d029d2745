/** The results of test cases as an HTML page: what failed and why, and what the cases cover. */
import { type Locale, ruleCatalog } from '#engine'
import { fill, reportTexts } from '../../core/i18n/translate.js'
import { readVersion } from '../../core/version.js'
import { html, type Markup } from '../../core/http/text/html.js'
import { bar } from '../../core/report-page/charts.js'
import { attackFigure, coverageWords, type CoverageWords, fileTable, levelFigure } from '../../core/report-page/coverage-figures.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { type FileCoverage, ruleCoverage } from '../../core/report-page/rule-coverage.js'
import { list, PRINTED, type Row, table } from '../../core/report-page/table.js'
import type { CaseResult } from '../case-run.js'
import type { LocatedDiagnostic } from '../diagnostics/located-diagnostic.js'
import { PROGRAM } from '../help.js'
import { formatMs } from '../terminal/numbers.js'
import { shorten } from '../terminal/printable.js'
import type { CaseTotals } from './case-report.js'

/** Characters of an event, and of an expected or actual value. */
const EVENT_SHOWN = 2000
const VALUE_SHOWN = 500

interface PageWords {
  readonly title: string
  readonly made: string
  readonly ok: string
  readonly failed: string
  readonly passed: string
  readonly failedCases: string
  readonly notes: string
  readonly note: string
  readonly untestedDecoders: string
  readonly decoder: string
}

const ENGLISH: PageWords = {
  title: 'Test results',
  made: '{program} {version}, {at} (UTC), {ms}',
  ok: 'All cases pass, and the content has no error.',
  failed: 'The run has failed.',
  passed: 'Passed',
  failedCases: 'Failed cases',
  notes: 'Cases with a note',
  note: 'Note',
  untestedDecoders: 'Decoders that no case runs',
  decoder: 'Decoder',
}

const WORDS: Readonly<Record<Locale, PageWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    title: 'Resultados dos testes',
    made: '{program} {version}, {at} (UTC), {ms}',
    ok: 'Todos os casos passam, e o conteúdo não tem erros.',
    failed: 'A execução falhou.',
    passed: 'Passaram',
    failedCases: 'Casos que falharam',
    notes: 'Casos com nota',
    note: 'Nota',
    untestedDecoders: 'Decoders que nenhum caso executa',
    decoder: 'Decoder',
  },
}

/** @param at when the cases ran */
export function casesAsPage(totals: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale, at = new Date()): string {
  const words = WORDS[locale]
  const shared = coverageWords(locale)
  const { headings } = reportTexts(locale)
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)
  return reportPage({
    locale,
    title: words.title,
    heading: words.title,
    lead: [html`<p class="quiet">${fill(words.made, { program: PROGRAM, version: readVersion(), at: moment, ms: formatMs(totals.elapsedMs, locale) })}</p>`],
    sections: [
      section(headings.regression, summary(totals, words, shared), 'whole'),
      ...failedSection(totals, words, shared),
      ...notesSection(totals, words, shared),
      ...diagnosticsSection(diagnostics, shared),
      ...coverageSections(totals, words, shared),
    ],
  })
}

function summary({ ok, loads, results }: CaseTotals, words: PageWords, shared: CoverageWords): Markup {
  const { sentences, columns, headings } = reportTexts(shared.locale)
  const files = new Map<string, { passed: number; failed: number }>()
  for (const { path, passed } of results) {
    const counts = files.get(path) ?? { passed: 0, failed: 0 }
    if (passed) counts.passed++
    else counts.failed++
    files.set(path, counts)
  }
  const largest = Math.max(...[...files.values()].map(({ passed, failed }) => passed + failed))
  const rows = [...files].map(
    ([path, { passed, failed }]): Row => [
      path,
      {
        drawn: bar(
          [
            { value: passed, tone: 'full' },
            { value: failed, tone: 'bad' },
          ],
          largest,
        ),
      },
      { number: share(passed, passed + failed, shared) },
    ],
  )
  const passed = results.filter((result) => result.passed).length
  return html`<p class="score">${shared.number(passed)}<small> / ${shared.number(results.length)}</small></p>
<p class="${ok ? 'good' : 'bad'}">${ok ? words.ok : words.failed}</p>
${loads ? '' : html`<p class="bad">${sentences.refuses}</p>\n`}${list([columns.file, { drawn: html`${headings.regression}` }, { number: words.passed }], rows, rows.length, shared.shown)}`
}

function failedSection({ results }: CaseTotals, words: PageWords, shared: CoverageWords): Markup[] {
  const failed = results.filter(({ passed }) => !passed)
  if (failed.length === 0) return []
  const more = failed.length <= PRINTED ? '' : html`<p class="quiet">${shared.shown({ shown: PRINTED, total: failed.length })}</p>`
  return [section(`${words.failedCases}: ${shared.number(failed.length)}`, html`${failed.slice(0, PRINTED).map((result) => failedCase(result, shared.locale))}${more}`)]
}

function failedCase({ path, line, name, checks, reason, remarks, event }: CaseResult, locale: Locale): Markup {
  const { columns } = reportTexts(locale)
  const value = (text: string): Markup => html`<code>${shorten(text === '' ? '–' : text, VALUE_SHOWN)}</code>`
  const rows = checks.filter(({ passed }) => !passed).map(({ label, expected, actual }): Row => [label, value(expected), value(actual)])
  return html`<article>
<h3>${name} <span class="quiet">${path}:${line}</span></h3>
${rows.length === 0 ? '' : html`${table([columns.check, columns.expected, columns.actual], rows)}\n`}${reason === null ? '' : html`<p>${columns.explanation}: ${reason}</p>\n`}${remarks.map(
  (remark) => html`<p>${WORDS[locale].note}: ${remark}</p>\n`,
)}${event === '' ? '' : html`<p><code class="quiet">${shorten(event, EVENT_SHOWN)}</code></p>\n`}</article>\n`
}

function notesSection({ results }: CaseTotals, words: PageWords, shared: CoverageWords): Markup[] {
  const { columns } = reportTexts(shared.locale)
  const rows = results.filter(({ passed, remarks }) => passed && remarks.length > 0).map(({ name, path, line, remarks }): Row => [name, `${path}:${line}`, remarks.join(' ')])
  return rows.length === 0 ? [] : [section(words.notes, list([columns.case, columns.place, words.note], rows, rows.length, shared.shown))]
}

function diagnosticsSection(diagnostics: readonly LocatedDiagnostic[], shared: CoverageWords): Markup[] {
  if (diagnostics.length === 0) return []
  const { columns, headings, severities } = reportTexts(shared.locale)
  const rows = diagnostics.map(
    ({ path, record: { severity, line, message, hint, code } }): Row => [
      { solid: severities[severity] },
      line === null ? path : `${path}:${line}`,
      html`${message}<br><span class="quiet">${hint}</span><br><code class="quiet">${code}</code>`,
    ],
  )
  return [section(headings.findings, list([columns.severity, columns.place, columns.message], rows, rows.length, shared.shown))]
}

function coverageSections({ ruleset, scopes, coverage: { rules, decoders } }: CaseTotals, words: PageWords, shared: CoverageWords): Markup[] {
  const { columns, headings, impact, sentences } = reportTexts(shared.locale)
  const { files, levels, techniques } = ruleCoverage(ruleCatalog(ruleset, new Set(scopes)), rules.untested)
  const untestedRules = rules.untested.map(({ name, filename, line }): Row => [{ solid: name }, `${filename}:${line}`])
  const untestedDecoders = decoders.untested.map(({ name, filename, line }): Row => [name, `${filename}:${line}`])
  const totals = new Map<string, number>()
  for (const { source } of ruleset.decoders.definitions) if (scopes.includes(source.scope)) totals.set(source.filename, (totals.get(source.filename) ?? 0) + 1)
  const decoderFiles = [...totals].map(([filename, total]): FileCoverage => {
    const covered = total - decoders.untested.filter((item) => item.filename === filename).length
    return { filename, total, covered }
  })
  const heading = (text: string, count: number, content: Markup): Markup => (count === 0 ? html`` : html`<h3>${text}: ${shared.number(count)}</h3>\n${content}\n`)
  const ofRules = html`<p>${fill(sentences.covered, { covered: shared.number(rules.covered), total: shared.number(rules.total) })}</p>
${fileTable(files, files.length, shared)}
${levels.length === 0 ? '' : levelFigure(levels, shared)}${heading(headings.untested, untestedRules.length, list([columns.rule, columns.place], untestedRules, untestedRules.length, shared.shown))}`
  return [
    ...(rules.total === 0 ? [] : [section(headings.coverage, ofRules)]),
    ...(techniques.length === 0 ? [] : [section(headings.attack, attackFigure(techniques, techniques.length, shared))]),
    ...(decoders.total === 0
      ? []
      : [
          section(
            impact.decoders,
            html`${fileTable(decoderFiles, decoderFiles.length, shared, impact.decoders)}${heading(words.untestedDecoders, untestedDecoders.length, list([words.decoder, columns.place], untestedDecoders, untestedDecoders.length, shared.shown))}`,
          ),
        ]),
  ]
}

function share(part: number, whole: number, { locale, number }: CoverageWords): string {
  return fill(reportTexts(locale).charts.of, { part: number(part), whole: number(whole) })
}
