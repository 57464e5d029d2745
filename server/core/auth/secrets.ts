/**
 * The secret of the instance and the keys derived from it. Each purpose has its own key, so one key reveals nothing about another. The secret is set by
 * the operator (`SECRET_KEY`) or generated once in the data folder. With the secret and the database everything can be forged, so only the owner may read the
 * file. While an operator replaces the secret, keys of the previous one (`SECRET_KEY_PREVIOUS`) are accepted for reading and never used for writing.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError, PREFIX, SECRET_CHARACTERS } from '../config.js'

const SECRET_FILE = 'secret.key'
/** Length of a generated secret. HKDF-SHA-256 gains nothing from a longer one. */
const SECRET_BYTES = 32
const KEY_BYTES = 32
/** Changing one of these invalidates everything that was created with its key. */
const CONTEXTS = {
  jwt: 'jwt/1',
  tokenHash: 'token-hash/1',
  webhookSecret: 'webhook-secret/1',
  integrationCredentials: 'integration-credentials/1',
  secondFactor: 'second-factor/1',
  identityProvider: 'identity-provider/1',
  aiProvider: 'ai-provider/1',
  corpus: 'corpus/1',
  invitation: 'invitation/1',
  billingMock: 'billing-mock/1',
  peers: 'peers/1',
  fingerprint: 'fingerprint/1',
} as const

/** The keys of one secret, 32 bytes each. */
export interface SecretKeys {
  /** Signs access tokens. */
  readonly jwt: Buffer
  /** Hashes API keys and one-time tokens before they are stored. */
  readonly tokenHash: Buffer
  /** Encrypts the signing secrets of webhooks. */
  readonly webhookSecret: Buffer
  /** Encrypts the credentials of integrations, and the secrets of inbound webhooks. */
  readonly integrationCredentials: Buffer
  /** Encrypts the secrets of second factors. */
  readonly secondFactor: Buffer
  /** Encrypts the client secrets of identity providers. */
  readonly identityProvider: Buffer
  /** Encrypts the key of the assistant's provider. */
  readonly aiProvider: Buffer
  /** Encrypts the keys of corpora, and the results of replays. */
  readonly corpus: Buffer
  /** Derives invitation tokens. */
  readonly invitation: Buffer
  /** Signs links and events of the payment gateway `mock`. */
  readonly billingMock: Buffer
  /** Known to the processes of the service, which connect with it. */
  readonly peers: Buffer
  /** Identifies the secret in the store (`secret-fingerprint.ts`). */
  readonly fingerprint: Buffer
}

/** The keys of this instance. Everything is written with these. */
export interface Secrets extends SecretKeys {
  /** Keys of the previous secret; null: the operator has not set one. */
  readonly previous: SecretKeys | null
}

/** The settings that define the secret. */
export interface SecretSettings {
  readonly secretKey: string | null
  readonly secretKeyPrevious?: string | null
  readonly dataDir: string
}

/** Reads or generates the secret and derives the keys. @throws ConfigError when the file of the generated secret exists but is not valid */
export async function loadSecrets({ secretKey, secretKeyPrevious = null, dataDir }: SecretSettings): Promise<Secrets> {
  return deriveSecrets(secretKey ?? (await generatedSecret(dataDir)), secretKeyPrevious)
}

/** @param secret at least `SECRET_CHARACTERS`, hard to guess, like the previous one */
export function deriveSecrets(secret: string, previous: string | null = null): Secrets {
  return { ...keysOf(secret), previous: previous === null ? null : keysOf(previous) }
}

/** The keys of a purpose that are accepted for reading: the current one first. */
export function readingKeys(secrets: Secrets, purpose: keyof SecretKeys): readonly Buffer[] {
  return secrets.previous === null ? [secrets[purpose]] : [secrets[purpose], secrets.previous[purpose]]
}

function keysOf(secret: string): SecretKeys {
  const derive = (context: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'detection-content', context, KEY_BYTES))
  return {
    jwt: derive(CONTEXTS.jwt),
    tokenHash: derive(CONTEXTS.tokenHash),
    webhookSecret: derive(CONTEXTS.webhookSecret),
    integrationCredentials: derive(CONTEXTS.integrationCredentials),
    secondFactor: derive(CONTEXTS.secondFactor),
    identityProvider: derive(CONTEXTS.identityProvider),
    aiProvider: derive(CONTEXTS.aiProvider),
    corpus: derive(CONTEXTS.corpus),
    invitation: derive(CONTEXTS.invitation),
    billingMock: derive(CONTEXTS.billingMock),
    peers: derive(CONTEXTS.peers),
    fingerprint: derive(CONTEXTS.fingerprint),
  }
}

async function generatedSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, SECRET_FILE)
  return (await readSecret(path)) ?? (await createSecret(dataDir, path))
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (secret.length < SECRET_CHARACTERS) throw new ConfigError('secret_file_wrong', { path, variable: `${PREFIX}SECRET_KEY` })
    // A copy or a restored backup may have other permissions.
    await chmod(path, 0o600)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Writes the secret to a temporary file and links it into place: a crash leaves no partial secret, and two processes that start at once use the same one. */
async function createSecret(dataDir: string, path: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(SECRET_BYTES).toString('base64url')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  await syncFolder(dataDir)
  const secret = await readSecret(path)
  if (secret === null) throw new ConfigError('secret_file_lost', { path })
  return secret
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
