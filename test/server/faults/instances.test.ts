/** Two instances of the service that know one another by address, behind no balancer: a session continues at either of them, also when one is stopped, started or killed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap } from '../../support/actors.js'
import { Client } from '../../support/client.js'
import { freePorts } from '../../support/child-servers.js'
import { runs } from '../../support/runs.js'
import { childrenOf, type ServiceProcess, SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, REPLICA_SET } from '../../support/stores.js'

const SESSIONS = 24
/** Much longer than a request takes: one that gets no answer until then never will. */
const ANSWER_MS = 20_000
const CONTENT = '<group name="tests,"><rule id="100100" level="5"><match>knock</match><description>Knock.</description></rule></group>'

interface Counted {
  readonly times: number
  readonly isLost: boolean
}

/** Each number of processes and each store once; all of both with `FULL=1`. */
const PROCESSES = new Map([
  [EMBEDDED, runs([1], [1, 2])],
  [REPLICA_SET, runs([2], [1, 2])],
])

for (const [store, counts] of PROCESSES) {
  for (const processes of counts) {
    describe(`two instances of ${processes === 1 ? 'one process' : 'two processes'}, ${store.name}`, { skip: store.skip }, () => {
      test('share sessions, also while one stops, starts and dies; what dies loses its own, and says so once', async () => {
        const fresh = await store.fresh()
        const folders = await Promise.all([EMBEDDED.fresh(), EMBEDDED.fresh()])
        const firstPorts = await portsOf(processes)
        const running = new Set<ServiceProcess>()
        const start = async (index: number): Promise<ServiceProcess> => {
          const service = await startServiceProcess({
            ...fresh.env,
            // Both instances share the folder of an embedded store.
            ...(store === EMBEDDED ? {} : { NATIVE_SERVICE_DATA_DIR: folders[index].env.NATIVE_SERVICE_DATA_DIR }),
            ...SMALL_RULESET,
            NATIVE_SERVICE_PROCESSES: String(processes),
            NATIVE_SERVICE_WORKERS: String(processes),
            NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false',
            NATIVE_SERVICE_PEER_ADDRESS: `127.0.0.1:${firstPorts[index]}`,
          })
          running.add(service)
          while ((await fetch(`${service.origin}/readyz`)).status !== 200) await sleep(50)
          return service
        }
        const stop = async (service: ServiceProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
          running.delete(service)
          const code = await service.stop(signal)
          if (signal === 'SIGTERM') assert.equal(code, 0, service.output())
        }
        try {
          let [a, b] = [await start(0), await start(1)]
          const admin = await bootstrap(new Client(a.origin))
          const body = { files: [{ filename: 'knocks.xml', kind: 'rules', content: CONTENT }], trace: false }
          const count = async ({ origin }: ServiceProcess, session: number): Promise<Counted | null> => {
            const response = await fetch(`${origin}/api/v1/analysis/logtest-native`, {
              method: 'POST',
              headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'application/json', Connection: 'close' },
              body: JSON.stringify({ ...body, input: { event: 'knock', session_id: `session ${session}` } }),
              signal: AbortSignal.timeout(ANSWER_MS),
            })
            const text = await response.text()
            if (response.status === 503) {
              assert.notEqual(response.headers.get('retry-after'), null)
              return null
            }
            assert.equal(response.status, 200, text)
            const { rule, diagnostics } = JSON.parse(text) as { readonly rule: { readonly firedtimes: number }; readonly diagnostics: readonly { readonly code: string }[] }
            return { times: rule.firedtimes, isLost: diagnostics.some(({ code }) => code === 'session_lost') }
          }
          /** As a caller does who tries again after a 503, of which none has counted. */
          const countAgain = async (service: ServiceProcess, session: number): Promise<Counted | null> => {
            for (const end = Date.now() + ANSWER_MS; Date.now() < end; await sleep(100)) {
              const counted = await count(service, session)
              if (counted !== null) return counted
            }
            return null
          }
          const sessions = Array.from({ length: SESSIONS }, (_, session) => session)
          const all = (at: (session: number) => ServiceProcess): Promise<(Counted | null)[]> => Promise.all(sessions.map((session) => countAgain(at(session), session)))
          const fine = (times: number): Counted[] => sessions.map(() => ({ times, isLost: false }))
          const alternately = (session: number): ServiceProcess => (session % 2 === 0 ? a : b)

          assert.deepEqual(await all(() => a), fine(1))
          assert.deepEqual(await all(() => b), fine(2))
          await stop(b, 'SIGTERM')
          assert.deepEqual(await all(() => a), fine(3), 'a stopped instance has not handed its sessions over')
          b = await start(1)
          assert.deepEqual(await all(alternately), fine(4), 'a started instance has not taken its sessions')
          assert.deepEqual(await all(() => b), fine(5))
          // The marks are sent together.
          await sleep(500)
          // The processes of a supervisor that is killed stop in order.
          for (const child of childrenOf(b)) process.kill(child, 'SIGKILL')
          await stop(b, 'SIGKILL')
          const atOnce = await Promise.all(sessions.map((session) => count(a, session)))
          const disturbed = sessions.filter((session) => atOnce[session] === null)
          assert.ok(disturbed.length > 0 && disturbed.length < SESSIONS, `${disturbed.length} of ${SESSIONS} sessions were in the killed instance`)
          b = await start(1)
          const after = await all(alternately)
          for (const [session, counted] of after.entries())
            assert.deepEqual(counted, disturbed.includes(session) ? { times: 1, isLost: true } : { times: 7, isLost: false }, `session ${session}`)
          for (const [session, counted] of (await all(alternately)).entries()) assert.deepEqual(counted, { times: disturbed.includes(session) ? 2 : 8, isLost: false })
          for (const service of [a, b]) assert.doesNotMatch(service.output(), /"level":"(?:error|fatal)"/)
          await Promise.all([stop(a, 'SIGTERM'), stop(b, 'SIGTERM')])
        } finally {
          for (const service of running) await service.stop('SIGKILL')
          await fresh.remove()
          for (const folder of folders) await folder.remove()
        }
      })
    })
  }
}

/** The first port of each of two instances; each process needs one. */
async function portsOf(processes: number): Promise<number[]> {
  const ports = await freePorts(2 * processes)
  return [ports[0], ports[processes]]
}
