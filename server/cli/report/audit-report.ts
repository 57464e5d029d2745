/** The report of `audit`: what to act on first, as text and as a page. */
import { AUDIT_VERDICTS, type AuditRecord, canNeverFire, type Locale } from '#engine'
import { auditCounts, auditFigures, auditLead, auditTable, verdictTable, verdictText } from '../../core/report-page/audit-figures.js'
import { coverageWords } from '../../core/report-page/coverage-figures.js'
import { html } from '../../core/http/text/html.js'
import { fill, reportTexts } from '../../core/i18n/translate.js'
import { reportPage, section } from '../../core/report-page/page.js'
import { formatNumber } from '../terminal/numbers.js'
import { type Palette, paintLevel } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'

/** Rules of one kind that are shown; `--verbose` and `--jsonl` have all. */
const SHOWN = 20
/** Characters of an event or reason that are shown. */
const CHARACTERS = 300
/** Events of a sequence that are shown, from its beginning; the last one is always shown. */
const EVENTS_SHOWN = 2

export interface AuditView {
  readonly locale: Locale
  readonly paint: Palette
  /** Whether every rule is shown. */
  readonly isVerbose: boolean
}

/** Rules that can never fire, the highest level first; then what is unknown. */
export function describeAudit(records: readonly AuditRecord[], view: AuditView): string {
  const { locale, paint, isVerbose } = view
  const { audit, verdicts } = reportTexts(locale)
  const never = byWeight(records.filter(canNeverFire))
  const unmet = byWeight(records.filter(isUnmet))
  const unknown = byWeight(records.filter(({ verdict }) => verdict === 'unknown'))
  const groups = isVerbose
    ? AUDIT_VERDICTS.map((verdict) => ({ heading: verdicts[verdict], rules: records.filter((record) => record.verdict === verdict) }))
    : [
        { heading: audit.act, rules: never },
        { heading: audit.conditions, rules: unmet },
        { heading: audit.unknown, rules: unknown },
      ]
  const lines: string[] = []
  for (const { heading, rules } of groups) {
    if (rules.length === 0) continue
    const shown = isVerbose ? rules : rules.slice(0, SHOWN)
    lines.push(paint.bold(`${heading} (${formatNumber(rules.length, locale)})`), ...shown.flatMap((record) => ruleLines(record, view)))
    if (shown.length < rules.length) lines.push(paint.dim(`  … +${formatNumber(rules.length - shown.length, locale)}`))
    lines.push('')
  }
  const counts = auditCounts(records)
  const told = AUDIT_VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) => `${verdicts[verdict]}: ${formatNumber(counts[verdict], locale)}`)
  const late = untried(records)
  const sentence = never.length === 0 ? audit.none : fill(audit.never, { count: formatNumber(never.length, locale), total: formatNumber(records.length, locale) })
  lines.push(`${told.join(', ')}. ${never.length === 0 ? sentence : paint.error(sentence)}`)
  if (late > 0) lines.push(paint.warning(fill(audit.partial, { count: formatNumber(late, locale) })))
  return `${lines.join('\n')}\n`
}

/** A page of its own, without scripts. */
export function auditPage(records: readonly AuditRecord[], locale: Locale): string {
  const { audit } = reportTexts(locale)
  const words = coverageWords(locale)
  const never = byWeight(records.filter(canNeverFire))
  const groups = [
    { heading: audit.act, rules: never },
    { heading: audit.unknown, rules: byWeight(records.filter(({ verdict }) => verdict === 'unknown')) },
    { heading: audit.conditions, rules: records.filter(({ verdict }) => verdict === 'only_if') },
    {
      heading: audit.fires,
      rules: records.filter((record) => !canNeverFire(record) && (record.verdict === 'fires' || record.verdict === 'noalert' || record.verdict === 'shadowed')),
    },
  ]
  return reportPage({
    locale,
    title: audit.title,
    heading: audit.title,
    lead: [auditLead(never.length, records.length, untried(records), words)],
    sections: [
      section(audit.heading, html`${verdictTable(auditCounts(records), words)}${auditFigures(records, words)}`),
      ...groups.filter(({ rules }) => rules.length > 0).map(({ heading, rules }) => section(heading, auditTable(rules, words))),
    ],
  })
}

function ruleLines(record: AuditRecord, { locale, paint }: AuditView): string[] {
  const { rule_id, level, filename, line, verdict, description, conditions, reason, events, final_rule } = record
  const { audit } = reportTexts(locale)
  const painted = { dropped: paint.error, unreachable: paint.error, shadowed: paint.error, unknown: paint.warning, only_if: paint.info, noalert: paint.dim, fires: paint.good }[
    verdict
  ]
  const text = (value: string): string => `         ${shorten(printable(value), CHARACTERS)}`
  const lines = [
    `  ${paint.accent(rule_id.padEnd(6))} ${paintLevel(paint, level, String(level).padStart(2))} ${painted(verdictText(record, locale))}  ${printable(description)} ${paint.dim(`${printable(filename)}:${line}`)}`,
  ]
  for (const { text: condition } of conditions) lines.push(text(condition))
  if (reason !== null) lines.push(`${text(reason.text)} ${paint.dim(`[${reason.code}]`)}`)
  for (const [at, { event }] of events.entries()) {
    if (at < EVENTS_SHOWN || at === events.length - 1) lines.push(paint.dim(text(event)))
    else if (at === EVENTS_SHOWN) lines.push(paint.dim(text(`… +${formatNumber(events.length - 1 - EVENTS_SHOWN, locale)}`)))
  }
  if (verdict === 'shadowed' && final_rule !== null) lines.push(paint.dim(text(fill(audit.takes, { rule: final_rule }))))
  return lines
}

/** Whether the content does not meet the condition as it is. What modules of the manager report needs no content. */
function isUnmet({ verdict, events, conditions }: AuditRecord): boolean {
  return verdict === 'only_if' && events.length === 0 && conditions.every(({ code }) => code !== 'manager_module')
}

function untried(records: readonly AuditRecord[]): number {
  return records.filter(({ reason }) => reason?.code === 'time_limit').length
}

/** The highest level first. */
function byWeight(records: readonly AuditRecord[]): readonly AuditRecord[] {
  return records.toSorted((a, b) => b.level - a.level)
}
