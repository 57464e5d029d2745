/** Measures test cases made from rules: of how many rules of a ruleset an event is found that fires them, by file, and the time that a rule takes. */
import { compileRuleset, EventRunner, generateCases } from '#engine'
import { haveRecordings, referenceData, stockData } from './data.js'
import { MOMENT } from './measure.js'
import { report } from '../report.js'

const OPTIONS = { scopes: ['default'], limit: 1, locale: 'en-US', mayGoOn: () => true } as const

export function benchGenerate(): void {
  for (const data of [referenceData(), ...(haveRecordings() ? [stockData('default')] : [])]) {
    const ruleset = compileRuleset(data.files)
    const rules = ruleset.rules.inOrder()
    const runner = new EventRunner(ruleset)
    const times: number[] = []
    const missed = new Set<number>()
    for (const { id } of rules) {
      const started = performance.now()
      for (const without of generateCases(runner, MOMENT, { ...OPTIONS, only: new Set([id]) }).withoutCase) missed.add(without)
      times.push(performance.now() - started)
    }
    const files = new Map<string, { rules: number; fired: number; ms: number }>()
    let never = 0
    for (const [at, { id, definition }] of rules.entries()) {
      // Such a rule is never the final one.
      if (definition.noalert) {
        never++
        continue
      }
      const { filename } = definition.source
      const file = files.get(filename) ?? { rules: 0, fired: 0, ms: 0 }
      files.set(filename, file)
      file.rules++
      file.ms += times[at]
      if (!missed.has(id)) file.fired++
    }
    const sorted = times.toSorted((a, b) => a - b)
    const all = [...files.values()].reduce((sum, file) => ({ rules: sum.rules + file.rules, fired: sum.fired + file.fired, ms: sum.ms + file.ms }))
    const row = (name: string, { rules: count, fired, ms }: typeof all): (string | number)[] => [name, count, fired, (100 * fired) / count, ms / count]
    report('generate', {
      title: `Rules for which a case is made, ruleset ${data.name} (without ${never} rules with noalert); a rule takes ${sorted[sorted.length >> 1].toFixed(1)} ms in the median, ${sorted[Math.floor(sorted.length * 0.99)].toFixed(0)} ms at p99`,
      columns: ['file', 'rules', 'with a case', '%', 'ms a rule'],
      rows: [row('all', all), ...[...files].filter(([, { rules: count, fired }]) => fired < count).map(([name, file]) => row(name, file))],
    })
  }
}
