/** The report as a page that is read and printed: for people who decide, without a tool that shows it. */
import type { Locale } from '../../i18n/locale.js'
import { fill, reportTexts } from '../../i18n/translate.js'
import type { PolicyField } from '../../projects/gate-policy.js'
import { html, type Markup } from './html.js'
import type { ProjectReportResponse } from './schema.js'
import { STYLE_ELEMENT } from './style.js'

type Texts = ReturnType<typeof reportTexts>
type Section = (report: ProjectReportResponse, texts: Texts, locale: Locale) => Markup

/** In the order in which they are read: the verdict first, then what it stands on. */
const SECTIONS: readonly Section[] = [scoreSection, gateSection, findingsSection, casesSection, untestedSection, attackSection, versionsSection, contentSection]

/** A whole HTML document. */
export function reportDocument(report: ProjectReportResponse, locale: Locale): string {
  const texts = reportTexts(locale)
  const { project, generated_at, published_version } = report
  const title = fill(texts.headings.title, { project: project.name })
  const { text } = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${STYLE_ELEMENT}
</head>
<body>
<header>
<h1>${title}</h1>
<p>${project.description}</p>
<p class="quiet">${fill(texts.sentences.made, { at: moment(generated_at, locale) })} ${
    published_version === null ? texts.sentences.unpublished : fill(texts.sentences.published, { version: published_version.name })
  }</p>
</header>
<main>
${SECTIONS.map((section) => section(report, texts, locale))}
</main>
</body>
</html>
`
  return text
}

function scoreSection({ quality }: ProjectReportResponse, texts: Texts): Markup {
  const { columns, sentences, headings } = texts
  const rows = quality.terms.map(({ title, points, explanation }) => html`<tr><td>${title}</td><td class="number">${points}</td><td>${explanation}</td></tr>\n`)
  return section(
    headings.score,
    html`<p class="score">${quality.score}<small> / 100</small></p>
${quality.is_capped ? html`<p class="bad">${sentences.capped}</p>` : ''}
${table([columns.term, { number: columns.points }, columns.explanation], rows)}`,
  )
}

function gateSection({ quality_gate_result: result, quality_gate_policy: policy }: ProjectReportResponse, texts: Texts): Markup {
  const { columns, sentences, headings } = texts
  const failed = new Map(result.failed_rules.map((rule) => [rule.rule, rule]))
  const rows = (Object.keys(texts.policy) as PolicyField[]).map((field) => {
    const failure = failed.get(field)
    return html`<tr><td>${texts.policy[field]}</td><td class="number">${value(policy[field], texts)}</td><td class="number">${
      failure === undefined ? '' : html`<span class="bad">${value(failure.actual, texts)}</span>`
    }</td></tr>\n`
  })
  return section(
    headings.gate,
    html`${result.passed ? html`<p class="good">${sentences.gatePassed}</p>` : html`<p class="bad">${sentences.gateFailed}</p>`}
${table([columns.policy, { number: columns.expected }, { number: columns.actual }], rows)}`,
  )
}

function findingsSection({ validation }: ProjectReportResponse, texts: Texts): Markup {
  const { columns, sentences, headings, severities } = texts
  const { loads, total, diagnostics_by_severity: by, findings } = validation
  const rows = findings.map(
    ({ severity, filename, line, code, message, hint }) =>
      html`<tr><td>${severities[severity]}</td><td>${line === null ? filename : `${filename}:${line}`}</td><td><code>${code}</code></td><td>${message}<br><span class="quiet">${hint}</span></td></tr>\n`,
  )
  return section(
    headings.findings,
    html`<p class="${loads ? 'good' : 'bad'}">${loads ? sentences.loads : sentences.refuses}</p>
<p>${fill(sentences.severities, { error: by.error, warning: by.warning, info: by.info })}</p>
${list(rows, total, [columns.severity, columns.place, columns.code, columns.message], texts)}`,
  )
}

function casesSection({ regression }: ProjectReportResponse, texts: Texts): Markup {
  const { columns, sentences, headings } = texts
  const { total, passed, failed, failing } = regression
  if (total === 0) return section(headings.regression, html`<p>${sentences.noCases}</p>`)
  const rows = failing.flatMap(({ name, checks }) =>
    checks.length === 0
      ? [html`<tr><td>${name}</td><td></td><td></td><td></td></tr>\n`]
      : checks.map(
          ({ label, expected, actual }, index) =>
            html`<tr><td>${index === 0 ? name : ''}</td><td>${label}</td><td><code>${expected}</code></td><td><code>${actual}</code></td></tr>\n`,
        ),
  )
  const shown = failing.length < failed ? html`<p class="quiet">${fill(sentences.shown, { shown: failing.length, total: failed })}</p>` : ''
  return section(
    headings.regression,
    html`<p class="${failed === 0 ? 'good' : 'bad'}">${fill(sentences.cases, { passed, total })}</p>
${rows.length === 0 ? '' : table([columns.case, columns.check, columns.expected, columns.actual], rows)}
${shown}`,
  )
}

function untestedSection({ coverage }: ProjectReportResponse, texts: Texts): Markup {
  const { columns, sentences, headings } = texts
  const { total, covered, untested } = coverage.rules
  const rows = untested.map(({ rule_id, filename, line }) => html`<tr><td>${rule_id}</td><td>${`${filename}:${line}`}</td></tr>\n`)
  return section(headings.untested, html`<p>${fill(sentences.covered, { covered, total })}</p>\n${list(rows, total - covered, [columns.rule, columns.place], texts)}`)
}

function attackSection({ attack }: ProjectReportResponse, texts: Texts): Markup {
  const { columns, headings } = texts
  const rows = attack.techniques.map(({ id, rules }) => html`<tr><td>${id}</td><td>${rules.join(', ')}</td></tr>\n`)
  return section(headings.attack, list(rows, rows.length, [columns.technique, columns.rules], texts))
}

function versionsSection({ versions }: ProjectReportResponse, texts: Texts, locale: Locale): Markup {
  const { columns, headings, statuses, values } = texts
  const rows = versions.map(
    ({ name, status, quality_score, created_at, published_at }) =>
      html`<tr><td>${name}</td><td>${statuses[status]}</td><td class="number">${quality_score}</td><td>${moment(created_at, locale)}</td><td>${
        published_at === null ? values.never : moment(published_at, locale)
      }</td></tr>\n`,
  )
  return section(headings.versions, list(rows, rows.length, [columns.name, columns.status, { number: columns.score }, columns.created, columns.published], texts))
}

function contentSection({ semantic_counts: counts }: ProjectReportResponse, texts: Texts): Markup {
  const { columns, headings } = texts
  const rows = (Object.keys(texts.counts) as (keyof typeof counts)[]).map((name) => html`<tr><td>${texts.counts[name]}</td><td class="number">${counts[name]}</td></tr>\n`)
  return section(headings.content, table([columns.name, { number: columns.count }], rows))
}

function section(heading: string, content: Markup): Markup {
  return html`<section>\n<h2>${heading}</h2>\n${content}\n</section>\n`
}

/** A heading of a column; of numbers it stands at the right. */
type Column = string | { readonly number: string }

function table(columns: readonly Column[], rows: readonly Markup[]): Markup {
  const heads = columns.map((column) => (typeof column === 'string' ? html`<th scope="col">${column}</th>` : html`<th scope="col" class="number">${column.number}</th>`))
  return html`<table>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n${rows}</tbody>\n</table>`
}

/** A table of entries, or that there are none. @param total also of those that are left out */
function list(rows: readonly Markup[], total: number, columns: readonly Column[], { sentences }: Texts): Markup {
  if (rows.length === 0) return html`<p>${sentences.none}</p>`
  const more = rows.length < total ? html`\n<p class="quiet">${fill(sentences.shown, { shown: rows.length, total })}</p>` : ''
  return html`${table(columns, rows)}${more}`
}

/** A value of a policy. */
function value(written: number | boolean | null, { values }: Texts): string {
  if (written === null) return values.any
  return typeof written === 'number' ? String(written) : written ? values.yes : values.no
}

/** In UTC: whoever reads it may be anywhere. */
function moment(at: string, locale: Locale): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(at))
}
