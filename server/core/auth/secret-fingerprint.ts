/**
 * Detects that a store was created with another secret key. With a wrong key no session is valid and nothing sealed can be read, so the start fails. The
 * fingerprint is a separate key derived from the secret, stored as a salted argon2id hash: guessing a weak secret by it costs more than by any other stored
 * value. Backups contain it, because their other hashes depend on the secret.
 */
import { ConfigError, PREFIX } from '../config.js'
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'
import type { Hasher } from './password.js'
import type { SecretKeys, Secrets } from './secrets.js'

interface FingerprintDocument extends StoredDocument {
  readonly fingerprint: string
  /** When the secret was first used with this store. */
  readonly since: Date
}

export const SECRET_FINGERPRINTS = platformCollection<FingerprintDocument>('secret_fingerprints', [])

/** Option with which an operator accepts a different secret key. */
export const ACCEPT_OPTION = 'accept-new-secret-key'

const ID = 'secret_key'
/** When several instances start on an empty store at once, one stores its fingerprint and the others read it. */
const ATTEMPTS = 3

export interface FingerprintOptions {
  readonly hasher: Pick<Hasher, 'hash' | 'verify'>
  /** Accept a different secret. */
  readonly acceptNew: boolean
  readonly now: () => Date
}

/**
 * `first`: the store had no fingerprint; `changed`: it had the fingerprint of the previous secret; `accepted`: it had another fingerprint, and the operator
 * accepts the change.
 */
export type SecretState = 'same' | 'first' | 'changed' | 'accepted'

/**
 * Compares the fingerprint of the store with the current secret, and stores the current one if that is allowed. @throws ConfigError when the store was created
 * with another secret
 */
export async function requireSameSecret(storage: Pick<Storage, 'open'>, secrets: Secrets, { hasher, acceptNew, now }: FingerprintOptions): Promise<SecretState> {
  const stored = storage.open(SECRET_FINGERPRINTS)
  const isOf = ({ fingerprint }: FingerprintDocument, keys: SecretKeys): Promise<boolean> => hasher.verify(fingerprint, textOf(keys))
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const found = await stored.findOne({ _id: ID })
    if (found !== null && (await isOf(found, secrets))) return 'same'
    const isPrevious = found !== null && secrets.previous !== null && (await isOf(found, secrets.previous))
    if (found !== null && !isPrevious && !acceptNew) break
    const fresh = { fingerprint: await hasher.hash(textOf(secrets)), since: now() }
    if (await put(stored, found, fresh)) return found === null ? 'first' : isPrevious ? 'changed' : 'accepted'
  }
  throw new ConfigError('secret_changed', { variable: `${PREFIX}SECRET_KEY`, previous: `${PREFIX}SECRET_KEY_PREVIOUS`, option: `--${ACCEPT_OPTION}` })
}

/** False: another instance has stored one first. */
async function put(stored: Collection<FingerprintDocument>, found: FingerprintDocument | null, fresh: Omit<FingerprintDocument, '_id'>): Promise<boolean> {
  if (found !== null) return (await stored.update({ _id: ID, fingerprint: found.fingerprint }, { set: fresh })) !== null
  try {
    await stored.insert({ _id: ID, ...fresh })
    return true
  } catch (error) {
    if (error instanceof DuplicateKeyError) return false
    throw error
  }
}

function textOf({ fingerprint }: SecretKeys): string {
  return fingerprint.toString('base64url')
}
