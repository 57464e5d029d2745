/** The data folder disappears under a running service: the service acknowledges no write, reports it, and writes again when the same folder is back. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import { type Actor, bootstrap, createKey } from '../../support/actors.js'
import { type Answer, Client, type Refusal } from '../../support/client.js'
import { type ServiceProcess, SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'

/** Time limit of the check that notices it. */
const NOTICE_MS = 60_000

const addKey = ({ client, organizationId }: Actor): Promise<Answer<Refusal>> =>
  client.post<Refusal>(`/platform/organizations/${organizationId}/api-keys`, { name: 'another', scopes: ['analysis:run'], expires_at: null })

async function assertRefused(admin: Actor): Promise<void> {
  const refused = await addKey(admin)
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.body.code, 'service_unavailable')
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
}

async function untilReady(service: ServiceProcess, status: number): Promise<void> {
  const client = new Client(service.origin)
  for (const deadline = Date.now() + NOTICE_MS; ; await sleep(50)) {
    const ready = await client.get<{ database: string }>(`${service.origin}/readyz`)
    if (ready.status === status) {
      assert.equal(ready.body.database, status === 200 ? 'ok' : 'unavailable')
      break
    }
    assert.ok(Date.now() < deadline, ready.text)
  }
  assert.equal((await client.get(`${service.origin}/livez`)).status, 200)
}

const MISSING = 'the store is missing from its folder'
const AVAILABLE = 'the store is available again'
const ANOTHER = 'the folder has another store'

/** What the log says about the store, in order. */
const reports = (service: ServiceProcess): string[] => service.output().match(new RegExp([MISSING, AVAILABLE, ANOTHER].join('|'), 'g')) ?? []

test('the service handles a data folder that is moved away, put back, replaced, and deleted', async () => {
  const root = mkdtempSync(join(tmpdir(), 'detection-content-'))
  const [folder, elsewhere, copy] = ['data', 'elsewhere', 'copy'].map((name) => join(root, name))
  const env = { ...SMALL_RULESET, NATIVE_SERVICE_DATA_DIR: folder, NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false' }
  const service = await startServiceProcess(env)
  try {
    const admin = await bootstrap(new Client(service.origin))
    await untilReady(service, 200)

    renameSync(folder, elsewhere)
    // No write is accepted meanwhile, even before the check has noticed.
    await assertRefused(admin)
    await untilReady(service, 503)
    assert.equal((await admin.client.get('/auth/me')).status, 200, 'what is stored can still be read')
    renameSync(elsewhere, folder)
    await createKey(admin, ['analysis:run'], 'after it came back')
    await untilReady(service, 200)

    cpSync(join(folder, 'store'), copy, { recursive: true, filter: (source) => !source.endsWith('.sock') })
    rmSync(join(folder, 'store'), { recursive: true })
    renameSync(copy, join(folder, 'store'))
    await assertRefused(admin)
    await untilReady(service, 503)

    rmSync(folder, { recursive: true })
    await assertRefused(admin)
    await untilReady(service, 503)
    // The log is written after the answers.
    assert.equal(await service.stop('SIGTERM'), 0, service.output())
    const [moved, back, ...later] = reports(service)
    assert.deepEqual([moved, back], [MISSING, AVAILABLE])
    // A check between the deletion of the store and the arrival of its copy reports a missing store first.
    assert.deepEqual(later[0] === MISSING ? later.slice(1) : later, [ANOTHER, MISSING])
  } finally {
    await service.stop('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
})
