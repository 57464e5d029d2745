/**
 * The embedded store: `node dist/bench/server/storage.bench.js [DIRECTORY]`. Writes are on disk when they are counted, so the result depends mostly on the disk
 * of the directory. The default is the temporary folder, which may be in memory.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { platformCollection, type StoredDocument, tenantCollection, type TenantDocument } from '../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../server/core/storage/embedded/index.js'
import { report } from '../report.js'

interface Key extends TenantDocument {
  readonly public_id: string
  readonly name: string
  readonly secret_hash: string
  readonly scopes: readonly string[]
  readonly status: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

interface Count extends StoredDocument {
  readonly count: number
}

const KEYS = tenantCollection<Key>('keys', [{ keys: { name: 1 }, unique: true }, { keys: { created_at: -1, _id: 1 } }, { keys: { status: 1, created_at: -1 } }], ['public_id'])
const COUNTS = platformCollection<Count>('counts', [], { volatile: true })
const STORED = 50_000
/** Counters that are incremented in turn. */
const COUNTERS = 100
const ORGANIZATIONS = 50

const keyOf = (n: number): Key => ({
  _id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  organization_id: `org-${n % ORGANIZATIONS}`,
  public_id: `public-${n}`,
  name: `key ${n}`,
  secret_hash: 'x'.repeat(64),
  scopes: ['rules:read', 'rules:write'],
  status: n % 3 === 0 ? 'revoked' : 'active',
  created_at: new Date(1_700_000_000_000 + n),
  last_used_at: null,
})

const rows: (string | number)[][] = []

async function measure(what: string, count: number, act: () => Promise<unknown>): Promise<void> {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const started = performance.now()
  await act()
  const ms = performance.now() - started
  loop.disable()
  rows.push([what, Math.round((count / ms) * 1000), (ms / count) * 1000, loop.percentile(99) / 1e6, loop.max / 1e6])
}

async function repeat(count: number, act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await act(n)
}

const directory = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'storage-bench-'))
const storage = await openEmbeddedStorage({ directory })
await storage.prepare([KEYS, COUNTS])
const keys = storage.openTenant(KEYS)
const counts = storage.open(COUNTS)
try {
  let next = 0
  await measure('insert, one after the other', 1000, () => repeat(1000, () => keys.insert(keyOf(next++))))
  for (const writers of [16, 64, 256]) {
    await measure(`insert, ${writers} at a time`, writers * 40, () => Promise.all(Array.from({ length: writers }, () => repeat(40, () => keys.insert(keyOf(next++))))))
  }
  await measure('commit of 1,000 inserts', STORED - next, async () => {
    while (next < STORED) await storage.commit(Array.from({ length: Math.min(1000, STORED - next) }, () => keys.inserting(keyOf(next++))))
  })
  await measure('update by id, one after the other', 500, () =>
    repeat(500, (n) => keys.update({ _id: keyOf(n)._id, organization_id: keyOf(n).organization_id }, { set: { last_used_at: new Date() } })),
  )
  await measure('commit of three writes, 64 at a time', 64 * 20, () =>
    Promise.all(
      Array.from({ length: 64 }, (_, writer) =>
        repeat(20, (n) => {
          const first = keyOf(STORED + (writer * 20 + n) * 2)
          const second = keyOf(STORED + (writer * 20 + n) * 2 + 1)
          return storage.commit([keys.updating({ _id: keyOf(writer)._id }, { set: { last_used_at: new Date() } }), keys.inserting(first), keys.inserting(second)])
        }),
      ),
    ),
  )
  const reads = 100_000
  const asked = Array.from({ length: 10_000 }, (_, n) => keyOf((n * 7919) % STORED))
  const some = (n: number): Key => asked[n % asked.length]
  for (const round of ['', ', again']) {
    await measure(`findOne by id${round}`, reads, () => repeat(reads, (n) => keys.findOne({ _id: some(n)._id, organization_id: some(n).organization_id })))
    await measure(`findOne by locator${round}`, reads, () => repeat(reads, (n) => keys.findOne({ public_id: some(n).public_id })))
  }
  await measure('findOne by unique name of an organization', reads, () => repeat(reads, (n) => keys.findOne({ organization_id: some(n).organization_id, name: some(n).name })))
  await measure('list: 20 newest of an organization', 5000, () =>
    repeat(5000, (n) => keys.find({ organization_id: `org-${n % ORGANIZATIONS}` }, { sort: { created_at: -1, _id: 1 }, limit: 20 })),
  )
  await measure('list: 20 newest of one status', 5000, () =>
    repeat(5000, (n) => keys.find({ organization_id: `org-${n % ORGANIZATIONS}`, status: 'active' }, { sort: { created_at: -1 }, limit: 20 })),
  )
  await measure('count of an organization, 1,000 of 50,000', 200, () => repeat(200, (n) => keys.count({ organization_id: `org-${n % ORGANIZATIONS}` })))
  for (let n = 0; n < COUNTERS; n++) await counts.insert({ _id: `c${n}`, count: 0 })
  const increment = (n: number): Promise<unknown> => counts.update({ _id: `c${n % COUNTERS}` }, { increment: { count: 1 } })
  await measure('volatile counter, one after the other', 5000, () => repeat(5000, increment))
  await measure('volatile counter, 64 at a time', 64 * 100, () => Promise.all(Array.from({ length: 64 }, () => repeat(100, increment))))
  await measure('documents of a dump', STORED, async () => {
    for await (const _ of storage.dump());
  })
} finally {
  await storage.close()
  rmSync(directory, { recursive: true })
}
report('storage', {
  title: `The embedded store with ${STORED.toLocaleString('en-US')} documents`,
  columns: ['operation', 'operations/s', 'µs', 'event loop delay p99 ms', 'max ms'],
  rows,
})
