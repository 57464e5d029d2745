/** `npm run bench [-- events|compile|logtest] [seconds]`: all benches, or one. bench/README.md says how to read them. */
import { benchCompile } from './engine/compile.bench.js'
import { benchEvents } from './engine/events.bench.js'
import { benchLogtest } from './engine/logtest.bench.js'
import { tuneV8 } from '#workers'

const BENCHES: Readonly<Record<string, (seconds: number) => void>> = { events: benchEvents, compile: benchCompile, logtest: benchLogtest }
const DEFAULT_SECONDS = 1.5

tuneV8()
const names = process.argv.slice(2).filter((word) => word in BENCHES)
const seconds = Number(process.argv.slice(2).find((word) => /^[0-9.]+$/.test(word)) ?? DEFAULT_SECONDS)
for (const name of names.length === 0 ? Object.keys(BENCHES) : names) BENCHES[name](seconds)
