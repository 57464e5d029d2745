/**
 * How long an event loop is kept while the other side sends the worst that it may: `node dist/bench/server/outside.bench.js [PREFIX…]` runs every operation of
 * every gateway, and every route with a body (`test/server/outside-subjects.ts`, which a test counts the steps of), or those with one of the prefixes. Printed is
 * the longest time without a turn of the loop, for JSON within all limits and for JSON beyond them. Beyond `LIMIT_MS` it is too long, and the exit status is 1.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { SUBJECTS } from '../../test/server/outside-subjects.js'
import { report } from '../report.js'

/** Longest time that an event loop may be kept. */
const LIMIT_MS = 50
/** Bytes of JSON with nearly as many values as it may have, and of the longest that any gateway reads. */
const SIZES = [1_300_000, 8_000_000] as const
/** Runs whose median counts: one collection of garbage does not decide. */
const RUNS = 3

async function longest(run: (size: number) => void | Promise<void>, size: number): Promise<number> {
  const times: number[] = []
  // The first one prepares what is sent.
  for (let at = 0; at <= RUNS; at++) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    await run(size)
    await new Promise((resolve) => setTimeout(resolve, 5))
    delay.disable()
    if (at > 0) times.push(delay.max / 1e6)
  }
  return times.sort((a, b) => a - b)[RUNS >> 1]
}

const prefixes = process.argv.slice(2)
/** By gateway: the operation that takes longest. */
const worst = new Map<string, { readonly of: string; readonly times: readonly number[] }>()
for (const [subject, run] of Object.entries(SUBJECTS)) {
  if (prefixes.length > 0 && !prefixes.some((prefix) => subject.startsWith(prefix))) continue
  const times: number[] = []
  for (const size of SIZES) times.push(await longest(run, size))
  const [group] = subject.split(':')
  const known = worst.get(group)
  if (known === undefined || Math.max(...times) > Math.max(...known.times)) worst.set(group, { of: subject, times })
}
report('outside', {
  title: `The longest time that an event loop is kept, in milliseconds; at most ${LIMIT_MS}`,
  columns: ['worst of', 'within all limits of JSON', 'beyond them'],
  rows: [...worst.values()].map(({ of, times }) => [of, ...times]),
})
// Threads of the pool and the service of the subjects would go on.
process.exit([...worst.values()].some(({ times }) => times.some((ms) => ms > LIMIT_MS)) ? 1 : 0)
