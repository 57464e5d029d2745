/**
 * Finds what ours and theirs did to each family: all items with one kind and name, in load order. A rule can be written twice (`overwrite`), and a decoder often
 * is. Members are decided one by one if no side added or removed one; else changes of different members, with one that all sides have between them, are
 * merged. Any other family is decided as a whole.
 */
import { longestRise } from '../describe/longest-rise.js'
import type { Take } from './kind-merge.js'
import type { Group, Item, SplitText } from './split-text.js'

/** The items of one name on each side. */
export interface Family {
  readonly base: Item[]
  readonly ours: Item[]
  readonly theirs: Item[]
}

/** What happens to a member in the files of theirs. */
export type MemberChange =
  /** `text` null: only the group changes. `group` null: the group stays. */
  | { readonly change: 'replaced'; readonly at: Item; readonly text: Item | null; readonly group: Group | null }
  | { readonly change: 'removed'; readonly at: Item }
  /** After (`isAfter`) or before a member. */
  | { readonly change: 'inserted'; readonly at: Item; readonly isAfter: boolean; readonly item: Item }
  /** The family has no member in theirs. */
  | { readonly change: 'added'; readonly item: Item }

export type Decision = { readonly conflict: true } | { readonly conflict: false; readonly changes: readonly MemberChange[] }

/** Returns the families by key: those of theirs in their order, then the others. */
export function familiesOf(base: readonly SplitText[], ours: readonly SplitText[], theirs: readonly SplitText[]): Map<string, Family> {
  const families = new Map<string, Family>()
  const add = (splits: readonly SplitText[], side: keyof Family): void => {
    for (const { items } of splits) {
      for (const item of items) {
        let family = families.get(item.key)
        if (family === undefined) families.set(item.key, (family = { base: [], ours: [], theirs: [] }))
        family[side].push(item)
      }
    }
  }
  add(theirs, 'theirs')
  add(ours, 'ours')
  add(base, 'base')
  return families
}

/** @param resolution decides a conflict; undefined: there is no decision */
export function decide(family: Family, resolution: Take | undefined): Decision {
  const { base, ours, theirs } = family
  const kind = (ours[0] ?? theirs[0] ?? base[0]).kind
  if (kind === 'variable' && ours.length > 0 && theirs.length > 0) {
    // In one text the first definition counts, also for items of files that have the others.
    if (!isSame(ours, base) && ours.some((one) => !one.hasSameText(ours[0]))) return decideVariable({ ...family, ours: ours.slice(0, 1) }, resolution)
    if (ours.length !== theirs.length) return decideVariable(family, resolution)
  }
  if (ours.length > 0 && ours.length === theirs.length && (base.length === ours.length || base.length === 0)) return decideMembers(family, resolution)
  if (isSame(ours, base) || isSame(ours, theirs)) return KEPT
  if (!isSame(theirs, base)) {
    const changes = mergedChanges(family)
    if (changes !== null) return { conflict: false, changes }
    if (resolution === undefined) return { conflict: true }
    if (resolution === 'theirs') return KEPT
  }
  return { conflict: false, changes: changesTo(theirs, ours) }
}

const KEPT: Decision = { conflict: false, changes: [] }

/** Whether both sides have the same members in the same order. */
export function isSame(left: readonly Item[], right: readonly Item[]): boolean {
  return left.length === right.length && left.every((item, index) => item.tag === right[index].tag && item.hasSameText(right[index]))
}

/** Decides text and group of each member separately. */
function decideMembers({ base, ours, theirs }: Family, resolution: Take | undefined): Decision {
  const changes: MemberChange[] = []
  for (const [index, their] of theirs.entries()) {
    const our = ours[index]
    const old: Item | undefined = base[index]
    const text = pick(our.hasSameText(their), old?.hasSameText(our), old?.hasSameText(their), resolution)
    const tag = pick(our.tag === their.tag, old && old.tag === our.tag, old && old.tag === their.tag, resolution)
    if (text === 'conflict' || tag === 'conflict') return { conflict: true }
    if (text === 'theirs' && tag === 'theirs') continue
    changes.push({ change: 'replaced', at: their, text: text === 'ours' ? our : null, group: tag === 'ours' ? our.group : null })
  }
  return { conflict: false, changes }
}

function pick(isAgreed: boolean, isOursOld = false, isTheirsOld = false, resolution: Take | undefined): Take | 'conflict' {
  if (isAgreed || isOursOld) return 'theirs'
  return isTheirsOld ? 'ours' : (resolution ?? 'conflict')
}

/**
 * Decides a variable that files define a different number of times than ours, where one definition may serve all of them. A definition whose value ours has
 * stays, because its file needs it; any other gets ours' first value.
 */
function decideVariable({ base, ours, theirs }: Family, resolution: Take | undefined): Decision {
  const known = new Set(ours.map(({ text }) => text))
  const old = new Set(base.map(({ text }) => text))
  const isUnchanged = base.length > 0 && known.size === old.size && [...known].every((text) => old.has(text))
  const differing = theirs.filter(({ text }) => !known.has(text))
  if (isUnchanged || differing.length === 0) return KEPT
  if (!differing.every(({ text }) => old.has(text))) {
    if (resolution === undefined) return { conflict: true }
    if (resolution === 'theirs') return KEPT
  }
  return { conflict: false, changes: differing.map((at) => ({ change: 'replaced', at, text: ours[0], group: null })) }
}

/** The changes that make theirs equal to ours. Members that both have stay; between two of them, the others replace each other in order. */
function changesTo(theirs: readonly Item[], ours: readonly Item[]): MemberChange[] {
  if (theirs.length === 0) return ours.map((item) => ({ change: 'added', item }))
  const changes: MemberChange[] = []
  let start: Anchor = { their: 0, our: 0 }
  for (const anchor of [...commonMembers(theirs, ours), { their: theirs.length, our: ours.length }]) {
    changes.push(...changesBetween(theirs, ours, start, anchor))
    start = { their: anchor.their + 1, our: anchor.our + 1 }
  }
  return changes
}

/** The changes from one place to another one that make theirs equal to ours. */
function changesBetween(theirs: readonly Item[], ours: readonly Item[], start: Anchor, end: Anchor): MemberChange[] {
  const changes: MemberChange[] = []
  let { their, our } = start
  while (their < end.their && our < end.our) {
    const at = theirs[their++]
    const item = ours[our++]
    changes.push({ change: 'replaced', at, text: item.hasSameText(at) ? null : item, group: item.tag === at.tag ? null : item.group })
  }
  for (; their < end.their; their++) changes.push({ change: 'removed', at: theirs[their] })
  for (; our < end.our; our++) {
    changes.push(
      their === 0 ? { change: 'inserted', at: theirs[0], isAfter: false, item: ours[our] } : { change: 'inserted', at: theirs[their - 1], isAfter: true, item: ours[our] },
    )
  }
  return changes
}

/** The changes of ours where both sides changed members, but between different members that all sides have; null: they changed the same ones. */
function mergedChanges({ base, ours, theirs }: Family): MemberChange[] | null {
  if (base.length === 0 || ours.length === 0 || theirs.length === 0) return null
  const theirPlaces = new Map(commonMembers(base, theirs).map(({ their, our }) => [their, our]))
  const changes: MemberChange[] = []
  let start = { old: 0, their: 0, our: 0 }
  for (const anchor of [...commonMembers(base, ours), { their: base.length, our: ours.length }]) {
    const end = { old: anchor.their, their: anchor.their === base.length ? theirs.length : theirPlaces.get(anchor.their), our: anchor.our }
    if (end.their === undefined) continue
    const [old, their, our] = [base.slice(start.old, end.old), theirs.slice(start.their, end.their), ours.slice(start.our, end.our)]
    if (!isSame(our, old) && !isSame(our, their)) {
      if (!isSame(their, old)) return null
      changes.push(...changesBetween(theirs, ours, start, { their: end.their, our: end.our }))
    }
    start = { old: end.old + 1, their: end.their + 1, our: end.our + 1 }
  }
  return changes
}

interface Anchor {
  readonly their: number
  readonly our: number
}

/** Pairs equal members in one order on both sides: the longest such sequence, where the nth of several equal ones is paired with the nth. */
function commonMembers(theirs: readonly Item[], ours: readonly Item[]): Anchor[] {
  const places = new Map<string, number[]>()
  for (let index = theirs.length - 1; index >= 0; index--) {
    const signature = `${theirs[index].tag}\0${theirs[index].text}`
    const known = places.get(signature)
    if (known === undefined) places.set(signature, [index])
    else known.push(index)
  }
  const pairs: Anchor[] = []
  for (const [our, { tag, text }] of ours.entries()) {
    const their = places.get(`${tag}\0${text}`)?.pop()
    if (their !== undefined) pairs.push({ their, our })
  }
  const rise = longestRise(pairs.map(({ their }) => their))
  return pairs.filter((_, index) => rise.has(index))
}
