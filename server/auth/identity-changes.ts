/**
 * By which instances learn from each other that someone may be less than before: a mark for each slice of all users, keys and organizations.
 * Invariants:
 *  1. the mark is another one in the commit of the change, so a look that began after a change was stored sees it
 *  2. a look says nothing unless every mark was there in it and in the one before, and no two marks are alike: one that was lost, or rolled back and set
 *     anew, is never taken for quiet
 *  3. changes of a slice that this instance makes go one after the other: only those of several instances conflict, and are tried again
 */
import { hash } from 'node:crypto'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'
import { newId } from '../storage/id.js'
import { KeyedMutex } from '../tenancy/keyed-mutex.js'

/** Whose principals may be others than a moment ago: one user's, one key's, or all of an organization. */
export type AffectedIdentity = { readonly user: string } | { readonly key: string } | { readonly organization: string }

interface IdentitySliceDocument extends StoredDocument {
  readonly mark: string
}

export const IDENTITY_CHANGES = platformCollection<IdentitySliceDocument>('identity_changes', [])

/** Few enough to be read several times a second, many enough that a change seldom costs others their place in a cache. */
export const SLICES = 64
/** Of the marks, slice by slice. */
const IDS: readonly string[] = Array.from({ length: SLICES }, (_, slice) => String(slice).padStart(2, '0'))

export class IdentityChanges {
  readonly #documents: Collection<IdentitySliceDocument>
  readonly #mutex = new KeyedMutex()
  #known: ReadonlyMap<string, string> = new Map()

  constructor(storage: Pick<Storage, 'open'>) {
    this.#documents = storage.open(IDENTITY_CHANGES)
  }

  /** Calls `commit` with the writes that belong at the end of the commit of a change. */
  announce<R>(affected: readonly AffectedIdentity[], commit: (announcing: readonly Write[]) => Promise<R>): Promise<R> {
    const ids = new Set(affected.map((one) => IDS[sliceOf(identityKey(one))]))
    const announcing = [...ids].map((_id) => this.#documents.updating({ _id }, { set: { mark: newId() } }, { optional: true }))
    return this.#mutex.runAll(ids, () => commit(announcing))
  }

  /** Slices in which something has changed since the last look; null: nobody knows. @throws what the store throws */
  async look(): Promise<readonly number[] | null> {
    const found = new Map((await this.#documents.find({ _id: { in: IDS } })).map(({ _id, mark }) => [_id, mark]))
    const known = this.#known
    this.#known = found
    if (found.size < SLICES) await this.#make(found)
    if (found.size < SLICES || known.size < SLICES) return null
    return IDS.flatMap((id, slice) => (found.get(id) === known.get(id) ? [] : [slice]))
  }

  async #make(found: ReadonlyMap<string, unknown>): Promise<void> {
    for (const id of IDS) {
      if (found.has(id)) continue
      await this.#documents.insert({ _id: id, mark: newId() }).catch((error: unknown) => {
        // Another instance was faster.
        if (!(error instanceof DuplicateKeyError)) throw error
      })
    }
  }
}

/** As `subjectOf` writes users and keys; organizations by their id. */
export function identityKey(affected: AffectedIdentity): string {
  return 'user' in affected ? `user:${affected.user}` : 'key' in affected ? `key:${affected.key}` : affected.organization
}

/** The slice of a user, a key or an organization, by its `identityKey`. */
export function sliceOf(key: string): number {
  return hash('sha256', key, 'buffer')[0] % SLICES
}
