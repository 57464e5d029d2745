/**
 * The result of one event as text:
 *
 *     Mar 10 08:15:30 web01 sshd[2211]: Failed password for root from 203.0.113.9 port 50022 ssh2
 *       Header   Mar 10 08:15:30 · host web01 · program sshd · log Failed password for root from 203.0.113.9 port 50022 ssh2
 *       Decoder  sshd
 *       Fields   srcip    203.0.113.9
 *                srcport  50022
 *       Rule     5716 · level 5 · sshd: authentication failed.
 *       Groups   syslog, sshd, authentication_failed
 *       MITRE    T1110
 *       Norms    PCI DSS 10.2.4 · GDPR IV_35.7.d
 *       Path     5700 › 5716
 *       Alert    yes
 */
import type { Explanation, Locale, LogtestReport, TraceEntry } from '#engine'
import { LOG_ALERT_LEVEL } from '#engine'
import type { Palette } from '../terminal/palette.js'
import { paintLevel } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import { REPORT_WORDS, type ReportWords } from './words.js'

/** Maximum characters of an event's text: two lines of a wide terminal. */
const EVENT_SHOWN = 320
/** Maximum characters of a field's value. */
const VALUE_SHOWN = 160
/** Logs of a composite rule that are listed; the others are counted. */
const COUNTED_SHOWN = 3
/** Maximum length of a text with a mark below it: it must not wrap. */
const MARKED_TEXT = 120
const EXPECTED_SHOWN = 40
const PHASE_WIDTH = 11
/** Longer field names do not move the column of values to the right. */
const NAME_WIDTH_LIMIT = 28
const INDENT = '  '

export function describeEvent(text: string, report: LogtestReport, explanation: Explanation | null, showTrace: boolean, locale: Locale, paint: Palette): string {
  const words = REPORT_WORDS[locale]
  const rows = new Rows(paint, labelWidth(words))
  const { predecoded, decoder, rule, extracted_fields: fields } = report
  if (!report.ok) {
    for (const { message, hint } of report.diagnostics) rows.add(words.refused, paint.error(printable(message)), paint.dim(printable(hint)))
    for (const insight of report.insights) rows.add(words.insight, printable(insight))
    if (report.diagnostics.length === 0 && report.insights.length === 0) rows.add(words.refused, words.notLoaded)
  } else {
    for (const { message, severity } of report.diagnostics) rows.add('!', severity === 'error' ? paint.error(printable(message)) : paint.warning(printable(message)))
    const header = [predecoded.timestamp, named(words.host, predecoded.hostname), named(words.program, predecoded.program_name)].filter((part) => part !== null)
    if (header.length > 0) rows.add(words.header, [...header, ...logOf(report, words)].map(printable).join(paint.dim(' · ')))
    rows.add(words.decoder, decoder === null ? paint.warning(words.noDecoder) : describeDecoder(decoder, paint))
    addFields(rows, words, fields, paint)
    if (rule === null) rows.add(words.rule, paint.warning(words.noRule))
    else addRule(rows, words, rule, paint)
    const ids = report.matched_rules.map(({ id }) => id)
    if (ids.length > 1) rows.add(words.path, ids.map((id) => (id === rule?.id ? paint.bold(id) : id)).join(paint.dim(' › ')))
    if (rule !== null) rows.add(words.alert, describeAlert(report.alert, rule.level, words, paint))
    addCounted(rows, words, report.previous_output, paint)
    for (const insight of report.insights) rows.add(words.insight, paint.info(printable(insight)))
  }
  if (explanation !== null) addExplanation(rows, words, explanation, paint)
  if (showTrace) addTrace(rows, words, report.trace, paint)
  return [`${paint.bold(printable(shorten(text, EVENT_SHOWN)))}`, ...rows.lines, ''].join('\n')
}

/** Rows of labels and values. */
class Rows {
  readonly lines: string[] = []

  constructor(
    readonly paint: Palette,
    readonly width: number,
  ) {}

  add(label: string, ...texts: readonly string[]): void {
    texts.forEach((text, index) => {
      this.lines.push(`${INDENT}${this.paint.dim((index === 0 ? label : '').padEnd(this.width))}${text}`)
    })
  }
}

function labelWidth(words: ReportWords): number {
  return Math.max(...[words.header, words.decoder, words.fields, words.rule, words.groups, words.path, words.alert, words.counted, words.explained].map(({ length }) => length)) + 2
}

/** The log as decoders get it, without the header. Only a trace has it. */
function logOf({ trace }: LogtestReport, words: ReportWords): readonly string[] {
  const log = predecodingOf(trace)?.log
  return typeof log === 'string' ? [`${words.log} ${log === '' ? '""' : shorten(log, VALUE_SHOWN)}`] : []
}

function predecodingOf(trace: readonly TraceEntry[]): TraceEntry['details'] | undefined {
  return trace.find(({ phase }) => phase === 'predecode')?.details
}

function named(name: string, value: string | null): string | null {
  return value === null || value === '' ? null : `${name} ${value}`
}

function describeDecoder({ name, parent }: NonNullable<LogtestReport['decoder']>, paint: Palette): string {
  return parent === null || parent === name ? paint.accent(printable(name)) : `${printable(parent)}${paint.dim(' › ')}${paint.accent(printable(name))}`
}

function addFields(rows: Rows, words: ReportWords, fields: LogtestReport['extracted_fields'], paint: Palette): void {
  const entries = Object.entries(fields)
  if (entries.length === 0) return
  const width = Math.min(NAME_WIDTH_LIMIT, Math.max(...entries.map(([name]) => name.length)))
  rows.add(words.fields, ...entries.map(([name, value]) => `${paint.accent(printable(name).padEnd(width))}  ${printable(shorten(value, VALUE_SHOWN))}`))
}

function addRule(rows: Rows, words: ReportWords, rule: NonNullable<LogtestReport['rule']>, paint: Palette): void {
  const { id, level, description, firedtimes, frequency, groups, attack_ids } = rule
  const level_ = paintLevel(paint, level, `${words.level} ${level}`)
  const notes = [frequency === null ? null : words.composite(frequency), firedtimes !== null && firedtimes > 1 ? words.fired(firedtimes) : null].filter((note) => note !== null)
  rows.add(words.rule, [paint.bold(id), level_, printable(description)].join(paint.dim(' · ')) + (notes.length === 0 ? '' : paint.dim(` (${notes.join(', ')})`)))
  const plain = groups.filter((group) => normOf(group) === null)
  if (plain.length > 0) rows.add(words.groups, plain.map(printable).join(paint.dim(', ')))
  if (attack_ids.length > 0) rows.add('MITRE', attack_ids.map(printable).join(paint.dim(', ')))
  const norms = NORMS.flatMap(({ prefix, name }) => {
    const clauses = groups.filter((group) => group.startsWith(prefix)).map((group) => printable(group.slice(prefix.length)))
    return clauses.length === 0 ? [] : [`${name} ${clauses.join(', ')}`]
  })
  if (norms.length > 0) rows.add(words.norms, paint.dim(norms.join(' · ')))
}

/** Prefixes of groups that name a clause of a regulation, as Wazuh's dashboards search them. */
const NORMS = [
  { prefix: 'pci_dss_', name: 'PCI DSS' },
  { prefix: 'gdpr_', name: 'GDPR' },
  { prefix: 'hipaa_', name: 'HIPAA' },
  { prefix: 'nist_800_53_', name: 'NIST 800-53' },
  { prefix: 'tsc_', name: 'TSC' },
  { prefix: 'gpg13_', name: 'GPG13' },
] as const

function normOf(group: string): string | null {
  return NORMS.find(({ prefix }) => group.startsWith(prefix))?.name ?? null
}

function describeAlert(alert: boolean, level: number, words: ReportWords, paint: Palette): string {
  if (alert) return paintLevel(paint, level, words.alertYes)
  return paint.dim(level < LOG_ALERT_LEVEL ? words.alertLow(LOG_ALERT_LEVEL) : words.alertSilenced)
}

function addCounted(rows: Rows, words: ReportWords, logs: readonly string[], paint: Palette): void {
  if (logs.length === 0) return
  const shown = logs.slice(0, COUNTED_SHOWN).map((log) => paint.dim(printable(shorten(log, VALUE_SHOWN))))
  rows.add(words.counted, ...shown, ...(logs.length > COUNTED_SHOWN ? [paint.dim(`… +${logs.length - COUNTED_SHOWN}`)] : []))
}

/** Why a rule matched or did not; the position where its pattern stopped is marked below the text. */
function addExplanation(rows: Rows, words: ReportWords, explanation: Explanation, paint: Palette): void {
  const { rule_id, reason, final, path, failed_condition: failed, nearest_decoder: nearest } = explanation
  const texts = [`${paint.bold(rule_id)}${paint.dim(' · ')}${final ? paint.good(printable(reason)) : printable(reason)}`]
  if (path.length > 1) texts.push(path.map(({ rule_id: id, matched }) => (matched ? paint.good(`✓ ${id}`) : paint.error(`✗ ${id}`))).join(paint.dim(' › ')))
  const stop = failed?.stopped_at ?? null
  if (failed !== null && failed.text !== null && stop !== null && stop.text_offset <= failed.text.length && failed.text.length <= MARKED_TEXT) {
    texts.push(
      paint.dim(printable(failed.text)),
      `${' '.repeat(Array.from(failed.text.slice(0, stop.text_offset)).length)}${paint.error(`^ ${words.notThere(printable(shorten(stop.expected, EXPECTED_SHOWN)))}`)}`,
    )
  }
  if (nearest !== null) texts.push(`${paint.dim(words.nearest)} ${paint.accent(printable(nearest.name))}: ${printable(nearest.failed_at)}`)
  rows.add(words.explained, ...texts)
}

/** One row per decision: what was tried, and the reason for the result. */
function addTrace(rows: Rows, words: ReportWords, trace: readonly TraceEntry[], paint: Palette): void {
  const log = predecodingOf(trace)?.log
  const texts = trace.map(({ phase, name, matched, details, filename, line }) => {
    const place = filename === undefined || line === undefined ? '' : `  ${filename}:${line}`
    const mark = matched ? paint.good('✓') : paint.dim('·')
    const text = [shorten(printable(describeDetails(details, log)), VALUE_SHOWN), describeAlertHost(details.alert_predecoder, words)].filter((part) => part !== '').join('  ')
    return `${mark} ${paint.dim(phase.padEnd(PHASE_WIDTH))}${matched ? paint.bold(printable(name)) : printable(name)}${text === '' ? '' : `  ${text}`}${paint.dim(place)}`
  })
  if (texts.length > 0) rows.add(words.trace, ...texts)
}

/** The host that an alert shows, where it is not the one that rules test. */
function describeAlertHost(alert: unknown, words: ReportWords): string {
  if (alert === null || typeof alert !== 'object' || !('hostname' in alert)) return ''
  return words.alertHost(typeof alert.hostname === 'string' ? printable(alert.hostname) : null)
}

/** `<match> pattern`, then the other details. The log itself is omitted, because it is shown above. */
function describeDetails({ condition, pattern, negate, alert_predecoder: _, ...others }: TraceEntry['details'], log: unknown): string {
  const parts: string[] = []
  if (typeof condition === 'string') parts.push(`${negate === true ? 'not ' : ''}<${condition}>${typeof pattern === 'string' ? ` ${pattern}` : ''}`)
  for (const [name, value] of Object.entries(others)) {
    if (value === null || value === undefined || value === '' || (name === 'text' && value === log)) continue
    parts.push(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
  return parts.join('  ')
}
