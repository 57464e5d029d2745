/**
 * Alternatives of a pattern that decide nothing: without them it accepts the same texts. Each is proven, those of OSMatch by their texts, those of OSRegex and PCRE2 by
 * automata. Only for uses in which neither groups nor the end of a match count.
 */
import { compileExpression } from '../expressions/compile.js'
import type { Expression } from '../expressions/expression.js'
import { containedAlternatives } from '../expressions/osmatch/contained-alternatives.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { checkOsRegex } from '../expressions/osregex/parse.js'
import { boundsOf } from '../expressions/pattern-bounds.js'
import { itemsOf, type PatternBranch, type PatternItem } from '../expressions/pcre2/pattern-items.js'
import { areSameTexts, BoundPrograms, Bounds, follows } from './exclusion.js'
import { findText } from './find-text.js'

/** Bytes of a pattern that automata read. */
const PATTERN_BYTES = 1_000
/** Alternatives of one pattern that are left out in turn. */
const ALTERNATIVES_LIMIT = 48
/** Steps of one proof: most take some hundred. */
const PROOF_STEPS = 20_000
/** Steps of all proofs of one pattern; the last one may go beyond by its own. */
const PATTERN_STEPS = 100_000
/** Places of the automata of a pattern: what one step may take. */
const PLACES_LIMIT = 1_000
/** Bytes by which a text is extended in the search for one that the alternative alone accepts. */
const WITNESS_STEPS = 100

/** An alternative that decides nothing. */
export interface IdleAlternative {
  /** Its place in the pattern, without the bars. */
  readonly start: number
  readonly end: number
  /** An alternative that every text with this one has as well, as written. Null: it takes several, or what stands around them. */
  readonly other: string | null
}

export interface IdleAlternatives {
  /** The pattern without all of them accepts the same texts. */
  readonly found: readonly IdleAlternative[]
  readonly steps: number
}

interface Place {
  readonly start: number
  readonly end: number
}

/** Alternatives between which a pattern chooses at one place. */
interface Choice {
  readonly branches: readonly Place[]
  /** Whether the whole pattern is this choice, and each alternative means the same by itself. */
  readonly isWhole: boolean
}

const NONE: IdleAlternatives = { found: [], steps: 0 }

/** @param expression not one that captures */
export function idleAlternatives(expression: Expression): IdleAlternatives {
  if (!expression.pattern.includes('|')) return NONE
  if (expression instanceof OsMatchExpression) return containedAlternatives(expression)
  if (expression.pattern.length > PATTERN_BYTES) return NONE
  const { upper, lower } = boundsOf(expression)
  if (upper === null || lower === null) return NONE
  const choices = expression.dialect === 'pcre2' ? choicesOf(expression.pattern) : [osRegexChoice(expression.pattern)]
  const count = choices.reduce((sum, { branches }) => sum + branches.length, 0)
  return count > ALTERNATIVES_LIMIT ? NONE : new Reduction(expression, choices).reduce()
}

function osRegexChoice(pattern: string): Choice {
  const branches: Place[] = []
  checkOsRegex(pattern, (start, end) => branches.push({ start, end }))
  return { branches, isWhole: true }
}

/** The choices outside of looks, outer ones first. */
function choicesOf(pattern: string): readonly Choice[] {
  const root = itemsOf(pattern)
  if (root === null) return []
  const found: Choice[] = []
  const read = (branches: readonly PatternBranch[], isWhole: boolean): void => {
    if (branches.length > 1) found.push({ branches, isWhole })
    for (const { items } of branches) for (const item of items) if (isRead(item)) read(item.branches, false)
  }
  // Settings such as (?i) reach beyond their alternative.
  read(root, !/\(\?[a-z-]*\)/.test(pattern))
  return found
}

function isRead({ kind, head }: PatternItem): boolean {
  return kind === 'group' && head !== '(?=' && head !== '(?!'
}

/** Leaves out alternatives of one pattern for as long as it accepts the same texts. */
class Reduction {
  readonly #expression: Expression
  readonly #programs = new BoundPrograms()
  readonly #bounds = new Bounds(this.#programs, PROOF_STEPS)
  readonly #choices: readonly Choice[]
  readonly #left: Place[] = []

  /** @param choices outer ones first */
  constructor(expression: Expression, choices: readonly Choice[]) {
    this.#expression = expression
    this.#choices = choices
  }

  reduce(): IdleAlternatives {
    const found: IdleAlternative[] = []
    const program = this.#programs.ofBound(this.#expression, false)
    if (program === null || program.places.length > PLACES_LIMIT) return NONE
    for (const choice of this.#choices) {
      for (const branch of choice.branches.toReversed()) {
        if (this.#programs.steps > PATTERN_STEPS) return { found, steps: this.#programs.steps }
        if (branch.start === branch.end || this.#isLeft(branch) || !this.#isIdle(choice, branch)) continue
        this.#left.push(branch)
        found.push({ start: branch.start, end: branch.end, other: this.#otherOf(choice, branch) })
      }
    }
    return { found, steps: this.#programs.steps }
  }

  #isLeft(branch: Place): boolean {
    return this.#left.some(({ start, end }) => start <= branch.start && branch.end <= end)
  }

  #isIdle(choice: Choice, branch: Place): boolean {
    const { branches } = choice
    if (branches.filter((other) => !this.#isLeft(other)).length < 2) return false
    const rest = this.#without(choice, (other) => other === branch)
    const alone = this.#without(choice, (other) => other !== branch)
    if (rest === null || alone === null) return false
    // Most alternatives have a text of their own; no proof has to look for it.
    const text = this.#textOf(alone)
    if (text !== null && this.#bounds.boundOf(rest, true)?.accepts(text) !== true) return false
    // OSRegex tries its alternatives one by one; where PCRE2 has several choices, more than the alternative may change.
    return this.#expression.dialect === 'osregex' ? follows(this.#bounds, alone, rest) : areSameTexts(this.#bounds, this.#expression, rest)
  }

  #textOf(expression: Expression): string | null {
    const automaton = this.#bounds.boundOf(expression, false)
    if (automaton === null) return null
    const budget = { steps: WITNESS_STEPS }
    const text = findText([automaton], [], budget)
    this.#programs.steps += WITNESS_STEPS - budget.steps
    return text
  }

  /** The pattern without what was left out before, and without some alternatives of one choice. */
  #without(choice: Choice, isOut: (branch: Place) => boolean): Expression | null {
    const { pattern } = this.#expression
    let text = ''
    let at = 0
    for (const { start, end } of this.#choices
      .flatMap((one) => cutsOf(one, (branch) => this.#left.includes(branch) || (one === choice && isOut(branch))))
      .sort((a, b) => a.start - b.start)) {
      text += pattern.slice(at, start)
      at = end
    }
    return this.#compile(text + pattern.slice(at))
  }

  #compile(pattern: string): Expression | null {
    const outcome = compileExpression(this.#expression.dialect, pattern, false)
    return outcome.ok ? outcome.expression : null
  }

  #otherOf({ branches, isWhole }: Choice, branch: Place): string | null {
    if (!isWhole) return null
    const textOf = ({ start, end }: Place): string => this.#expression.pattern.slice(start, end)
    const own = this.#compile(textOf(branch))
    for (const other of branches) {
      if (this.#programs.steps > PATTERN_STEPS) return null
      const alone = this.#isLeft(other) ? null : this.#compile(textOf(other))
      if (own !== null && alone !== null && follows(this.#bounds, own, alone)) return textOf(other)
    }
    return null
  }
}

/** The ranges of the alternatives that are left out, each with the bar that goes with it. */
function cutsOf({ branches }: Choice, isOut: (branch: Place) => boolean): Place[] {
  let hasBefore = false
  return branches.flatMap((branch) => {
    const { start, end } = branch
    if (!isOut(branch)) {
      hasBefore = true
      return []
    }
    return [hasBefore ? { start: start - 1, end } : { start, end: end + 1 }]
  })
}
