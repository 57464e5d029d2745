/**
 * Seals stored secrets that are sealed with the previous key again with the current key, so that operators can remove the previous one. It runs at every
 * start with a previous secret key, so that an interrupted run continues. Two instances may run it concurrently.
 */
import type { TenantCollection, TenantDocument, Update } from '../storage/contract.js'
import type { ScopedCollection } from '../tenancy/scope.js'
import type { Identities } from './identities.js'
import { seal, UnsealError, unseal } from './sealing.js'
import type { SecretKeys } from './secrets.js'

/** A field of stored documents that has a sealed text or null. Every such field of the service is in the table of `resources/index.ts`. */
export interface SealedField<T extends TenantDocument> {
  readonly collection: TenantCollection<T>
  readonly field: keyof T & string
  /** The key with which it is sealed. */
  readonly purpose: keyof SecretKeys
  /** Returns the place to which the text of a document is bound. */
  place(document: NoInfer<T>): string
}

/** A field without the type of its documents. */
export type AnySealedField = SealedField<TenantDocument>

/** Forgets the type of the documents, so that fields of different collections are in one table. */
export function sealedField<T extends TenantDocument>(field: SealedField<T>): AnySealedField {
  return field as unknown as AnySealedField
}

/** @param signal ends the run between two organizations @returns the number of texts that were resealed */
export async function resealAll(
  { secrets, organizations, tenancy }: Pick<Identities, 'secrets' | 'organizations' | 'tenancy'>,
  fields: readonly AnySealedField[],
  signal: AbortSignal,
): Promise<number> {
  const { previous } = secrets
  if (previous === null) return 0
  let count = 0
  for await (const organizationId of organizations.ids()) {
    if (signal.aborted) break
    const scope = tenancy.of(organizationId)
    for (const field of fields) count += await resealField(scope.collection(field.collection), field, { from: previous[field.purpose], to: secrets[field.purpose] })
  }
  return count
}

interface KeyChange {
  readonly from: Buffer
  readonly to: Buffer
}

async function resealField(documents: ScopedCollection<TenantDocument>, { field, place }: AnySealedField, keys: KeyChange): Promise<number> {
  let count = 0
  for (const document of await documents.find({})) {
    const sealed = (document as unknown as Readonly<Record<string, string | null>>)[field]
    const fresh = sealed === null ? null : resealed(sealed, place(document), keys)
    if (fresh === null) continue
    // A document whose secret was replaced meanwhile does not match.
    const update = { set: { [field]: fresh } } as Update<TenantDocument>
    if ((await documents.update({ _id: document._id, [field]: sealed }, update)) !== null) count++
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
