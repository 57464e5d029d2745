/** Compiles the content on disk, and reports whether Wazuh would start with it. */
import { type CompiledRuleset, entryOf as entryOfCode } from '#engine'
import type { ContentCheck } from '../../shared/answers.js'
import type { BaseChecks, TaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

/** Number of errors that are reported: those of one edit, not all its consequences. */
const ERRORS_LIMIT = 5

export interface CheckTask extends TaskHead {
  readonly kind: 'check'
  /** The content is not in use yet: the thread removes it if it does not load. */
  readonly isCandidate: boolean
  /** What a thread has found in the default content; null: none has checked it yet. */
  readonly known: BaseChecks | null
}

export interface CheckReply extends ContentCheck {
  /** What this thread has found in the default content; null: it is known already, or nothing was checked. */
  readonly found: BaseChecks | null
}

export const check: TaskDefinition<CheckTask> = {
  run(context, { locale, ruleset: { diskId }, isCandidate, known }) {
    const { cache } = context
    if (known !== null) cache.adoptChecks(diskId, known)
    const entry = entryOf(context)
    const { ruleset } = entry
    const errors = ruleset.loads ? [] : refusalsOf(ruleset)
    // The checks of a whole ruleset run on demand and take half a second. They run here, so that the first caller does not wait for them.
    if (ruleset.loads) entry.report(locale, false)
    else if (isCandidate) cache.removeDisk(diskId)
    const checks = cache.checksOf(diskId)
    const reported = errors.slice(0, ERRORS_LIMIT).map(({ code, kind, filename, scope, span }) => ({ scope, file: `${kind}/${filename}`, line: span?.line ?? null, code }))
    return plain({ loads: ruleset.loads, errors: reported, errorCount: errors.length, found: checks?.hash === known?.hash ? null : checks } satisfies CheckReply)
  },
}

/** Returns the errors for which Wazuh refuses to start. A dropped rule is an error too, but Wazuh starts. */
function refusalsOf({ loadDiagnostics }: CompiledRuleset) {
  return loadDiagnostics.filter(({ code, severity }) => severity === 'error' && entryOfCode(code).effect === 'refuse')
}
