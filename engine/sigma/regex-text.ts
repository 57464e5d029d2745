/**
 * Patterns as regular expressions in the flavour that Sigma names: `.`, `^ $`, `* + ? {n,m}`, classes, groups and alternation. Nothing else is written, so a pattern that
 * needs more (looks, references, possessive repetitions) has no text here. The text of an OSRegex accepts what its machine accepts, and may accept more: the machine tries
 * only some of the ways to divide a text among its repetitions.
 */
import type { Expression } from '../expressions/expression.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { partsOf, widestNode } from '../expressions/pattern-nodes.js'
import type { Node } from '../expressions/pcre2/ast.js'
import { type ByteSet, setOf } from '../expressions/pcre2/byte-set.js'
import { fromByteString } from '../source/byte-string.js'

export interface RegexText {
  readonly text: string
  /** Letters match in either case. */
  readonly ignoresCase: boolean
}

/** Longest text of a pattern. */
const TEXT_LIMIT = 4_000
const ASCII = 0x80
const SPECIAL = /[.^$*+?()[\]{}|\\/]/g
const NEWLINE = 0x0a

/** Null: the flavour cannot say it. */
export function regexText(expression: Expression): RegexText | null {
  const { main, also, never } = expression instanceof OsRegexExpression ? { main: widestNode(expression), also: [], never: [] } : partsOf(expression)
  if (also.length > 0 || never.length > 0) return null
  const ignoresCase = isEitherCase(main)
  const text = write(main, ignoresCase)
  return text === null || text.length > TEXT_LIMIT ? null : { text, ignoresCase }
}

/** Whether every set has both cases of each of its letters, or none. */
function isEitherCase(node: Node): boolean {
  switch (node.kind) {
    case 'set':
      return isFolded(node.set)
    case 'sequence':
      return node.items.every(isEitherCase)
    case 'alternation':
      return node.branches.every(isEitherCase)
    case 'capture':
    case 'atomic':
    case 'repeat':
      return isEitherCase(node.body)
    default:
      return true
  }
}

function isFolded(set: ByteSet): boolean {
  for (let upper = 0x41; upper <= 0x5a; upper++) if (set[upper] !== set[upper + 0x20]) return false
  return true
}

function write(node: Node, fold: boolean): string | null {
  switch (node.kind) {
    case 'empty':
      return ''
    case 'set':
      return writeSet(node.set, fold)
    case 'sequence':
      return writeSequence(node.items, fold)
    case 'alternation':
      return joined(
        node.branches.map((branch) => write(branch, fold)),
        '|',
        (text) => `(${text})`,
      )
    case 'capture':
      return node.body.kind === 'alternation' ? write(node.body, fold) : wrapped(write(node.body, fold))
    case 'repeat':
      return writeRepeat(node, fold)
    case 'assertion':
      return node.test === 'subject_start' ? '^' : node.test === 'subject_end' || node.test === 'final_end' ? '$' : null
    default:
      return null
  }
}

function wrapped(text: string | null): string | null {
  return text === null ? null : `(${text})`
}

function joined(texts: readonly (string | null)[], by: string, wrap: (text: string) => string): string | null {
  return texts.every((text) => text !== null) ? wrap(texts.join(by)) : null
}

/** Bytes of one character beside each other are that character. */
function writeSequence(items: readonly Node[], fold: boolean): string | null {
  const texts: (string | null)[] = []
  let high = ''
  const flush = (): void => {
    if (high === '') return
    const text = fromByteString(high)
    texts.push(text.includes('\ufffd') ? null : text)
    high = ''
  }
  for (const item of items) {
    const byte = item.kind === 'set' ? onlyByte(item.set) : null
    if (byte !== null && byte >= ASCII) {
      high += String.fromCharCode(byte)
      continue
    }
    flush()
    texts.push(write(item, fold))
  }
  flush()
  return joined(texts, '', (text) => text)
}

function onlyByte(set: ByteSet): number | null {
  const first = set.indexOf(1)
  return first >= 0 && set.indexOf(1, first + 1) < 0 ? first : null
}

function writeRepeat({ body, min, max, mode }: Extract<Node, { readonly kind: 'repeat' }>, fold: boolean): string | null {
  const text = write(body, fold)
  if (text === null || text === '' || mode === 'possessive' || body.kind === 'assertion') return null
  const count = max === Number.POSITIVE_INFINITY ? (min === 0 ? '*' : min === 1 ? '+' : `{${min},}`) : min === 0 && max === 1 ? '?' : min === max ? `{${min}}` : `{${min},${max}}`
  return `${body.kind === 'set' || body.kind === 'capture' || body.kind === 'alternation' ? text : `(${text})`}${count}`
}

const ANY_BUT_NEWLINE = setOf((byte) => byte !== NEWLINE)

/** A byte beyond ASCII is part of a character: a class has all of them, or none. */
function writeSet(set: ByteSet, fold: boolean): string | null {
  const high = set.subarray(ASCII)
  const isOpen = high.every((bit) => bit === 1)
  if (!isOpen && high.includes(1)) return null
  if (isOpen && set.every((bit, byte) => bit === ANY_BUT_NEWLINE[byte])) return '.'
  const ranges = rangesOf(set, isOpen ? 0 : 1, fold)
  // Nothing is excluded: `.` is without the line break.
  if (ranges.length === 0) return isOpen ? '(.|\n)' : null
  const [only] = ranges
  if (!isOpen && ranges.length === 1 && only[0] === only[1]) return literal(only[0])
  return `[${isOpen ? '^' : ''}${ranges.map(([from, to]) => (from === to ? inClass(from) : `${inClass(from)}-${inClass(to)}`)).join('')}]`
}

/** Runs of ASCII bytes of which the bit is as wanted; without the upper letters where the case is ignored. */
function rangesOf(set: ByteSet, wanted: number, fold: boolean): [number, number][] {
  const ranges: [number, number][] = []
  for (let byte = 0; byte < ASCII; byte++) {
    if (set[byte] !== wanted || (fold && byte >= 0x41 && byte <= 0x5a)) continue
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === byte - 1) last[1] = byte
    else ranges.push([byte, byte])
  }
  return ranges
}

function literal(byte: number): string {
  return String.fromCharCode(byte).replace(SPECIAL, '\\$&')
}

function inClass(byte: number): string {
  return String.fromCharCode(byte).replace(/[\]\\^[-]/, '\\$&')
}
