/**
 * What running one event gave, for people:
 *
 *     Mar 10 08:15:30 web01 sshd[2211]: Failed password for root from 203.0.113.9 port 50022 ssh2
 *       Header   Mar 10 08:15:30 · host web01 · program sshd
 *       Decoder  sshd
 *       Fields   srcip    203.0.113.9
 *                srcport  50022
 *       Rule     5716 · level 5 · sshd: authentication failed.
 *       Groups   syslog, sshd, authentication_failed
 *       MITRE    T1110
 *       Path     5700 › 5716
 *       Alert    yes
 */
import type { Explanation, Locale, LogtestReport, TraceEntry } from '#engine'
import { LOG_ALERT_LEVEL } from '#engine'
import type { Palette } from '../terminal/palette.js'
import { paintLevel } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import { REPORT_WORDS, type ReportWords } from './words.js'

/** Of an event's text: two lines of a wide terminal. */
const EVENT_SHOWN = 320
/** Of a field's value. */
const VALUE_SHOWN = 160
/** Counted logs of a composite; the rest is told as a number. */
const COUNTED_SHOWN = 3
/** Field names longer than this don't move the values of all others to the right. */
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
    for (const { message } of report.diagnostics) rows.add('!', paint.warning(printable(message)))
    const header = [predecoded.timestamp, named(words.host, predecoded.hostname), named(words.program, predecoded.program_name)].filter((part) => part !== null)
    if (header.length > 0) rows.add(words.header, header.map(printable).join(paint.dim(' · ')))
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

/** Labels and what belongs to them, below each other. */
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
  return Math.max(...[words.header, words.decoder, words.fields, words.rule, words.groups, words.path, words.alert, words.counted].map(({ length }) => length)) + 2
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
  const width = Math.min(NAME_WIDTH_LIMIT, Math.max(...entries.map(([name]) => name.length))) + 2
  rows.add(words.fields, ...entries.map(([name, value]) => `${paint.accent(printable(name).padEnd(width))}${printable(shorten(value, VALUE_SHOWN))}`))
}

function addRule(rows: Rows, words: ReportWords, rule: NonNullable<LogtestReport['rule']>, paint: Palette): void {
  const { id, level, description, firedtimes, frequency, groups, attack_ids } = rule
  const level_ = paintLevel(paint, level, `${words.level} ${level}`)
  const notes = [frequency === null ? null : words.composite(frequency), firedtimes > 1 ? words.fired(firedtimes) : null].filter((note) => note !== null)
  rows.add(words.rule, [paint.bold(id), level_, printable(description)].join(paint.dim(' · ')) + (notes.length === 0 ? '' : paint.dim(` (${notes.join(', ')})`)))
  if (groups.length > 0) rows.add(words.groups, groups.map(printable).join(paint.dim(', ')))
  if (attack_ids.length > 0) rows.add('MITRE', attack_ids.map(printable).join(paint.dim(', ')))
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

function addExplanation(rows: Rows, words: ReportWords, explanation: Explanation, paint: Palette): void {
  const { rule_id, reason, final, path, failed_condition: failed, nearest_decoder: nearest, won_instead: won } = explanation
  const texts = [final ? paint.good(printable(reason)) : printable(reason)]
  if (path.length > 1) texts.push(path.map(({ rule_id: id, matched }) => (matched ? paint.good(`✓ ${id}`) : paint.error(`✗ ${id}`))).join(paint.dim(' › ')))
  if (failed !== null) {
    const tag = `<${failed.tag}${failed.field === null ? '' : ` name="${failed.field}"`}${failed.negate ? ' negate="yes"' : ''}>`
    texts.push(`${paint.dim(words.deciding)} ${printable(`${tag} ${shorten(failed.pattern, VALUE_SHOWN)}`)} ${paint.dim(`(${failed.rule_id})`)}`)
    if (failed.text === null) texts.push(paint.dim(words.noField))
    if (failed.stopped_at !== null) texts.push(printable(words.stoppedAt(shorten(failed.stopped_at.matched_part, VALUE_SHOWN), shorten(failed.stopped_at.expected, VALUE_SHOWN))))
  }
  if (won !== null && !final) texts.push(`${paint.dim(words.wonInstead)} ${paint.bold(won.rule_id)} · ${paintLevel(paint, won.level, `${words.level} ${won.level}`)} · ${printable(won.description)}`)
  if (nearest !== null) texts.push(`${paint.dim(words.nearest)} ${paint.accent(printable(nearest.name))}: ${printable(nearest.failed_at)}`)
  rows.add(words.why(rule_id), ...texts)
}

/** A line a decision: what was tried, and what decided. */
function addTrace(rows: Rows, words: ReportWords, trace: readonly TraceEntry[], paint: Palette): void {
  const texts = trace.map(({ phase, name, matched, details, filename, line }) => {
    const place = filename === undefined || line === undefined ? '' : ` ${filename}:${line}`
    const mark = matched ? paint.good('✓') : paint.dim('·')
    const told = Object.keys(details).length === 0 ? '' : ` ${shorten(printable(describeDetails(details)), VALUE_SHOWN)}`
    const title = `${phase.padEnd(9)} ${matched ? paint.bold(printable(name)) : printable(name)}`
    return `${mark} ${title}${paint.dim(told)}${paint.dim(place)}`
  })
  if (texts.length > 0) rows.add(words.trace, ...texts)
}

function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('  ')
}
