/** The report as a printable HTML page. */
import type { Locale } from '../../core/i18n/locale.js'
import { fill, reportTexts } from '../../core/i18n/translate.js'
import { POLICY_FIELDS, type PolicyField } from '../shared/gate-policy.js'
import { html, isolated, type Markup, fillMarkup } from '../../core/http/text/html.js'
import { canNeverFire } from '#workers'
import { auditLead, auditTable, verdictTable } from '../../core/report-page/audit-figures.js'
import { figure, lineChart } from '../../core/report-page/charts.js'
import { attackFigure, coverageWords, type CoverageWords, fileTable, levelFigure } from '../../core/report-page/coverage-figures.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { list, PRINTED, type Row, table } from '../../core/report-page/table.js'
import { mutationPart } from './mutation-section.js'
import type { ProjectReportResponse } from './schema.js'

/** Formats of the reader's language. */
interface Words extends CoverageWords {
  readonly texts: ReturnType<typeof reportTexts>
  readonly moment: (at: string) => string
  /** Short form for tables. */
  readonly when: (at: string) => string
}

/** Highest quality score. */
const FULL_SCORE = 100

type Section = (report: ProjectReportResponse, words: Words) => Markup

/** Sections in reading order: the verdict first, then its reasons. */
const SECTIONS: readonly Section[] = [scoreSection, gateSection, diagnosticsSection, auditSection, casesSection, coverageSection, attackSection, versionsSection, contentSection]

/** Returns a complete HTML document. */
export function reportDocument(report: ProjectReportResponse, locale: Locale): string {
  const words = wordsOf(locale)
  const { headings, sentences } = words.texts
  const { project, generated_at, published_version: published } = report
  return reportPage({
    locale,
    title: fill(headings.title, { project: project.name }),
    heading: fillMarkup(headings.title, { project: isolated(project.name) }),
    lead: [
      ...(project.description === '' ? [] : [html`<p class="description">${project.description}</p>`]),
      html`<p class="quiet">${fill(sentences.made, { at: words.moment(generated_at) })} ${
        published === null ? sentences.unpublished : fillMarkup(sentences.published, { version: isolated(published.name) })
      }</p>`,
    ],
    sections: SECTIONS.map((part) => part(report, words)),
  })
}

function scoreSection({ quality, semantic_counts }: ProjectReportResponse, { texts, number }: Words): Markup {
  const { columns, sentences, headings } = texts
  const rows = quality.terms.map(({ title, points, explanation }): Row => [{ solid: title }, { number: number(points) }, explanation])
  const isEmpty = semantic_counts.total_rules === 0 && semantic_counts.total_decoders === 0 && quality.score === 100
  return section(
    headings.score,
    html`<p class="score">${quality.score}<small> / 100</small></p>
${quality.is_capped ? html`<p class="bad">${sentences.capped}</p>` : ''}
${isEmpty ? html`<p>${sentences.empty}</p>` : ''}
${table([columns.term, { number: columns.points }, columns.explanation], rows)}`,
    'whole',
  )
}

function gateSection(report: ProjectReportResponse, { texts, number }: Words): Markup {
  const { columns, headings, values } = texts
  const { quality_gate_result: result, quality_gate_policy: policy } = report
  const failed = new Set(result.failed_rules.map(({ rule }) => rule))
  const said = (value: number | boolean): string => (typeof value === 'number' ? number(value) : value ? values.yes : values.no)
  const asked = (value: number | boolean | null): string => (value === null ? values.any : value === false ? values.optional : said(value))
  const facts = factsOf(report)
  const unknown = new Map(result.failed_rules.map(({ rule, state }) => [rule, state]))
  const rows = POLICY_FIELDS.map((field): Row => {
    const fact = facts[field]
    const state = unknown.get(field)
    const actual = state !== undefined ? texts.gateStates[state] : fact === null ? '–' : said(fact)
    return [texts.policy[field], { number: asked(policy[field] ?? NOT_ASKED[field] ?? null) }, { number: failed.has(field) ? html`<span class="bad">${actual}</span>` : actual }]
  })
  const causes = result.failed_rules.flatMap(({ rule, rules = [], rule_count = rules.length }) =>
    rules.length === 0 ? [] : [html`<li>${texts.policy[rule]}: ${rules.join(', ')}${rule_count > rules.length ? ` … (${number(rule_count)})` : ''}</li>`],
  )
  return section(
    headings.gate,
    html`<p class="${result.passed ? 'good' : 'bad'}">${texts.gateResults[result.state]}</p>
${causes.length === 0 ? '' : html`<ul>${causes}</ul>`}
${mutationPart(result.mutation, texts, number)}
${table([columns.policy, { number: columns.expected }, { number: columns.actual }], rows)}`,
    'whole',
  )
}

/** Fields that a policy may lack, and whose absence is no missing limit. */
const NOT_ASKED: Partial<Record<PolicyField, boolean>> = { require_negative_cases: false }

/** Actual values of the policy's fields; null: not measured. */
function factsOf({
  quality,
  validation,
  regression,
  quality_gate_policy: policy,
  quality_gate_result: result,
}: ProjectReportResponse): Record<PolicyField, number | boolean | null> {
  const { error, warning, info } = validation.diagnostics_by_severity
  return {
    min_quality_score: quality.score,
    max_errors: error,
    max_warnings: warning,
    max_infos: info,
    require_regression_pass: regression.failed === 0,
    min_case_count: regression.total,
    require_approved_review: policy.require_approved_review ? !result.failed_rules.some(({ rule }) => rule === 'require_approved_review') : null,
    // The report is about the content that is active.
    max_lost_alerts: null,
    min_rule_coverage: result.rule_coverage,
    require_negative_cases: result.rules_without_negative_case === null ? null : result.rules_without_negative_case === 0,
    min_mutation_score: result.mutation?.score ?? null,
  }
}

function diagnosticsSection({ validation }: ProjectReportResponse, { texts, number, shown }: Words): Markup {
  const { columns, sentences, headings, severities } = texts
  const { loads, total, diagnostics_by_severity: by, findings } = validation
  const rows = findings.map(
    ({ severity, filename, line, code, message, hint }): Row => [
      { solid: severities[severity] },
      { solid: line === null ? filename : `${filename}:${line}` },
      html`${message}<br><span class="quiet">${hint}</span><br><code class="quiet">${code}</code>`,
    ],
  )
  return section(
    headings.findings,
    html`<p class="${loads ? 'good' : 'bad'}">${loads ? sentences.loads : sentences.refuses}</p>
<p>${fill(sentences.severities, { error: number(by.error), warning: number(by.warning), info: number(by.info) })}</p>
${list([columns.severity, columns.place, columns.message], rows, total, shown)}`,
  )
}

function auditSection({ audit }: ProjectReportResponse, words: Words): Markup {
  if (audit === null || !audit.loads) return html``
  const { never_fire_count: never, counts, rules } = audit
  const total = Object.values(counts).reduce((sum, one) => sum + one, 0)
  const untried = rules.filter(({ reason }) => reason?.code === 'time_limit').length
  const shown = rules.filter(canNeverFire).slice(0, PRINTED)
  const listed = html`${auditTable(shown, words)}${shown.length < never ? html`<p class="quiet">${words.shown({ shown: shown.length, total: never })}</p>` : ''}`
  return section(
    words.texts.audit.heading,
    html`${auditLead(never, total, untried, words)}${total === 0 ? '' : verdictTable(counts, words)}${never === 0 ? '' : html`<h3>${words.texts.audit.act}</h3>\n${listed}`}`,
  )
}

function casesSection({ regression }: ProjectReportResponse, { texts, number, shown }: Words): Markup {
  const { columns, sentences, headings } = texts
  const { total, passed, failed, failing } = regression
  if (total === 0) return section(headings.regression, html`<p>${sentences.noCases}</p>`)
  // The rows of a case are not split between printed pages.
  const groups = failing.map(({ name, checks }): readonly Row[] =>
    checks.length === 0
      ? [[name, '', '', '']]
      : checks.map(({ label, expected, actual }, index): Row => [index === 0 ? name : '', label, html`<code>${expected}</code>`, html`<code>${actual}</code>`]),
  )
  return section(
    headings.regression,
    html`<p class="${failed === 0 ? 'good' : 'bad'}">${fill(sentences.cases, { passed: number(passed), total: number(total) })}</p>
${list([columns.case, columns.check, columns.expected, columns.actual], groups, failed, shown, 'cases')}`,
  )
}

function coverageSection({ coverage }: ProjectReportResponse, words: Words): Markup {
  const { columns, sentences, headings } = words.texts
  const { total, covered, untested } = coverage.rules
  if (total === 0) return section(headings.coverage, html`<p>${sentences.noRules}</p>`)
  const rows = untested.map(({ rule_id, filename, line }): Row => [{ solid: rule_id }, `${filename}:${line}`])
  const missing = total === covered ? '' : html`<h3>${headings.untested}</h3>\n${list([columns.rule, columns.place], rows, total - covered, words.shown)}`
  return section(
    headings.coverage,
    html`<p>${fill(sentences.covered, { covered: words.number(covered), total: words.number(total) })}</p>
${fileTable(coverage.files, coverage.file_count, words)}
${coverage.levels.length === 0 ? '' : levelFigure(coverage.levels, words)}${missing}`,
  )
}

function attackSection({ attack: { techniques } }: ProjectReportResponse, words: Words): Markup {
  const { headings, sentences } = words.texts
  return section(headings.attack, techniques.length === 0 ? html`<p>${sentences.none}</p>` : attackFigure(techniques, techniques.length, words))
}

function versionsSection({ versions }: ProjectReportResponse, { texts, number, when }: Words): Markup {
  const { charts, columns, headings, sentences, statuses, values } = texts
  const rows = versions.map(
    ({ name, status, quality_score, created_at, published_at }): Row => [
      name,
      { solid: statuses[status] },
      { number: number(quality_score) },
      { solid: when(created_at) },
      { solid: published_at === null ? values.never : when(published_at) },
    ],
  )
  const heads = [columns.name, columns.status, { number: columns.score }, columns.created, columns.published]
  if (rows.length === 0) return section(headings.versions, html`<p>${sentences.none}</p>`, 'whole')
  const points = versions
    .toReversed()
    .map(({ name, quality_score: score, created_at }) => ({ label: name, shown: number(score), value: score, title: `${name}: ${number(score)}, ${when(created_at)}` }))
  // One point shows no development.
  const scores = points.length === 1 ? '' : figure({ title: charts.scores, legend: [], chart: lineChart(charts.scores, points, FULL_SCORE), table: null })
  return section(headings.versions, html`${scores}${table(heads, rows)}`, 'whole')
}

function contentSection({ semantic_counts: counts }: ProjectReportResponse, { texts, number }: Words): Markup {
  const { columns, headings } = texts
  const names = texts.counts satisfies Readonly<Record<keyof typeof counts, string>>
  const rows = (Object.keys(names) as (keyof typeof names)[]).map((name): Row => [names[name], { number: number(counts[name]) }])
  return section(headings.content, table([columns.name, { number: columns.count }], rows), 'whole')
}

/** Times are in UTC, because readers may be in any time zone. */
function wordsOf(locale: Locale): Words {
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  const short = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return { ...coverageWords(locale), texts: reportTexts(locale), moment: (at) => moments.format(new Date(at)), when: (at) => short.format(new Date(at)) }
}
