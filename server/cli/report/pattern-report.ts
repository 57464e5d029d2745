/** What a pattern does with an input, for people: what matched, the captures, and what the other dialects would make of it. */
import type { Dialect, PatternAnswer, PatternTrial } from '#engine'
import { DIALECTS, fromByteString, locateMatch, toByteString, tryPattern } from '#engine'
import type { Palette } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import { differentlyRead } from './dialect-notes.js'

/** Of an input; the marks below it would wrap otherwise. */
const INPUT_SHOWN = 200

/** A pattern that doesn't compile, with a caret under the place. */
export function describeCompileError({ engine, pattern }: PatternTrial, { error }: PatternAnswer, paint: Palette): string {
  if (error === null) return ''
  const before = fromByteString(toByteString(pattern).slice(0, error.offset))
  const caret = ' '.repeat(Array.from(before).length)
  return [`${paint.error('error')}: no ${engine} pattern: ${error.message}`, `  ${printable(pattern)}`, `  ${caret}${paint.error('^')}`, ''].join('\n')
}

export function describeTrial(trial: PatternTrial, answer: PatternAnswer, paint: Palette): string {
  const { engine, input } = trial
  const bytes = toByteString(input)
  const range = withCaptures(locateMatch(trial, answer), answer)
  const verdict = answer.matched ? paint.good('matches') : paint.error('no match')
  const lines: string[] = [`${verdict}${paint.dim(describeWhere(answer, range))}`]
  lines.push(`  ${paintRange(bytes, range, paint)}`)
  if (range !== null && range[1] > range[0]) {
    const before = Array.from(fromByteString(bytes.slice(0, range[0]))).length
    const width = Array.from(fromByteString(bytes.slice(range[0], range[1]))).length
    if (before < INPUT_SHOWN) lines.push(`  ${' '.repeat(before)}${paint.good('^'.repeat(Math.min(width, INPUT_SHOWN - before)))}`)
  }
  answer.captures.forEach((text, index) => {
    const [from, to] = answer.captureRanges[index]
    lines.push(`  ${paint.dim(`${String(index + 1).padStart(3)}`)}  ${paint.accent(printable(text))}${paint.dim(`  bytes ${from}-${to}`)}`)
  })
  lines.push(...describeOthers(trial, engine, paint), '')
  return lines.join('\n')
}

/** An OSRegex that ends in a class reports the first character of its last run as the end; people look for the whole run, which its capture has. */
function withCaptures(range: readonly [number, number] | null, { captureRanges }: PatternAnswer): readonly [number, number] | null {
  return range === null ? null : [range[0], Math.max(range[1], ...captureRanges.map(([, to]) => to))]
}

function describeWhere({ matched, end }: PatternAnswer, range: readonly [number, number] | null): string {
  if (!matched) return ''
  if (range === null) return end === null ? '' : `  ends at byte ${end + 1}`
  const goesOn = end === null || end + 1 === range[1] ? '' : ` · an offset goes on at byte ${end + 1}`
  return `  bytes ${range[0]}-${range[1]}${goesOn}`
}

function paintRange(bytes: string, range: readonly [number, number] | null, paint: Palette): string {
  const show = (from: number, to?: number): string => printable(fromByteString(bytes.slice(from, to)))
  if (range === null || bytes.length > INPUT_SHOWN) return shorten(show(0), INPUT_SHOWN)
  return `${show(0, range[0])}${paint.bold(show(range[0], range[1]))}${show(range[1])}`
}

/** Only where another dialect answers otherwise. */
function describeOthers(trial: PatternTrial, own: Dialect, paint: Palette): string[] {
  const asked = outcomeOf(trial)
  const others = DIALECTS.filter((engine) => engine !== own).map((engine) => ({ engine, outcome: outcomeOf({ ...trial, engine, substrings: trial.substrings ?? false }) }))
  if (others.every(({ outcome }) => outcome === asked)) return []
  return others.map(({ engine, outcome }) => `  ${paint.dim(`as ${engine.padEnd(8)}`)} ${outcome === 'matches' ? paint.good(outcome) : paint.warning(outcome)}`)
}

function outcomeOf(trial: PatternTrial): string {
  const { compiled, matched, error } = tryPattern(trial)
  if (!compiled) return `does not compile: ${error?.message ?? ''}`
  return matched ? 'matches' : 'no match'
}

/** The constructs that the dialects read differently, one table for the pattern. */
export function describeDialects(pattern: string, own: Dialect, paint: Palette): string {
  const constructs = differentlyRead(pattern)
  if (constructs.length === 0) return ''
  const nameWidth = Math.max(...constructs.map(({ name }) => name.length))
  const widths = DIALECTS.map((dialect) => Math.max(dialect.length, ...constructs.map(({ reads }) => reads[dialect].length)))
  const row = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(nameWidth)}  ${cells.map((cell, index) => (DIALECTS[index] === own ? paint.accent(cell.padEnd(widths[index])) : paint.dim(cell.padEnd(widths[index])))).join('  ')}`.trimEnd()
  return [
    paint.bold('How the dialects read it'),
    row('', DIALECTS),
    ...constructs.map(({ name, reads }) =>
      row(
        name,
        DIALECTS.map((dialect) => reads[dialect]),
      ),
    ),
    '',
  ].join('\n')
}
