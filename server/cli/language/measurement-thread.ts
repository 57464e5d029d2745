/** The thread that measures what the cases of a rule are worth: it changes the rule in small ways, and looks for a case that notices each change. */
import { parentPort } from 'node:worker_threads'
import { type Locale, MutationGrader, type MutantRow, type SourceFile, type SuiteCase, summarizeMutants } from '#engine'
import { LayeredContent, momentNow, now } from '#in-thread'
import type { Measurement } from '../../language/index.js'
import type { Answered, Asked } from './side-thread.js'

export interface MeasurementQuestion {
  /** The files on top of the base. */
  readonly own: readonly SourceFile[]
  /** The cases of each file. */
  readonly suites: readonly (readonly SuiteCase[])[]
  /** Id of the rule that is changed. */
  readonly rule: string
  readonly locale: Locale
}

/** For the changes of one rule: the search for cases ends then. */
const SEARCH_MS = 10_000
/** Events that are run for them all together. */
const STEPS_LIMIT = 20_000

let base: readonly SourceFile[] = []
let former: LayeredContent | null = null

parentPort?.on('message', (asked: Asked<MeasurementQuestion>) => {
  if (asked.base !== null) base = asked.base
  parentPort?.postMessage({ id: asked.id, answer: measure(asked) } satisfies Answered<Measurement>)
})

function measure({ own, suites, rule, locale }: MeasurementQuestion): Measurement {
  former = new LayeredContent(base, own, former)
  const ruleset = former.compile()
  if (!ruleset.loads) return { kind: 'unloadable' }
  let ends = Number.POSITIVE_INFINITY
  const grader = new MutationGrader(ruleset, suites, {
    locale,
    moment: momentNow(),
    scopes: ['default', 'custom'],
    only: new Set([Number(rule)]),
    steps: STEPS_LIMIT,
    mayGoOn: () => now() < ends,
  })
  const [failed] = grader.failed
  if (failed !== undefined) return { kind: 'failing', suite: failed.suite, place: failed.place, name: failed.name, count: grader.failed.length }
  if (grader.items === 0) return { kind: 'unloaded' }
  ends = now() + SEARCH_MS
  const rows = grader.grade(0)
  return rows === null ? { kind: 'unfinished' } : { kind: 'score', ...summarizeMutants(rows), survivors: rows.flatMap(survivorOf) }
}

function survivorOf({ status, operator, line, before, after, case: killer }: MutantRow): Extract<Measurement, { kind: 'score' }>['survivors'] {
  return status === 'survived' && typeof killer === 'object' ? [{ line, before, after: operator === 'delete' ? '' : after, killer }] : []
}
