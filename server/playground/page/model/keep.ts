/** What the browser keeps for this page: the work, and a base that somebody has asked it to remember. Nothing of it is ever sent. */
import type { ContentFile } from '../../worker/protocol.js'

const NAME = 'detection-content-playground'
const STORE = 'kept'

export interface KeptBase {
  readonly name: string
  readonly files: readonly ContentFile[]
}

/** The events of a folder, which has no place for them; as `writeWork` writes them. */
export interface KeptEvents {
  readonly folder: string
  readonly work: string
}

interface Kept {
  /** As `writeWork` writes it. */
  readonly work: string
  readonly events: KeptEvents
  readonly base: KeptBase
}

/** Browsers refuse storage in some modes; the page then works without it. */
async function open(): Promise<IDBDatabase | null> {
  try {
    const request = indexedDB.open(NAME, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    return await answerOf(request)
  } catch {
    return null
  }
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

export async function readKept<K extends keyof Kept>(key: K): Promise<Kept[K] | null> {
  const database = await open()
  if (database === null) return null
  const found = await answerOf(database.transaction(STORE).objectStore(STORE).get(key))
  database.close()
  return (found as Kept[K] | undefined) ?? null
}

/** @param value null: it is forgotten @returns whether it is done: a browser may have no space */
export async function keep<K extends keyof Kept>(key: K, value: Kept[K] | null): Promise<boolean> {
  const database = await open()
  if (database === null) return false
  const store = database.transaction(STORE, 'readwrite').objectStore(STORE)
  try {
    if (value === null) await answerOf(store.delete(key))
    else await answerOf(store.put(value, key))
    return true
  } catch {
    return false
  } finally {
    database.close()
  }
}
