/**
 * Seals stored secrets that are sealed with the previous key again with the current key, so that operators can remove the previous one. It runs at every
 * start with a previous secret key, so that an interrupted run continues. Two instances may run it concurrently.
 */
import type { Filter, FindOptions, PlatformCollection, Storage, StoredDocument, TenantCollection, TenantDocument, Update } from '../storage/contract.js'
import type { Identities } from './identities.js'
import { seal, UnsealError, unseal } from './sealing.js'
import type { SecretKeys } from './secrets.js'

/** Documents in memory at a time. */
const PAGE = 500

/** A field of stored documents that has a sealed text or null. A wing names those of its collections (`wing.ts`). */
interface Sealed<T extends StoredDocument> {
  readonly field: keyof T & string
  /** The key with which it is sealed. */
  readonly purpose: keyof SecretKeys
  /** Returns the place to which the text of a document is bound. */
  place(document: NoInfer<T>): string
}

/** A field of documents of organizations. */
export interface SealedField<T extends TenantDocument> extends Sealed<T> {
  readonly collection: TenantCollection<T>
}

/** A field of documents of the instance. */
export interface PlatformSealedField<T extends StoredDocument> extends Sealed<T> {
  readonly collection: PlatformCollection<T>
}

/** A field without the type of its documents. */
export type AnySealedField = SealedField<TenantDocument>

/** The same for documents of the instance. */
export type AnyPlatformSealedField = PlatformSealedField<StoredDocument>

/** Forgets the type of the documents, so that fields of different collections are in one table. */
export function sealedField<T extends TenantDocument>(field: SealedField<T>): AnySealedField {
  return field as unknown as AnySealedField
}

/** As `sealedField`, for documents of the instance. */
export function platformSealedField<T extends StoredDocument>(field: PlatformSealedField<T>): AnyPlatformSealedField {
  return field as unknown as AnyPlatformSealedField
}

/** @param signal ends the run between two organizations @returns the number of texts that were resealed */
export async function resealAll(
  { secrets, organizations, tenancy }: Pick<Identities, 'secrets' | 'organizations' | 'tenancy'>,
  storage: Pick<Storage, 'open'>,
  fields: readonly AnySealedField[],
  platformFields: readonly AnyPlatformSealedField[],
  signal: AbortSignal,
): Promise<number> {
  const { previous } = secrets
  if (previous === null) return 0
  const keysOf = (purpose: keyof SecretKeys): KeyChange => ({ from: previous[purpose], to: secrets[purpose] })
  let count = 0
  for (const field of platformFields) count += await resealField(storage.open(field.collection), field, keysOf(field.purpose), signal)
  for await (const organizationId of organizations.ids()) {
    if (signal.aborted) break
    const scope = tenancy.of(organizationId)
    for (const field of fields) count += await resealField(scope.collection(field.collection), field, keysOf(field.purpose), signal)
  }
  return count
}

interface KeyChange {
  readonly from: Buffer
  readonly to: Buffer
}

/** A collection of organizations' documents within a scope, or one of the instance. */
interface SealedDocuments<T extends StoredDocument> {
  find(filter: Filter<T>, options: FindOptions<T>): Promise<T[]>
  update(filter: Filter<T>, update: Update<T>): Promise<T | null>
}

async function resealField<T extends StoredDocument>(documents: SealedDocuments<T>, { field, place }: Sealed<T>, keys: KeyChange, signal: AbortSignal): Promise<number> {
  let count = 0
  for (let last = ''; !signal.aborted; ) {
    const page = await documents.find({ _id: { gt: last } } as Filter<T>, { sort: { _id: 1 }, limit: PAGE } as FindOptions<T>)
    for (const document of page) {
      const sealed = (document as unknown as Readonly<Record<string, string | null>>)[field]
      const fresh = sealed === null ? null : resealed(sealed, place(document), keys)
      if (fresh === null) continue
      // A document whose secret was replaced meanwhile does not match.
      const update = { set: { [field]: fresh } } as unknown as Update<T>
      if ((await documents.update({ _id: document._id, [field]: sealed } as unknown as Filter<T>, update)) !== null) count++
    }
    if (page.length < PAGE) break
    last = page[page.length - 1]._id
  }
  return count
}

/** Null: the text is not sealed with the previous key. */
function resealed(sealed: string, place: string, { from, to }: KeyChange): string | null {
  try {
    return seal(to, unseal(from, sealed, place), place)
  } catch (error) {
    if (error instanceof UnsealError) return null
    throw error
  }
}
