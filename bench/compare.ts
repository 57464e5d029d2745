/**
 * `node dist/bench/compare.js OTHER [work] [seconds]`: how much processor time this build takes of that of another one, whose checkout is OTHER. `work` is
 * `lines`, the task of a batch (default), or a kind of lines of `engine/events.bench.ts`, such as `sshd`.
 *
 * Each build runs in a process of its own, in turns of 60 ms, and each turn is compared with the other's next to it: a machine that becomes slower for seconds
 * slows both. Two processes of the same build differ by up to 3 %, because V8 optimises each in its own way, so run it several times for less.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './median.js'
import { report } from './report.js'

const WARM_MS = 8_000
const TURN_MS = 60
const DEFAULT_SECONDS = 20

const [other, work = 'lines', seconds = DEFAULT_SECONDS] = process.argv.slice(2)
if (other === undefined) {
  console.error('compare: it takes the checkout of another build')
  process.exit(2)
}
const roots = [resolve(other), fileURLToPath(new URL('../../', import.meta.url))]
const builds = await Promise.all(roots.map(start))
for (const build of builds) await turn(build, WARM_MS)
const turns: number[][] = []
const until = performance.now() + Number(seconds) * 1000
while (performance.now() < until) {
  const costs: number[] = []
  for (const build of builds) costs.push(await turn(build, TURN_MS))
  turns.push(costs)
}
for (const build of builds) build.kill()
report('compare', {
  title: `Processor time of an event in two builds, ${work}, ${turns.length} turns`,
  columns: ['build', 'median µs', 'of the other'],
  rows: roots.map((root, index) => [root, median(turns.map((costs) => costs[index])), median(turns.map((costs) => costs[index] / costs[0]))]),
})

async function start(root: string): Promise<ChildProcess> {
  const build = fork(join(root, 'dist/bench/compared-build.js'), [work])
  build.once('exit', (code) => {
    if (code !== null) process.exit(code)
  })
  await once(build, 'message')
  return build
}

/** Lets a build work for that long. @returns the processor time of an event, in microseconds */
async function turn(build: ChildProcess, milliseconds: number): Promise<number> {
  build.send(milliseconds)
  const [cost] = (await once(build, 'message')) as [number]
  return cost
}
