/** The module of a thread that finds witnesses: it compiles the files once, and answers each chunk of rules with their records, in order. */
import { parentPort, workerData } from 'node:worker_threads'
import { compileRuleset, type Locale, type SourceFile, WitnessFinder } from '#engine'

/** What the thread needs. */
export interface WitnessThreadData {
  readonly files: readonly SourceFile[]
  readonly locale: Locale
  readonly near: boolean
}

const { files, locale, near } = workerData as WitnessThreadData
const ruleset = compileRuleset(files)
const finder = new WitnessFinder(ruleset, { locale, near, mayGoOn: () => true })

parentPort?.on('message', (ids: readonly number[]) => {
  parentPort?.postMessage(
    ids.map((id) => {
      const rule = ruleset.rules.find(id)
      return rule === undefined ? null : finder.find(rule)
    }),
  )
})
