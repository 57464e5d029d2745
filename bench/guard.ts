/**
 * `npm run bench:guard [-- short] [FOLDER]`: fails if a hot path has become slower than in the build of the commit that `bench/baseline` names, or in the built
 * checkout FOLDER.
 *
 * Both builds run on this machine in alternating turns, in several runs, because V8 optimises each process in its own way. A run adds a ratio to each path; there
 * are as many as it takes until the interval of the ratios lies on one side of the limit. A full run takes up to half an hour, writes a chart into
 * `bench/results`, and fails above 1.05 in the median. A short one, for every change, fails above 1.15, and only if a second run confirms it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { baselineBuild } from './guard/baseline.js'
import { guardChart } from './guard/chart.js'
import { RUNS, type Roots } from './guard/paths.js'
import { briefVerdictOn, type Verdict, verdictOn } from './guard/verdict.js'
import { report } from './report.js'

const FULL = { limit: 1.05, fewest: 5, most: 15, warmTurns: 30, turns: 60 } as const
const SHORT = { limit: 1.15, fewest: 1, most: 2, warmTurns: 12, turns: 16 } as const

const words = process.argv.slice(2)
const isShort = words[0] === 'short'
const [folder, ...others] = isShort ? words.slice(1) : words
if (others.length > 0) {
  console.error(`guard: it takes "short" and a folder, but not "${others[0]}"`)
  process.exit(2)
}
const { limit, fewest, most, ...length } = isShort ? SHORT : FULL
const baseline = folder === undefined ? baselineBuild() : resolve(folder)
if (baseline === null) {
  console.log('guard: the commit of bench/baseline is not in this clone, so nothing is compared')
  process.exit(0)
}
const roots: Roots = [baseline, fileURLToPath(new URL('../../', import.meta.url))]
const verdicts = new Map<string, Verdict>()
for (const run of RUNS) {
  const ratios = new Map<string, number[]>()
  for (let count = 1; count <= most; count++) {
    for (const [path, ratio] of Object.entries(await run(roots, length))) {
      console.error(`guard: run ${count}, ${path}: ${ratio.toFixed(3)}`)
      const values = [...(ratios.get(path) ?? []), ratio]
      ratios.set(path, values)
      verdicts.set(path, isShort ? briefVerdictOn(values, limit) : verdictOn(values, limit))
    }
    if (count >= fewest && [...ratios.keys()].every((path) => verdicts.get(path)?.isDecided)) break
  }
}
report('guard', {
  title: `Cost of this build on its hot paths, of the cost of the build before; the limit is ${limit}`,
  columns: ['path', 'ratio', 'from', 'to', 'verdict'],
  rows: [...verdicts].map(([path, { ratio, from, to }]) => [path, ratio, from, to, ratio > limit ? 'SLOWER' : 'holds']),
})
if (!isShort) {
  const results = fileURLToPath(new URL('../../bench/results/', import.meta.url))
  mkdirSync(results, { recursive: true })
  writeFileSync(`${results}guard.svg`, guardChart(verdicts, limit))
}
process.exitCode = [...verdicts.values()].some(({ ratio }) => ratio > limit) ? 1 : 0
