/**
 * The instance's one secret, and the keys that come of it: one a purpose, so that what one signs says nothing of another. The secret is the operator's
 * (`SECRET_KEY`), or is made once in the data folder; whoever has both it and the database can forge everything, so the file is for its owner only.
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
} as const

/** The derived keys, 32 bytes each. */
export interface Secrets {
  /** Signs access tokens. */
  readonly jwt: Buffer
  /** Hashes API keys and one-time tokens before they are stored. */
  readonly tokenHash: Buffer
  /** Encrypts what webhooks are signed with. */
  readonly webhookSecret: Buffer
  /** Invitation tokens are made with it. */
  readonly invitation: Buffer
}

/** The keys of this instance. @throws ConfigError when the generated secret's file is there but isn't one */
export async function loadSecrets({ secretKey, dataDir }: { readonly secretKey: string | null; readonly dataDir: string }): Promise<Secrets> {
  return deriveSecrets(secretKey ?? (await generatedSecret(dataDir)))
}

/** @param secret of at least `SECRET_CHARACTERS`, hard to guess */
export function deriveSecrets(secret: string): Secrets {
  const derive = (context: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'detection-content', context, KEY_BYTES))
  return {
    jwt: derive(CONTEXTS.jwt),
    tokenHash: derive(CONTEXTS.tokenHash),
    webhookSecret: derive(CONTEXTS.webhookSecret),
    invitation: derive(CONTEXTS.invitation),
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
