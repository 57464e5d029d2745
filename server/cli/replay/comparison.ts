/** What is different between two contents on the same events: for each rule the alerts that only one of them makes, with samples. Plain data: a checkpoint contains it. */
import { fromByteString } from '#engine'
import { type BlockEvent, lineOf, textOf } from './block-event.js'
import { NO_RULE } from './content-run.js'
import { admits, createSmallest, hashOf, inHashOrder, keep, seedOf, type Smallest } from './smallest.js'

/** Alerts of a rule that are shown for each side, and characters of their logs. */
const SAMPLES = 5
const LOG_LENGTH = 400

/** An event with an alert that only one content makes. */
export interface DifferentAlert {
  readonly source: string
  readonly line: number
  /** Seconds since the epoch. */
  readonly seconds: number
  /** The beginning of its line. */
  readonly log: string
  /** The rule of the alert that the other content makes of it; null: it makes none. */
  readonly other: number | null
}

export interface Difference {
  count: number
  /** How many of these events also have an alert with the other content, by another rule. */
  moved: number
  readonly samples: Smallest<DifferentAlert>
}

export interface RuleDifference {
  /** Alerts of the new content alone, and of the old one alone. */
  readonly added: Difference
  readonly lost: Difference
}

export interface Comparison {
  /** Differences by the ids of rules. */
  readonly rules: Map<number, RuleDifference>
  /** Events with an alert that had none, and the other way round. */
  newlyAlerted: number
  noLongerAlerted: number
}

export function createComparison(): Comparison {
  return { rules: new Map(), newlyAlerted: 0, noLongerAlerted: 0 }
}

/** Notes what both contents make of an event: the ids of the rules of their alerts. */
export function noteAnswers(comparison: Comparison, now: number, before: number, event: BlockEvent): void {
  if (now === before) return
  if (now === NO_RULE) comparison.noLongerAlerted++
  else note(differenceOf(comparison, now).added, before, event)
  if (before === NO_RULE) comparison.newlyAlerted++
  else note(differenceOf(comparison, before).lost, now, event)
}

/** The samples of a difference, in an order that does not depend on that of the input. */
export function samplesOf({ samples }: Difference): readonly DifferentAlert[] {
  return inHashOrder(samples)
}

function differenceOf({ rules }: Comparison, id: number): RuleDifference {
  let known = rules.get(id)
  if (known === undefined) rules.set(id, (known = { added: none(), lost: none() }))
  return known
}

function none(): Difference {
  return { count: 0, moved: 0, samples: createSmallest() }
}

function note(difference: Difference, other: number, event: BlockEvent): void {
  const { block, at, seconds } = event
  const line = lineOf(event)
  difference.count++
  if (other !== NO_RULE) difference.moved++
  const hash = hashOf(seedOf(block.source), line)
  if (!admits(difference.samples, SAMPLES, hash)) return
  const log = fromByteString(textOf(block, at).slice(0, LOG_LENGTH))
  keep(difference.samples, SAMPLES, hash, { source: block.source, line, seconds, log, other: other === NO_RULE ? null : other })
}
