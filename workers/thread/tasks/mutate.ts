/**
 * Grades cases by mutants of the rules and decoders in the request's own files, some items a task. The graders of the last tasks stay in the thread: making one runs all
 * cases. A task without cases asks for such a one, and is answered `null` where there is none.
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
  /** Number of the items that are graded or passed over: the task continues after them. */
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

/** As many as the service has measured at once. */
const KEPT_LIMIT = 2
/** The one that was used last is the first. */
let kept: readonly Kept[] = []
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

function graderOf(ruleset: CompiledRuleset, task: MutateTask): Kept | null {
  const { casesKey, cases } = task
  const known = kept.find((one) => one.ruleset === ruleset && one.casesKey === casesKey) ?? null
  const used = known ?? (cases === null ? null : newGrader(ruleset, casesKey, cases, task))
  if (used !== null) kept = [used, ...kept.filter((one) => one !== used)].slice(0, KEPT_LIMIT)
  return used
}

function newGrader(ruleset: CompiledRuleset, casesKey: string, cases: readonly SuiteCase[], { seconds, locale, itemMs }: MutateTask): Kept {
  const limit = { ends: now() + itemMs }
  const grader = new MutationGrader(ruleset, [cases], { locale, moment: momentAt(seconds), scopes: [OWN_SCOPE], mayGoOn: () => now() < limit.ends })
  return { ruleset, casesKey, grader, limit }
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
