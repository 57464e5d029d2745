/** Compiles the content on disk, and says whether Wazuh would start with it. */
import { type CompiledRuleset, entryOf as entryOfCode } from '#engine'
import type { ContentCheck, WarmTask } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

/** Errors that are told: what one edit broke, and not all that follows of it. */
const ERRORS_TOLD = 5

export function warm(context: TaskContext, { locale, ruleset: { diskId }, isCandidate }: WarmTask): TaskResult {
  const entry = entryOf(context)
  const { ruleset } = entry
  const errors = ruleset.loads ? [] : refusalsOf(ruleset)
  // Checks of the whole set are made when somebody asks; the first caller should not be the one to wait a third of a second for them.
  if (ruleset.loads) entry.findings(locale, false)
  else if (isCandidate) context.cache.removeDisk(diskId)
  const told = errors.slice(0, ERRORS_TOLD).map(({ code, kind, filename, scope, span }) => ({ scope, file: `${kind}/${filename}`, line: span?.line ?? null, code }))
  return plain({ loads: ruleset.loads, errors: told, errorCount: errors.length } satisfies ContentCheck)
}

/** A rule that is dropped is an error as well, but it keeps nobody from starting. */
function refusalsOf({ loadFindings }: CompiledRuleset) {
  return loadFindings.filter(({ code, severity }) => severity === 'error' && entryOfCode(code).effect === 'refuse')
}
