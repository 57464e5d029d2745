/**
 * The smallest events that have the same path and fields as others, with what the rules do not need replaced by dummy data: addresses for documentation, usual names. What the
 * rules and decoders need stays, so the result is to be read before it is shared.
 */
import { ADDRESSES } from '../generate/usual-values.js'
import { PatternCache } from '../generate/text-tests.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { shrinkEvents } from './shrink.js'
import { type BehaviourAnswer, type BehaviourEvent, type Observation, Side } from './side.js'

/** Sequences that are run for one call. */
const TRIALS_LIMIT = 20_000
/** Values that are replaced. */
const VALUES_LIMIT = 200
const USUAL = ['alice', 'host1', 'value', 'example', 'a'] as const
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g
const ONE_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/
const MAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g
const NAME = /\b[\w-]+(?:\.[\w-]+)+\b/g
const NUMBER = /\b\d{3,}\b/g
const HEADER = /^([A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d )(\S+)( )/

export interface ShareableEvents {
  readonly events: readonly BehaviourEvent[]
  readonly answer: BehaviourAnswer
  /** Characters of all events, before and after. */
  readonly before: number
  readonly after: number
  /** Whether the number of trials was enough. */
  readonly complete: boolean
}

/** @param mayGoOn whether there is time for another trial */
export function shareableEvents(ruleset: CompiledRuleset, events: readonly BehaviourEvent[], mayGoOn: () => boolean): ShareableEvents {
  const side = new Side(ruleset, new PatternCache())
  const lastOf = (sequence: readonly BehaviourEvent[]): Observation => side.run(sequence)[sequence.length - 1]
  const wanted = lastOf(events)
  const shape = shapeOf(wanted)
  let left = TRIALS_LIMIT
  const holds = (sequence: readonly BehaviourEvent[]): boolean => {
    if (left <= 0 || !mayGoOn()) {
      left = 0
      return false
    }
    left--
    return shapeOf(lastOf(sequence)) === shape
  }
  const options = { trials: TRIALS_LIMIT, characters: true }
  // Dummy values are shorter or better known than real ones, and what is left of real ones is replaced before characters are left out.
  const tokens = shrinkEvents(events, holds, { ...options, characters: false })
  const masked = withDummies(tokens, holds, side)
  const small = shrinkEvents(masked, holds, options)
  const found = withDummies(small, holds, side)
  const size = (sequence: readonly BehaviourEvent[]): number => sequence.reduce((sum, { event }) => sum + event.length, 0)
  return { events: found, answer: lastOf(found).answer, before: size(events), after: size(found), complete: left > 0 }
}

/** The properties that must not change: path, final rule, decoder, names of fields, and the kind of each value, because a word in place of an address misleads the reader. */
function shapeOf({ rule, path, answer, alert }: Observation): string {
  const fields = Object.entries(answer.fields).map(([name, value]) => [name, kindOf(value)])
  return JSON.stringify([rule, [...path], answer.decoder, fields.sort(([a], [b]) => (a < b ? -1 : 1)), alert])
}

function kindOf(value: string): 'empty' | 'address' | 'number' | 'text' {
  if (value === '') return 'empty'
  if (ONE_ADDRESS.test(value)) return 'address'
  return /^\d+$/.test(value) ? 'number' : 'text'
}

/** Replaces values that may tell who or where: the same value by the same dummy in all events, so that events that agree agree still. */
function withDummies(events: readonly BehaviourEvent[], holds: (events: readonly BehaviourEvent[]) => boolean, side: Side): readonly BehaviourEvent[] {
  let found = events
  const all = events.map(({ event }) => event).join('\n')
  const fields = side.run(events).flatMap(({ answer }) => Object.values(answer.fields))
  const host = HEADER.exec(events[0].event)?.[2]
  const values = new Set([
    ...(host === undefined ? [] : [host]),
    ...(all.match(ADDRESS) ?? []),
    ...(all.match(MAIL) ?? []),
    ...fields.filter((value) => value.length > 1 && !value.startsWith('{')),
    ...(all.match(NAME) ?? []),
    ...(all.match(NUMBER) ?? []),
  ])
  let number = 0
  for (const value of [...values].slice(0, VALUES_LIMIT)) {
    for (const dummy of dummiesFor(value, number)) {
      if (dummy === value) break
      const next = found.map((each) => ({ ...each, event: each.event.replaceAll(value, dummy) }))
      if (!holds(next)) continue
      found = next
      number++
      break
    }
  }
  return found
}

function dummiesFor(value: string, number: number): readonly string[] {
  if ((ADDRESSES as readonly string[]).includes(value) || (USUAL as readonly string[]).includes(value)) return [value]
  if (ONE_ADDRESS.test(value)) return [`203.0.113.${7 + (number % 200)}`, '198.51.100.20', '10.1.2.3']
  if (value.includes('@')) return ['alice@example.com']
  if (/^\d+$/.test(value)) return ['1', '0'.repeat(value.length), '1'.repeat(value.length)]
  return [...USUAL, 'host1.example.com', '/srv/data', 'x'.repeat(value.length)]
}

/** Runs events in a new session, and returns the answer to the last one. */
export function observeLast(ruleset: CompiledRuleset, events: readonly BehaviourEvent[]): BehaviourAnswer {
  return new Side(ruleset, new PatternCache()).run(events)[events.length - 1].answer
}
