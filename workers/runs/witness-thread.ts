/** The module of a thread that finds witnesses or audits rules: it compiles the files once, and answers each chunk of rules with their records, in order. */
import { parentPort, workerData } from 'node:worker_threads'
import { type AuditRecord, type CompiledRule, compileRuleset, type Locale, RuleAuditor, type SourceFile, WitnessFinder, type WitnessRecord } from '#engine'
import { sharedNow } from '../shared/clock.js'

/** What the thread needs. */
export interface WitnessThreadData {
  readonly of: 'witness' | 'audit'
  readonly files: readonly SourceFile[]
  readonly locale: Locale
  readonly near: boolean
  /** When no rule is tried any more, by the clock that threads share. */
  readonly ends: number
}

const { of, files, locale, near, ends } = workerData as WitnessThreadData
const ruleset = compileRuleset(files)
const work = workOf()

function workOf(): (rule: CompiledRule) => AuditRecord | WitnessRecord {
  const mayGoOn = (): boolean => sharedNow() < ends
  if (of === 'audit') {
    const auditor = new RuleAuditor(ruleset, { locale, mayGoOn })
    return (rule) => auditor.audit(rule)
  }
  const finder = new WitnessFinder(ruleset, { locale, near, mayGoOn })
  return (rule) => finder.find(rule)
}

parentPort?.on('message', (ids: readonly number[]) => {
  parentPort?.postMessage(
    ids.map((id) => {
      const rule = ruleset.rules.find(id)
      return rule === undefined ? null : work(rule)
    }),
  )
})
