/** A store on MongoDB whose writes a test sees one by one, and may stop for good: that is what a crash between two of them is. */
import { connect, type Connection } from '../../server/storage/mongo/client.js'
import { MongoStorage, type MongoStorageTuning } from '../../server/storage/mongo/storage.js'
import type { Native } from '../../server/storage/mongo/stored.js'

/** Short, so that tests needn't wait; long enough that a busy machine doesn't lose its turn. */
export const TURN_MS = 300
/** Of who is to die at a write that was counted: a commit that is slow begins anew, or says that it is at work, and that is a write as well. */
const UNHURRIED_MS = 60_000

/** A storage whose time is short, and the connection below it, which a test may cut. */
export async function openTuned(
  url: string,
  tuning: MongoStorageTuning,
  onWarning: (message: string) => void = () => {},
): Promise<{ storage: MongoStorage; connection: Connection }> {
  const connection = await connect(url)
  return { storage: new MongoStorage(connection, onWarning, { turnMs: TURN_MS, ...tuning }), connection }
}

const WRITES: ReadonlySet<string | symbol> = new Set([
  'insertOne',
  'insertMany',
  'findOneAndUpdate',
  'findOneAndDelete',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
])

/** Every write to MongoDB, with what comes before and after it. What never resolves is a crash. */
export function watched(around: { before?: (method: string, args: unknown[]) => Promise<void>; after?: (method: string) => Promise<void> }): Pick<MongoStorageTuning, 'through'> {
  const through = (native: Native): Native =>
    new Proxy(native, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        const method = value as (...args: unknown[]) => unknown
        if (!WRITES.has(name)) return method.bind(target)
        return async (...args: unknown[]) => {
          await around.before?.(String(name), args)
          const result = await method.apply(target, args)
          await around.after?.(String(name))
          return result
        }
      },
    })
  return { through }
}

/** Runs work on a storage whose process dies after its nth write. @returns whether the work was done by then */
export async function crashing(url: string, writes: number, work: (storage: MongoStorage) => Promise<unknown>): Promise<boolean> {
  let reached = 0
  let dead: () => void = () => {}
  const died = new Promise<'died'>((resolve) => {
    dead = () => resolve('died')
  })
  const { storage, connection } = await openTuned(url, {
    turnMs: UNHURRIED_MS,
    ...watched({
      after: () => {
        if (++reached < writes) return Promise.resolve()
        dead()
        return new Promise(() => {})
      },
    }),
  })
  const finished = (await Promise.race([work(storage), died])) !== 'died'
  // Its connections end as those of a process that is gone.
  await connection.client.close(true)
  return finished
}
