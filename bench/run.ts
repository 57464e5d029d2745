/** `npm run bench [-- events|compile|logtest|merge|generate|diff|hostile|mutate|passes|stages] [seconds]`: runs all benches or one. bench/README.md explains the results. */
import { benchCompile } from './engine/compile.bench.js'
import { benchEvents } from './engine/events.bench.js'
import { benchDiff } from './engine/diff.bench.js'
import { benchGenerate } from './engine/generate.bench.js'
import { benchHostile } from './engine/hostile.bench.js'
import { benchLogtest } from './engine/logtest.bench.js'
import { benchMerge } from './engine/merge.bench.js'
import { benchMutate } from './engine/mutate.bench.js'
import { benchPasses } from './engine/passes.bench.js'
import { benchStages } from './engine/stages.bench.js'
import { tuneV8 } from '#basics'

const BENCHES: Readonly<Record<string, (seconds: number) => void>> = {
  events: benchEvents,
  compile: benchCompile,
  logtest: benchLogtest,
  merge: benchMerge,
  generate: benchGenerate,
  diff: benchDiff,
  hostile: benchHostile,
  mutate: benchMutate,
  passes: benchPasses,
  stages: benchStages,
}
const DEFAULT_SECONDS = 1.5

const words = process.argv.slice(2)
const names = words.filter((word) => Object.hasOwn(BENCHES, word))
const numbers = words.filter((word) => Number(word) > 0 && Number.isFinite(Number(word)))
const wrong = words.find((word) => !names.includes(word) && !numbers.includes(word))
if (wrong !== undefined || numbers.length > 1) {
  console.error(`bench: it takes no "${wrong ?? numbers[1]}", but ${Object.keys(BENCHES).join(', ')} and the seconds of a figure`)
  process.exit(2)
}
tuneV8()
for (const name of names.length === 0 ? Object.keys(BENCHES) : names) BENCHES[name](Number(numbers[0] ?? DEFAULT_SECONDS))
