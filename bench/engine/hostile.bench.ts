/** Compares and audits a ruleset with fifty hostile edits on top: processor time, and what is said to be partial. */
import { type CompiledRuleset, compareBehaviour, compileLayer, compileRuleset, RuleAuditor } from '#engine'
import { HOSTILE_EDITS } from '../../test/support/hostile-edits.js'
import { haveRecordings, referenceData, stockData } from './data.js'
import { report } from '../report.js'

/** Processor time of one comparison, and of one audit; how far each goes beyond it is what hostile content can take. */
const LIMIT_MS = 2_000
/** Sizes by kind; what a pattern repeats is small, what a file has many of is large. */
const SMALL = [2, 4, 8, 16, 24]
const CHAINS = [10, 50, 100, 200, 400]
const MANY = [100, 1_000, 2_500, 5_000, 10_000]
const KEYS = [1_000, 10_000, 25_000, 50_000, 100_000]
const SIZES: Readonly<Record<string, readonly number[]>> = {
  'overlapping alternatives': [10, 50, 100, 200, 400],
  'many alternatives': [10, 50, 100, 200, 400],
  'a chain of parents': CHAINS,
  'composites that count composites': CHAINS,
  'parents in a circle': CHAINS,
  'many siblings': MANY,
  'many keys': KEYS,
}

interface Measured {
  readonly ms: number
  readonly isComplete: boolean
  readonly unknown: number
}

export function benchHostile(): void {
  const data = haveRecordings() ? stockData('default') : referenceData()
  const base = compileRuleset(data.files)
  const rows = Object.entries(HOSTILE_EDITS).map(([kind, make]) => {
    const diffs: Measured[] = []
    const audits: Measured[] = []
    let loading = 0
    for (const size of SIZES[kind] ?? SMALL) {
      const { before, after } = make(size)
      const [old, now] = [compileLayer(base, before), compileLayer(base, after)]
      if (old.loads && now.loads) loading++
      diffs.push(diffOf(old, now))
      audits.push(auditOf(now))
    }
    const of = (measured: readonly Measured[]): (string | number)[] => [
      Math.max(...measured.map(({ ms }) => ms)),
      measured.filter(({ isComplete }) => isComplete).length,
      measured.reduce((sum, { unknown }) => sum + unknown, 0),
    ]
    return [kind, loading, ...of(diffs), ...of(audits)]
  })
  report('hostile', {
    title: `Fifty hostile edits on top of the ruleset ${data.name}, five of each kind: the longest comparison and audit in milliseconds of processor time (limit ${LIMIT_MS}), how many were complete, and what is said to be unknown`,
    columns: ['edit', 'load', 'diff ms', 'complete', 'unknown items', 'audit ms', 'complete', 'unknown rules'],
    rows,
  })
}

function diffOf(old: CompiledRuleset, now: CompiledRuleset): Measured {
  const started = processorMs()
  const { items, more, complete } = compareBehaviour(old, now, { mayGoOn: () => processorMs() - started < LIMIT_MS })
  return { ms: processorMs() - started, isComplete: complete && more === 0, unknown: more + items.filter(({ result }) => result === 'unknown').length }
}

function auditOf(ruleset: CompiledRuleset): Measured {
  const started = processorMs()
  let isOver = false
  const mayGoOn = (): boolean => !(isOver ||= processorMs() - started >= LIMIT_MS)
  const auditor = new RuleAuditor(ruleset, { locale: 'en-US', mayGoOn })
  let unknown = 0
  for (const rule of ruleset.rules.inOrder()) if (rule.definition.source.scope === 'custom' && auditor.audit(rule).verdict === 'unknown') unknown++
  return { ms: processorMs() - started, isComplete: !isOver, unknown }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
