/** The impact of a workspace as a printable HTML page. */
import type { Locale } from '../../core/i18n/locale.js'
import { fill, reportTexts } from '../../core/i18n/translate.js'
import { fillMarkup, html, isolated, type Markup } from '../../core/http/text/html.js'
import { bar, figure, type Tone } from '../../core/report-page/charts.js'
import { coverageWords, type CoverageWords } from '../../core/report-page/coverage-figures.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { list, type Row, table } from '../../core/report-page/table.js'
import { behaviourSection } from './behaviour-section.js'
import type { ImpactDiagnostic, ProjectImpactResponse } from './schema.js'

/** Highest quality score. */
const FULL_SCORE = 100
/** Names of changed options that are shown of one rule, decoder or list. */
const OPTIONS_SHOWN = 25

export interface Words extends CoverageWords {
  readonly texts: ReturnType<typeof reportTexts>
}

/** The fillings of the outcomes of cases, in the order of the bar. */
const CASE_TONES = { improved: 'full', changed: 'part', unchanged: 'none', regressed: 'bad' } as const satisfies Record<string, Tone>

/** Returns a complete HTML document. */
export function impactDocument(impact: ProjectImpactResponse, locale: Locale): string {
  const texts = reportTexts(locale)
  const words: Words = { ...coverageWords(locale), texts }
  const names = { workspace: impact.workspace.name, project: impact.project.name }
  return reportPage({
    locale,
    title: fill(texts.impact.title, names),
    heading: fillMarkup(texts.impact.title, { workspace: isolated(names.workspace), project: isolated(names.project) }),
    lead: [html`<p class="quiet">${texts.impact.lead}</p>`],
    sections: [qualitySection, casesSection, behaviourSection, rulesSection, decodersSection, listsSection, diagnosticsSection].map((part) => part(impact, words)),
  })
}

function qualitySection(impact: ProjectImpactResponse, { texts, number }: Words): Markup {
  const { impact: said, columns, severities, values } = texts
  const score = (label: string, value: number): Row => [label, { drawn: bar([{ value, tone: 'full' }], FULL_SCORE) }, { number: number(value) }]
  const [before, after] = [impact.current_diagnostics_by_severity, impact.candidate_diagnostics_by_severity]
  const counts = (['error', 'warning', 'info'] as const).map((name): Row => [severities[name], { number: number(before[name] ?? 0) }, { number: number(after[name] ?? 0) }])
  const starts = (loads: boolean): Markup => html`<span class="${loads ? 'good' : 'bad'}">${loads ? values.yes : values.no}</span>`
  return section(
    said.quality,
    html`${table([texts.headings.content, { drawn: html`${columns.score}` }, { number: `/ ${FULL_SCORE}` }], [score(said.before, impact.current_quality_score), score(said.after, impact.candidate_quality_score)])}
${table(
  [columns.severity, { number: said.before }, { number: said.after }],
  [...counts, [said.starts, { number: starts(impact.current_loads) }, { number: starts(impact.candidate_loads) }]],
)}`,
    'whole',
  )
}

function casesSection(impact: ProjectImpactResponse, { texts, number, shown }: Words): Markup {
  const { impact: said, columns, changes, values } = texts
  const counts = { improved: 0, changed: 0, unchanged: 0, regressed: 0 }
  for (const { change_type } of impact.cases) counts[change_type]++
  if (impact.cases.length === 0) return section(said.cases, html`<p>${texts.sentences.noCases}</p>`)
  const kinds = Object.keys(CASE_TONES) as (keyof typeof CASE_TONES)[]
  const outcome = (rule: string | null, passed: boolean): Markup =>
    html`<span class="${passed ? 'good' : 'bad'}">${passed ? values.passes : values.fails}</span> ${rule ?? values.noRule}`
  const order = (['regressed', 'changed', 'improved'] as const).flatMap((kind) => impact.cases.filter(({ change_type }) => change_type === kind))
  const rows = order.map(
    ({ case_name, change_type, before_rule_id, before_passed, after_rule_id, after_passed }): Row => [
      case_name,
      { solid: changes[change_type] },
      outcome(before_rule_id, before_passed),
      outcome(after_rule_id, after_passed),
    ],
  )
  const sentence = fill(said.caseCounts, {
    improved: number(counts.improved),
    regressed: number(counts.regressed),
    changed: number(counts.changed),
    unchanged: number(counts.unchanged),
  })
  return section(
    said.cases,
    html`${figure({
      title: sentence,
      legend: kinds.filter((kind) => counts[kind] > 0).map((kind) => ({ tone: CASE_TONES[kind], text: changes[kind] })),
      chart: bar(
        kinds.map((kind) => ({ value: counts[kind], tone: CASE_TONES[kind] })),
        impact.cases.length,
      ),
      table: null,
    })}${rows.length === 0 ? html`<p>${said.noCases}</p>` : list([columns.case, said.change, said.before, said.after], rows, rows.length, shown)}`,
  )
}

function rulesSection({ rules }: ProjectImpactResponse, words: Words): Markup {
  const { impact: said, changes, columns } = words.texts
  const dropped = rules.dropped.map(
    ({ rule_id, filename, line, message }): Row => [{ solid: rule_id }, { solid: html`<span class="bad">${changes.dropped}</span>` }, `${filename}:${line}`, message ?? ''],
  )
  const rows = [
    ...dropped,
    ...rules.added.map(({ rule_id, description }): Row => [{ solid: rule_id }, { solid: changes.added }, description, '']),
    ...rules.removed.map(({ rule_id, description }): Row => [{ solid: rule_id }, { solid: changes.removed }, description, '']),
    ...rules.changed.map((one): Row => [{ solid: one.rule_id }, { solid: changes.changed }, one.description, optionsOf(one.changes)]),
  ]
  const lost = rules.dropped_count === 0 ? '' : html`<p class="bad">${fill(said.dropped, { count: words.number(rules.dropped_count) })}</p>\n`
  const total = rules.dropped_count + rules.added_count + rules.removed_count + rules.changed_count
  return changesSection(said.rules, rules, html`${lost}${list([columns.rule, said.change, columns.description, said.what], rows, total, words.shown)}`, total, words)
}

function decodersSection({ decoders }: ProjectImpactResponse, words: Words): Markup {
  const { impact: said, changes, columns } = words.texts
  const rows = [
    ...decoders.added.map(({ name }): Row => [name, { solid: changes.added }, '']),
    ...decoders.removed.map(({ name }): Row => [name, { solid: changes.removed }, '']),
    ...decoders.changed.map((one): Row => [one.name, { solid: changes.changed }, optionsOf(one.changes)]),
  ]
  const total = decoders.added_count + decoders.removed_count + decoders.changed_count
  return changesSection(said.decoders, decoders, list([columns.name, said.change, said.what], rows, total, words.shown), total, words)
}

function listsSection({ lists }: ProjectImpactResponse, words: Words): Markup {
  const { impact: said, changes, columns } = words.texts
  const entries = (count: number): string => fill(said.entries, { count: words.number(count) })
  const rows = [
    ...lists.added.map(({ name, entry_count }): Row => [name, { solid: changes.added }, entries(entry_count)]),
    ...lists.removed.map(({ name, entry_count }): Row => [name, { solid: changes.removed }, entries(entry_count)]),
    ...lists.changed.map(
      ({ name, added_entries, removed_entries, changed_entries }): Row => [
        name,
        { solid: changes.changed },
        fill(said.listChanges, { added: words.number(added_entries), removed: words.number(removed_entries), changed: words.number(changed_entries) }),
      ],
    ),
  ]
  return changesSection(said.lists, lists, list([columns.name, said.change, said.what], rows, rows.length, words.shown), rows.length, words)
}

interface ChangeCounts {
  readonly added_count: number
  readonly removed_count: number
  readonly changed_count: number
}

function changesSection(heading: string, { added_count, removed_count, changed_count }: ChangeCounts, content: Markup, total: number, { texts, number }: Words): Markup {
  const { impact: said } = texts
  if (total === 0) return section(heading, html`<p>${said.noChanges}</p>`, 'whole')
  return section(heading, html`<p>${fill(said.counts, { added: number(added_count), removed: number(removed_count), changed: number(changed_count) })}</p>\n${content}`)
}

function diagnosticsSection({ candidate_diagnostics: diagnostics }: ProjectImpactResponse, words: Words): Markup {
  const { impact: said, headings } = words.texts
  const { introduced, introduced_count, resolved, resolved_count } = diagnostics
  if (introduced_count + resolved_count === 0) return section(headings.findings, html`<p>${said.noChanges}</p>`, 'whole')
  return section(headings.findings, html`${diagnosticList(said.introduced, introduced, introduced_count, words)}${diagnosticList(said.resolved, resolved, resolved_count, words)}`)
}

function diagnosticList(heading: string, diagnostics: readonly ImpactDiagnostic[], total: number, { texts, number, shown }: Words): Markup {
  if (total === 0) return html``
  const { columns, severities } = texts
  const rows = diagnostics.map(
    ({ severity, filename, line, message, code }): Row => [
      { solid: severities[severity] },
      line === null ? filename : `${filename}:${line}`,
      html`${message}<br><code class="quiet">${code}</code>`,
    ],
  )
  return html`<h3>${heading}: ${number(total)}</h3>\n${list([columns.severity, columns.place, columns.message], rows, total, shown)}`
}

function optionsOf(changes: readonly string[]): Markup {
  return html`<code>${changes.slice(0, OPTIONS_SHOWN).join(', ')}${changes.length > OPTIONS_SHOWN ? ', …' : ''}</code>`
}
