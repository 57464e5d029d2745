/** Compile times: everything from nothing, fifty rules on a warm base, and what ten times the rules cost per event. */
import type { SourceFile } from '#engine'
import { compileLayer, compileRuleset, EventRunner, readLocation, toByteString } from '#engine'
import { cEngineFloor, haveRecordings, referenceData, stockData } from './data.js'
import { measure, MOMENT } from './measure.js'
import { median } from '../median.js'

const ROUNDS = 8

/** Rules below ids that both rulesets have. */
function inlineRules(count: number, first: number): SourceFile {
  const parents = [5716, 31101, 5710, 5501, 1002]
  const rules = Array.from(
    { length: count },
    (_, index) =>
      `<rule id="${first + index}" level="${3 + (index % 10)}"><if_sid>${parents[index % parents.length]}</if_sid><match>needle ${index} of the bench</match><field name="bench_${index % 7}" type="pcre2">^(?:a|b)${index}$</field><description>Rule ${index} of the bench, for $(srcip).</description><group>bench,</group></rule>`,
  )
  return { kind: 'rules', scope: 'adhoc', filename: 'zz-bench.xml', content: `<group name="bench,">\n${rules.join('\n')}\n</group>` }
}

function times(rounds: number, operation: (round: number) => unknown): number[] {
  return Array.from({ length: rounds }, (_, round) => {
    const started = performance.now()
    operation(round)
    return performance.now() - started
  })
}

export function benchCompile(seconds: number): void {
  const data = haveRecordings() ? stockData('default') : referenceData()
  const origin = readLocation('stdin')
  if (origin === null) throw new Error('stdin is a location')
  console.log(`compile: ${data.name} ruleset`)
  const cold = times(ROUNDS, () => compileRuleset(data.files))
  console.log(`  cold, first in this process ${cold[0].toFixed(0)} ms, median of ${ROUNDS} ${median(cold).toFixed(0)} ms`)
  if (haveRecordings()) console.log(`  C engine loads it in ${(cEngineFloor().loadSeconds * 1000).toFixed(0)} ms at this machine's score`)
  const base = compileRuleset(data.files)
  const layered = times(40, (round) => new EventRunner(compileLayer(base, [inlineRules(50, 100_100 + round)])))
  console.log(`  50 inline rules on the warm base: median ${median(layered).toFixed(2)} ms`)
  const lines = data.lines.get('all') ?? []
  const perEvent = (files: readonly SourceFile[]): number => {
    const runner = new EventRunner(files.length === 0 ? base : compileLayer(base, files))
    return measure(lines, (line) => runner.run(toByteString(line), origin, MOMENT, null), seconds)
  }
  const plain = perEvent([])
  const tenfold = perEvent([inlineRules(9 * base.counts.rules, 200_000)])
  console.log(`  per event with ten times the rules: ${(tenfold / plain).toFixed(2)} times as long (${(tenfold / 1000).toFixed(1)} us)`)
}
