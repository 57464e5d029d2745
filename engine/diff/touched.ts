/**
 * What a change touches beside its own item: what stands below a rule, what is tried after it, what counts its events, what a decoder's fields and name lead to. Each item
 * has the chain that leads from a change to it.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { SUBJECT_DYNAMIC } from '../rules/condition.js'
import type { Bounds } from '../generate/exclusion.js'
import { foldCase, fromByteString, toByteString } from '../source/byte-string.js'
import { countingIn } from './counting.js'
import { type DirectChange, type DirectChanges, FEEDS, type ItemName, ORDER } from './direct-changes.js'
import { areDisjointPatterns } from './implication.js'
import { areDisjoint, rulesBehind } from './overlap.js'
import type { Side } from './side.js'

/** Items that are touched through others and looked at. A change at the top of a large ruleset touches thousands. */
const THROUGH_LIMIT = 2_000

/** How an item is touched by the one before it in the chain. */
export const LINKS = ['changed', 'below', 'sibling', 'counts', 'list', 'decoded_as', 'field', 'child_decoder', 'decoder_order', 'observed'] as const
export type Link = (typeof LINKS)[number]

export interface Touched extends ItemName {
  /** Null: only touched through another item. One without an effect may be touched as well. */
  readonly change: DirectChange | null
  /** The item before it in the chain; null: nothing but its own change touches it. */
  readonly from: Touched | null
  readonly link: Link
}

export interface TouchedItems {
  /** Changes first, then what is nearest to them. */
  readonly items: readonly Touched[]
  /** Items beyond the limit. */
  readonly more: number
}

/** Whether an item has a change of its own that may alter answers. */
export function isEffective({ change }: Touched): boolean {
  return change !== null && change.effective.size > 0
}

export function keyOf({ kind, name }: ItemName): string {
  return `${kind} ${name}`
}

/** Changes that leave alone which events a rule matches. */
const OUTSIDE: ReadonlySet<string> = new Set(['level', 'ignore', ORDER, FEEDS])

export function findTouched({ items }: DirectChanges, before: Side, after: Side): TouchedItems {
  return new Closure(before, after).run(items)
}

class Closure {
  readonly #sides: readonly Side[]
  readonly #found = new Map<string, Touched>()
  readonly #queue: Touched[] = []
  #through = 0
  readonly #beyond = new Set<string>()
  /** Ids of composites by the id of a rule that they count. */
  readonly #composites = new Map<number, Set<number>>()
  /** Ids of composites that count the events of all rules. */
  readonly #ofAll = new Set<number>()

  constructor(before: Side, after: Side) {
    this.#sides = [before, after]
    for (const { ruleset } of this.#sides) {
      for (const { counted, composite } of countingIn(ruleset.rules)) {
        const known = this.#composites.get(counted.id)
        if (known === undefined) this.#composites.set(counted.id, new Set([composite.id]))
        else known.add(composite.id)
      }
      for (const { id, search } of ruleset.rules.inOrder()) if (search?.kind === 'memory') this.#ofAll.add(id)
    }
  }

  run(changes: readonly DirectChange[]): TouchedItems {
    for (const change of changes) {
      const item: Touched = { kind: change.kind, name: change.name, change, from: null, link: 'changed' }
      this.#found.set(keyOf(item), item)
    }
    for (const item of [...this.#found.values()]) if (isEffective(item)) this.#queue.push(item)
    // Items are added while the queue is walked.
    for (let at = 0; at < this.#queue.length; at++) {
      const item = this.#queue[at]
      if (item.kind === 'rule') this.#fromRule(item)
      else this.#fromDecoder(item)
    }
    return { items: [...this.#found.values()], more: this.#beyond.size }
  }

  #add(kind: ItemName['kind'], name: string, from: Touched, link: Link): void {
    const item: Touched = { kind, name, change: null, from, link }
    const key = keyOf(item)
    const known = this.#found.get(key)
    if (known !== undefined) {
      if (known.change === null || known.from !== null || isEffective(known)) return
      // Its own change does nothing, so that it is only touched.
      this.#found.set(key, { ...item, change: known.change })
    } else if (this.#through >= THROUGH_LIMIT) return void this.#beyond.add(key)
    else {
      this.#through++
      this.#found.set(key, item)
    }
    this.#queue.push(item)
  }

  #fromRule(item: Touched): void {
    const id = Number(item.name)
    const { change, link } = item
    for (const composite of this.#composites.get(id) ?? []) this.#add('rule', String(composite), item, 'counts')
    if (isEffective(item)) for (const composite of this.#ofAll) if (composite !== id) this.#add('rule', String(composite), item, 'counts')
    const mayMatchOthers = isEffective(item) ? [...(change?.effective ?? [])].some((name) => !OUTSIDE.has(name)) : link !== 'sibling'
    if (mayMatchOthers || link === 'sibling') for (const below of this.#childrenOf(id)) this.#add('rule', String(below), item, 'below')
    // What is counted otherwise is as good as changed: events that a composite takes are lost to what is behind it.
    if (!isEffective(item) && link !== 'counts') return
    for (const side of this.#sides) {
      const rule = side.ruleset.rules.find(id)
      if (rule === undefined) continue
      for (const sibling of rulesBehind(side, id)) {
        const known = this.#found.get(`rule ${sibling.id}`)
        if (known !== undefined && known.from !== null) continue
        // Beyond the limit nothing is compared any more.
        if (this.#through >= THROUGH_LIMIT || !areDisjoint(side, rule, sibling)) this.#add('rule', String(sibling.id), item, 'sibling')
      }
    }
  }

  #childrenOf(id: number): Set<number> {
    const ids = new Set<number>()
    for (const { ruleset } of this.#sides) for (const node of ruleset.rules.placements(id).slice(0, 1)) for (const { rule } of node.children) ids.add(rule.id)
    ids.delete(id)
    return ids
  }

  #fromDecoder(item: Touched): void {
    const { name, link } = item
    if (!isEffective(item) && link === 'decoder_order') return
    const bytes = toByteString(name)
    for (const side of this.#sides) {
      const { decoders, rules } = side.ruleset
      const roots = [...decoders.programRoots, ...decoders.plainRoots]
      for (const { children } of roots.filter(({ definition }) => definition.name === bytes))
        for (const { definition } of children) this.#add('decoder', fromByteString(definition.name), item, 'child_decoder')
      if (isEffective(item)) for (const other of decodersBehind(side, bytes)) this.#add('decoder', fromByteString(other), item, 'decoder_order')
      const own = roots.flatMap((root) => [root, ...root.children]).filter(({ definition }) => definition.name === bytes)
      const reported = new Set(own.flatMap(({ definition }) => [definition.name, ...(definition.parent === null ? [] : [definition.parent])]))
      const fields = new Set(own.flatMap(({ order }) => (order ?? []).flatMap(({ name: field, staticIndex }) => (staticIndex < 0 ? [foldCase(field)] : []))))
      for (const rule of rules.inOrder()) {
        const wanted = rule.definition.decodedAs?.name
        if (wanted !== undefined && reported.has(wanted)) this.#add('rule', String(rule.id), item, 'decoded_as')
        else if (wanted === undefined && fields.size > 0 && readsField(rule, fields, side)) this.#add('rule', String(rule.id), item, 'field')
      }
    }
  }
}

/** Whether a rule reads one of some dynamic fields. */
function readsField({ conditions, lists, definition }: CompiledRule, fields: ReadonlySet<string>, side: Side): boolean {
  return (
    conditions.some(({ subject, field }) => subject >= SUBJECT_DYNAMIC && field !== null && fields.has(side.subjectName(subject).slice('field '.length))) ||
    lists.some(({ subject, field }) => subject >= SUBJECT_DYNAMIC && fields.has(foldCase(field))) ||
    [...definition.sameFields, ...definition.differentFields].some((field) => fields.has(foldCase(field)))
  )
}

/** Names of the decoders that are tried after those of a name, in the same list, unless they accept other texts only. */
function decodersBehind({ ruleset: { decoders }, bounds }: Side, name: string): Set<string> {
  const { programRoots, plainRoots } = decoders
  const found = new Set<string>()
  for (const list of [programRoots, plainRoots, ...[...programRoots, ...plainRoots].map(({ children }) => children)]) {
    const first = list.findIndex(({ definition }) => definition.name === name)
    if (first < 0) continue
    for (const other of list.slice(first + 1)) if (other.definition.name !== name && !areSeparate(bounds, list[first], other)) found.add(other.definition.name)
  }
  return found
}

function areSeparate(bounds: Bounds, one: CompiledDecoder, other: CompiledDecoder): boolean {
  for (const [first, second] of [
    [one.programName, other.programName],
    [one.definition.prematch?.offset === 'after_parent' ? null : one.prematch, other.definition.prematch?.offset === 'after_parent' ? null : other.prematch],
  ] as const) {
    if (first === null || second === null || first === second) continue
    if (areDisjointPatterns(bounds, first, second)) return true
  }
  return false
}
