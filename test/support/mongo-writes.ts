/** A store on MongoDB whose writes a test sees one by one, and may stop for good: that is what a crash between two of them is. */
import { connect, type Connection } from '../../server/core/storage/mongo/client.js'
import type { Native } from '../../server/core/storage/mongo/native.js'
import { MongoStorage } from '../../server/core/storage/mongo/storage.js'

type Through = (native: Native) => Native

/** A storage, and the connection below it, which a test may cut. */
export async function openWatched(url: string, through?: Through): Promise<{ storage: MongoStorage; connection: Connection }> {
  const connection = await connect(url)
  return { storage: new MongoStorage(connection, through), connection }
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

/** @param after is waited for after every write to MongoDB; what never resolves is a crash */
function watched(after: () => Promise<void>): Through {
  return (native) =>
    new Proxy(native, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        const method = value as (...args: unknown[]) => unknown
        if (!WRITES.has(name)) return method.bind(target)
        return async (...args: unknown[]) => {
          const result = await method.apply(target, args)
          await after()
          return result
        }
      },
    })
}

/** Runs work on a storage whose process dies after its nth write. @returns whether the work was done by then */
export async function crashing(url: string, writes: number, work: (storage: MongoStorage) => Promise<unknown>): Promise<boolean> {
  let reached = 0
  let dead: () => void = () => {}
  const died = new Promise<'died'>((resolve) => {
    dead = () => resolve('died')
  })
  const crash = (): Promise<void> => {
    if (++reached < writes) return Promise.resolve()
    dead()
    return new Promise(() => {})
  }
  const { storage, connection } = await openWatched(url, watched(crash))
  const isFinished = (await Promise.race([work(storage), died])) !== 'died'
  // Its connections end as those of a process that is gone.
  await connection.client.close(true)
  return isFinished
}
