/** What an event has to have so that the rules on a path match: tests for each of its texts. A goal is copied and sharpened after each run that missed it. */
import type { Expression } from '../expressions/expression.js'
import { literalNode } from '../expressions/pattern-nodes.js'
import { sequenceOf } from '../expressions/pcre2/ast.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { CdbList } from '../lists/list.js'
import type { CompiledListCondition, CompiledRule } from '../rules/compiled-rule.js'
import { type Condition, type Subject, SUBJECT_DYNAMIC, SUBJECT_LIST_USER, SUBJECT_LOG, SUBJECT_STATIC, SUBJECT_USER, staticSubject } from '../rules/condition.js'
import { minimumLength as MINIMUM_LENGTH } from '../rules/options/maxsize.js'
import type { RuleDefinition } from '../rules/rule.js'
import { foldCase } from '../source/byte-string.js'
import { TextAutomaton } from './text-automaton.js'
import type { Part } from './text-program.js'
import { type PatternCache, patternsOf, TextTests } from './text-tests.js'

/** Addresses of a rule that are tried. */
const ADDRESSES_LIMIT = 20
/** An address of the networks whose crawlers a built-in test knows. */
const CRAWLER = '66.249.64.1 '
/** Both users, since a rule on the user accepts either. */
export const USERS: readonly Subject[] = [staticSubject('dstuser'), staticSubject('srcuser')]

/** A field, by its subject and the name that rules write. */
export type Fields = ReadonlyMap<Subject, string>

export class Goal {
  /** Rules from the top of the tree. */
  readonly path: readonly CompiledRule[]
  /** Fields that have another value in each round. */
  readonly varied: ReadonlySet<Subject>
  /** Shortest log that the rules accept. */
  readonly minimumLength: number
  readonly cache: PatternCache
  readonly #tests: Map<Subject, TextTests>
  readonly #lists: ReadonlyMap<string, CdbList>
  /** Conditions that must not hold any more, by the rule that took the event. */
  readonly #refuted = new Map<CompiledRule, number>()

  private constructor(from: Pick<Goal, 'path' | 'varied' | 'minimumLength' | 'cache'>, lists: ReadonlyMap<string, CdbList>, tests: Map<Subject, TextTests>) {
    this.path = from.path
    this.varied = from.varied
    this.minimumLength = from.minimumLength
    this.cache = from.cache
    this.#lists = lists
    this.#tests = tests
  }

  /** @param fields of which any value will do @param without a condition that must not hold */
  static forPath(
    path: readonly CompiledRule[],
    lists: ReadonlyMap<string, CdbList>,
    fields: Fields,
    varied: ReadonlySet<Subject>,
    cache: PatternCache,
    without: Condition | null = null,
  ): Goal {
    const minimumLength = Math.max(0, ...path.map(({ definition }) => definition.valueOf(MINIMUM_LENGTH) ?? 0))
    const goal = new Goal({ path, varied, minimumLength, cache }, lists, new Map())
    for (const [subject, name] of fields) goal.#at(subject, name).isRequired = true
    for (const { conditions, lists: lookups, definition } of path) {
      const addresses = addressesIn(definition)
      for (const condition of conditions) {
        if (condition.test.kind !== 'event') goal.#add(condition, condition === without, addresses).isRequired = true
        else if (condition.shown === 'is_valid_crawler') goal.#beginWith(CRAWLER)
      }
      for (const list of lookups) goal.#addList(list, false)
    }
    return goal
  }

  #beginWith(text: string): void {
    const automaton = TextAutomaton.of([{ node: sequenceOf([{ kind: 'assertion', test: 'subject_start' }, literalNode(text)]) }])
    if (automaton !== null) this.#at(SUBJECT_LOG, '').addPatterns({ wanted: [automaton], unwanted: [] })
  }

  copy(): Goal {
    const copied = new Goal(this, this.#lists, new Map([...this.#tests].map(([subject, tests]) => [subject, tests.copy()])))
    for (const [rule, count] of this.#refuted) copied.#refuted.set(rule, count)
    return copied
  }

  /** The tests of a text. A field that no rule names has none. */
  of(subject: Subject): TextTests | undefined {
    return this.#tests.get(subject) ?? (USERS.includes(subject) ? (this.#tests.get(SUBJECT_USER) ?? this.#tests.get(SUBJECT_LIST_USER)) : undefined)
  }

  /** Fields that the event has to have. */
  get required(): readonly (readonly [Subject, TextTests])[] {
    return [...this.#tests].filter(([, { isRequired, name }]) => isRequired && name !== '')
  }

  /** Fields with tests; those that are not required may be absent. */
  get named(): readonly (readonly [Subject, TextTests])[] {
    return [...this.#tests].filter(([, { name }]) => name !== '')
  }

  /** Pins a field to a value. */
  pin(subject: Subject, name: string, value: string): void {
    const tests = this.#at(subject, name)
    tests.isRequired = true
    tests.addExact(value)
  }

  /** The text must not have a pattern, behind other parts of it. */
  exclude(subject: Subject, expression: Expression, before: readonly Part[] = []): void {
    this.#at(subject, '').addPatterns(patternsOf(this.cache, expression, true, before))
  }

  /** Excludes a rule that took the event: another of its conditions each time. Returns false if there is none left. */
  refute(rule: CompiledRule): boolean {
    const known = new Set(this.path.flatMap(({ conditions }) => conditions))
    const ways: (() => void)[] = []
    for (const condition of rule.conditions)
      if (!known.has(condition) && condition.test.kind !== 'event') ways.push(() => void this.#add(condition, true, addressesIn(rule.definition)))
    for (const list of rule.lists) ways.push(() => this.#addList(list, true))
    const at = this.#refuted.get(rule) ?? 0
    if (at >= ways.length) return false
    this.#refuted.set(rule, at + 1)
    ways[at]()
    return true
  }

  /** A copy that begins with the next condition of a rule when it excludes it. */
  withNextWay(rule: CompiledRule): Goal {
    const next = this.copy()
    next.#refuted.set(rule, (this.#refuted.get(rule) ?? 0) + 1)
    return next
  }

  #add(condition: Condition, negate: boolean, addresses: readonly string[]): TextTests {
    const tests = this.#at(condition.subject, condition.field ?? fieldName(condition.subject))
    tests.add(condition, negate, addresses)
    return tests
  }

  #addList(list: CompiledListCondition, negate: boolean): void {
    const found = this.#lists.get(list.path)
    if (found === undefined) return
    const tests = this.#at(list.subject, list.field)
    tests.addList(list, found, negate)
    if (!negate) tests.isRequired = true
  }

  #at(subject: Subject, name: string): TextTests {
    let found = this.#tests.get(subject)
    if (found === undefined) this.#tests.set(subject, (found = new TextTests(name, this.cache)))
    return found
  }
}

/** The name of a static field; empty for other texts. */
export function fieldName(subject: Subject): string {
  if (subject === SUBJECT_USER || subject === SUBJECT_LIST_USER) return 'dstuser'
  return subject >= SUBJECT_STATIC && subject < SUBJECT_DYNAMIC ? STATIC_FIELDS[subject - SUBJECT_STATIC] : ''
}

/** Fields that two events of a composite compare. */
export function comparedFields({ same, different, sameKeys, differentKeys, definition }: CompiledRule): { readonly same: Fields; readonly different: Fields } {
  const named = (subjects: readonly Subject[]): [Subject, string][] => subjects.filter((subject) => fieldName(subject) !== '').map((subject) => [subject, fieldName(subject)])
  const dynamic = (keys: readonly number[], names: readonly string[]): [Subject, string][] => keys.map((key, at) => [SUBJECT_DYNAMIC + key, foldCase(names[at] ?? '')])
  return {
    same: new Map([...named(same), ...dynamic(sameKeys, definition.sameFields)]),
    different: new Map([...named(different), ...dynamic(differentKeys, definition.differentFields)]),
  }
}

/** Whether a field of a decoder is the one that a rule tests. */
export function isSameField(own: Subject, wanted: Subject): boolean {
  return own === wanted || ((wanted === SUBJECT_USER || wanted === SUBJECT_LIST_USER) && USERS.includes(own))
}

/** The text of the log in a goal. */
export const LOG = SUBJECT_LOG

/** The addresses in a rule, and one in each of its networks, which the compiled condition no longer has as text. */
function addressesIn({ places }: RuleDefinition): string[] {
  const texts = [...places.values()].map(({ content }) => content).join(' ')
  return (texts.match(/\d{1,3}(?:\.\d{1,3}){3}/g) ?? []).slice(0, ADDRESSES_LIMIT).flatMap((address) => [address, address.replace(/\d+$/, '7')])
}
