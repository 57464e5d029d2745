/** The thread of `comparison.ts`: compiles both contents in layers on one base, and compares them in slices, between which a newer request is heard. */
import { parentPort } from 'node:worker_threads'
import { behaviourEffectOf, type BehaviourItem, behaviourRecord, behaviourSteps, type SourceFile } from '#engine'
import { LayeredContent } from '#in-thread'
import type { ComparedItem } from '../../language/index.js'
import type { ComparisonAnswer, ComparisonRequest } from './comparison.js'

/** Sequences that are tried for one comparison, each of which has a limited number of steps. An edit of a rule takes some hundred. */
const STEPS_LIMIT = 20_000
/** Steps between which messages are heard. */
const SLICE_STEPS = 20
/** Items of an answer: editors show some of one rule. */
const ITEMS_LIMIT = 1000

let base: readonly SourceFile[] = []
let former: LayeredContent | null = null
let newest = 0

parentPort?.on('message', (request: ComparisonRequest) => {
  newest = request.id
  if (request.base !== null) base = request.base
  void compare(request).then((records) => parentPort?.postMessage({ id: request.id, records } satisfies ComparisonAnswer))
})

async function compare({ id, before, after }: ComparisonRequest): Promise<readonly ComparedItem[] | null> {
  // Of requests that came together only the newest is worked on.
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
