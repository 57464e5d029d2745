/**
 * `node dist/bench/server/replay.bench.js [EVENTS] [SOURCE]`: events a second of `detection-content replay` by threads, against the engine alone in one thread with
 * one session. EVENTS (default 200,000) are those of `../shared/conformance/replay/grow.mjs`, most of them Windows events; or SOURCE is a file of such lines.
 * Each form runs with `--select` and with full alerts. Seconds of the processor are those of the process with all its threads.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { compileRuleset, createSession, EventRunner, readRecord, runReceived, utcMoment } from '#engine'
import { readRulesetFolder } from '#workers'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const CONFORMANCE = join(ROOT, '../shared/conformance')
const MAIN = join(ROOT, 'dist/server/cli/main.js')
const RULESET = join(CONFORMANCE, 'ruleset-default')
const FIELDS = { event: 'event', location: 'location', time: 'time' }
const SELECT = 'rule.id,level,time'
const EVENTS = 200_000
const MICROSECONDS = 1e6

interface Speed {
  readonly rate: number
  readonly seconds: number
  readonly cpu: number
}

if (!existsSync(join(CONFORMANCE, 'replay/grow.mjs'))) {
  console.log('../shared/conformance/replay is not there: nothing is measured')
  process.exit(0)
}
const folder = mkdtempSync(join(tmpdir(), 'replay-bench-'))
try {
  await measureAll(Number(process.argv[2] ?? EVENTS), process.argv[3] ?? null)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measureAll(events: number, source: string | null): Promise<void> {
  const file = source ?? join(folder, 'events.ndjson')
  if (source === null) {
    const grow = spawn(process.execPath, [join(CONFORMANCE, 'replay/grow.mjs'), String(events)], { stdio: ['ignore', 'pipe', 'inherit'] })
    await pipeline(grow.stdout, createWriteStream(file))
  }
  const alone = await engineAlone(file)
  console.log('| What runs | Threads | Seconds | Processor seconds | Events a second | Share of linear |')
  console.log('|---|---:|---:|---:|---:|---:|')
  row('engine alone, one session', 1, alone, 1)
  const threads = [...new Set([1, 2, 4, 8, availableParallelism()])].filter((count) => count <= availableParallelism())
  for (const [name, more] of [
    ['`--select rule.id,level,time`', ['--select', SELECT]],
    ['full alerts', []],
  ] as const)
    for (const count of threads) {
      const speed = replayed(file, count, more)
      row(name, count, speed, speed.rate / (alone.rate * count))
    }
}

/** Reads the lines as `replay` does, and runs them in one session, without writing alerts. */
async function engineAlone(file: string): Promise<Speed> {
  const runner = new EventRunner(compileRuleset(readRulesetFolder(RULESET, 'default')))
  const session = createSession()
  const [started, before] = [performance.now(), process.cpuUsage()]
  let events = 0
  for await (const line of createInterface({ input: createReadStream(file, { encoding: 'latin1' }) })) {
    const record = readRecord(line, FIELDS)
    if (typeof record === 'string') continue
    runReceived(runner, record, utcMoment(record.seconds ?? 0), session)
    events++
  }
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - started) / 1000
  return { rate: events / seconds, seconds, cpu: (user + system) / MICROSECONDS }
}

/** The whole call, with the start of the threads and the results. */
function replayed(file: string, threads: number, more: readonly string[]): Speed {
  const out = mkdtempSync(join(folder, 'out-'))
  const fields = Object.entries(FIELDS).flatMap(([name, value]) => [`--${name}-field`, value])
  const script = `import { main } from ${JSON.stringify(MAIN)}
const { stdin, stdout, stderr, env } = process
process.exitCode = await main(process.argv.slice(2), { stdin, stdout, stderr, env, home: '/', clock: () => performance.now(), isTTY: { stdin: false, stdout: false, stderr: false } })
const { user, system } = process.cpuUsage()
stdout.write('cpu ' + (user + system))`
  const path = join(folder, 'replay.mjs')
  writeFileSync(path, script)
  const argv = ['replay', file, ...fields, '--ruleset', RULESET, '--threads', String(threads), '--out', out, '--quiet', ...more]
  const { stdout, status } = spawnSync(process.execPath, [path, ...argv], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (status !== 0) throw new Error(`replay ended with ${status}`)
  const { run } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')) as { run: { seconds: number; events_per_second: number } }
  rmSync(out, { recursive: true })
  return { rate: run.events_per_second, seconds: run.seconds, cpu: Number(/cpu (\d+)/.exec(stdout)?.[1]) / MICROSECONDS }
}

function row(name: string, threads: number, { rate, seconds, cpu }: Speed, share: number): void {
  console.log(`| ${name} | ${threads} | ${seconds.toFixed(1)} | ${cpu.toFixed(1)} | ${Math.round(rate).toLocaleString('en-US')} | ${share.toFixed(2)} |`)
}
