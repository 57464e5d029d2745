/**
 * Texts that a pattern matches, built of its own literals and classes. A sample is a guess, since a pattern may look ahead, refer back or be negated: callers test
 * it with the expression itself.
 */
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { BYTE_CLASSES } from '../expressions/osregex/classes.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { END, LIT, MARK, NO_BYTE, type OsRegexAlternative, STAR } from '../expressions/osregex/parse.js'
import type { Node, Pattern } from '../expressions/pcre2/ast.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'

/** A text, and whether the pattern ties it to the beginning or the end. All texts are byte strings. */
export interface Sample {
  readonly text: string
  readonly atStart: boolean
  readonly atEnd: boolean
}

/** The text for a group, from 1; undefined: the group's own sample. */
export type Fill = (group: number) => string | undefined

/** Samples of one pattern. Lists of hundreds of literals differ in nothing that matters here. */
const SAMPLES_LIMIT = 8
/** Repetitions of an item that a pattern requires; more than real patterns have. */
const REPEATS_LIMIT = 64
/** Depth to which a pattern that calls itself is followed. */
const DEPTH_LIMIT = 40
/** Characters of a sample: nested repetitions would multiply. */
const TEXT_LIMIT = 4096
/** Bytes in the order in which a class is asked for them: those that occur in words, in numbers, between words. */
const PREFERRED = [...'a1A/-_.: ="@,;\t#'].map((char) => char.charCodeAt(0))
const NO_FILL: Fill = () => undefined

/** Yields different samples, the simplest first. */
export function samplesOf(expression: Expression, fill: Fill = NO_FILL): Sample[] {
  const made = [...allSamples(expression, fill)]
  return made.filter(({ text }, at) => made.findIndex((other) => other.text === text) === at)
}

function* allSamples(expression: Expression, fill: Fill): Generator<Sample> {
  if (expression instanceof OsMatchExpression) {
    if (expression.negated) return
    for (const { form, literal } of expression.alternatives.slice(0, SAMPLES_LIMIT))
      if (form !== 'never') yield { text: literal, atStart: form === 'starts' || form === 'equals', atEnd: form === 'ends' || form === 'equals' }
    // The literals are folded; as they were written they look like the log.
    return
  }
  if (expression instanceof OsRegexExpression) {
    let group = 0
    for (const alternative of expression.alternatives.slice(0, SAMPLES_LIMIT)) {
      const sample = sampleOsRegex(expression.pattern, alternative, fill, group)
      group += alternative.kinds.filter((kind) => kind === MARK).length / 2
      if (sample !== null) yield sample
    }
    return
  }
  if (expression instanceof Pcre2Expression) {
    const { tree } = expression
    for (let variant = 0; variant < SAMPLES_LIMIT; variant++) {
      const text = new Pcre2Sampler(tree, fill, variant).sample()
      yield { text, atStart: isTied(tree.root, 'start'), atEnd: isTied(tree.root, 'end') }
    }
  }
}

function sampleOsRegex(pattern: string, { kinds, values, offsets, anchoredStart, anchoredEnd }: OsRegexAlternative, fill: Fill, firstGroup: number): Sample | null {
  let text = ''
  let group = firstGroup
  let openedAt = -1
  for (let at = 0; kinds[at] !== END; at++) {
    if (kinds[at] === MARK) {
      if (openedAt < 0) openedAt = text.length
      else {
        text = text.slice(0, openedAt) + (fill(++group) ?? text.slice(openedAt))
        openedAt = -1
      }
    } else if (kinds[at] === LIT) {
      if (values[at] === NO_BYTE) return null
      // As written: the stored literal is folded.
      text += pattern[offsets[at]]
    } else if (kinds[at] !== STAR) text += charOf((byte) => (BYTE_CLASSES[byte] & values[at]) !== 0)
  }
  return { text, atStart: anchoredStart, atEnd: anchoredEnd }
}

function charOf(contains: (byte: number) => boolean): string {
  const preferred = PREFERRED.find(contains)
  if (preferred !== undefined) return String.fromCharCode(preferred)
  for (let byte = 0x20; byte < 0x100; byte++) if (contains(byte)) return String.fromCharCode(byte)
  for (let byte = 1; byte < 0x20; byte++) if (contains(byte)) return String.fromCharCode(byte)
  return ''
}

/** Whether the pattern is tied to that side of the text, at least in its first branch. */
function isTied(node: Node, side: 'start' | 'end'): boolean {
  if (node.kind === 'assertion') return side === 'start' ? node.test === 'subject_start' : node.test === 'subject_end' || node.test === 'final_end'
  if (node.kind === 'sequence') return isTied(node.items[side === 'start' ? 0 : node.items.length - 1], side)
  if (node.kind === 'alternation') return isTied(node.branches[0], side)
  return (node.kind === 'capture' || node.kind === 'atomic') && isTied(node.body, side)
}

/** One walk through the tree. A variant takes other branches, and what is optional. */
class Pcre2Sampler {
  readonly #tree: Pattern
  readonly #fill: Fill
  readonly #variant: number
  readonly #groups = new Map<number, string>()
  #length = 0

  constructor(tree: Pattern, fill: Fill, variant: number) {
    this.#tree = tree
    this.#fill = fill
    this.#variant = variant
  }

  sample(): string {
    return this.#walk(this.#tree.root, 0)
  }

  #walk(node: Node, depth: number): string {
    if (depth > DEPTH_LIMIT || this.#length > TEXT_LIMIT) return ''
    switch (node.kind) {
      case 'set':
        this.#length++
        return charOf((byte) => node.set[byte] === 1)
      case 'code_point': {
        const [low] = node.ranges.find(([first]) => first >= 0x20) ?? node.ranges[0] ?? [0x61]
        return Buffer.from(String.fromCodePoint(low)).toString('latin1')
      }
      case 'sequence':
        return node.items.map((item) => this.#walk(item, depth + 1)).join('')
      case 'alternation':
        return this.#walk(node.branches[this.#variant % node.branches.length], depth + 1)
      case 'capture': {
        const text = this.#fill(node.index) ?? this.#walk(node.body, depth + 1)
        this.#groups.set(node.index, text)
        return text
      }
      case 'atomic':
        return this.#walk(node.body, depth + 1)
      case 'repeat': {
        const wanted = Math.min(Math.max(node.min, this.#variant % 2), node.max, REPEATS_LIMIT)
        let text = ''
        for (let count = 0; count < wanted; count++) text += this.#walk(node.body, depth + 1)
        return text
      }
      case 'backreference':
        return node.groups.map((group) => this.#groups.get(group)).find((text) => text !== undefined) ?? ''
      case 'conditional':
        return this.#walk(node.yes, depth + 1)
      case 'subroutine':
        return this.#walk(this.#tree.groups[node.group] ?? { kind: 'empty' }, depth + 1)
      case 'look':
        // What a look-ahead requires mostly follows from what comes after it.
        return ''
      default:
        return ''
    }
  }
}
