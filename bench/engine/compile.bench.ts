/** Measures compile times: a whole ruleset, a layer of fifty rules on a compiled base, its diagnostics, and the cost per event of ten times as many rules. */
import type { SourceFile } from '#engine'
import { compileLayer, compileRuleset, EventRunner, readLocation, toByteString } from '#engine'
import { cEngineFloor, haveRecordings, referenceData, stockData } from './data.js'
import { measure, MOMENT } from './measure.js'
import { median } from '../median.js'
import { report } from '../report.js'

const ROUNDS = 8

const DECODER: SourceFile = {
  kind: 'decoders',
  scope: 'adhoc',
  filename: 'zz-bench.xml',
  content:
    '<decoder name="bench"><program_name>^bench$</program_name></decoder>\n<decoder name="bench-child"><parent>bench</parent><regex>needle (\\d+)</regex><order>bench_1</order></decoder>',
}

/** Child rules of ids that exist in both rulesets. */
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
  const cold = times(ROUNDS, () => compileRuleset(data.files))
  const base = compileRuleset(data.files)
  const layered = times(40, (round) => new EventRunner(compileLayer(base, [inlineRules(50, 100_100 + round)])))
  const checked = times(40, (round) => compileLayer(base, [DECODER, inlineRules(50, 100_100 + round)]).diagnostics)
  const lines = data.lines.get('all') ?? []
  const perEvent = (files: readonly SourceFile[]): number => {
    const runner = new EventRunner(files.length === 0 ? base : compileLayer(base, files))
    return measure(lines, (line) => runner.run(toByteString(line), origin, MOMENT, null), seconds)
  }
  const plain = perEvent([])
  const tenfold = perEvent([inlineRules(9 * base.counts.rules, 200_000)])
  report('compile', {
    title: `Compilation of the ruleset ${data.name}, milliseconds`,
    columns: ['step', 'ms'],
    rows: [
      ['everything, first in the process', cold[0]],
      [`everything, median of ${ROUNDS}`, median(cold)],
      ['the C engine here', haveRecordings() ? cEngineFloor().loadSeconds * 1000 : null],
      ['50 inline rules on a warm base, with a runner', median(layered)],
      ['the same and two decoders, with their diagnostics instead', median(checked)],
    ],
  })
  report('compile', {
    title: 'One event with ten times the rules, microseconds',
    columns: ['rules', 'µs', 'ratio'],
    rows: [
      [base.counts.rules.toLocaleString('en-US'), plain / 1000, 1],
      [(10 * base.counts.rules).toLocaleString('en-US'), tenfold / 1000, tenfold / plain],
    ],
  })
}
