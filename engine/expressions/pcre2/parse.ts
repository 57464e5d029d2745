/**
 * Parses pattern text to a tree: the syntax of PCRE2 10.42 as the 8-bit library reads it without options.
 *
 * `parse` is the main loop over items and quantifiers. parse-group.ts parses what begins with `(`, parse-escape.ts with `\`,
 * parse-class.ts with `[`. Only groups recurse, and PCRE2 limits them to 250 levels.
 */
import type { ExpressionError } from '../expression.js'
import { type AutoType, possessify } from './auto-possess.js'
import { EMPTY, sequenceOf, alternationOf, type Node, type Pattern, type RepeatMode } from './ast.js'
import { eitherCase, singleByte } from './byte-set.js'
import { CharClass, otherCases } from './char-class.js'
import { measureLookbehinds } from './lookbehind.js'
import { parseClass, posixEnd } from './parse-class.js'
import { isRepeatCount, readEscape, readSignedNumber } from './parse-escape.js'
import { parseGroup } from './parse-group.js'
import type { PatternReader } from './pattern-reader.js'
import { ParseState } from './parse-state.js'
import { checkPatternSize } from './pattern-size.js'
import { SyntaxFault } from './syntax-error.js'

export type ParseOutcome = { readonly ok: true; readonly pattern: Pattern } | { readonly ok: false; readonly error: ExpressionError }

/** PCRE2's MAX_REPEAT_COUNT. */
const MAX_REPEAT_COUNT = 65535
const NOT_REPEATABLE = 'quantifier does not follow a repeatable item'

export function parsePattern(pattern: string): ParseOutcome {
  try {
    const state = new ParseState(pattern)
    const root = parseAlternatives(state, false)
    if (!state.reader.atEnd) state.reader.fail('unmatched closing parenthesis')
    state.resolveReferences()
    if (state.autoTypes !== null) possessify(root, state.autoTypes, state.isCalled)
    const parsed = state.finish(root)
    measureLookbehinds(parsed)
    checkPatternSize(parsed)
    return { ok: true, pattern: parsed }
  } catch (fault) {
    if (fault instanceof SyntaxFault) return { ok: false, error: fault.error }
    throw fault
  }
}

/** Parses branches up to `)` or the end. In a `(?|` group every branch numbers its groups from the same start. */
export function parseAlternatives(state: ParseState, resetNumbers: boolean): Node {
  return alternationOf(parseBranches(state, resetNumbers))
}

export function parseBranches(state: ParseState, resetNumbers: boolean): readonly Node[] {
  const branches: Node[] = []
  const firstCount = state.groupCount
  let highest = firstCount
  for (;;) {
    branches.push(parseBranch(state))
    highest = Math.max(highest, state.groupCount)
    if (!state.reader.take('|')) break
    if (resetNumbers) state.groupCount = firstCount
  }
  state.groupCount = highest
  return branches
}

/** One item, and whether a quantifier may follow it. `node` is null for a comment or an option setting. */
export interface Item {
  readonly node: Node | null
  readonly repeatable: boolean
  /** A comment: a quantifier after it applies to the item before it. */
  readonly transparent?: boolean
  /** An escape, or `.`, that PCRE2 compares with what follows. */
  readonly type?: AutoType | undefined
}

function parseBranch(state: ParseState): Node {
  const { reader } = state
  const items: Node[] = []
  let repeatable = false
  let type: AutoType | undefined
  while (!reader.atEnd) {
    if (state.inQuote) {
      if (reader.take('\\E')) state.inQuote = false
      else {
        items.push(literal(state, reader.chars[reader.pos++]))
        repeatable = true
        type = undefined
      }
      continue
    }
    if (state.options.extended && skipExtended(state)) continue
    const next = reader.peek()
    if (next === '|' || next === ')') break
    if (next === '*' || next === '+' || next === '?' || (next === '{' && isRepeatCount(reader, reader.pos))) {
      const [min, max] = readRepeat(state)
      const mode = readMode(state)
      if (!repeatable) reader.fail(NOT_REPEATABLE, reader.pos)
      const node = repeated(items.pop() as Node, min, max, mode)
      if (type !== undefined) state.autoTypes?.noteRepeat(node, type)
      items.push(node)
      repeatable = false
      continue
    }
    const item = parseItem(state)
    if (item.node !== null) items.push(item.node)
    if (item.transparent === true) continue
    repeatable = item.repeatable
    type = item.type
    if (item.node !== null && type !== undefined) state.autoTypes?.note(item.node, type)
  }
  return sequenceOf(items)
}

/** Skips white space and `#` comments of `(?x)`. */
function skipExtended(state: ParseState): boolean {
  const { reader } = state
  const char = reader.chars[reader.pos]
  const blank = char === 0x20 || (char >= 0x09 && char <= 0x0d) || char === 0x85
  if (blank || (state.mode.utf && (char === 0x200e || char === 0x200f || char === 0x2028 || char === 0x2029))) {
    reader.pos++
    return true
  }
  if (char !== 0x23) return false
  while (!reader.atEnd) {
    const length = state.newlineAt(reader.pos)
    reader.pos += Math.max(length, 1)
    if (length > 0) break
  }
  return true
}

function skipComment(reader: PatternReader): boolean {
  if (!reader.take('(?#')) return false
  reader.endComment()
  return true
}

function readRepeat(state: ParseState): [min: number, max: number] {
  const { reader } = state
  if (reader.take('*')) return [0, Number.POSITIVE_INFINITY]
  if (reader.take('+')) return [1, Number.POSITIVE_INFINITY]
  if (reader.take('?')) return [0, 1]
  reader.pos++
  const min = reader.number(MAX_REPEAT_COUNT, 'number too big in {} quantifier')
  let max = min
  if (reader.take(',')) {
    max = reader.number(MAX_REPEAT_COUNT, 'number too big in {} quantifier')
    if (max < 0) max = Number.POSITIVE_INFINITY
  }
  if (max < min) reader.fail('numbers out of order in {} quantifier')
  reader.pos++
  return [min, max]
}

/** Reads what follows a quantifier. Comments and ignored blanks may stand before it. */
function readMode(state: ParseState): RepeatMode {
  const { reader } = state
  while (reader.take('\\E') || reader.take('\\Q\\E') || skipComment(reader) || (state.options.extended && skipExtended(state)));
  if (reader.take('+')) return 'possessive'
  const lazy = reader.take('?')
  return lazy !== state.options.ungreedy ? 'lazy' : 'greedy'
}

function repeated(body: Node, min: number, max: number, mode: RepeatMode): Node {
  if (max === 0) return holdsCapture(body) ? { kind: 'repeat', body, min: 0, max: 0, mode } : EMPTY
  // a lookaround is tried at most once: it only matters whether it may be left out
  if (body.kind === 'look') {
    if (min === max) return body
    return { kind: 'repeat', body, min: Math.min(min, 1), max: min > 0 ? Number.POSITIVE_INFINITY : 1, mode }
  }
  if (min === 1 && max === 1 && mode !== 'possessive') return body
  return { kind: 'repeat', body, min, max, mode }
}

/** Whether the node contains a group. A group repeated zero times still counts and can be called. */
function holdsCapture(node: Node): boolean {
  return node.kind !== 'set' && node.kind !== 'code_point' && node.kind !== 'assertion'
}

function parseItem(state: ParseState): Item {
  const { reader, options } = state
  const next = reader.peek()
  switch (next) {
    case '\\':
      reader.pos++
      return parseEscapeItem(state)
    case '(':
      return parseGroup(state)
    case '[':
      return parseBracket(state)
    case '^':
      reader.pos++
      return { node: { kind: 'assertion', test: options.multiline ? 'line_start' : 'subject_start' }, repeatable: false }
    case '$':
      reader.pos++
      return { node: { kind: 'assertion', test: options.multiline ? 'line_end' : 'final_end' }, repeatable: false }
    case '.':
      reader.pos++
      return options.dotAll ? { node: state.anyCharacter(), repeatable: true } : { node: state.notNewline(), repeatable: true, type: 'any' }
    default:
      return { node: literal(state, reader.chars[reader.pos++]), repeatable: true }
  }
}

function parseBracket(state: ParseState): Item {
  const { reader } = state
  const startWord = reader.startsWith('[[:<:]]')
  if (startWord || reader.startsWith('[[:>:]]')) {
    reader.pos += 7
    const word = new CharClass(state.mode)
    addWord(state, word)
    const look: Node = {
      kind: 'look',
      behind: !startWord,
      negative: false,
      atomic: true,
      branches: [word.toNode(false)],
      offset: reader.offsetOf(reader.pos),
      lengths: [1],
    }
    return { node: { kind: 'sequence', items: [{ kind: 'assertion', test: 'word_boundary' }, look] }, repeatable: false }
  }
  if (posixEnd(reader, reader.pos + 1) >= 0) {
    reader.fail(reader.peek(1) === ':' ? 'POSIX named classes are supported only within a class' : 'POSIX collating elements are not supported')
  }
  reader.pos++
  return { node: parseClass(reader, state.options, state.mode), repeatable: true }
}

function addWord(state: ParseState, into: CharClass): void {
  const sequence = readEscape(state.readerFor('w'), state.mode, 0, true)
  if (sequence.kind === 'type') sequence.add(into)
}

/** One character as written, in both cases under `(?i)`. */
function literal(state: ParseState, char: number): Node {
  if (char === 0x0a || char === 0x0d) state.namesCrOrLf = true
  const { utf, ucp } = state.mode
  if (!state.options.caseless) {
    return utf && char > 0x7f ? { kind: 'code_point', ranges: [[char, char]] } : { kind: 'set', set: singleByte(char) }
  }
  if (!utf && !ucp) return { kind: 'set', set: eitherCase(char) }
  const chars = new CharClass(state.mode)
  for (const other of otherCases(char)) if (utf || other <= 0xff) chars.addRange(other, other)
  return chars.toNode(false)
}

const AUTO_TYPES: ReadonlyMap<string, AutoType> = new Map([
  ['S', 'not_space'],
  ['s', 'space'],
  ['h', 'horizontal'],
  ['v', 'vertical'],
])
/** Under UCP these are other codes. */
const UCP_LETTERS = 'Ss'

const LETTER_TESTS = {
  A: 'subject_start',
  G: 'subject_start',
  z: 'subject_end',
  Z: 'final_end',
  b: 'word_boundary',
  B: 'not_word_boundary',
} as const

function parseEscapeItem(state: ParseState): Item {
  const { reader } = state
  const written = reader.peek()
  const sequence = readEscape(reader, state.mode, state.groupCount, false)
  if (sequence.kind === 'char') return { node: literal(state, sequence.char), repeatable: true }
  if (sequence.kind === 'type') {
    const type = new CharClass(state.mode)
    sequence.add(type)
    return { node: type.toNode(false), repeatable: true, type: state.mode.ucp && UCP_LETTERS.includes(written) ? undefined : AUTO_TYPES.get(written) }
  }
  if (sequence.kind === 'backreference') return { node: state.backreference(sequence.group, sequence.offset), repeatable: true }
  const { letter } = sequence
  switch (letter) {
    case 'Q':
      state.inQuote = true
      return { node: null, repeatable: false, transparent: true }
    case 'E':
      return { node: null, repeatable: false, transparent: true }
    case 'K':
      if (state.lookDepth > 0) {
        reader.fail('\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)')
      }
      return { node: null, repeatable: false }
    case 'C':
      return { node: state.anyByte(), repeatable: true }
    case 'N':
      return { node: state.notNewline(), repeatable: true, type: 'any' }
    case 'R':
      return { node: state.newlineSequence(), repeatable: true, type: 'newline' }
    case 'X':
      return { node: state.graphemeCluster(), repeatable: true }
    case 'k':
      return { node: parseNamedBackreference(state), repeatable: true }
    case 'g':
      return { node: parseSubroutineEscape(state), repeatable: true }
    default:
      return { node: { kind: 'assertion', test: LETTER_TESTS[letter as keyof typeof LETTER_TESTS] }, repeatable: false }
  }
}

/** `\k<n>`, `\k'n'`, `\k{n}`, and `\g{n}` with a name. */
function parseNamedBackreference(state: ParseState): Node {
  const { reader } = state
  const terminator = { '{': '}', '<': '>', "'": "'" }[reader.peek()]
  if (terminator === undefined) return reader.fail('\\k is not followed by a braced, angle-bracketed, or quoted name')
  reader.pos++
  const offset = reader.pos
  return state.backreference(reader.name(terminator), offset)
}

/** `\g<n>` and `\g'n'`: a call in the notation of Oniguruma. */
function parseSubroutineEscape(state: ParseState): Node {
  const { reader } = state
  const terminator = reader.peek() === '<' ? '>' : "'"
  reader.pos++
  const offset = reader.pos
  const number = readSignedNumber(reader, state.groupCount)
  if (number === null) return state.subroutine(reader.name(terminator), offset)
  if (!reader.take(terminator)) {
    reader.fail('\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number')
  }
  return state.subroutine(number, offset)
}
