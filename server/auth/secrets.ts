/**
 * The instance's one secret, and the keys that come of it: one a purpose, so that what one signs says nothing of another. The secret is the operator's
 * (`SECRET_KEY`), or is made once in the data folder; whoever has both it and the database can forge everything, so the file is for its owner only.
 * While an operator changes the secret, the keys of the one before it (`SECRET_KEY_PREVIOUS`) are kept beside: they read, and never write.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError, PREFIX, SECRET_CHARACTERS } from '../config.js'

const SECRET_FILE = 'secret.key'
/** Of a generated secret; HKDF-SHA-256 makes no more of more. */
const SECRET_BYTES = 32
const KEY_BYTES = 32
/** Changing one of these invalidates everything made with its key. */
const CONTEXTS = {
  jwt: 'jwt/1',
  tokenHash: 'token-hash/1',
  webhookSecret: 'webhook-secret/1',
  invitation: 'invitation/1',
  fingerprint: 'fingerprint/1',
} as const

/** The keys of one secret, 32 bytes each. */
export interface SecretKeys {
  /** Signs access tokens. */
  readonly jwt: Buffer
  /** Hashes API keys and one-time tokens before they are stored. */
  readonly tokenHash: Buffer
  /** Encrypts what webhooks are signed with. */
  readonly webhookSecret: Buffer
  /** Invitation tokens are made with it. */
  readonly invitation: Buffer
  /** By which the store tells one secret from another (`secret-fingerprint.ts`). */
  readonly fingerprint: Buffer
}

/** The keys of this instance, by which everything is written. */
export interface Secrets extends SecretKeys {
  /** Of the secret before; null: the operator names none. */
  readonly previous: SecretKeys | null
}

/** Where the settings name a secret. */
export interface SecretSettings {
  readonly secretKey: string | null
  readonly secretKeyPrevious?: string | null
  readonly dataDir: string
}

/** The keys of this instance. @throws ConfigError when the generated secret's file is there but isn't one */
export async function loadSecrets({ secretKey, secretKeyPrevious = null, dataDir }: SecretSettings): Promise<Secrets> {
  return deriveSecrets(secretKey ?? (await generatedSecret(dataDir)), secretKeyPrevious)
}

/** @param secret of at least `SECRET_CHARACTERS`, hard to guess; so is the one before it */
export function deriveSecrets(secret: string, previous: string | null = null): Secrets {
  return { ...keysOf(secret), previous: previous === null ? null : keysOf(previous) }
}

/** The keys of a purpose with which something that is stored, or presented, may have been made: today's first. */
export function readingKeys(secrets: Secrets, purpose: keyof SecretKeys): readonly Buffer[] {
  return secrets.previous === null ? [secrets[purpose]] : [secrets[purpose], secrets.previous[purpose]]
}

function keysOf(secret: string): SecretKeys {
  const derive = (context: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'detection-content', context, KEY_BYTES))
  return {
    jwt: derive(CONTEXTS.jwt),
    tokenHash: derive(CONTEXTS.tokenHash),
    webhookSecret: derive(CONTEXTS.webhookSecret),
    invitation: derive(CONTEXTS.invitation),
    fingerprint: derive(CONTEXTS.fingerprint),
  }
}

async function generatedSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, SECRET_FILE)
  return (await readSecret(path)) ?? (await makeSecret(dataDir, path))
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (secret.length < SECRET_CHARACTERS) throw new ConfigError('secret_file_wrong', { path, variable: `${PREFIX}SECRET_KEY` })
    // A copy or a restored backup may have come with other rights.
    await chmod(path, 0o600)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Written whole beside its place and then linked there: a crash leaves no half secret, and of two processes that start at once both take the first one's. */
async function makeSecret(dataDir: string, path: string): Promise<string> {
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
