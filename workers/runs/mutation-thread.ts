/** The module of a thread that grades cases by mutants: it compiles the files and runs the cases once, and answers each item with its rows. */
import { parentPort, workerData } from 'node:worker_threads'
import { compileRuleset, MutationGrader, type MutationOptions, type SourceFile, type SuiteCase } from '#engine'
import { momentAt, sharedNow } from '../shared/clock.js'

/** What the thread needs. */
export interface MutationThreadData extends Pick<MutationOptions, 'locale' | 'scopes' | 'only' | 'steps'> {
  readonly files: readonly SourceFile[]
  readonly suites: readonly (readonly SuiteCase[])[]
  /** Second 0 of cases that do not set the clock. */
  readonly seconds: number
  /** When no mutant is tried any more, by the clock that threads share. */
  readonly ends: number
}

const { files, suites, seconds, ends, ...options } = workerData as MutationThreadData
const grader = new MutationGrader(compileRuleset(files), suites, { ...options, moment: momentAt(seconds), mayGoOn: () => sharedNow() < ends, now: sharedNow })

parentPort?.on('message', (items: readonly number[]) => {
  parentPort?.postMessage(items.map((item) => ({ rows: grader.grade(item) })))
})
