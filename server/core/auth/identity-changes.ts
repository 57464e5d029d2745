/**
 * Tells other instances that an identity may have lost permissions: one mark for each slice of all users, keys and organizations. Invariants:
 *  1. the commit of a change also changes the mark of its slice, so a poll that begins after the change was stored sees it
 *  2. a poll reports no change only if each mark existed in this poll and in the one before, and is equal. Marks are unique, so a mark that was lost, or
 *     restored from a backup, counts as a change
 *  3. changes of one slice by this instance run one at a time, so only changes of several instances conflict; those are retried
 */
import { hash } from 'node:crypto'
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'
import { newId } from '../storage/id.js'
import { KeyedMutex } from '../tenancy/keyed-mutex.js'

/** An identity whose principals may have changed: a user, an API key, a token for provisioning, or all identities of an organization. */
export type AffectedIdentity = { readonly user: string } | { readonly key: string } | { readonly scimToken: string } | { readonly organization: string }

interface IdentitySliceDocument extends StoredDocument {
  readonly mark: string
}

export const IDENTITY_CHANGES = platformCollection<IdentitySliceDocument>('identity_changes', [])

/** Few enough to be read several times a second; many enough that a change seldom invalidates entries of other identities. */
export const SLICES = 64
/** Document ids of the marks, by slice. */
const IDS: readonly string[] = Array.from({ length: SLICES }, (_, slice) => String(slice).padStart(2, '0'))

export class IdentityChanges {
  readonly #documents: Collection<IdentitySliceDocument>
  readonly #mutex = new KeyedMutex()
  #known: ReadonlyMap<string, string> = new Map()

  constructor(storage: Pick<Storage, 'open'>) {
    this.#documents = storage.open(IDENTITY_CHANGES)
  }

  /** Calls `commit` with the writes that the change appends to its own commit. */
  announce<R>(affected: readonly AffectedIdentity[], commit: (announcing: readonly Write[]) => Promise<R>): Promise<R> {
    const ids = new Set(affected.map((one) => IDS[sliceOf(identityKey(one))]))
    const announcing = [...ids].map((_id) => this.#documents.updating({ _id }, { set: { mark: newId() } }, { optional: true }))
    return this.#mutex.runAll(ids, () => commit(announcing))
  }

  /** The slices that changed since the last call; null: unknown. @throws what the store throws */
  async poll(): Promise<readonly number[] | null> {
    const found = new Map((await this.#documents.find({ _id: { in: IDS } })).map(({ _id, mark }) => [_id, mark]))
    const known = this.#known
    this.#known = found
    if (found.size < SLICES) await this.#createMissing(found)
    if (found.size < SLICES || known.size < SLICES) return null
    return IDS.flatMap((id, slice) => (found.get(id) === known.get(id) ? [] : [slice]))
  }

  async #createMissing(found: ReadonlyMap<string, unknown>): Promise<void> {
    for (const id of IDS) {
      if (found.has(id)) continue
      await this.#documents.insert({ _id: id, mark: newId() }).catch((error: unknown) => {
        // Another instance has inserted it.
        if (!(error instanceof DuplicateKeyError)) throw error
      })
    }
  }
}

/** The key of an identity: as `subjectOf` for users, keys and tokens, the id for organizations. */
export function identityKey(affected: AffectedIdentity): string {
  if ('scimToken' in affected) return `scim:${affected.scimToken}`
  return 'user' in affected ? `user:${affected.user}` : 'key' in affected ? `key:${affected.key}` : affected.organization
}

/** The slice of an identity, from its `identityKey`. */
export function sliceOf(key: string): number {
  return hash('sha256', key, 'buffer')[0] % SLICES
}
