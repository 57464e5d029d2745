/** Measures the witnesses of rules: of how many rules of a ruleset there are events that fire them, or a proof that there are none, by file, and the time that a rule takes. */
import { compileRuleset, WitnessFinder, type WitnessStatus } from '#engine'
import { haveRecordings, referenceData, stockData } from './data.js'
import { report } from '../report.js'

interface Counts {
  readonly status: Record<WitnessStatus, number>
  ms: number
}

const none = (): Counts => ({ status: { fires: 0, cannot_fire: 0, unknown: 0 }, ms: 0 })

export function benchGenerate(): void {
  for (const data of [referenceData(), ...(haveRecordings() ? [stockData('default')] : [])]) {
    const ruleset = compileRuleset(data.files)
    const finder = new WitnessFinder(ruleset, { locale: 'en-US', near: false, mayGoOn: () => true })
    const times: number[] = []
    const files = new Map<string, Counts>()
    const all = none()
    let never = 0
    for (const rule of ruleset.rules.inOrder()) {
      // Such a rule is never the final one.
      if (rule.definition.noalert) {
        never++
        continue
      }
      // The time of this thread: others may run on the machine.
      const started = process.cpuUsage()
      const { status } = finder.find(rule)
      const { user, system } = process.cpuUsage(started)
      const ms = (user + system) / 1000
      times.push(ms)
      const { filename } = rule.definition.source
      const file = files.get(filename) ?? none()
      files.set(filename, file)
      for (const counts of [file, all]) {
        counts.status[status]++
        counts.ms += ms
      }
    }
    const sorted = times.toSorted((a, b) => a - b)
    const row = (name: string, { status: { fires, cannot_fire: cannot, unknown }, ms }: Counts): (string | number)[] => {
      const rules = fires + cannot + unknown
      return [name, rules, fires, cannot, unknown, fires + unknown === 0 ? 100 : (100 * fires) / (fires + unknown), ms / rules]
    }
    report('generate', {
      title: `Rules with a witness, ruleset ${data.name} (without ${never} rules with noalert), and the processor time of one thread: ${(all.ms / 1000).toFixed(1)} s in all, a rule ${sorted[sorted.length >> 1].toFixed(1)} ms in the median, ${sorted[Math.floor(sorted.length * 0.99)].toFixed(0)} ms at p99`,
      columns: ['file', 'rules', 'fires', 'cannot fire', 'unknown', '% of those that can', 'ms a rule'],
      rows: [row('all', all), ...[...files].filter(([, { status }]) => status.cannot_fire + status.unknown > 0).map(([name, file]) => row(name, file))],
    })
  }
}
