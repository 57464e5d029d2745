/**
 * Runs an event that exceeded its deadline again, with a recorder that writes which rule or decoder is running. This run is ended too, and the timeout names
 * the last one that was written. Recorders are called after each attempt, so the running one is the next. Everything is tried in order instead of by index,
 * which does not make the slow one faster.
 */
import type { LogtestInput } from '#engine'
import { fromByteString, readLocation, toByteString } from '#engine'
import { momentAt } from '../../shared/clock.js'
import type { ReadableTaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskContext, type TaskDefinition } from './context.js'

type Recorder = NonNullable<Parameters<ReturnType<typeof entryOf>['runner']['run']>[4]>
type Decoder = Parameters<Recorder['rootMatched']>[0]
type Rule = Parameters<Recorder['ruleTried']>[0]

export interface LocateTask extends ReadableTaskHead {
  readonly kind: 'locate'
  /** Null: it is in the body. */
  readonly input: LogtestInput | null
  readonly seconds: number
}

/** The result is its progress. */
export const locate: TaskDefinition<LocateTask> = {
  body: 'logtest',
  withRequest: (task, { input = null }) => ({ ...task, input }),
  run(context, { input, seconds }) {
    if (input !== null) locateInput(context, input, seconds)
    return plain(null)
  },
}

function locateInput(context: TaskContext, input: LogtestInput, seconds: number): void {
  const { progress } = context
  const { ruleset, runner } = entryOf(context)
  const origin = readLocation(toByteString(input.location ?? 'stdin'))
  if (progress === null || origin === null || !ruleset.loads) return
  const rules = successors(ruleset.rules.top, ({ rule }) => rule.id)
  const { programRoots, plainRoots } = ruleset.decoders
  const decoders = successors([...programRoots, ...plainRoots] as readonly Decoder[], (decoder) => decoder)
  const atDecoder = (decoder: Decoder): void => progress.atDecoder(fromByteString(decoder.definition.name))
  const rejected = (decoder: Decoder): void => atDecoder(decoders.get(decoder)?.failed ?? decoder)
  const matched = (decoder: Decoder): void => atDecoder(decoders.get(decoder)?.matched ?? decoder)
  const recorder: Recorder = {
    rootRejected: rejected,
    rootMatched: matched,
    childRejected: rejected,
    childMatched: atDecoder,
    childEntered: atDecoder,
    regexMatched: rejected,
    regexFailed: rejected,
    pluginRun: atDecoder,
    ruleTried: (rule: Rule, failure) => {
      const next = rules.get(rule.id)
      progress.atRule((failure === null ? next?.matched : next?.failed) ?? rule.id)
    },
  }
  if (programRoots.length > 0) atDecoder(programRoots[0])
  runner.run(toByteString(input.event), origin, momentAt(seconds), null, recorder)
}

/** Returns what is tried after each node: its first child if it matched, the next sibling if it failed. If a node has several placements, the last one counts. */
function successors<N extends { readonly children: readonly N[] }, K>(top: readonly N[], keyOf: (node: N) => K): Map<K, { matched: K; failed: K | null }> {
  const found = new Map<K, { matched: K; failed: K | null }>()
  const walk = (siblings: readonly N[]): void => {
    siblings.forEach((node, index) => {
      const next = siblings[index + 1]
      found.set(keyOf(node), { matched: node.children.length > 0 ? keyOf(node.children[0]) : keyOf(node), failed: next === undefined ? null : keyOf(next) })
      walk(node.children)
    })
  }
  walk(top)
  return found
}
