/**
 * Measures how long other callers wait while one attacks: `node dist/bench/server/fairness.bench.js [PREFIX…]` runs each attack of `attacks.ts`, or those with
 * one of the prefixes. Each attack has a new service with two organizations. One attacks for some seconds; meanwhile the other sends a logtest with its own
 * rules, and an unauthenticated client requests `/livez`, each 25 times a second. Printed are p50, p99 and maximum of both, the same without an attack, the number
 * of responses to the other organization that were not 200, and the memory that the attack added.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { ATTACKS, type AttackName, type Target } from './attacks.js'
import { callerOf, type Caller } from './caller.js'
import { percentile, samplesOf, type Samples } from './latencies.js'
import { PART_BYTES } from '../../server/features/replays/corpora/limits.js'
import { report } from '../report.js'
import { type BenchService, startBenchService } from './service.js'

const ALONE_SECONDS = 4
const ATTACK_SECONDS = 8
/** Time before the attack starts. */
const BEGIN_MS = 1_500
/** Pause between two requests of one kind. */
const PAUSE_MS = 40
/** A response of `/livez` within this time is normal. */
const NORMAL_MS = 60
/** Consecutive normal responses that mean recovery, and the maximum time to wait for them. */
const NORMAL_ROW = 5
const RECOVERY_SECONDS = 20
/** The priority of the attacker's processes is low, because a real attacker uses other machines. */
const NICE = '15'
const CASES = 5_000
const CASES_OF_IMPORT = 1_000
/** Lines of the corpus that is replayed: four parts of an upload. */
const LINES = 160_000

const OWN_RULE = '<group name="local,"><rule id="100300" level="5"><decoded_as>sshd</decoded_as><match>hello</match><description>v</description></rule></group>'
const EVENT = 'Jan  5 10:11:12 web1 sshd[1]: Failed password for root from 192.0.2.4 port'
const LOGTEST = { files: [{ filename: 'v.xml', kind: 'rules', content: OWN_RULE }], input: { event: 'Jan  5 10:11:12 web1 sshd[1]: hello' }, trace: false }

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends requests at a fixed rate, without waiting for responses. */
async function measure(calls: Readonly<Record<string, () => Promise<number>>>, seconds: number): Promise<Samples & { readonly statuses: Map<number, number> }> {
  const samples = samplesOf()
  const statuses = new Map<number, number>()
  const pending: Promise<void>[] = []
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(PAUSE_MS)) {
    for (const [kind, call] of Object.entries(calls)) {
      const started = performance.now()
      const end = (status: number): void => {
        if (status !== 200) statuses.set(status, (statuses.get(status) ?? 0) + 1)
        // Refusals are part of the latencies: their callers waited as well.
        samples.add(kind, performance.now() - started, 200)
      }
      pending.push(call().then(end, () => end(0)))
    }
  }
  await Promise.all(pending)
  return Object.assign(samples, { statuses })
}

/** Resident memory in MB; Linux only, elsewhere 0. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

async function targetOf(service: BenchService, withCases: boolean, withCorpus: boolean): Promise<Target> {
  const { key, token, organizationId } = await service.register('attacker')
  const { port } = new URL(service.url)
  const { json } = callerOf(service.url, new Agent({ keepAlive: true }), token)
  const { id: projectId } = await json<{ id: string }>('POST', '/platform/projects', { name: 'Cases' })
  for (let first = 0; withCases && first < CASES; first += CASES_OF_IMPORT) {
    const suites = Array.from({ length: CASES_OF_IMPORT }, (_, i) => `[case ${first + i}]\nlog 1 pass = ${EVENT} ${first + i}\nrule = 5760\nalert = 5\ndecoder = sshd\n`)
    await json('POST', `/platform/projects/${projectId}/cases/import`, { content: suites.join('') })
  }
  const corpusId = withCorpus ? await uploadCorpus(service, token, projectId) : null
  return { port: Number(port), key, token, organizationId, projectId, corpusId }
}

async function uploadCorpus({ url }: BenchService, token: string, projectId: string): Promise<string> {
  const bytes = Buffer.from(Array.from({ length: LINES }, (_, i) => `${EVENT} ${i}\n`).join(''))
  const path = `/platform/projects/${projectId}/corpora`
  const { json } = callerOf(url, new Agent({ keepAlive: true }), token)
  const { id } = await json<{ id: string }>('POST', path, { name: 'Lines', size_bytes: bytes.length })
  for (let offset = 0; offset < bytes.length; offset += PART_BYTES) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/offset+octet-stream' }
    const response = await fetch(`${new URL(url).origin}/api/v1${path}/${id}?offset=${offset}`, { method: 'PATCH', headers, body: bytes.subarray(offset, offset + PART_BYTES) })
    if (!response.ok) throw new Error(await response.text())
  }
  return id
}

function attack(name: AttackName, target: Target): { readonly ended: Promise<string> } {
  const script = fileURLToPath(new URL('./attacks.js', import.meta.url))
  const child = spawn('nice', ['-n', NICE, process.execPath, script, name, JSON.stringify(target), String(ATTACK_SECONDS + BEGIN_MS / 1000)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data) => {
    output += String(data)
  })
  return { ended: new Promise((resolve) => child.once('close', () => resolve(output))) }
}

/** Milliseconds until the responses of `/livez` are normal again. */
async function recovery(live: () => Promise<number>): Promise<number> {
  const started = performance.now()
  for (let row = 0; row < NORMAL_ROW && performance.now() - started < RECOVERY_SECONDS * 1000; ) {
    const started = performance.now()
    await live().catch(() => 0)
    row = performance.now() - started < NORMAL_MS ? row + 1 : 0
  }
  return performance.now() - started
}

function shown(samples: Samples, kind: string): string {
  const values = samples.kinds.get(kind) ?? []
  return [50, 99, 100].map((percent) => percentile(values, percent).toFixed(1)).join(' / ')
}

async function row(name: AttackName): Promise<(string | number)[]> {
  const service = await startBenchService({ NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' })
  try {
    const target = await targetOf(service, name.startsWith('runs') || name === 'exports', name === 'replays')
    const other = await service.register('other')
    const agent = new Agent({ keepAlive: true, maxSockets: 64 })
    const { call: own }: { call: Caller } = callerOf(service.url, agent, other.token)
    const { origin } = new URL(service.url)
    const live = async (): Promise<number> => {
      const response = await fetch(`${origin}/livez`)
      await response.arrayBuffer()
      return response.status
    }
    const calls = { livez: live, logtest: () => own('POST', '/analysis/logtest-native', LOGTEST) }
    await measure(calls, 2)
    const alone = await measure(calls, ALONE_SECONDS)
    const before = residentMb(service.pid)
    let max = before
    const watch = setInterval(() => {
      max = Math.max(max, residentMb(service.pid))
    }, 50)
    const { ended } = attack(name, target)
    await sleep(BEGIN_MS)
    const during = await measure(calls, ATTACK_SECONDS)
    const output = await ended
    const recovered = await recovery(live)
    clearInterval(watch)
    const refused = [...during.statuses].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none'
    const { sentMb, statuses } = JSON.parse(output) as { sentMb: number; statuses: Record<string, number> }
    const answered = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
    return [name, shown(during, 'livez'), shown(during, 'logtest'), shown(alone, 'logtest'), refused, recovered, max - before, `${sentMb} MB; ${answered.join(', ')}`]
  } finally {
    await service.stop()
  }
}

const prefixes = process.argv.slice(2)
const names = (Object.keys(ATTACKS) as AttackName[]).filter((name) => prefixes.length === 0 || prefixes.some((begin) => name.startsWith(begin)))
const rows: (string | number)[][] = []
for (const name of names) rows.push(await row(name))
report('fairness', {
  title: `One caller's attack, and what others see: p50 / p99 / max in milliseconds, ${ATTACK_SECONDS} s each`,
  columns: ['attack', '/livez', 'logtest of another organization', 'the same alone', 'others refused', 'recovered after ms', 'memory MB', 'attacker sent, and received'],
  rows,
})
