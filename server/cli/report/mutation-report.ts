/** The report of `mutate`: the score by file, what no case notices, and the lines for programs. */
import { type Locale, type MutantRow, type MutationSummary, summarizeMutants, type TestCase } from '#engine'
import { formatDuration, formatMs, formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import { MUTATION_WORDS, type MutationWords } from './mutation-words.js'

/** Changes of one kind that are shown; `--verbose` and `--jsonl` have all. */
const SHOWN = 20
const SLOWEST_SHOWN = 5
const FILES_SHOWN = 20
/** Characters of a change, and of an event. */
const CHANGE_CHARACTERS = 100
const EVENT_CHARACTERS = 240

/** All that `mutate` has found. */
export interface Mutation {
  readonly rows: readonly MutantRow[]
  /** Rules and decoders that were not tried, because the time was over. */
  readonly untried: number
  readonly summary: MutationSummary
  readonly ms: number
}

export interface MutationView {
  readonly locale: Locale
  readonly paint: Palette
  /** Whether every change is shown that no case notices. */
  readonly isVerbose: boolean
}

/** A mutant as a line for programs. @param isVerbose whether it says what was changed, and why it is equivalent */
export function mutantLine(row: MutantRow, isVerbose: boolean): object {
  const { rule_id, decoder, operator, file, line, status, case: found, before, after, proof } = row
  return {
    ...(rule_id === undefined ? { decoder } : { rule_id }),
    operator,
    file,
    line,
    status,
    ...(found === undefined ? {} : { case: found }),
    ...(isVerbose ? { before, after, ...(proof === undefined ? {} : { proof }) } : {}),
  }
}

/** The last line. A score that the time has cut says so. */
export function summaryLine({ summary, untried }: Mutation): object {
  return { summary: untried === 0 ? summary : { ...summary, partial: true, untried } }
}

export function describeMutation(mutation: Mutation, view: MutationView): string {
  const { locale, paint, isVerbose } = view
  const words = MUTATION_WORDS[locale]
  const { rows, untried, ms } = mutation
  const lines: string[] = []
  for (const [heading, status] of [
    [words.survivors, 'survived'],
    [words.unknowns, 'unknown'],
  ] as const) {
    const found = rows.filter((row) => row.status === status)
    // Without an event there is nothing to act on at once.
    if (found.length === 0 || (status === 'unknown' && !isVerbose)) continue
    lines.push(paint.bold(`${heading} (${formatNumber(found.length, locale)})`))
    const shown = isVerbose ? found : found.slice(0, SHOWN)
    let item = ''
    for (const row of shown) {
      const name = `${itemName(row, words)} · ${row.file}`
      if (name !== item) lines.push(`  ${paint.accent(printable(name))}`)
      item = name
      lines.push(...changeLines(row, words, view))
    }
    if (shown.length < found.length) lines.push(paint.dim(`  ${words.more(formatNumber(found.length - shown.length, locale))}`))
    lines.push('')
  }
  const files = byFile(rows)
  if (files.length > 1) {
    lines.push(paint.bold(words.files))
    for (const { file, summary } of files.slice(0, isVerbose ? files.length : FILES_SHOWN))
      lines.push(`  ${scoreText(summary, locale).padStart(6)}  ${printable(file)} ${paint.dim(countText(summary, words, locale))}`)
    if (files.length > FILES_SHOWN && !isVerbose) lines.push(paint.dim(`  ${words.more(formatNumber(files.length - FILES_SHOWN, locale))}`))
    lines.push('')
  }
  if (isVerbose) {
    lines.push(paint.bold(words.slowest))
    for (const row of slowest(rows))
      lines.push(`  ${formatMs(row.ms, locale)}  ${printable(`${itemName(row, words)}: ${changeName(row, words)}`)} ${paint.dim(`${row.file}:${row.line}`)}`)
    lines.push('')
  }
  lines.push(...summaryTexts(mutation, locale), paint.dim(words.took(formatNumber(rows.length, locale), formatDuration(ms))))
  if (untried > 0) lines.push(paint.warning(words.partial(formatNumber(untried, locale))))
  return `${lines.join('\n')}\n`
}

/** Texts with the score, and with the mutants that it does not count. */
export function summaryTexts({ summary, rows }: Mutation, locale: Locale): string[] {
  const words = MUTATION_WORDS[locale]
  const counted = countedOf(summary)
  const invalid = rows.filter(({ status }) => status === 'invalid').length
  return [
    counted === 0 ? words.nothing : words.score(scoreText(summary, locale), formatNumber(summary.killed, locale), formatNumber(counted, locale)),
    words.counts(formatNumber(summary.equivalent, locale), formatNumber(invalid, locale)),
  ]
}

function changeLines(row: MutantRow, words: MutationWords, { locale, paint }: MutationView): string[] {
  const lines = [`    ${changeName(row, words)} ${paint.dim(`:${row.line}`)}  ${printable(changeText(row, words))}`]
  if (typeof row.case === 'object') {
    for (const event of eventsOf(row.case).slice(-1)) lines.push(paint.dim(`      ${printable(shorten(event, EVENT_CHARACTERS))}`))
    lines.push(paint.dim(`      ${words.expects(expectedOf(row.case, words, locale))}`))
  } else if (row.isCut === true) lines.push(paint.dim(`      ${words.cut}`))
  return lines
}

export function itemName({ rule_id, decoder }: MutantRow, words: MutationWords): string {
  return rule_id === undefined ? words.decoder(decoder ?? '') : words.rule(rule_id)
}

export function changeName({ operator }: MutantRow, words: MutationWords): string {
  return words.operators[operator]
}

export function changeText({ operator, before, after }: MutantRow, words: MutationWords): string {
  const shown = (text: string): string => (text === '' ? words.removed : shorten(text, CHANGE_CHARACTERS))
  return operator === 'delete' ? shown(before) : `${shown(before)} → ${shown(after)}`
}

export function eventsOf({ events, event_text }: TestCase): readonly string[] {
  return events === undefined ? [event_text ?? ''] : events.map((event) => event.event_text)
}

/** A short text about the expectations of a case. */
export function expectedOf(
  { expected_rule, expected_level, expect_no_rule, expected_decoder, expected_fields, expected_rule_ids, forbidden_rule_ids }: TestCase,
  words: MutationWords,
  locale: Locale,
): string {
  return [
    ...(expect_no_rule === true ? [words.noRule] : []),
    ...(expected_rule == null ? [] : [`${words.rule(expected_rule)} (${formatNumber(expected_level ?? 0, locale)})`]),
    ...(expected_decoder == null ? [] : [words.decoder(expected_decoder)]),
    ...(expected_rule_ids ?? []).map((id) => `+${id}`),
    ...(forbidden_rule_ids ?? []).map((id) => `−${id}`),
    ...Object.entries(expected_fields ?? {}).map(([name, value]) => `${name}=${value}`),
  ].join(', ')
}

export interface FileScore {
  readonly file: string
  readonly summary: MutationSummary
}

/** The lowest score first. */
export function byFile(rows: readonly MutantRow[]): readonly FileScore[] {
  const files = new Map<string, MutantRow[]>()
  for (const row of rows) {
    const known = files.get(row.file)
    if (known === undefined) files.set(row.file, [row])
    else known.push(row)
  }
  return [...files].map(([file, found]) => ({ file, summary: summarizeMutants(found) })).sort((a, b) => a.summary.score - b.summary.score || (a.file < b.file ? -1 : 1))
}

export function slowest(rows: readonly MutantRow[]): readonly MutantRow[] {
  return rows.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN)
}

export function countedOf({ killed, survived, unknown }: MutationSummary): number {
  return killed + survived + unknown
}

/** Rounded down: no score looks like a better one. */
export function scoreText({ score }: MutationSummary, locale: Locale): string {
  return formatNumber(Math.floor(score * 100) / 100, locale, 2)
}

function countText(summary: MutationSummary, words: MutationWords, locale: Locale): string {
  return (['killed', 'survived', 'unknown', 'equivalent'] as const)
    .filter((status) => summary[status] > 0)
    .map((status) => `${words.statuses[status]} ${formatNumber(summary[status], locale)}`)
    .join(', ')
}
