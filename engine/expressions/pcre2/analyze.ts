/**
 * Derives facts about the subjects that a pattern can match, without running it. Exact: nothing here rules out a possible match.
 */
import { foldCase, toByteString } from '../../source/byte-string.js'
import { RARE_ALONE, RARITY } from '../byte-rarity.js'
import { someNode, type Node, type Pattern } from './ast.js'
import { BYTES, firstByte, otherCase, sizeOf, type ByteSet } from './byte-set.js'

/** Maximum number of alternatives. A prefilter with more is slower than the pattern. */
const MAX_LITERALS = 32
/** Maximum length of a literal. Longer literals filter no better. */
const MAX_LITERAL_LENGTH = 64
/** Minimum length of a literal, except for a byte that is rare. Shorter ones occur in nearly every log line. */
const MIN_USEFUL_LENGTH = 2

/** Strings as written, or in lower case when the pattern ignores case. */
type Strings = readonly string[]

interface Facts {
  /** All strings that the node can match, folded to lower case; null when they are too many or unbounded. */
  readonly exact: Strings | null
  /** Every match contains one of these, folded; null when nothing is known. */
  readonly required: Strings | null
}

const UNKNOWN: Facts = { exact: null, required: null }
const ZERO_WIDTH: Facts = { exact: [''], required: null }

/** Literals of which the lower-cased subject must contain one; null when there are none. */
export function requiredLiteral(pattern: Pattern): { readonly literals: string[] } | null {
  if (someNode(pattern.root, (node) => node.kind === 'verb' && node.verb === 'accept')) return null
  const facts = factsOf(pattern.root)
  const best = better(useful(facts.exact), facts.required)
  return best === null ? null : { literals: [...best] }
}

function useful(strings: Strings | null): Strings | null {
  return strings === null || strings.length === 0 || !strings.every(isUseful) ? null : strings
}

function isUseful(text: string): boolean {
  return text.length >= MIN_USEFUL_LENGTH || (text.length === 1 && RARITY[text.charCodeAt(0)] >= RARE_ALONE)
}

function shortest(strings: Strings): number {
  return Math.min(...strings.map((text) => text.length))
}

/** Prefers the longer literals, then fewer of them. */
function better(a: Strings | null, b: Strings | null): Strings | null {
  if (a === null || b === null) return a ?? b
  const [lengthA, lengthB] = [shortest(a), shortest(b)]
  if (lengthA !== lengthB) return lengthA > lengthB ? a : b
  return a.length <= b.length ? a : b
}

/** Cached by set: patterns share sets. */
const FOLDED = new WeakMap<ByteSet, { readonly strings: Strings | null }>()

function foldedBytes(set: ByteSet): Strings | null {
  const known = FOLDED.get(set)
  if (known !== undefined) return known.strings
  const strings = listFolded(set)
  FOLDED.set(set, { strings })
  return strings
}

function listFolded(set: ByteSet): Strings | null {
  if (sizeOf(set) > 2 * MAX_LITERALS) return null
  const out = new Set<string>()
  for (let byte = 0; byte < BYTES; byte++) if (set[byte]) out.add(String.fromCharCode(byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte))
  return out.size > 4 ? null : [...out]
}

/** The characters of a small class as folded UTF-8 byte strings; null when there are too many. */
function codePointTexts(ranges: readonly (readonly [from: number, to: number])[]): Strings | null {
  const texts: string[] = []
  for (const [from, to] of ranges) {
    if (to - from >= MAX_LITERALS) return null
    for (let point = from; point <= to; point++) texts.push(foldCase(toByteString(String.fromCodePoint(point))))
  }
  const distinct = [...new Set(texts)]
  return distinct.length > 4 ? null : distinct
}

function factsOf(node: Node): Facts {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
    case 'look':
      return ZERO_WIDTH
    case 'verb':
      return node.verb === 'fail' ? UNKNOWN : ZERO_WIDTH
    case 'set':
      return { exact: foldedBytes(node.set), required: null }
    case 'code_point':
      return { exact: codePointTexts(node.ranges), required: null }
    case 'capture':
    case 'atomic':
      return factsOf(node.body)
    case 'sequence':
      return sequenceFacts(node.items)
    case 'alternation': {
      const branches = node.branches.map(factsOf)
      const exact = unionOfStrings(branches.map((facts) => facts.exact))
      const required = unionOfStrings(branches.map((facts) => better(useful(facts.exact), facts.required)))
      return { exact, required }
    }
    case 'repeat': {
      if (node.max === 0) return ZERO_WIDTH
      const body = factsOf(node.body)
      if (node.min === 0) {
        const exact = node.max === 1 && body.exact !== null ? unionOfStrings([body.exact, ['']]) : null
        return { exact, required: null }
      }
      let exact: Strings | null = ['']
      for (let i = 0; i < Math.min(node.min, MAX_LITERAL_LENGTH) && exact !== null; i++) exact = product(exact, body.exact)
      const promised = better(useful(exact), body.required)
      return { exact: node.max === node.min && node.min <= MAX_LITERAL_LENGTH ? exact : null, required: promised }
    }
    default:
      return UNKNOWN
  }
}

function sequenceFacts(items: readonly Node[]): Facts {
  let run: Strings = ['']
  let all: Strings | null = ['']
  let required: Strings | null = null
  for (const item of items) {
    const facts = factsOf(item)
    required = better(required, facts.required)
    const longer = product(run, facts.exact)
    if (longer === null) {
      required = better(required, useful(run))
      all = null
      // the product was too large: start a new run with this item
      run = facts.exact ?? ['']
    } else run = longer
    if (all !== null) all = longer
  }
  return { exact: all, required: better(required, useful(run)) }
}

function product(left: Strings, right: Strings | null): Strings | null {
  if (right === null || left.length * right.length > MAX_LITERALS) return null
  const out = new Set<string>()
  for (const a of left) for (const b of right) out.add(a + b)
  return [...out].some((text) => text.length > MAX_LITERAL_LENGTH) ? null : [...out]
}

function unionOfStrings(parts: readonly (Strings | null)[]): Strings | null {
  const out = new Set<string>()
  for (const part of parts) {
    if (part === null) return null
    for (const text of part) out.add(text)
  }
  return out.size > MAX_LITERALS ? null : [...out]
}

/** The pattern matches a subject if and only if the subject equals one of the values. */
export interface ExactSubjects {
  /** Lower-cased when `ignoreCase`. */
  readonly values: string[]
  readonly ignoreCase: boolean
  /** A value with one LF at its end matches too, because `$` allows it. */
  readonly trailingNewline: boolean
}

export function anchoredExact(pattern: Pattern): ExactSubjects | null {
  if (pattern.utf || pattern.newline !== 'lf' || pattern.notEmpty !== 'no' || pattern.limitMatch !== null) return null
  const forms = anchoredForms(pattern.root)
  if (forms === null || forms.length === 0) return null
  if (forms.some((form) => form.newline !== forms[0].newline)) return null
  const strings = forms.flatMap((form) => form.sets)
  const letters = strings.flat().filter((set) => isLetter(set))
  const ignoreCase = letters.some((set) => sizeOf(set) === 2)
  if (ignoreCase && letters.some((set) => sizeOf(set) === 1)) return null
  const values = new Set(strings.map((sets) => sets.map((set) => byteOf(set, ignoreCase)).join('')))
  return { values: [...values], ignoreCase, trailingNewline: forms[0].newline }
}

/** A way to match the whole subject: a sequence of sets, each one byte or one letter in both cases. */
interface Form {
  readonly sets: readonly (readonly ByteSet[])[]
  readonly newline: boolean
}

/** The alternatives of `node`, each with its own anchors at both ends. */
function anchoredForms(node: Node): Form[] | null {
  if (node.kind === 'capture') return anchoredForms(node.body)
  if (node.kind === 'alternation') {
    const forms: Form[] = []
    for (const branch of node.branches) {
      const inner = anchoredForms(branch)
      if (inner === null) return null
      forms.push(...inner)
    }
    return forms
  }
  if (node.kind !== 'sequence') return null
  const [first, last] = [node.items[0], node.items[node.items.length - 1]]
  if (first.kind !== 'assertion' || first.test !== 'subject_start') return null
  if (last.kind !== 'assertion' || (last.test !== 'subject_end' && last.test !== 'final_end')) return null
  const sets = setStrings({ kind: 'sequence', items: node.items.slice(1, -1) })
  return sets === null ? null : [{ sets, newline: last.test === 'final_end' }]
}

function setStrings(node: Node): (readonly ByteSet[])[] | null {
  switch (node.kind) {
    case 'empty':
      return [[]]
    case 'set':
      return isLiteral(node.set) ? [[node.set]] : null
    case 'capture':
      return setStrings(node.body)
    case 'sequence': {
      let out: (readonly ByteSet[])[] = [[]]
      for (const item of node.items) {
        const next = setStrings(item)
        if (next === null || out.length * next.length > MAX_LITERALS) return null
        out = out.flatMap((head) => next.map((tail) => [...head, ...tail]))
      }
      return out
    }
    case 'alternation': {
      const out: (readonly ByteSet[])[] = []
      for (const branch of node.branches) {
        const inner = setStrings(branch)
        if (inner === null || out.length + inner.length > MAX_LITERALS) return null
        out.push(...inner)
      }
      return out
    }
    case 'repeat': {
      if (node.max !== 1 || node.min !== 0) return null
      const inner = setStrings(node.body)
      return inner === null ? null : [...inner, []]
    }
    default:
      return null
  }
}

function isLetter(set: ByteSet): boolean {
  const byte = firstByte(set)
  return otherCase(byte) !== byte
}

function isLiteral(set: ByteSet): boolean {
  const size = sizeOf(set)
  const byte = firstByte(set)
  return size === 1 || (size === 2 && otherCase(byte) !== byte && set[otherCase(byte)] === 1)
}

function byteOf(set: ByteSet, ignoreCase: boolean): string {
  const byte = firstByte(set)
  return String.fromCharCode(ignoreCase && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)
}
