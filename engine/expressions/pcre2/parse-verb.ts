/**
 * Backtracking verbs: `(*COMMIT)`, `(*SKIP:name)`, `(*:name)`.
 */
import type { VerbName } from './ast.js'
import type { Item } from './parse.js'
import type { ParseState } from './parse-state.js'
import type { PatternReader } from './pattern-reader.js'
import { MALFORMED } from './start-options.js'

const VERBS: ReadonlyMap<string, VerbName> = new Map([
  ['', 'mark'],
  ['MARK', 'mark'],
  ['ACCEPT', 'accept'],
  ['F', 'fail'],
  ['FAIL', 'fail'],
  ['COMMIT', 'commit'],
  ['PRUNE', 'prune'],
  ['SKIP', 'skip'],
  ['THEN', 'then'],
])

/** PCRE2's MAX_MARK. */
const MAX_NAME_LENGTH = 255

/** Whether the `*` after the parenthesis starts a verb. Lower-case letters begin an assertion in words. */
export function isVerb(reader: PatternReader): boolean {
  return /[A-Z:]/.test(reader.peek(1))
}

export function parseVerb(state: ParseState): Item {
  const { reader } = state
  reader.pos++
  let word = ''
  for (; /[A-Za-z]/.test(reader.peek()); reader.pos++) word += reader.peek()
  const separator = reader.peek()
  if (separator !== ':' && separator !== ')') reader.fail(MALFORMED)
  const verb = VERBS.get(word)
  if (verb === undefined) return reader.fail(MALFORMED)
  let name = ''
  if (reader.take(':')) {
    for (; !reader.atEnd && reader.peek() !== ')'; reader.pos++) name += reader.peek()
    if (name.length > MAX_NAME_LENGTH) reader.fail('name is too long in (*MARK), (*PRUNE), (*SKIP), or (*THEN)')
    if (reader.atEnd) reader.fail('missing closing parenthesis')
  }
  if (verb === 'mark' && name === '') reader.fail('(*MARK) must have an argument')
  reader.pos++
  return { node: { kind: 'verb', verb, name: name === '' ? null : name }, repeatable: verb === 'accept' }
}
