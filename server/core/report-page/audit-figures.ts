/** The results of an audit, as figures and tables of report pages. */
import { AUDIT_VERDICTS, type AuditRecord, type AuditVerdict, canNeverFire } from '#engine-data'
import { html, type Markup } from '../http/text/html.js'
import { fill, reportTexts } from '../i18n/translate.js'
import { bar, columnChart, figure, type Part, type Tone } from './charts.js'
import type { CoverageWords } from './coverage-figures.js'
import { LEVELS } from './rule-coverage.js'
import { type Row, table } from './table.js'

/** Events of a sequence that are shown, from its beginning; the last one is always shown. */
const EVENTS_SHOWN = 3
/** Tones of the verdicts, from the bottom of a column up. */
const TONES: readonly Tone[] = ['full', 'part', 'none', 'bad']

/** The fields of a record that a figure needs. */
export type AuditedRule = Pick<AuditRecord, 'verdict' | 'level' | 'by_child' | 'filename'>

/** The fields of a record that a table needs. */
type ToldRule = Omit<AuditRecord, 'events' | 'conditions'> & { readonly events: readonly { readonly event: string }[]; readonly conditions: readonly { readonly text: string }[] }

/** Counts of the verdicts. */
export function auditCounts(records: readonly Pick<AuditRecord, 'verdict'>[]): Readonly<Record<AuditVerdict, number>> {
  const counts = Object.fromEntries(AUDIT_VERDICTS.map((verdict) => [verdict, 0])) as Record<AuditVerdict, number>
  for (const { verdict } of records) counts[verdict]++
  return counts
}

/** One sentence about the rules that need action. */
export function auditLead(never: number, total: number, untried: number, { locale, number }: CoverageWords): Markup {
  const { audit } = reportTexts(locale)
  const text = never === 0 ? audit.none : fill(audit.never, { count: number(never), total: number(total) })
  return html`<p class="${never === 0 ? 'good' : 'bad'}">${text}</p>${untried === 0 ? '' : html`\n<p>${fill(audit.partial, { count: number(untried) })}</p>`}`
}

/** The number of each verdict, and what it means. */
export function verdictTable(counts: Readonly<Record<AuditVerdict, number>>, { locale, number }: CoverageWords): Markup {
  const { verdicts, verdictMeanings, columns } = reportTexts(locale)
  const rows = AUDIT_VERDICTS.filter((verdict) => counts[verdict] > 0).map(
    (verdict): Row => [{ solid: verdicts[verdict] }, verdictMeanings[verdict], { number: number(counts[verdict]) }],
  )
  return table([columns.status, columns.description, { number: columns.rules }], rows)
}

/** The verdicts by level, and by file. */
export function auditFigures(records: readonly AuditedRule[], { locale, number }: CoverageWords): Markup {
  const { audit, verdictTones, charts, columns } = reportTexts(locale)
  const levels = Array.from({ length: LEVELS }, (_, level) => records.filter((record) => record.level === level))
  const told = (parts: readonly Part[]): string => parts.flatMap(({ value, tone }) => (value === 0 ? [] : [`${verdictTones[tone]}: ${number(value)}`])).join(', ')
  const drawn = levels.map((ofLevel, level) => {
    const parts = partsOf(ofLevel)
    return { label: String(level), shown: number(ofLevel.length), parts, title: `${columns.level} ${level}: ${told(parts)}` }
  })
  const byFile = new Map<string, AuditedRule[]>()
  for (const record of records) byFile.set(record.filename, [...(byFile.get(record.filename) ?? []), record])
  const files = [...byFile].map(([filename, ofFile]): Row => {
    const parts = partsOf(ofFile)
    return [filename, { drawn: bar(parts, ofFile.length) }, { number: number(ofFile.filter(canNeverFire).length) }, { number: number(ofFile.length) }]
  })
  return html`${figure({ title: charts.levels, legend: TONES.map((tone) => ({ tone, text: verdictTones[tone] })), chart: columnChart(charts.levels, drawn), table: null })}
${table([columns.file, { drawn: html`${audit.heading}` }, { number: audit.act }, { number: columns.rules }], files)}`
}

/** A table of rules with the result of each. */
export function auditTable(records: readonly ToldRule[], words: CoverageWords): Markup {
  const { columns, audit } = reportTexts(words.locale)
  const rows = records.map((record): Row => {
    const { rule_id, level, description, filename, line } = record
    return [
      { solid: rule_id },
      { number: words.number(level) },
      html`<strong>${verdictText(record, words.locale)}</strong> ${description} <span class="quiet">${filename}:${line}</span>${knownOf(record, words)}`,
    ]
  })
  return table([columns.rule, { number: columns.level }, audit.why], rows)
}

/** A verdict in words, such as `shadowed by 100100`. */
export function verdictText({ verdict, shadowed_by }: Pick<AuditRecord, 'verdict' | 'shadowed_by'>, locale: CoverageWords['locale']): string {
  const { audit, verdicts } = reportTexts(locale)
  return shadowed_by === null ? verdicts[verdict] : fill(audit.shadowedBy, { rules: shadowed_by.join(', ') })
}

function knownOf({ conditions, reason, events, final_rule, verdict }: ToldRule, { locale, number }: CoverageWords): Markup {
  const { audit } = reportTexts(locale)
  const shown = events.filter((_, at) => at < EVENTS_SHOWN || at === events.length - 1)
  const hidden = events.length - shown.length
  return html`${conditions.map(({ text }) => html`<br>${text}`)}${reason === null ? '' : html`<br>${reason.text}`}${
    verdict === 'shadowed' && final_rule !== null ? html`<br><span class="quiet">${fill(audit.takes, { rule: final_rule })}</span>` : ''
  }${shown.map(({ event }, at) => html`<br><code>${event}</code>${hidden > 0 && at === EVENTS_SHOWN - 1 ? html`<br>… +${number(hidden)}` : ''}`)}`
}

function partsOf(records: readonly AuditedRule[]): Part[] {
  return TONES.map((tone) => ({ tone, value: records.filter((record) => toneOf(record) === tone).length }))
}

function toneOf(record: AuditedRule): Tone {
  if (canNeverFire(record)) return 'bad'
  return record.verdict === 'fires' ? 'full' : record.verdict === 'only_if' ? 'part' : 'none'
}
