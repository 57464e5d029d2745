/** The result of a pattern on an input, as text: the match, the captures, and the results of the other dialects. */
import type { Dialect, Locale, PatternAnswer, PatternTrial } from '#engine'
import { DIALECTS, differentlyRead, fromByteString, locateMatch, toByteString, translatePhrase, tryPattern } from '#engine'
import type { Palette } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'

/** Maximum characters of an input: the marks below it must not wrap. */
const INPUT_SHOWN = 200

const ENGLISH = {
  error: 'error',
  noPattern: (engine: Dialect, reason: string) => `no ${engine} pattern: ${reason}`,
  matches: 'matches',
  noMatch: 'no match',
  bytes: (from: number, to: number) => `bytes ${from}-${to}`,
  endsAt: (byte: number) => `ends at byte ${byte}`,
  continuesAt: (byte: number) => `a following offset starts at byte ${byte}`,
  /** Text before the name of another dialect. */
  as: 'as',
  noCompile: (reason: string) => `does not compile: ${reason}`,
  dialects: 'Meaning in each dialect',
}

type PatternWords = typeof ENGLISH

const WORDS: Readonly<Record<Locale, PatternWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    error: 'erro',
    noPattern: (engine, reason) => `não é um padrão ${engine}: ${reason}`,
    matches: 'casa',
    noMatch: 'não casa',
    bytes: (from, to) => `bytes ${from}-${to}`,
    endsAt: (byte) => `termina no byte ${byte}`,
    continuesAt: (byte) => `um offset seguinte começa no byte ${byte}`,
    as: 'como',
    noCompile: (reason) => `não compila: ${reason}`,
    dialects: 'Significado em cada dialeto',
  },
}

/** The error of a pattern that does not compile, with a caret below its position. */
export function describeCompileError({ engine, pattern }: PatternTrial, { error }: PatternAnswer, locale: Locale, paint: Palette): string {
  if (error === null) return ''
  const before = fromByteString(toByteString(pattern).slice(0, error.offset))
  const caret = ' '.repeat(Array.from(before).length)
  const words = WORDS[locale]
  return [`${paint.error(words.error)}: ${words.noPattern(engine, translatePhrase(error.message, locale))}`, `  ${printable(pattern)}`, `  ${caret}${paint.error('^')}`, ''].join(
    '\n',
  )
}

export function describeTrial(trial: PatternTrial, answer: PatternAnswer, locale: Locale, paint: Palette): string {
  const { engine, input } = trial
  const words = WORDS[locale]
  const bytes = toByteString(input)
  const range = withCaptures(locateMatch(trial, answer), answer)
  const verdict = answer.matched ? paint.good(words.matches) : paint.error(words.noMatch)
  const lines: string[] = [`${verdict}${paint.dim(describeWhere(answer, range, words))}`]
  lines.push(`  ${paintRange(bytes, range, paint)}`)
  if (range !== null && range[1] > range[0]) {
    const before = Array.from(fromByteString(bytes.slice(0, range[0]))).length
    const width = Array.from(fromByteString(bytes.slice(range[0], range[1]))).length
    if (before < INPUT_SHOWN) lines.push(`  ${' '.repeat(before)}${paint.good('^'.repeat(Math.min(width, INPUT_SHOWN - before)))}`)
  }
  answer.captures.forEach((text, index) => {
    const [from, to] = answer.captureRanges[index]
    lines.push(`  ${paint.dim(`${String(index + 1).padStart(3)}`)}  ${paint.accent(printable(text))}${paint.dim(`  ${words.bytes(from, to)}`)}`)
  })
  lines.push(...describeOthers(trial, engine, locale, paint), '')
  return lines.join('\n')
}

/** For an OSRegex that ends in a class, the reported end is the first character of its last run. Users expect the whole run, which its capture contains. */
function withCaptures(range: readonly [number, number] | null, { captureRanges }: PatternAnswer): readonly [number, number] | null {
  return range === null ? null : [range[0], Math.max(range[1], ...captureRanges.map(([, to]) => to))]
}

function describeWhere({ matched, end }: PatternAnswer, range: readonly [number, number] | null, words: PatternWords): string {
  if (!matched) return ''
  if (range === null) return end === null ? '' : `  ${words.endsAt(end + 1)}`
  const continues = end === null || end + 1 === range[1] ? '' : ` · ${words.continuesAt(end + 1)}`
  return `  ${words.bytes(range[0], range[1])}${continues}`
}

function paintRange(bytes: string, range: readonly [number, number] | null, paint: Palette): string {
  const show = (from: number, to?: number): string => printable(fromByteString(bytes.slice(from, to)))
  if (range === null || bytes.length > INPUT_SHOWN) return shorten(show(0), INPUT_SHOWN)
  return `${show(0, range[0])}${paint.bold(show(range[0], range[1]))}${show(range[1])}`
}

/** The results of the other dialects, if they differ. */
function describeOthers(trial: PatternTrial, own: Dialect, locale: Locale, paint: Palette): string[] {
  const words = WORDS[locale]
  const ownOutcome = outcomeOf(trial, locale)
  const others = DIALECTS.filter((engine) => engine !== own).map((engine) => ({ engine, outcome: outcomeOf({ ...trial, engine, substrings: trial.substrings ?? false }, locale) }))
  if (others.every(({ outcome }) => outcome === ownOutcome)) return []
  return others.map(({ engine, outcome }) => `  ${paint.dim(`${words.as} ${engine.padEnd(8)}`)} ${outcome === words.matches ? paint.good(outcome) : paint.warning(outcome)}`)
}

function outcomeOf(trial: PatternTrial, locale: Locale): string {
  const words = WORDS[locale]
  const { compiled, matched, error } = tryPattern(trial)
  if (!compiled) return words.noCompile(translatePhrase(error?.message ?? '', locale))
  return matched ? words.matches : words.noMatch
}

/** A table of the constructs that the dialects interpret differently. */
export function describeDialects(pattern: string, own: Dialect, locale: Locale, paint: Palette): string {
  const constructs = differentlyRead(pattern, locale)
  if (constructs.length === 0) return ''
  const nameWidth = Math.max(...constructs.map(({ name }) => name.length))
  const widths = DIALECTS.map((dialect) => Math.max(dialect.length, ...constructs.map(({ reads }) => reads[dialect].length)))
  const row = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(nameWidth)}  ${cells.map((cell, index) => (DIALECTS[index] === own ? paint.accent(cell.padEnd(widths[index])) : paint.dim(cell.padEnd(widths[index])))).join('  ')}`.trimEnd()
  return [
    paint.bold(WORDS[locale].dialects),
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
