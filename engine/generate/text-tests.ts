/**
 * What the rules on a path want of one text of an event: its tests, and values that pass all of them. Conditions on the whole event (its time, its length) are left
 * to the run.
 */
import type { Expression } from '../expressions/expression.js'
import { type CdbList, lookUp } from '../lists/list.js'
import type { CompiledListCondition } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import type { Node } from '../expressions/pcre2/ast.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { foldCase } from '../source/byte-string.js'
import { findText, type StepBudget } from './find-text.js'
import { isNegated, literalNode, partsOf, withinGroup, wordsIn } from '../expressions/pattern-nodes.js'
import { TextAutomaton } from './text-automaton.js'
import type { Part } from './text-program.js'
import { ADDRESSES, beginningsOf, fillersOf, usualValue } from './usual-values.js'

/** Keys of a list that are tried. */
const KEYS_LIMIT = 5_000
/** Rounds of usual values that are tried before another value is searched for. */
const ROUNDS_TRIED = 4

/** Patterns that a text must have and must not have. */
export interface TextPatterns {
  readonly wanted: readonly TextAutomaton[]
  readonly unwanted: readonly TextAutomaton[]
}

/** Automata that one generation has built. */
export class PatternCache {
  /** The remaining steps of one search. */
  readonly budget: StepBudget = { steps: Number.POSITIVE_INFINITY }
  readonly expressions = new Map<Expression, { readonly positive: TextPatterns; readonly negative: TextPatterns }>()
  readonly #wholes = new Map<Node, TextAutomaton | null>()

  /** The automaton of a whole text. Null: the pattern is too large, and anything fits. */
  wholeOf(node: Node): TextAutomaton | null {
    let found = this.#wholes.get(node)
    if (found === undefined) this.#wholes.set(node, (found = TextAutomaton.of([{ node }], true)))
    return found
  }
}

/** What the groups of an expression have to match. */
export type GroupTexts = Pick<Part, 'fill' | 'forced'>

/** The automata of an expression behind other parts. @param negate the text must not have it */
export function patternsOf(cache: PatternCache, expression: Expression, negate: boolean, before: readonly Part[] = [], of: GroupTexts = {}): TextPatterns {
  const isPlain = before.length === 0 && of.fill === undefined && of.forced === undefined
  const known = isPlain ? cache.expressions.get(expression) : undefined
  if (known !== undefined) return negate ? known.negative : known.positive
  const { main, also, never } = partsOf(expression)
  const groups = expression instanceof Pcre2Expression ? expression.tree.groups : undefined
  const words = wordsIn(expression.pattern)
  const automatonOf = (node: Node): TextAutomaton[] => {
    const found = TextAutomaton.of([...before, { ...of, node, groups, words }])
    return found === null ? [] : [found]
  }
  const has: TextPatterns = { wanted: [main, ...also].flatMap(automatonOf), unwanted: never.flatMap(automatonOf) }
  // The opposite of several patterns is no list of patterns: the run decides.
  const lacks: TextPatterns = { wanted: [], unwanted: also.length + never.length === 0 ? has.wanted : [] }
  const [positive, negative] = isNegated(expression) ? [lacks, has] : [has, lacks]
  if (isPlain) cache.expressions.set(expression, { positive, negative })
  return negate ? negative : positive
}

/** The parts of an expression, for patterns that follow it. */
export function partsBehind(expression: Expression, before: readonly Part[], of: GroupTexts = {}): Part[] {
  const groups = expression instanceof Pcre2Expression ? expression.tree.groups : undefined
  return [...before, { ...of, node: partsOf(expression).main, groups, words: wordsIn(expression.pattern) }]
}

export class TextTests {
  /** The name of the field as rules write it; empty: the text is no field. */
  readonly name: string
  /** Whether the event has to have the text. */
  isRequired = false
  readonly #cache: PatternCache
  #patterns: TextPatterns[] = []
  #samples: string[] = []
  #tests: ((text: string) => boolean)[] = []
  #keys: ((fits: (text: string) => boolean) => string | undefined)[] = []
  /** Patterns of which the text has one each; null: there are tests of another kind. */
  #trees: Node[] | null = []

  constructor(name: string, cache: PatternCache) {
    this.name = name
    this.#cache = cache
  }

  copy(): TextTests {
    const copied = new TextTests(this.name, this.#cache)
    copied.isRequired = this.isRequired
    copied.#patterns = [...this.#patterns]
    copied.#samples = [...this.#samples]
    copied.#tests = [...this.#tests]
    copied.#keys = [...this.#keys]
    copied.#trees = this.#trees === null ? null : [...this.#trees]
    return copied
  }

  /** @param negate the condition must not hold @param samples texts of which some may pass */
  add({ test }: Condition, negate: boolean, samples: readonly string[]): void {
    switch (test.kind) {
      case 'pattern': {
        const { expression } = test
        const isUnwanted = test.negate !== negate
        this.#tests.push((text) => expression.test(text, foldCase(text), 0) !== isUnwanted)
        this.#patterns.push(patternsOf(this.#cache, expression, isUnwanted))
        if (isUnwanted === isNegated(expression)) this.#trees?.push(partsOf(expression).main)
        break
      }
      case 'exact':
        this.addExact(test.text, test.negate !== negate)
        break
      case 'text':
        this.#trees = null
        this.#tests.push((text) => test.passes(text) === (test.negate === negate))
        this.#samples.push(...samples, ...ADDRESSES, ...addressesOf(test))
        break
      case 'event':
        break
    }
  }

  addExact(text: string, isUnwanted = false): void {
    this.#tests.push((other) => (other === text) !== isUnwanted)
    this.#trees = null
    if (isUnwanted) return
    this.#samples.unshift(text)
    const automaton = TextAutomaton.of([{ node: literalNode(text) }], true)
    if (automaton !== null) this.#patterns.push({ wanted: [automaton], unwanted: [] })
  }

  addPatterns(patterns: TextPatterns): void {
    this.#patterns.push(patterns)
  }

  addList({ lookup, check }: CompiledListCondition, list: CdbList, negate: boolean): void {
    this.#tests.push((text) => lookUp(list, lookup, text, check) !== negate)
    this.#trees = null
    if (negate) return
    const isAddress = lookup.includes('address')
    this.#keys.push((fits) => {
      let tried = 0
      for (const key of list.entries.keys()) {
        if (++tried > KEYS_LIMIT) break
        // A key that ends in a dot is the beginning of addresses.
        const text = isAddress && key.endsWith('.') ? key + '7.7.7'.slice(0, Math.max(0, 2 * (4 - key.split('.').length) + 1)) : key
        if (fits(text)) return text
      }
      return undefined
    })
  }

  /** The bodies that a group with this text has, one for each of its tests. Null: only a text that was found before is known to pass. */
  bodies(own: Node): readonly Node[] | null {
    return this.#trees === null || this.#trees.length === 0 ? null : this.#trees.map((tree) => withinGroup(tree, own))
  }

  get isEmpty(): boolean {
    return this.#tests.length === 0
  }

  passes(text: string): boolean {
    return this.#tests.every((test) => test(text))
  }

  get patterns(): TextPatterns {
    return { wanted: this.#patterns.flatMap(({ wanted }) => wanted), unwanted: this.#patterns.flatMap(({ unwanted }) => unwanted) }
  }

  /**
   * A value that passes. Undefined: none was found.
   * @param body what the place of the value accepts; null: any text @param round another round prefers another value
   */
  value(body: TextAutomaton | null, round = 0): string | undefined {
    const fits = (text: string): boolean => this.passes(text) && (body === null || body.accepts(text))
    const usual: string[] = []
    for (let at = 0; at < ROUNDS_TRIED; at++) usual.push(usualValue(this.name, round + at))
    const first = [usual[0], ...this.#samples, ...usual.slice(1), ...(this.isEmpty ? fillersOf(round) : [])].find(fits)
    if (first !== undefined) return first
    for (const search of this.#keys) {
      const key = search(fits)
      if (key !== undefined) return key
    }
    const { wanted, unwanted } = this.patterns
    const all = body === null ? wanted : [...wanted, body]
    for (const begins of [...beginningsOf(this.name), '']) {
      const found = findText(all, unwanted, this.#cache.budget, begins)
      // The machines have the last word.
      if (found !== null && (found !== '' || body === null) && fits(found)) return round === 0 ? found : (variantsOf(found, round).find(fits) ?? found)
    }
    return fillersOf(round).find(fits)
  }
}

/** Addresses in the first networks of which some are in a condition. */
function addressesOf({ passes }: { passes(text: string): boolean }): string[] {
  const found: string[] = []
  for (let first = 1; first < 255 && found.length < 2; first++) if (passes(`${first}.1.2.3`)) found.push(`${first}.1.2.3`)
  return found
}

/** Texts that differ from a found one in a letter or digit, or are longer. */
function variantsOf(text: string, round: number): string[] {
  const letter = String.fromCharCode(0x62 + (round % 24))
  return [text.replace(/\d(?=\D*$)/, String(round % 10)), text + round, text.replaceAll(/[ae]/g, letter), `${letter}${text}`, text + letter].filter((other) => other !== text)
}
