/**
 * Grades cases by mutants of the rules and decoders in the request's own files, some items a task. The grader of the last task stays in the thread: making it runs all
 * cases. A task without cases asks for that one, and is answered `null` where it is not there.
 */
import { type CompiledRuleset, MutationGrader, type MutantRow, type MutantStatus, type SuiteCase } from '#engine'
import { momentAt, now } from '../../shared/clock.js'
import type { TaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskContext, type TaskDefinition } from './context.js'

/** Its answer is a `MutationPart`, or null. */
export interface MutateTask extends TaskHead {
  readonly kind: 'mutate'
  /** Names the cases: equal keys, equal cases. */
  readonly casesKey: string
  /** Null: the thread has them. */
  readonly cases: readonly SuiteCase[] | null
  readonly seconds: number
  /** Number of the items that are graded or passed over: the task goes on behind them. */
  readonly from: number
  /** Milliseconds after which no further item begins, and after which an item is passed over that has not ended. */
  readonly sliceMs: number
  readonly itemMs: number
  /** Survivors that are named. */
  readonly limit: number
}

export interface MutationPart {
  /** Whether Wazuh would start with the content; nothing is changed otherwise. */
  readonly loads: boolean
  /** Cases that fail before anything is changed; where there are some, nothing is. */
  readonly failed: number
  /** Rules and decoders in all. */
  readonly items: number
  /** The next task begins here. */
  readonly next: number
  /** Items that took too long. */
  readonly untried: number
  readonly counts: Readonly<Record<MutantStatus, number>>
  /** Those that no case kills; the first ones. */
  readonly survivors: readonly MutantRow[]
}

interface Kept {
  readonly ruleset: CompiledRuleset
  readonly casesKey: string
  readonly grader: MutationGrader
  /** When the current item has to end. */
  readonly limit: { ends: number }
}

let kept: Kept | null = null
/** Scope of the request's own files. */
const OWN_SCOPE = 'adhoc'

export const mutate: TaskDefinition<MutateTask> = {
  run(context, task) {
    const { ruleset } = entryOf(context)
    const part = { loads: ruleset.loads, failed: 0, items: 0, next: 0, untried: 0, counts: NONE, survivors: [] } satisfies MutationPart
    if (!ruleset.loads) return plain(part)
    const known = graderOf(ruleset, task)
    if (known === null) return plain(null)
    const { failed, items } = known.grader
    return plain(failed.length > 0 ? { ...part, failed: failed.length } : { ...part, items, ...gradeSlice(context, task, known) })
  },
}

const NONE: MutationPart['counts'] = { killed: 0, survived: 0, equivalent: 0, unknown: 0, invalid: 0 }

function graderOf(ruleset: CompiledRuleset, { casesKey, cases, seconds, locale, itemMs }: MutateTask): Kept | null {
  if (kept?.ruleset === ruleset && kept.casesKey === casesKey) return kept
  if (cases === null) return null
  const limit = { ends: now() + itemMs }
  const grader = new MutationGrader(ruleset, [cases], { locale, moment: momentAt(seconds), scopes: [OWN_SCOPE], mayGoOn: () => now() < limit.ends })
  kept = { ruleset, casesKey, grader, limit }
  return kept
}

function gradeSlice({ progress, startedAt }: TaskContext, { from, sliceMs, itemMs, limit: named }: MutateTask, { grader, limit }: Kept) {
  const counts: Record<MutantStatus, number> = { ...NONE }
  const survivors: MutantRow[] = []
  let untried = 0
  let at = from
  // At least one item, or no task would come to an end.
  for (; at < grader.items && (at === from || (now() - startedAt < sliceMs && progress?.isAsked !== true)); at++) {
    limit.ends = now() + itemMs
    const rows = grader.grade(at)
    if (rows === null) untried++
    for (const row of rows ?? []) {
      counts[row.status]++
      if (row.status === 'survived' && survivors.length < named) survivors.push(row)
    }
  }
  return { next: at, untried, counts, survivors }
}
