/**
 * Runs an event that ran over its deadline once more, with a recorder that says where it is: this run is ended too, and what it said last is
 * what the timeout names. Rules are then tried in turn rather than by index, which leaves the slow one as slow as it was.
 */
import { momentAt } from '../clock.js'
import type { LocateTask } from '../protocol.js'
import { readLocation, toByteString } from '../engine-bridge.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

type Recorder = NonNullable<Parameters<ReturnType<typeof entryOf>['runner']['run']>[4]>

export function locate(context: TaskContext, task: LocateTask): TaskResult {
  const { progress } = context
  const { ruleset, runner } = entryOf(context)
  const origin = readLocation(toByteString(task.input.location ?? 'stdin'))
  if (progress === null || origin === null || !ruleset.loads) return plain(null)
  const following = followingRules(ruleset.rules.top)
  const decoder = ({ definition }: { definition: { name: string } }): void => progress.atDecoder(definition.name)
  const recorder: Recorder = {
    rootRejected: decoder,
    rootMatched: decoder,
    childRejected: decoder,
    childMatched: decoder,
    childEntered: decoder,
    regexMatched: decoder,
    regexFailed: decoder,
    pluginRun: decoder,
    ruleTried: (rule, failure) => progress.atRule(following.get(rule.id)?.[failure === null ? 'matched' : 'failed'] ?? rule.id),
  }
  runner.run(toByteString(task.input.event), origin, momentAt(task.seconds), null, recorder)
  return plain(null)
}

interface Node {
  readonly rule: { readonly id: number }
  readonly children: readonly Node[]
}

/** Which rule is asked after a rule, when it matched and when it failed. Of rules with several placements the last counts. */
function followingRules(top: readonly Node[]): Map<number, { matched: number; failed: number }> {
  const following = new Map<number, { matched: number; failed: number }>()
  const walk = (siblings: readonly Node[], after: number): void => {
    siblings.forEach(({ rule, children }, index) => {
      const failed = siblings[index + 1]?.rule.id ?? after
      following.set(rule.id, { matched: children[0]?.rule.id ?? rule.id, failed })
      walk(children, rule.id)
    })
  }
  walk(top, 0)
  return following
}
