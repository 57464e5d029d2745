/**
 * Parses everything that begins with a parenthesis.
 *
 * ```
 * (?<name>a|b)c
 * ^ the reader is on the parenthesis
 * ```
 */
import type { Condition, LookNode, Node } from './ast.js'
import { parseAlternatives, parseBranches, type Item } from './parse.js'
import { MAX_GROUP_NUMBER, readSignedNumber } from './parse-escape.js'
import type { ParseState } from './parse-state.js'
import { isDigit, NO_OPTIONS, type InlineOptions } from './pattern-reader.js'
import { isVerb, parseVerb } from './parse-verb.js'

const NOT_CLOSED = 'missing closing parenthesis'

type GroupKind = 'plain' | 'atomic' | { readonly behind: boolean; readonly negative: boolean; readonly atomic: boolean }

/** `(*pla:...)` and similar: words for groups that also have a symbol. */
const WORD_GROUPS: ReadonlyMap<string, GroupKind> = new Map<string, GroupKind>([
  ['pla', { behind: false, negative: false, atomic: true }],
  ['positive_lookahead', { behind: false, negative: false, atomic: true }],
  ['nla', { behind: false, negative: true, atomic: true }],
  ['negative_lookahead', { behind: false, negative: true, atomic: true }],
  ['plb', { behind: true, negative: false, atomic: true }],
  ['positive_lookbehind', { behind: true, negative: false, atomic: true }],
  ['nlb', { behind: true, negative: true, atomic: true }],
  ['negative_lookbehind', { behind: true, negative: true, atomic: true }],
  ['napla', { behind: false, negative: false, atomic: false }],
  ['non_atomic_positive_lookahead', { behind: false, negative: false, atomic: false }],
  ['naplb', { behind: true, negative: false, atomic: false }],
  ['non_atomic_positive_lookbehind', { behind: true, negative: false, atomic: false }],
  ['atomic', 'atomic'],
  // bytes have no scripts: a script run is any group
  ['sr', 'plain'],
  ['script_run', 'plain'],
  ['asr', 'atomic'],
  ['atomic_script_run', 'atomic'],
])

export function parseGroup(state: ParseState): Item {
  const { reader } = state
  const opened = reader.pos
  reader.pos++
  if (reader.peek() === '*') {
    if (isVerb(reader)) return parseVerb(state)
    const look = readWordGroup(state)
    if (look !== null) return repeatable(parseKind(state, look, opened))
  }
  if (!reader.take('?')) {
    return repeatable(state.options.noAutoCapture ? parsePlain(state, false) : parseCapture(state, null))
  }
  if (reader.atEnd) reader.fail(NOT_CLOSED)
  if (reader.take('#')) return parseComment(state)
  if (reader.take(':')) return repeatable(parsePlain(state, false))
  if (reader.take('|')) return repeatable(parsePlain(state, true))
  if (reader.take('>')) return repeatable({ kind: 'atomic', body: parsePlain(state, false) })
  const look = readLook(state)
  if (look !== null) return repeatable(parseLook(state, look, opened))
  if (reader.take('<')) return repeatable(parseCapture(state, reader.name('>')))
  if (reader.take("'")) return repeatable(parseCapture(state, reader.name("'")))
  if (reader.take('P')) return parsePythonGroup(state)
  if (reader.take('(')) return repeatable(parseConditional(state, opened))
  if (reader.take('C')) return parseCallout(state)
  if (reader.take('&')) return parseCall(state)
  if (reader.take('R')) {
    closeCall(state)
    return repeatable(state.subroutine(0, opened))
  }
  const next = reader.peek()
  if (isDigit(reader.chars[reader.pos]) || next === '+' || (next === '-' && isDigit(reader.chars[reader.pos + 1]))) return parseNumberedCall(state)
  return parseOptions(state)
}

function repeatable(node: Node): Item {
  return { node, repeatable: true }
}

function close(state: ParseState): void {
  if (!state.reader.take(')')) state.reader.fail(NOT_CLOSED)
}

function parsePlain(state: ParseState, resetNumbers: boolean): Node {
  const body = state.nested(() => parseAlternatives(state, resetNumbers))
  close(state)
  return body
}

function parseCapture(state: ParseState, name: string | null): Node {
  const index = state.openGroup(name)
  const body = parsePlain(state, false)
  const node: Node = { kind: 'capture', index, body }
  state.closeGroup(index, node)
  return node
}

function parseComment(state: ParseState): Item {
  state.reader.endComment()
  return { node: null, repeatable: false, transparent: true }
}

function readWordGroup(state: ParseState): GroupKind | null {
  const { reader } = state
  if (!/[a-z]/.test(reader.peek(1))) return null
  reader.pos++
  let name = ''
  for (; /[A-Za-z0-9_]/.test(reader.peek()); reader.pos++) name += reader.peek()
  const kind = WORD_GROUPS.get(name)
  if (kind === undefined || !reader.take(':')) return reader.fail('(*alpha_assertion) not recognized')
  return kind
}

function parseKind(state: ParseState, kind: GroupKind, opened: number): Node {
  if (kind === 'plain') return parsePlain(state, false)
  if (kind === 'atomic') return { kind: 'atomic', body: parsePlain(state, false) }
  return parseLook(state, kind, opened)
}

type LookKind = Exclude<GroupKind, string>

/** `(?=` `(?!` `(?*` `(?<=` `(?<!` `(?<*`; the reader is after `(?`. */
function readLook(state: ParseState): LookKind | null {
  const { reader } = state
  const behind = reader.peek() === '<'
  const sign = reader.peek(behind ? 1 : 0)
  if (sign !== '=' && sign !== '!' && sign !== '*') return null
  reader.pos += behind ? 2 : 1
  return { behind, negative: sign === '!', atomic: sign !== '*' }
}

function parseLook(state: ParseState, kind: LookKind, opened: number): LookNode {
  state.lookDepth++
  const branches = state.nested(() => parseBranches(state, false))
  close(state)
  state.lookDepth--
  return { kind: 'look', ...kind, branches, offset: state.reader.offsetOf(opened), lengths: [] }
}

/** `(?P<name>`, `(?P=name)`, `(?P>name)`. */
function parsePythonGroup(state: ParseState): Item {
  const { reader } = state
  if (reader.atEnd) reader.fail(NOT_CLOSED)
  if (reader.take('<')) return repeatable(parseCapture(state, reader.name('>')))
  if (reader.take('>')) return parseCall(state)
  if (!reader.take('=')) reader.fail('unrecognized character after (?P')
  const offset = reader.pos
  return repeatable(state.backreference(reader.name(')'), offset))
}

function parseCall(state: ParseState): Item {
  const offset = state.reader.pos
  return repeatable(state.subroutine(state.reader.name(')'), offset))
}

function parseNumberedCall(state: ParseState): Item {
  const { reader } = state
  const offset = reader.pos
  const number = readSignedNumber(reader, state.groupCount)
  if (number === null) return reader.fail('digit expected after (?+ or (?-')
  closeCall(state)
  return repeatable(state.subroutine(number, offset))
}

function closeCall(state: ParseState): void {
  if (state.reader.atEnd) state.reader.fail(NOT_CLOSED)
  if (!state.reader.take(')')) state.reader.fail('(?R (recursive pattern call) must be followed by a closing parenthesis')
}

/** A callout calls a function of the caller. There is none, so the callout is only checked. */
function parseCallout(state: ParseState): Item {
  const { reader } = state
  const MAX_CALLOUT = 255
  const opening = reader.peek()
  if (opening !== ')' && !isDigit(reader.chars[reader.pos])) {
    if (opening === '') reader.fail(NOT_CLOSED)
    if (!'`\'"^%#${'.includes(opening)) reader.fail('unrecognized string delimiter follows (?C')
    const closing = opening === '{' ? '}' : opening
    reader.pos++
    for (;;) {
      if (reader.atEnd) reader.fail('missing terminating delimiter for callout with string argument')
      if (reader.peek() === closing) {
        reader.pos++
        if (reader.peek() !== closing) break
      }
      reader.pos++
    }
  } else {
    reader.number(MAX_CALLOUT, 'number after (?C is greater than 255')
  }
  if (!reader.take(')')) reader.fail('closing parenthesis for (?C expected')
  return { node: null, repeatable: false }
}

const OPTION_LETTERS: ReadonlyMap<string, keyof InlineOptions> = new Map([
  ['i', 'caseless'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['x', 'extended'],
  ['n', 'noAutoCapture'],
  ['U', 'ungreedy'],
  ['J', 'duplicateNames'],
])

/** `(?i-s)` for the rest of the enclosing group, `(?i-s:...)` for its own. */
function parseOptions(state: ParseState): Item {
  const { reader } = state
  const options: InlineOptions = { ...state.options }
  let hyphenAllowed = true
  let on = true
  if (reader.take('^')) {
    Object.assign(options, { ...NO_OPTIONS, ungreedy: options.ungreedy, duplicateNames: options.duplicateNames })
    hyphenAllowed = false
  }
  for (;;) {
    if (reader.atEnd) reader.fail(NOT_CLOSED)
    const letter = reader.peek()
    if (letter === ')' || letter === ':') break
    reader.pos++
    if (letter === '-') {
      if (!hyphenAllowed) reader.fail('invalid hyphen in option setting')
      hyphenAllowed = false
      on = false
      continue
    }
    const option = OPTION_LETTERS.get(letter)
    if (option === undefined) return reader.fail('unrecognized character after (? or (?-', reader.pos - 1)
    options[option] = on
    if (letter === 'x') options.extendedMore = reader.take('x') && on
  }
  if (reader.take(')')) {
    state.options = options
    return { node: null, repeatable: false }
  }
  reader.pos++
  const body = state.nested(() => {
    state.options = options
    return parseAlternatives(state, false)
  })
  close(state)
  return repeatable(body)
}

/** `(?(condition)yes|no)`; the reader is after the second parenthesis. */
function parseConditional(state: ParseState, opened: number): Node {
  const { reader } = state
  const condition = readCondition(state)
  const branches = state.nested(() => parseBranches(state, false))
  close(state)
  if (condition === 'define') {
    if (branches.length > 1) reader.fail('DEFINE subpattern contains more than one branch', opened)
    return { kind: 'repeat', body: branches[0], min: 0, max: 0, mode: 'greedy' }
  }
  if (branches.length > 2) reader.fail('conditional subpattern contains more than two branches', opened)
  return state.conditional(condition, branches[0], branches[1] ?? null)
}

function readCondition(state: ParseState): 'define' | (() => Condition) {
  const { reader } = state
  if (reader.peek() === '?' || reader.peek() === '*') {
    const look = readLookCondition(state)
    return () => ({ kind: 'look', look })
  }
  const pos = reader.pos
  if (reader.startsWith('VERSION')) {
    const version = readVersionCondition(state)
    if (version !== null) return () => ({ kind: 'constant', value: version })
  }
  const number = readSignedNumber(reader, state.groupCount)
  if (number !== null) {
    closeCondition(state)
    return () => ({ kind: 'group', groups: state.groupsOf(number, pos) })
  }
  if (reader.take('R)')) return () => ({ kind: 'recursion', groups: null })
  if (reader.take('R&')) {
    const name = reader.name(')')
    return () => ({ kind: 'recursion', groups: state.groupsOf(name, pos + 2) })
  }
  const terminator = reader.take('<') ? '>' : reader.take("'") ? "'" : ')'
  const name = reader.name(terminator)
  if (terminator !== ')') closeCondition(state)
  else if (name === 'DEFINE') return 'define'
  const recursed = terminator === ')' ? /^R(\d+)$/.exec(name) : null
  return () => {
    if (recursed !== null && !state.hasName(name) && Number(recursed[1]) <= MAX_GROUP_NUMBER) {
      return { kind: 'recursion', groups: state.groupsOf(Number(recursed[1]), pos) }
    }
    return { kind: 'group', groups: state.groupsOf(name, pos) }
  }
}

function closeCondition(state: ParseState): void {
  if (!state.reader.take(')')) state.reader.fail('missing closing parenthesis for condition')
}

function readLookCondition(state: ParseState): LookNode {
  const { reader } = state
  const expected = (): never => reader.fail('assertion expected after (?( or (?(?C)')
  if (reader.startsWith('?C')) {
    reader.pos += 2
    parseCallout(state)
    if (!reader.take('(')) expected()
  }
  const opened = reader.pos - 1
  if (reader.peek() === '*') {
    const kind = /[a-z]/.test(reader.peek(1)) ? readWordGroup(state) : null
    if (kind === null || typeof kind === 'string') return expected()
    return parseLook(state, kind, opened)
  }
  if (!reader.take('?')) expected()
  const kind = readLook(state)
  return kind === null ? expected() : parseLook(state, kind, opened)
}

/** Evaluates `VERSION>=10.4`; null when the text has another form. */
function readVersionCondition(state: ParseState): boolean | null {
  const { reader } = state
  const OUR_VERSION = 1042
  let text = ''
  for (let ahead = 7; ahead < 24 && reader.peek(ahead) !== ''; ahead++) text += reader.peek(ahead)
  if (!/^(?:>=|=|>)/.test(text)) return null
  const version = /^(>?)=(\d{1,4})(?:\.(\d{1,2}))?\)/.exec(text)
  if (version === null) return reader.fail('syntax error or number too big in (?(VERSION condition')
  reader.pos += 7 + version[0].length
  const wanted = Number(version[2]) * 100 + Number((version[3] ?? '0').padEnd(2, '0'))
  return version[1] === '>' ? OUR_VERSION >= wanted : OUR_VERSION === wanted
}
