/** A child process for tests of the embedded store: one that is killed while it writes, one that writes beside another, one whose disk is full. */
import { execFileSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { platformCollection } from '../../../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import type { Thing } from '../../../contracts/storage.js'

export const HEADS = platformCollection<Thing>('heads', [])
export const PARTS = platformCollection<Thing>('parts', [{ keys: { head: 1, n: -1 } }, { keys: { code: 1 }, unique: true }, { keys: { tags: 1 } }])
export const COPIES = platformCollection<Thing>('copies', [{ keys: { text: 1 } }])
export const SHARED_COUNTS = platformCollection<Thing>('shared_counts', [], { volatile: true })
export const CHILD_DEFINITIONS = [HEADS, PARTS, COPIES, SHARED_COUNTS]
/** Writes of each process. */
export const SHARED_WRITES = 200

/** Writers at the same time: enough that transactions hold several writes. */
const WRITERS = 16
const DOCUMENT = 'x'.repeat(50_000)

/** Written synchronously, so that a killed process has reported what was acknowledged. */
function say(message: object): void {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (fault) {
      // The pipe is full until the parent reads it.
      if ((fault as NodeJS.ErrnoException).code !== 'EAGAIN') throw fault
    }
  }
}

const [mode, directory, round = '0'] = process.argv.slice(2)

/** Reports exactly the acknowledged writes. */
async function writeForever(): Promise<void> {
  const storage = await openEmbeddedStorage({ directory })
  await storage.prepare(CHILD_DEFINITIONS)
  const heads = storage.open(HEADS)
  const parts = storage.open(PARTS)
  const copies = storage.open(COPIES)
  if ((await heads.findOne({ _id: 'head' })) === null) await heads.insert({ _id: 'head', n: 0 })
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; ; n++) {
        const _id = `${round}-${writer}-${n}`
        await storage.commit([
          heads.updating({ _id: 'head' }, { increment: { n: 1 } }),
          parts.inserting({ _id, head: 'head', n, code: _id, tags: [`w${writer}`, `n${n % 10}`] }),
          copies.inserting({ _id, text: `copy of ${_id}` }),
        ])
        say({ committed: _id })
        await copies.insert({ _id: `s${_id}`, text: 'single' })
        say({ inserted: `s${_id}` })
        if (n % 3 === 0) {
          await copies.update({ _id: `s${_id}` }, { set: { text: 'changed' } })
          say({ changed: `s${_id}` })
        }
        if (n % 5 === 0) {
          await copies.delete({ _id: `s${_id}` })
          say({ deleted: `s${_id}` })
        }
      }
    }),
  )
}

/** Counts, and takes names, at the same time as other processes. */
async function share(): Promise<void> {
  const storage = await openEmbeddedStorage({ directory })
  await storage.prepare(CHILD_DEFINITIONS)
  const heads = storage.open(HEADS)
  const parts = storage.open(PARTS)
  const counts = storage.open(SHARED_COUNTS)
  say({ opened: true })
  await new Promise((resolve) => process.stdin.once('data', resolve))
  let taken = 0
  const write = async (n: number): Promise<void> => {
    await heads.update({ _id: 'head' }, { increment: { n: 1 } })
    await counts.update({ _id: 'count' }, { increment: { n: 1 } })
    await parts.insert({ _id: `${round}-${n}`, head: 'head', n, code: `code ${n}` }).then(
      () => taken++,
      () => undefined,
    )
  }
  await Promise.all(Array.from({ length: SHARED_WRITES }, (_, n) => write(n)))
  say({ taken, seen: await parts.count({}) })
  await storage.close()
  process.stdin.destroy()
}

/** Runs with a limit on the size of files that it can lift itself. */
async function fill(): Promise<void> {
  const storage = await openEmbeddedStorage({ directory })
  await storage.prepare(CHILD_DEFINITIONS)
  const copies = storage.open(COPIES)
  let written = 0
  const fault = await (async () => {
    for (; ; written++) await copies.insert({ _id: String(written), text: `${written} ${DOCUMENT}` })
  })().catch((error: unknown) => error as Error)
  const together = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => copies.insert({ _id: `more-${n}`, text: DOCUMENT })))
  say({
    written,
    fault: fault.name,
    together: together.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'fulfilled')),
    count: await copies.count({}),
    more: await copies.count({ _id: { in: Array.from({ length: 20 }, (_, n) => `more-${n}`) } }),
  })
  execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited'])
  await copies.insert({ _id: 'again', text: DOCUMENT })
  await copies.deleteMany({ _id: { not: 'again' } })
  say({ left: await copies.count({}) })
  await storage.close()
}

if (mode === 'write') await writeForever()
if (mode === 'share') await share()
if (mode === 'fill') await fill()
