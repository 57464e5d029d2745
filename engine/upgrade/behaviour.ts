/**
 * What own content does differently on the new ruleset, by events that were run on both: witnesses of the own rules, what the search of the comparison finds, and events
 * of the caller.
 */
import type { BehaviourItem } from '../diff/behaviour.js'
import { behaviourRecord, type ItemRecord } from '../diff/behaviour-record.js'
import { compareBehaviour } from '../diff/compare-behaviour.js'
import { type BehaviourEvent, type Observation, Side } from '../diff/side.js'
import { PatternCache } from '../generate/text-tests.js'
import { WitnessFinder } from '../generate/witnesses.js'
import { toByteString } from '../source/byte-string.js'
import { answerPhrase, makeFinding, type UpgradeFinding } from './findings.js'
import type { UpgradeSides } from './sides.js'

/** Own rules for which a witness is searched for. */
const WITNESSES_LIMIT = 2_000

/** Events of the caller: one session. */
export interface GivenEvents {
  readonly file: string
  readonly line: number
  readonly events: readonly BehaviourEvent[]
}

/** How many own rules and decoders there are, and what is known of their behaviour. */
export interface OwnBehaviour {
  readonly total: number
  readonly differ: number
  /** No change of the base touches them, or it is proven that none matters. */
  readonly proven: number
  readonly searched: number
  readonly unknown: number
  /** Whether there was time for all. */
  readonly complete: boolean
}

export interface BehaviourFindings {
  readonly findings: readonly UpgradeFinding[]
  readonly own: OwnBehaviour
}

export function compareOwn(sides: UpgradeSides, given: readonly GivenEvents[], mayGoOn: () => boolean): BehaviourFindings {
  const finder = new WitnessFinder(sides.old.own, { locale: sides.locale, near: false, mayGoOn })
  const seeds: (readonly BehaviourEvent[])[] = given.map(({ events }) => events)
  for (const rule of sides.rules.slice(0, WITNESSES_LIMIT)) {
    if (!mayGoOn()) break
    const { events } = finder.find(rule)
    if (events.length > 0) seeds.push(events)
  }
  const isOwnItem = ({ kind, name }: { readonly kind: 'rule' | 'decoder'; readonly name: string }): boolean =>
    kind === 'rule' ? sides.isOwnRule(Number(name)) : sides.isOwnDecoder(toByteString(name))
  const { items, more, complete } = compareBehaviour(sides.old.own, sides.now.own, { mayGoOn, seeds, isWanted: isOwnItem })
  const own = items.filter(isOwnItem)
  const count = (holds: (item: BehaviourItem) => boolean): number => own.filter(holds).length
  const total = sides.rules.length + new Set(sides.decoders.map(({ name }) => name)).size
  const untouched = total - own.length
  return {
    findings: own.filter(({ result }) => result === 'differs').map((item) => findingOf(sides, item)),
    own: {
      total,
      differ: count(({ result }) => result === 'differs'),
      // Beyond the limit of the comparison nothing is known of what it does not name.
      proven: count(({ result, proven }) => result === 'equal' && proven) + (more === 0 ? untouched : 0),
      searched: count(({ result, proven }) => result === 'equal' && !proven),
      unknown: count(({ result }) => result === 'unknown') + (more === 0 ? 0 : untouched),
      complete,
    },
  }
}

function findingOf(sides: UpgradeSides, item: BehaviourItem): UpgradeFinding {
  const { witness, old, new: now, item: named } = behaviourRecord(item)
  const parts = { witness, old, new: now }
  const place = placeOf(sides, named)
  return makeFinding('behaviour', { ...place, item: named }, { old: answerPhrase(old, sides.locale), new: answerPhrase(now, sides.locale) }, sides.locale, parts)
}

function placeOf({ rules, decoders }: UpgradeSides, item: ItemRecord): Pick<UpgradeFinding, 'kind' | 'file' | 'line'> {
  const isNamed = (name: string): boolean => 'decoder' in item && toByteString(item.decoder) === name
  const definition = 'rule_id' in item ? rules.find(({ id }) => String(id) === item.rule_id)?.definition : decoders.find(({ name }) => isNamed(name))
  return { kind: definition?.source.kind ?? 'rules', file: definition?.source.filename ?? '', line: definition?.span.line ?? 1 }
}

/** The events of the caller whose last one has another rule or level, or alerts on one side only. */
export function compareGiven({ old, now, locale }: UpgradeSides, given: readonly GivenEvents[]): UpgradeFinding[] {
  const cache = new PatternCache()
  const [before, after] = [old.own, now.own].map((ruleset) => new Side(ruleset, cache))
  return given.flatMap(({ file, line, events }): UpgradeFinding[] => {
    const [one, other] = [before, after].map((side) => side.run(events).at(-1))
    if (one === undefined || other === undefined || isSameRule(one, other)) return []
    const place = { kind: 'events', file, line, item: null } as const
    const params = { old: answerPhrase(one.answer, locale), new: answerPhrase(other.answer, locale) }
    return [makeFinding('event_changed', place, params, locale, { witness: { events }, old: one.answer, new: other.answer })]
  })
}

function isSameRule({ answer: one, alert }: Observation, { answer: other, alert: alertNow }: Observation): boolean {
  return one.rule_id === other.rule_id && one.level === other.level && alert === alertNow
}
