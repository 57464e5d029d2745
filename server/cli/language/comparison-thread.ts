/** The thread that compares own content with that of the last commit: it compiles both contents in layers on one base, and compares them in slices, between which a newer request is heard. */
import { parentPort } from 'node:worker_threads'
import { behaviourEffectOf, type BehaviourItem, behaviourRecord, behaviourSteps, type SourceFile } from '#engine'
import { LayeredContent } from '#in-thread'
import type { ComparedItem } from '../../language/index.js'
import type { Answered, Asked } from './side-thread.js'

export interface ComparisonQuestion {
  /** The files on top of the base in the last commit, and now. */
  readonly before: readonly SourceFile[]
  readonly after: readonly SourceFile[]
}

/** Sequences that are tried for one comparison, each of which has a limited number of steps. An edit of a rule takes some hundred. */
const STEPS_LIMIT = 20_000
/** Steps between which messages are heard. */
const SLICE_STEPS = 20
/** Items of an answer: editors show some of one rule. */
const ITEMS_LIMIT = 1000

let base: readonly SourceFile[] = []
let former: LayeredContent | null = null
let newest = 0

parentPort?.on('message', (request: Asked<ComparisonQuestion>) => {
  newest = request.id
  if (request.base !== null) base = request.base
  void compare(request).then((answer) => parentPort?.postMessage({ id: request.id, answer } satisfies Answered<readonly ComparedItem[]>))
})

/** @returns null: Wazuh would not start with one of them, or a newer question came */
async function compare({ id, before, after }: Asked<ComparisonQuestion>): Promise<readonly ComparedItem[] | null> {
  // If several requests came together, only the newest is worked on.
  await nextTurn()
  if (id !== newest) return null
  const old = new LayeredContent(base, before, former)
  const current = new LayeredContent(base, after, old)
  former = current
  const [oldRuleset, ruleset] = [old.compile(), current.compile()]
  if (!oldRuleset.loads || !ruleset.loads) return null
  let steps = 0
  const comparison = behaviourSteps(oldRuleset, ruleset, { mayGoOn: () => steps < STEPS_LIMIT })
  for (;;) {
    const { done, value } = comparison.next()
    if (done === true) return value.items.slice(0, ITEMS_LIMIT).map(comparedItem)
    if (++steps % SLICE_STEPS !== 0) continue
    await nextTurn()
    if (id !== newest) return null
  }
}

function comparedItem(item: BehaviourItem): ComparedItem {
  const record = behaviourRecord(item)
  return { ...record, effect: record.result === 'differs' ? behaviourEffectOf(record) : null }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
