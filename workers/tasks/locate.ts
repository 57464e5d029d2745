/**
 * Runs an event that ran over its deadline once more, with a recorder that says where it is: this run is ended too, and what it said last is
 * what the timeout names. Recorders are told after each try, so what is at work is the one that comes after. Everything is then tried in
 * turn rather than by index, which leaves the slow one as slow as it was.
 */
import type { LogtestInput } from '#engine'
import { fromByteString, readLocation, toByteString } from '#engine'
import { momentAt } from '../clock.js'
import type { LocateTask } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

type Recorder = NonNullable<Parameters<ReturnType<typeof entryOf>['runner']['run']>[4]>
type Decoder = Parameters<Recorder['rootMatched']>[0]
type Rule = Parameters<Recorder['ruleTried']>[0]

export function locate(context: TaskContext, task: LocateTask): TaskResult {
  locateInput(context, task.input, task.seconds)
  return plain(null)
}

/** The same of an input, wherever it came from. */
export function locateInput(context: TaskContext, input: LogtestInput, seconds: number): void {
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

/** What is tried after a node, when it matched (its first child) and when it failed (the next sibling). Of several placements the last counts. */
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
