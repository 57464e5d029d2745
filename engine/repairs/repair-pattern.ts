/**
 * Repairs of a PCRE2 pattern that an event stalls or blinds. Invariants of each:
 *  1. it is proven by automata that it accepts the same texts
 *  2. where groups count, both capture the same in texts that are made of the pattern and of its attack; that is no proof
 *  3. the search for attacks comes to its end without one
 */
import { areSameTexts, BoundPrograms, Bounds } from '../generate/exclusion.js'
import { createMatchResult } from '../expressions/expression.js'
import { compilePcre2, type Pcre2Expression } from '../expressions/pcre2/compile.js'
import { type Attack, attackText, CHECK_EFFORT, type Effort, searchAttack } from '../redos/attack.js'
import { foldCase } from '../source/byte-string.js'
import { applyEdits, type EditKind, editsOf, KEEPS_CAPTURES, type PatternEdit } from './pattern-edits.js'
import { itemsOf } from '../expressions/pcre2/pattern-items.js'
import { sampleTexts } from './sample-texts.js'

/** Edits of one pattern that are compared. */
const EDITS_LIMIT = 60
/** Repairs that are offered for one pattern. */
const REPAIRS_LIMIT = 2
/** More than `validate` searches: what is offered has to last. */
const REPAIR_EFFORT: Effort = { ...CHECK_EFFORT, pumps: 8, measuring: 200_000 }
/** Counted calls of one search. Patterns without an attack take 40,000 on average; one with an attack is known by what it takes more. */
const SEARCH_BUDGET = 2_000_000
/** Copies of the pump in the texts that are compared. */
const FEW_COPIES = 3

/** The kinds of edits that are made together, those that change a pattern least first. */
const WAYS: readonly (readonly EditKind[])[] = [
  ['possessive'],
  ['first'],
  ['possessive', 'first'],
  ['anchor'],
  ['exclude'],
  ['anchor', 'possessive', 'first'],
  ['shorten'],
  ['shorten', 'possessive', 'first'],
  ['alternative'],
  ['unnest'],
  ['alternative', 'unnest', 'shorten', 'possessive', 'first'],
]

/** @param groupsCount whether groups and the end of a match count, as in decoders @returns byte strings, the one that changes least first */
export function repairPattern(expression: Pcre2Expression, attack: Attack, groupsCount: boolean): string[] {
  const { pattern } = expression
  const branches = itemsOf(pattern)
  if (branches === null) return []
  const edits = editsOf(pattern, branches).slice(0, EDITS_LIMIT)
  const judge = new Judge(expression, attack, groupsCount)
  const found: string[] = []
  for (const kinds of WAYS) {
    if (found.length >= REPAIRS_LIMIT) break
    if (groupsCount && !kinds.every((kind) => KEEPS_CAPTURES.has(kind))) continue
    const repair = repaired(
      pattern,
      kinds.flatMap((kind) => edits.filter((edit) => edit.kind === kind)),
      judge,
    )
    if (repair !== null && !found.includes(repair)) found.push(repair)
  }
  return found
}

/** Makes each edit after which the pattern is still the same, and takes back those without which it has no attack either. */
function repaired(pattern: string, edits: readonly PatternEdit[], judge: Judge): string | null {
  let chosen: PatternEdit[] = []
  for (const edit of edits) if (judge.isSame(applyEdits(pattern, [...chosen, edit]))) chosen.push(edit)
  if (chosen.length === 0 || judge.hasAttack(applyEdits(pattern, chosen))) return null
  for (const edit of chosen.toReversed()) {
    const fewer = chosen.filter((one) => one !== edit)
    const text = applyEdits(pattern, fewer)
    if (fewer.length > 0 && judge.isSame(text) && !judge.hasAttack(text)) chosen = fewer
  }
  return applyEdits(pattern, chosen)
}

/** Compares other patterns with one. */
class Judge {
  readonly #original: Pcre2Expression
  readonly #groupsCount: boolean
  readonly #bounds = new Bounds(new BoundPrograms())
  readonly #samples: readonly string[]
  readonly #compiled = new Map<string, Pcre2Expression | null>()
  readonly #same = new Map<string, boolean>()
  readonly #attacked = new Map<string, boolean>()

  constructor(original: Pcre2Expression, attack: Attack, groupsCount: boolean) {
    this.#original = original
    this.#groupsCount = groupsCount
    const pumped = attackText(attack, FEW_COPIES)
    this.#samples = [pumped, ...sampleTexts(original.tree.root, [attack.pump, pumped])]
  }

  isSame(pattern: string | null): boolean {
    if (pattern === null) return false
    let known = this.#same.get(pattern)
    if (known === undefined) this.#same.set(pattern, (known = this.#compare(pattern)))
    return known
  }

  /** Also if the search did not come to its end. */
  hasAttack(pattern: string | null): boolean {
    if (pattern === null) return true
    let known = this.#attacked.get(pattern)
    if (known === undefined) {
      const other = this.#compile(pattern)
      const search = other === null ? null : searchAttack(other.tree, REPAIR_EFFORT, { left: SEARCH_BUDGET })
      this.#attacked.set(pattern, (known = search === null || !search.isComplete || search.attack !== null))
    }
    return known
  }

  #compare(pattern: string): boolean {
    const other = this.#compile(pattern)
    if (other === null || (this.#groupsCount && other.groupCount !== this.#original.groupCount)) return false
    return this.#samples.every((text) => this.#answerOf(this.#original, text) === this.#answerOf(other, text)) && areSameTexts(this.#bounds, this.#original, other)
  }

  #compile(pattern: string): Pcre2Expression | null {
    const known = this.#compiled.get(pattern)
    if (known !== undefined) return known
    const outcome = compilePcre2(pattern)
    const expression = outcome.ok ? outcome.expression : null
    this.#compiled.set(pattern, expression)
    return expression
  }

  #answerOf(expression: Pcre2Expression, text: string): string {
    if (!this.#groupsCount) return String(expression.test(text, foldCase(text), 0))
    const result = createMatchResult()
    return expression.search(text, foldCase(text), 0, result) ? `${result.end} ${result.count} ${result.bounds.slice(0, result.count * 2).join()}` : ''
  }
}
