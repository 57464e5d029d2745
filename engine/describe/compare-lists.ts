/**
 * Compares the lists of two contents: lists that only one has, and changed entries of the others. Only entries that rules can find are compared; the order of
 * lines, quotes and invalid lines are ignored.
 */
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { registeredName } from '../source/list-name.js'
import type { FileScope } from '../source/source-file.js'

/** A list by the entries that rules can find. Plain data that crosses threads. */
export interface SemanticList {
  /** The name in rules. */
  readonly name: string
  /** Keys with their values, as byte strings. */
  readonly entries: readonly (readonly [key: string, value: string])[]
}

/** A list that only one of the contents has. */
export interface ListCount {
  readonly name: string
  readonly entries: number
}

/** A list that both contents have: the entries that were added, removed, or got another value. */
export interface ListChange {
  readonly name: string
  readonly added: number
  readonly removed: number
  readonly changed: number
}

/** Sorted by name. */
export interface ListComparison {
  readonly added: readonly ListCount[]
  readonly removed: readonly ListCount[]
  readonly changed: readonly ListChange[]
}

/** The lists of a scope that rules can find. */
export function describeLists({ files, lists }: CompiledRuleset, scope: FileScope): SemanticList[] {
  const owners = new Map(files.filter(({ kind }) => kind === 'lists').map((file) => [toByteString(registeredName(file.filename)), file.scope]))
  return [...lists].filter(([name]) => owners.get(name) === scope).map(([name, { entries }]) => ({ name: fromByteString(name), entries: [...entries] }))
}

export function compareLists(before: readonly SemanticList[], after: readonly SemanticList[]): ListComparison {
  const [old, now] = [byName(before), byName(after)]
  const beyond = (some: ReadonlyMap<string, SemanticList>, others: ReadonlyMap<string, SemanticList>): ListCount[] =>
    [...some.values()].filter(({ name }) => !others.has(name)).map(({ name, entries }) => ({ name, entries: entries.length }))
  return {
    added: beyond(now, old),
    removed: beyond(old, now),
    changed: [...now.values()].flatMap((list) => {
      const known = old.get(list.name)
      const change = known === undefined ? null : compareEntries(known, list)
      return change === null ? [] : [change]
    }),
  }
}

/** Null: rules find the same entries. */
function compareEntries(before: SemanticList, { name, entries }: SemanticList): ListChange | null {
  const old = new Map(before.entries)
  let added = 0
  let changed = 0
  for (const [key, value] of entries) {
    const known = old.get(key)
    if (known === undefined) added++
    else if (known !== value) changed++
  }
  const removed = old.size - (entries.length - added)
  return added + changed + removed === 0 ? null : { name, added, removed, changed }
}

function byName(lists: readonly SemanticList[]): Map<string, SemanticList> {
  return new Map([...lists].sort((a, b) => (a.name < b.name ? -1 : 1)).map((list) => [list.name, list]))
}
