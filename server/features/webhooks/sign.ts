/**
 * Signatures of the Standard Webhooks specification (symmetric, `v1`): HMAC-SHA256 of `id.timestamp.body`. The key is the base64 text after `whsec_`, decoded.
 * Receivers must verify the bytes of the body before they parse it.
 */
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** The specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32

export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

export interface SignedMessage {
  /** The same for every attempt, so that receivers can detect duplicates. */
  readonly id: string
  /** Time of the attempt in seconds since the epoch. Receivers refuse old messages. */
  readonly timestamp: number
  readonly body: string
}

/** Returns the three headers. @param secrets each adds a signature; receivers accept a message if one of them is valid */
export function signatureHeaders({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
