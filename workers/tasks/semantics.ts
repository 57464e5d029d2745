/** What a request's own rules and decoders mean, and what is found in them. */
import { describeSemantics } from '#engine'
import type { SemanticsAnswer, SemanticsTask } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

export function semantics(context: TaskContext, { locale }: SemanticsTask): TaskResult {
  const { ruleset, findings } = entryOf(context)
  const { loads, diagnostics } = findings(locale, false)
  const own = diagnostics.filter(({ source_scope }) => source_scope === 'adhoc')
  return plain({ loads, findings: own, ...describeSemantics(ruleset) } satisfies SemanticsAnswer)
}
