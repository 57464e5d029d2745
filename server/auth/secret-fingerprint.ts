/**
 * Which secret a store was made with. With another one nobody would be let in, and nothing that is sealed could be read: it is most likely the wrong one, and
 * the start refuses it. The fingerprint is a key of its own, derived from the secret, as a salted argon2id hash: whoever reads the store and guesses at a weak
 * secret has dearer guesses by it than by anything else that is stored. A backup carries it along, as it belongs to the hashes beside it.
 */
import { ConfigError, PREFIX } from '../config.js'
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'
import type { Hasher } from './password.js'
import type { SecretKeys, Secrets } from './secrets.js'

interface FingerprintDocument extends StoredDocument {
  readonly fingerprint: string
  /** When the secret was first used on this store. */
  readonly since: Date
}

export const SECRET_FINGERPRINTS = platformCollection<FingerprintDocument>('secret_fingerprints', [])

/** The option with which an operator says that another secret is meant. */
export const ACCEPT_OPTION = 'accept-new-secret-key'

const ID = 'secret_key'
/** Of instances that start at once on an empty store one stores its fingerprint, and the others find it. */
const ATTEMPTS = 3

export interface FingerprintOptions {
  readonly hasher: Pick<Hasher, 'hash' | 'verify'>
  /** Another secret is meant. */
  readonly acceptNew: boolean
  readonly now: () => Date
}

/** `first`: the store had no fingerprint; `changed`: it had that of the previous secret; `accepted`: it had that of another one, and the operator accepts that. */
export type SecretState = 'same' | 'first' | 'changed' | 'accepted'

/** Leaves the store with the fingerprint of today's secret. @throws ConfigError for another secret than the store was made with */
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

/** False: another instance was faster. */
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
