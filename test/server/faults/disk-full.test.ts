/**
 * The disk becomes full under a running service: it refuses writes with a specific error, continues to read, loses nothing, and writes again as soon as there
 * is space.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import type { Readiness } from '../../../server/core/observability/health.js'
import { type Actor, bootstrap, createKey, login } from '../../support/actors.js'
import { Client, type Refusal } from '../../support/client.js'
import { allOf } from '../../support/pages.js'
import { type ServiceProcess, SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'

/** Space for a few hundred writes. */
const LEFT_BYTES = 512 * 1024
const FILL_BYTES = 64 * 1024
/** Far more than fits: SQLite reuses its log, so the first refusal is late. */
const WRITES = 5000
const AT_ONCE = 16
/** Refusals to wait for: some of single writes, some of transactions with many writes. */
const REFUSALS = 40
const TMPFS_BYTES = 24 * 1024 * 1024
const RULE = { files: [{ filename: 'a.xml', kind: 'rules', scope: 'adhoc', content: '<group name="a,"><rule id="100100" level="3"><description>a</description></rule></group>' }] }

interface KeyRecord {
  readonly id: string
  readonly name: string
}

/** A place for data that can be filled. */
interface Disk {
  readonly folder: string
  fill(service: ServiceProcess): void
  free(service: ServiceProcess): void
  remove(): void
}

/** Limits the size of the process's files to that of the store, like a quota, and without privileges. */
function limitedDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  const limit = ({ child }: ServiceProcess, bytes: number | 'unlimited'): void => void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:`])
  return {
    folder,
    fill: (service) => limit(service, Math.max(...['store.sqlite', 'store.sqlite-wal'].map((file) => statSync(join(folder, 'store', file)).size)) + LEFT_BYTES),
    free: (service) => limit(service, 'unlimited'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A separate file system in memory, and a file that takes nearly all of it. */
function smallDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${TMPFS_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' })
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      // In small steps, because the service writes at the same time.
      for (;;) {
        const { bavail, bsize } = statfsSync(folder)
        if (bavail * bsize <= LEFT_BYTES) break
        appendFileSync(filler, Buffer.alloc(FILL_BYTES))
      }
    },
    free: () => rmSync(filler),
    remove() {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const DISKS = [
  { name: 'a limit on files', make: limitedDisk, skip: reasonFor(() => execFileSync('prlimit', ['--pid', String(process.pid), '--fsize'], { stdio: 'ignore' }), 'no prlimit') },
  { name: 'a small file system', make: smallDisk, skip: reasonFor(() => smallDisk().remove(), 'no file system can be mounted here') },
]

function reasonFor(attempt: () => unknown, reason: string): string | false {
  try {
    attempt()
    return false
  } catch {
    return reason
  }
}

for (const { name, make, skip } of DISKS) {
  describe(`a full disk, ${name}`, { skip }, () => {
    test('writes are refused, reads continue, and nothing that was acknowledged is lost', async () => {
      const disk = make()
      const env = { ...SMALL_RULESET, NATIVE_SERVICE_DATA_DIR: disk.folder, NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false' }
      try {
        const first = await startServiceProcess(env)
        const admin = await bootstrap(new Client(first.origin))
        const { client: program } = await createKey(admin, ['analysis:run'], 'before')
        const acknowledged = new Set<string>(['before'])
        try {
          disk.fill(first)
          const refused = await writeUntilFull(admin, acknowledged)
          for (const { status, body } of refused) {
            assert.equal(status, 507)
            assert.deepEqual(Object.keys(body).sort(), ['code', 'debug_id', 'details', 'hint', 'message'])
            assert.equal(body.code, 'insufficient_storage')
          }
          await assertKeys(admin, acknowledged)
          const validated = await program.post('/analysis/validate', RULE)
          assert.equal(validated.status, 200, validated.text)
          // On a busy machine the threads may still be compiling, which takes no disk.
          for (;;) {
            const { body } = await new Client(first.origin).get<Readiness['parts']>(`${first.origin}/readyz`)
            assert.equal(body.database, 'ok')
            if (body.pool === 'ok') break
            await sleep(50)
          }
          assert.equal(first.child.exitCode, null, first.output())

          disk.free(first)
          for (const after of ['after 1', 'after 2']) {
            await createKey(admin, ['analysis:run'], after)
            acknowledged.add(after)
          }
          await assertKeys(admin, acknowledged)
          assert.equal(await first.stop('SIGTERM'), 0)
        } finally {
          await first.stop('SIGKILL')
        }
        assert.deepEqual(
          readdirSync(join(disk.folder, 'store')).filter((file) => !file.includes('.sqlite')),
          [],
          'something was left beside the store',
        )
        const second = await startServiceProcess(env)
        try {
          const again = await login(new Client(second.origin), admin.email)
          await assertKeys(again, acknowledged)
          await createKey(again, ['analysis:run'], 'after the restart')
        } finally {
          assert.equal(await second.stop('SIGTERM'), 0)
        }
      } finally {
        disk.remove()
      }
    })
  })
}

const keysOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/api-keys`

/** Adds names that were acknowledged. @returns the refusals */
async function writeUntilFull(admin: Actor, acknowledged: Set<string>): Promise<{ status: number; body: Refusal }[]> {
  const refused: { status: number; body: Refusal }[] = []
  let begun = 0
  const write = async (): Promise<void> => {
    while (begun < WRITES && refused.length < REFUSALS) {
      const name = `key ${begun++}`
      const { status, body } = await admin.client.post<Refusal>(keysOf(admin), { name, scopes: ['analysis:run'], expires_at: null })
      if (status === 200) acknowledged.add(name)
      else refused.push({ status, body })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, write))
  assert.ok(refused.length >= REFUSALS, `${acknowledged.size} writes, and only ${refused.length} were refused`)
  return refused
}

/** Asserts that exactly these keys exist, each with its audit entry. */
async function assertKeys(admin: Actor, names: ReadonlySet<string>): Promise<void> {
  const keys = await allOf<KeyRecord>(admin, keysOf(admin))
  assert.deepEqual(keys.map(({ name }) => name).sort(), [...names].sort())
  const audited = (await allOf<{ action: string; resource_id: string }>(admin, '/platform/audit')).filter(({ action }) => action === 'api_key.created')
  assert.deepEqual(audited.map(({ resource_id }) => resource_id).sort(), keys.map(({ id }) => id).sort(), 'a key without its audit entry, or the other way round')
}
