/**
 * Signatures as the Standard Webhooks specification has them (symmetric, `v1`): HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes that stand in
 * base64 behind `whsec_`. Nothing else is signed, so a receiver checks the body as it came, byte for byte.
 */
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32

export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

export interface SignedMessage {
  /** The same for every attempt: receivers know by it what they have had before. */
  readonly id: string
  /** Seconds since the epoch, of the attempt: receivers refuse what is old. */
  readonly timestamp: number
  readonly body: string
}

/** The three headers. @param secrets each gives a signature of its own: receivers take a message when one of them is right */
export function signatureHeaders({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
