/** A service of several processes: what its callers and its operator see when one of them is killed, or all are stopped. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Actor, bootstrap, login } from '../../support/actors.js'
import { Client } from '../../support/client.js'
import { openStream } from '../../support/event-stream.js'
import { allOf } from '../../support/pages.js'
import { childrenOf, statOf, type ServiceProcess, SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, type FreshStore } from '../../support/stores.js'

const PROCESSES = 2
const METRICS_TOKEN = 'a-token-for-the-metrics-of-tests-long-enough'
const SETTINGS = {
  ...SMALL_RULESET,
  NATIVE_SERVICE_PROCESSES: String(PROCESSES),
  NATIVE_SERVICE_WORKERS: String(PROCESSES),
  NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN,
  NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false',
}
/** A kill follows after so many answers of each round. */
const ANSWERS = 60
const AT_ONCE = 8
const SESSIONS = 12
const SESSION_EVENTS = 20
/** Streams of one user, who may have five; those of a killed process count until their leases end. */
const STREAMS = 3
/** Much longer than a request takes: one that gets no answer until then never will. */
const ANSWER_MS = 20_000

describe('a service of several processes', () => {
  let fresh: FreshStore
  let service: ServiceProcess
  let admin: Actor

  before(async () => {
    fresh = await EMBEDDED.fresh()
    service = await startServiceProcess({ ...fresh.env, ...SETTINGS })
    admin = await bootstrap(new Client(service.origin))
  })
  after(async () => {
    await service?.stop('SIGKILL')
    await fresh?.remove()
  })

  test('is ready when each process is, and shows the metrics of each', async () => {
    await until(async () => (await fetch(`${service.origin}/readyz`)).status === 200)
    assert.deepEqual(await processesUp(service), [1, 1])
    const text = await metricsOf(service)
    for (let number = 1; number <= PROCESSES; number++) assert.match(text, new RegExp(`^analysis_threads\\{process="${number}"\\} 1$`, 'm'))
  })

  test('goes on when one of its processes is killed', async (t) => {
    const keys = `/platform/organizations/${admin.organizationId}/api-keys`
    const acknowledged = new Set<string>()
    const readers = await Promise.all(Array.from({ length: STREAMS }, () => openStream(admin.client)))
    const streams = new Set(readers)
    for (const reader of readers) {
      const remove = (): void => void streams.delete(reader)
      void reader.ended().then(remove, remove)
    }
    let cut = 0
    for (let round = 0; round < 2; round++) {
      const [victim] = childrenOf(service)
      const inProcess = await openStreams(service)
      const open = streams.size
      const ends = endedProcesses(service).length
      let left = ANSWERS
      let isKilled = false
      await t.test(`kill ${round + 1}: every connection that it had not taken is answered`, async () => {
        const write = async (worker: number): Promise<void> => {
          while (left-- > 0) {
            const name = `key ${round} ${worker} ${left}`
            try {
              // A connection for each request, so that some are on the way to the process when it is killed.
              const response = await fetch(`${service.origin}/api/v1${keys}`, {
                method: 'POST',
                headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'application/json', Connection: 'close' },
                body: JSON.stringify({ name, scopes: ['analysis:run'], expires_at: null }),
                signal: AbortSignal.timeout(ANSWER_MS),
              })
              assert.equal(response.status, 200, await response.text())
              acknowledged.add(name)
            } catch (error) {
              assert.notEqual((error as Error).name, 'TimeoutError', 'a request got no answer')
              if (!(error instanceof TypeError)) throw error
              cut++
            }
            if (!isKilled && left < ANSWERS / 2) {
              isKilled = true
              process.kill(victim, 'SIGKILL')
            }
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => write(worker)))
      })
      await t.test(`kill ${round + 1}: no stream of another process is cut`, async () => {
        await until(async () => childrenOf(service).length === PROCESSES && !childrenOf(service).includes(victim) && (await processesUp(service)).every((up) => up === 1))
        const [ended] = endedProcesses(service).slice(ends)
        const kept = open - (inProcess.get(ended) ?? 0)
        await until(async () => streams.size <= kept)
        assert.equal(streams.size, kept, 'a stream of another process was cut')
      })
    }
    for (const reader of streams) await reader.close()
    assert.ok(cut <= 2 * AT_ONCE, `${cut} requests were cut`)
    const names = (await allOf<{ readonly name: string }>(admin, keys)).map(({ name }) => name)
    await t.test('no acknowledged write is lost, and none is done twice', () => {
      const stored = new Set(names)
      assert.equal(names.length, stored.size, 'a request was carried out twice')
      for (const name of acknowledged) assert.ok(stored.has(name), `${name} is lost`)
    })
    await t.test('a request that was cut is carried out in full, or not at all', async () => {
      const audited = (await allOf<{ readonly action: string; readonly resource_name: string }>(admin, '/platform/audit')).filter(({ action }) => action === 'api_key.created')
      assert.deepEqual(audited.map(({ resource_name: name }) => name).sort(), names.sort())
    })
    assert.equal(endedProcesses(service).length, 2)
  })

  test('counts the events of a session on any connection; a killed process loses its own sessions, and says so once', async () => {
    const headers = { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'application/json', Connection: 'close' }
    const send = async (body: unknown, path = 'logtest-native'): Promise<Response> =>
      fetch(`${service.origin}/api/v1/analysis/${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(ANSWER_MS) })
    const content = '<group name="tests,"><rule id="100100" level="5"><match>knock</match><description>Knock.</description></rule></group>'
    const files = [{ filename: 'knocks.xml', kind: 'rules', content }]
    const { summary } = (await (await send({ files }, 'validate')).json()) as { readonly summary: { readonly compiled_hash: string } }
    const [victim] = childrenOf(service)
    let answered = 0
    let lost = 0
    const run = async (session: number): Promise<void> => {
      const body = { compiled_hash: summary.compiled_hash, input: { event: 'knock', session_id: `session ${session}` }, trace: false }
      let count = 0
      let cut = 0
      let hasLost = false
      for (let event = 0; event < SESSION_EVENTS; ) {
        if (answered === (SESSIONS * SESSION_EVENTS) / 2) process.kill(victim, 'SIGKILL')
        const response = await send(body).catch((error: Error) => error)
        if (response instanceof Error) {
          assert.notEqual(response.name, 'TimeoutError', 'a request got no answer')
          cut++
          continue
        }
        const text = await response.text()
        if (response.status === 503) {
          assert.notEqual(response.headers.get('retry-after'), null)
          await sleep(100)
          continue
        }
        assert.equal(response.status, 200, text)
        const { rule, diagnostics } = JSON.parse(text) as { readonly rule: { readonly firedtimes: number }; readonly diagnostics: readonly { readonly code: string }[] }
        if (diagnostics.some(({ code }) => code === 'session_lost')) {
          assert.ok(!hasLost, 'a session is lost twice')
          hasLost = true
          count = 0
        }
        // An event whose connection was cut may have been counted before.
        assert.ok(rule.firedtimes > count && rule.firedtimes <= count + 1 + cut, `${rule.firedtimes} after ${count}, ${cut} cut`)
        count = rule.firedtimes
        cut = 0
        event++
        answered++
      }
      if (hasLost) lost++
    }
    await Promise.all(Array.from({ length: SESSIONS }, (_, session) => run(session)))
    assert.ok(lost > 0 && lost < SESSIONS, `${lost} sessions were lost`)
    await until(async () => childrenOf(service).length === PROCESSES && (await processesUp(service)).every((up) => up === 1))
  })

  test('ends the streams of a session in each process when the session ends', async () => {
    const { client } = await login(new Client(service.origin), admin.email)
    const readers = await Promise.all(Array.from({ length: PROCESSES }, () => openStream(client)))
    try {
      for (const reader of readers) await reader.unread()
      assert.equal((await client.post('/auth/logout')).status, 200)
      for (const reader of readers) await reader.ended()
    } finally {
      for (const reader of readers) await reader.close()
    }
  })

  test('writes one log, of whole lines', () => {
    const lines = service.output().trim().split('\n')
    for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line)
    assert.equal(lines.filter((line) => line.includes('"msg":"listening"')).length, 1)
  })

  test('finishes what runs on SIGTERM, ends with 0, and leaves no process', async () => {
    const children = childrenOf(service)
    const open = fetch(`${service.origin}/api/v1/notifications/stream`, { headers: { Authorization: `Bearer ${admin.token}` } })
    assert.equal((await open).status, 200)
    assert.equal(await service.stop('SIGTERM'), 0)
    assert.match(service.output(), /"msg":"stopped"/)
    for (const child of children) assert.throws(() => process.kill(child, 0), { code: 'ESRCH' })
  })
})

test('the end of the supervisor ends the processes', async () => {
  const fresh = await EMBEDDED.fresh()
  const service = await startServiceProcess({ ...fresh.env, ...SETTINGS })
  try {
    await until(() => Promise.resolve(childrenOf(service).length === PROCESSES))
    const children = childrenOf(service)
    await service.stop('SIGKILL')
    await until(() => Promise.resolve(children.every((child) => !isRunning(child))))
  } finally {
    await fresh.remove()
  }
})

test('what prevents the start is reported once, and ends the service', async () => {
  const fresh = await EMBEDDED.fresh()
  const taken = createServer().listen(0, '127.0.0.1')
  try {
    await once(taken, 'listening')
    const { port } = taken.address() as { readonly port: number }
    await assert.rejects(startServiceProcess({ ...fresh.env, ...SETTINGS, NATIVE_SERVICE_PORT: String(port) }), /exit 1:(?:.|\n)*EADDRINUSE/)
    const refused = await startServiceProcess({ ...fresh.env, ...SETTINGS, NATIVE_SERVICE_DEFAULT_RULESET_DIR: '/nowhere' }).catch((error: Error) => error)
    assert.ok(refused instanceof Error)
    assert.match(refused.message, /^exit 1:/)
    assert.equal((refused.message.match(/"level":"fatal"/g) ?? []).length, 1, refused.message)
  } finally {
    taken.close()
    await fresh.remove()
  }
})

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo().catch(() => false)); await sleep(50)) assert.ok(Date.now() < end, 'it has not happened within a minute')
}

async function metricsOf({ origin }: ServiceProcess): Promise<string> {
  return (await fetch(`${origin}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })).text()
}

async function processesUp(service: ServiceProcess): Promise<number[]> {
  return [...(await metricsOf(service)).matchAll(/^service_process_up\{process="\d+"\} (\d)$/gm)].map(([, up]) => Number(up))
}

/** How many event streams each process has, by its number. */
async function openStreams(service: ServiceProcess): Promise<ReadonlyMap<number, number>> {
  return new Map([...(await metricsOf(service)).matchAll(/^event_streams_open\{process="(\d+)"\} (\d+)$/gm)].map(([, number, open]) => [Number(number), Number(open)]))
}

/** The numbers of the processes that ended unexpectedly so far. */
function endedProcesses(service: ServiceProcess): number[] {
  return [...service.output().matchAll(/"process":(\d+)[^\n]*"msg":"a process of the service ended unexpectedly/g)].map(([, number]) => Number(number))
}

function isRunning(pid: number): boolean {
  const stat = statOf(pid)
  return stat !== null && !/^\d+ \(.*\) Z/.test(stat)
}
