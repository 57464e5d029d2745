/**
 * Makes events smaller as long as something holds: whole events of a sequence first, then tokens, then characters (delta debugging). Events of one text stay equal. The
 * number of trials is limited for all events.
 */
import type { BehaviourEvent } from './side.js'

/** Longest event that is shrunk by characters; tokens make nearly all of them short. */
const CHARACTERS_LIMIT = 2_000
/** The header of syslog is one token, and each token has the spaces behind it, so that what is left can be read. */
const TOKENS = /^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S+ [^:\s]+: |<Data[^>]*>[^<]*<\/Data>|<(\w+)[^>]*>[^<]*<\/\1>|\w+\s*|[^\w\s]\s*|\s+/g

export interface ShrinkOptions {
  /** Maximum number of trials. */
  readonly trials: number
  /** Whether single characters are left out as well. */
  readonly characters: boolean
}

/** @param holds whether smaller events still show what matters; true for the events themselves */
export function shrinkEvents(
  events: readonly BehaviourEvent[],
  holds: (events: readonly BehaviourEvent[]) => boolean,
  { trials, characters }: ShrinkOptions,
): readonly BehaviourEvent[] {
  let left = trials
  const mayHold = (smaller: readonly BehaviourEvent[]): boolean => left-- > 0 && holds(smaller)
  let found = events.length === 1 ? events : reduce(events, (smaller) => smaller.length > 0 && mayHold(smaller))
  for (const text of new Set(found.map(({ event }) => event))) {
    const withText = (other: string): BehaviourEvent[] => found.map((each) => (each.event === text ? { ...each, event: other } : each))
    const holdsWith = (other: string): boolean => mayHold(withText(other))
    let small = shrinkText(text, holdsWith)
    if (characters && small.length <= CHARACTERS_LIMIT) small = reduce([...small], (rest) => holdsWith(rest.join(''))).join('')
    if (small !== text) found = withText(small)
  }
  return found
}

function shrinkText(text: string, holds: (text: string) => boolean): string {
  const members = membersOf(text)
  if (members !== null) {
    const first = writeMembers(members)
    // The numbers and spaces of the original may matter.
    if (first === text || holds(first)) return writeMembers(reduce(members, (rest) => holds(writeMembers(rest))))
  }
  const small = reduce(text.match(TOKENS) ?? [], (rest) => holds(rest.join(''))).join('')
  const trimmed = small.trimEnd()
  return trimmed !== small && trimmed !== '' && holds(trimmed) ? trimmed : small
}

/** Leaves out what is not needed: runs of half of the items, of a quarter, and so on to single ones, until none can be left out. */
function reduce<T>(items: readonly T[], holds: (items: readonly T[]) => boolean): readonly T[] {
  let kept = items
  for (let size = Math.ceil(items.length / 2); size >= 1; ) {
    let isSmaller = false
    for (let at = 0; at < kept.length; ) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + size)]
      if (rest.length < kept.length && holds(rest)) {
        kept = rest
        isSmaller = true
      } else at += size
    }
    if (size > 1) size = Math.floor(size / 2)
    else if (!isSmaller) break
  }
  return kept
}

/** A value in a JSON object, with the names that lead to it. */
interface Member {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Null: the text is no JSON object, or one whose names would change the objects here. */
function membersOf(text: string): Member[] | null {
  if (!text.startsWith('{')) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  const members: Member[] = []
  const open: Member[] = [{ path: [], value: parsed }]
  for (let member = open.pop(); member !== undefined; member = open.pop()) {
    const { path, value } = member
    if (path.length > DEPTH_LIMIT || path.at(-1) === '__proto__') return null
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    if (!isObject) members.push(member)
    else for (const [name, inner] of Object.entries(value).reverse()) open.push({ path: [...path, name], value: inner })
  }
  return members
}

/** Deeper objects are shrunk as texts. */
const DEPTH_LIMIT = 40

/** Objects have no prototype: names such as `constructor` come from the event, and would lead to what all objects share. */
function writeMembers(members: readonly Member[]): string {
  const root = Object.create(null) as Record<string, unknown>
  for (const { path, value } of members) {
    let at = root
    for (const name of path.slice(0, -1)) at = (at[name] ??= Object.create(null)) as Record<string, unknown>
    const last = path.at(-1)
    if (last !== undefined) at[last] = value
  }
  return JSON.stringify(root)
}
