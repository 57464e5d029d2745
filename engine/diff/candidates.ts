/** Sequences that may show a difference in an item, the most likely ones first: events that are made for it, what competes with it, and what differs a little from either. */
import { findText } from '../generate/find-text.js'
import { fieldName } from '../generate/goal.js'
import { plansOf } from '../generate/decode-plan.js'
import { patternsOf } from '../generate/text-tests.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { wordsIn } from '../expressions/pattern-nodes.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { isComposite } from '../rules/rule.js'
import { time } from '../rules/options/time.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { composeDecoded, composeEvents, limited, type Pin, type SearchBudget, type Wishes, witnessOf } from './compose.js'
import { differentConditions, LISTS } from './direct-changes.js'
import { HEADER, nearAddresses, nearSequences, nearTexts, otherTimes, withValues } from './near-events.js'
import { rulesBehind } from './overlap.js'
import type { BehaviourEvent, Side } from './side.js'
import { isEffective, keyOf, type Touched } from './touched.js'

/** Places of a rule for which events are composed. */
const PLACES_TRIED = 3
/** Places of a rule that are compared with those of the other side. */
const PLACES_COMPARED = 64
/** Siblings for which an event is composed that a changed rule matches too. */
const SIBLINGS_TRIED = 12
/** Keys of a changed list that are tried. */
const KEYS_TRIED = 12
/** Addresses at the edges of networks that are tried. */
const ADDRESSES_TRIED = 24
/** Words of compared patterns that are put into events. */
const WORDS_LIMIT = 24
/** Events of a sequence that is made of one event. */
const EVENTS_LIMIT = 60
/** Ends of a log that showed a change. */
const ENDS_TRIED = 3
/** Events whose neighbours are tried. */
const SEEDS_TRIED = 6

/** Changed lists, by their path. */
export type ChangedLists = ReadonlyMap<string, { readonly keys: readonly string[] }>

export class Candidates {
  readonly #old: Side
  readonly #new: Side
  /** The events that showed a difference, by the key of the item. */
  readonly #found: ReadonlyMap<string, { readonly events: readonly BehaviourEvent[] }>

  constructor(old: Side, now: Side, found: ReadonlyMap<string, { readonly events: readonly BehaviourEvent[] }>) {
    this.#old = old
    this.#new = now
    this.#found = found
  }

  of(item: Touched, budget: SearchBudget, lists: ChangedLists): Iterable<readonly BehaviourEvent[]> {
    return item.kind === 'rule' ? this.#ofRule(item, budget, lists) : this.#ofDecoder(item, budget)
  }

  *#ofRule(item: Touched, budget: SearchBudget, lists: ChangedLists): Generator<readonly BehaviourEvent[]> {
    const seeds: (readonly BehaviourEvent[])[] = []
    const id = Number(item.name)
    const [old, now] = [this.#old.ruleset.rules.find(id), this.#new.ruleset.rules.find(id)]
    const sides = [
      { side: this.#old, rule: old, other: this.#new, counterpart: now },
      { side: this.#new, rule: now, other: this.#old, counterpart: old },
    ]
    const seed = (events: readonly BehaviourEvent[]): readonly BehaviourEvent[] => {
      seeds.push(events)
      return events
    }
    // What competes with the item comes before events of its own, which it has on both sides.
    if (item.link === 'sibling' && item.from !== null) {
      const first = !isEffective(item.from) ? (this.#found.get(keyOf(item.from))?.events.slice(0, -1) ?? []) : []
      for (const [event] of this.#contested(id, Number(item.from.name), budget)) yield [...first, event]
    }
    if (item.link === 'counts' && item.from !== null) {
      for (const events of this.#repeated(item.from, now ?? old)) yield seed(events)
      // What else a composite counts takes long to find, and a difference begins with what is counted.
      if (!isEffective(item.from) && item.from.link !== 'below') return yield* this.#aroundSeeds(seeds, [], item)
    }
    const histories: (readonly BehaviourEvent[])[] = []
    for (const { side, rule, counterpart } of sides) {
      if (rule === undefined) continue
      const witness = witnessOf(side, rule, isEffective(item), budget.mayGoOn)
      if (witness === null) continue
      yield seed(witness)
      if (witness.length > 1) histories.push(witness.slice(0, -1))
      const { fields } = side.run(witness)[witness.length - 1].answer
      for (const { name, value } of [...addressPins(rule, counterpart), ...keyPins(rule, lists)]) yield* withValues(witness, fields[name], [value])
    }
    for (const { side, rule, other, counterpart } of sides) {
      if (rule === undefined) continue
      for (const path of placesOf(id, side, other)) {
        for (const event of limited(composeEvents(side, path, {}, budget), 2)) {
          yield seed([event])
          // What was counted elsewhere counts for another place, too.
          for (const history of histories) yield [...history, event]
        }
        for (const wishes of this.#partings(path, side, other, counterpart)) for (const event of limited(composeEvents(side, path, wishes, budget), 3)) yield seed([event])
        for (const pin of addressPins(rule, counterpart)) for (const event of limited(composeEvents(side, path, { pins: [pin] }, budget), 1)) yield seed([event])
        if (item.change?.effective.has(LISTS) === true) {
          for (const pin of keyPins(rule, lists)) for (const event of limited(composeEvents(side, path, { pins: [pin] }, budget), 1)) yield seed([event])
        }
      }
    }
    if (isEffective(item)) for (const { side } of sides) for (const sibling of rulesBehind(side, id).slice(0, SIBLINGS_TRIED)) yield* this.#contested(sibling.id, id, budget)
    const rules = [old, now].flatMap((rule) => (rule === undefined ? [] : [rule]))
    yield* this.#aroundSeeds(seeds, rules, item)
  }

  /** The event that showed a difference in what a composite counts, as often as the composite asks for it. */
  *#repeated(counted: Touched, composite: CompiledRule | undefined): Generator<readonly BehaviourEvent[]> {
    const event = this.#found.get(keyOf(counted))?.events.at(-1)
    const count = Math.min((composite?.definition.frequency ?? 2) + 1, EVENTS_LIMIT)
    if (event !== undefined) yield Array.from({ length: count }, () => event)
  }

  /** Events of one rule that another matches too. */
  *#contested(id: number, rival: number, budget: SearchBudget): Generator<readonly [BehaviourEvent]> {
    for (const [side, other] of [
      [this.#old, this.#new],
      [this.#new, this.#old],
    ]) {
      for (const owner of [side, other]) {
        const rule = owner.ruleset.rules.find(rival)
        if (rule === undefined) continue
        const must = rule.conditions.flatMap((condition) => side.translate(condition, owner) ?? [])
        for (const path of side.pathsTo(id, PLACES_TRIED).slice(0, 1)) for (const event of limited(composeEvents(side, path, { must }, budget), 2)) yield [event]
      }
    }
  }

  /** What an event should have or lack, so that a rule on the path matches on one side only. */
  #partings(path: readonly CompiledRule[], side: Side, other: Side, counterpart: CompiledRule | undefined): Wishes[] {
    const wishes: Wishes[] = []
    for (const rule of path) {
      const match = rule === path[path.length - 1] ? counterpart : other.ruleset.rules.find(rule.id)
      if (match === undefined || match.definition === rule.definition) continue
      for (const condition of differentConditions(rule, side, match, other).second) {
        const own = side.translate(condition, other)
        if (own !== null) wishes.push({ mustNot: [own] })
      }
    }
    return wishes
  }

  *#ofDecoder(item: Touched, budget: SearchBudget): Generator<readonly BehaviourEvent[]> {
    const seeds: (readonly BehaviourEvent[])[] = []
    const bytes = toByteString(item.name)
    const [old, now] = [this.#old, this.#new].map((side) =>
      plansOf(side.ruleset.decoders).filter(({ root, entry, members }) => [root, entry, ...members].some((one) => one?.definition.name === bytes)),
    )
    for (const [side, plans, others] of [
      [this.#old, old, now],
      [this.#new, now, old],
    ] as const) {
      for (const plan of plans.slice(0, PLACES_TRIED)) {
        for (const fields of [null, bytes])
          for (const event of limited(composeDecoded(side, plan, fields, [], budget), 3)) {
            seeds.push([event])
            yield [event]
          }
        const patterns = new Set(others.flatMap(({ root, entry, members }) => [root, entry, ...members]).flatMap((one) => patternsOfDecoder(one, bytes)))
        for (const pattern of [...patterns].slice(0, PLACES_TRIED))
          for (const event of limited(composeDecoded(side, plan, null, [pattern], budget), 2)) {
            seeds.push([event])
            yield [event]
          }
      }
    }
    const readers = [this.#old, this.#new].flatMap((side) =>
      side.ruleset.rules
        .inOrder()
        .filter(({ definition }) => definition.decodedAs?.name === bytes)
        .slice(0, PLACES_TRIED)
        .map((rule) => ({ side, rule })),
    )
    for (const { side, rule } of readers) {
      const witness = witnessOf(side, rule, isEffective(item), budget.mayGoOn)
      if (witness === null) continue
      seeds.push(witness)
      yield witness
    }
    yield* this.#aroundSeeds(seeds, [], item)
  }

  /** What differs a little from events that reach the item. */
  *#aroundSeeds(seeds: readonly (readonly BehaviourEvent[])[], rules: readonly CompiledRule[], item: Touched): Generator<readonly BehaviourEvent[]> {
    const isChanged = isEffective(item)
    const tried = seeds.slice(0, isChanged ? SEEDS_TRIED : 1)
    const timeframes = [...new Set(rules.filter(({ definition }) => isComposite(definition)).map(({ definition }) => definition.timeframe))]
    const isTimed = rules.some(({ conditions }) => conditions.some(({ test }) => test.kind === 'event'))
    const minutes = rules.flatMap(({ definition }) => minutesIn(JSON.stringify(definition.valueOf(time) ?? '')))
    if (isTimed) for (const events of tried) yield* otherTimes(events, minutes)
    const values = (events: readonly BehaviourEvent[]): string[] => [this.#old, this.#new].flatMap((side) => Object.values(side.run(events).at(-1)?.answer.fields ?? {}))
    for (const events of tried) {
      if (isChanged || events.length > 1) yield* nearSequences(events, [...new Set(values(events))], timeframes)
    }
    const words = [...this.#wordsOfOrigin(item), ...this.#wordsOf(rules)]
    for (const events of tried) {
      const last = events[events.length - 1]
      for (const event of nearTexts(last.event, words)) yield [...events.slice(0, -1), { ...last, event }]
    }
  }

  /** What a change that touches the item was found by: its log, and the ends of it. */
  #wordsOfOrigin(item: Touched): string[] {
    const log =
      this.#found
        .get(keyOf(originOf(item)))
        ?.events.at(-1)
        ?.event.replace(HEADER, '') ?? ''
    if (isEffective(item) || log === '') return []
    const tokens = log.split(' ')
    return Array.from({ length: Math.min(ENDS_TRIED, tokens.length) }, (_, at) => tokens.slice(at).join(' '))
  }

  /** Texts that the patterns of rules look for. */
  #wordsOf(rules: readonly CompiledRule[]): string[] {
    const words = new Set<string>()
    const add = (expression: Expression): void => {
      const { wanted, unwanted } = patternsOf(this.#old.cache, expression, false)
      const found = findText(wanted, unwanted, this.#old.cache.budget)
      if (found !== null && found !== '') words.add(fromByteString(found))
      // Alternatives are texts in one dialect, and words in the others.
      const texts = expression.dialect === 'osmatch' ? expression.pattern.split('|').map((text) => text.replace(/^[!^]+|\$$/g, '')) : wordsIn(expression.pattern)
      for (const text of texts) if (text !== '') words.add(fromByteString(text))
    }
    for (const { conditions } of rules)
      for (const { test } of conditions) {
        if (words.size >= WORDS_LIMIT) break
        if (test.kind === 'pattern') add(test.expression)
        else if (test.kind === 'exact') words.add(fromByteString(test.text))
      }
    return [...words].slice(0, WORDS_LIMIT)
  }
}

/** Ways to a rule, those first that the other side does not have. */
function placesOf(id: number, side: Side, other: Side): readonly (readonly CompiledRule[])[] {
  const keyOfPath = (path: readonly CompiledRule[]): string => path.map((rule) => rule.id).join()
  const known = new Set(other.pathsTo(id, PLACES_COMPARED).map(keyOfPath))
  const paths = side.pathsTo(id, PLACES_COMPARED)
  return [...paths.filter((path) => !known.has(keyOfPath(path))), ...paths.filter((path) => known.has(keyOfPath(path)))].slice(0, PLACES_TRIED)
}

function originOf(item: Touched): Touched {
  let origin = item
  while (origin.from !== null) origin = origin.from
  return origin
}

/** Values of fields that are keys of changed lists. */
function keyPins({ lists }: CompiledRule, changed: ChangedLists): Pin[] {
  return lists.flatMap(({ path, subject, field, lookup }) =>
    (changed.get(path)?.keys ?? []).slice(0, KEYS_TRIED).map((key): Pin => {
      // A key that ends in a dot is the beginning of addresses.
      const value = lookup.includes('address') && key.endsWith('.') ? key + ['7', '7', '7'].slice(key.split('.').length - 2).join('.') : key
      return { subject, name: fieldName(subject) || field, value }
    }),
  )
}

/** Addresses at the edges of networks that only one of two rules names. */
function addressPins(rule: CompiledRule, counterpart: CompiledRule | undefined): Pin[] {
  const pins: Pin[] = []
  for (const { subject, test, option } of rule.conditions) {
    if (test.kind !== 'text') continue
    const [own, others] = [rule, counterpart].map((each) => each?.definition.places.get(option.name)?.content ?? '')
    if (own === others) continue
    for (const value of nearAddresses(`${own} ${others}`).slice(0, ADDRESSES_TRIED)) pins.push({ subject, name: fieldName(subject), value })
  }
  return pins
}

function patternsOfDecoder(decoder: CompiledDecoder | null, name: string): Expression[] {
  if (decoder === null || decoder.definition.name !== name) return []
  return [decoder.prematch, decoder.regex].flatMap((pattern) => (pattern === null ? [] : [pattern]))
}

/** Times of day in a range, in minutes. */
function minutesIn(range: string): number[] {
  return [...range.matchAll(/(\d\d):(\d\d)/g)].map(([, hours, minutes]) => Number(hours) * 60 + Number(minutes))
}
