/** Compares what two rulesets do with events: that of the task, and another one. */
import {
  type AlertChanges,
  alertChanges,
  type BehaviourComparison,
  type BehaviourEvent,
  behaviourRecord,
  type BehaviourRecord,
  compareBehaviour,
  type SuiteCase,
  suiteCaseInputs,
} from '#engine'
import { now } from '../../shared/clock.js'
import type { RulesetReference, TaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

/** Its answer is a `BehaviourAnswer`. */
export interface BehaviourTask extends TaskHead {
  readonly kind: 'behaviour'
  /** The ruleset after the change; that of the task is the one before. It carries its files, and the disk content unless the other one does. */
  readonly after: RulesetReference
  /** Cases whose events are run beside those that are made. */
  readonly cases: readonly SuiteCase[]
  /** Milliseconds after which nothing further is searched for. */
  readonly budgetMs: number
  /** Maximum number of items; those that differ are first. */
  readonly limit: number
}

export interface BehaviourDiff extends Omit<BehaviourComparison, 'items'> {
  /** Whether Wazuh would start with each; nothing is compared unless it would with both. */
  readonly beforeLoads: boolean
  readonly afterLoads: boolean
  readonly counts: Readonly<Record<'differs' | 'proven' | 'searched' | 'unknown', number>>
  readonly alerts: AlertChanges
  readonly items: readonly BehaviourRecord[]
}

const NOTHING: BehaviourComparison = { items: [], more: 0, complete: true, runs: 0 }
const ORDER = { differs: 0, unknown: 1, equal: 2 } as const

export const behaviour: TaskDefinition<BehaviourTask> = {
  run(context, { after, cases, budgetMs, limit }) {
    const before = entryOf(context).ruleset
    const found = context.cache.find(after)
    // The main thread sends all that this ruleset needs.
    if (typeof found === 'string') throw new TypeError(`a comparison without its ${found}`)
    const { ruleset } = found.entry
    const ends = now() + budgetMs
    const { items, ...rest } = before.loads && ruleset.loads ? compareBehaviour(before, ruleset, { mayGoOn: () => now() < ends, seeds: cases.map(seedOf) }) : NOTHING
    const counts = { differs: 0, proven: 0, searched: 0, unknown: 0 }
    for (const { result, proven } of items) counts[result === 'equal' ? (proven ? 'proven' : 'searched') : result]++
    const first = items.map(behaviourRecord).sort((a, b) => ORDER[a.result] - ORDER[b.result])
    const diff: BehaviourDiff = { beforeLoads: before.loads, afterLoads: ruleset.loads, counts, alerts: alertChanges(items), items: first.slice(0, limit), ...rest }
    return plain(diff)
  },
}

/** The events of a case, at its times. */
function seedOf(suiteCase: SuiteCase): BehaviourEvent[] {
  let before = 0
  return suiteCaseInputs(suiteCase).map(({ input, at }, index) => {
    const advance = index === 0 ? 1 : Math.max(0, at - before)
    before = at
    return advance === 1 ? input : { ...input, advance }
  })
}
