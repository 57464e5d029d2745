/**
 * Stripe's signature scheme, which the mock uses too: the header is `t=SECONDS,v1=HEX[,v1=HEX…]`, where each `v1` is the HMAC-SHA256 of `SECONDS.BODY` with one of
 * the secrets of the endpoint: while a secret is being changed, Stripe signs with the former and the new one. Invariants:
 *  1. the bytes that were received are verified, never a parsed form of them
 *  2. signatures are compared in constant time
 *  3. a signature is valid for five minutes, so that a recorded event can't be sent again later
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../../core/errors.js'

/** The tolerance of Stripe's libraries, in both directions: clocks differ by seconds. */
const TOLERANCE_SECONDS = 300
/** Largest event. Stripe's have some kilobytes; an invoice with many lines refers to the rest. */
export const EVENT_BYTES = 1024 * 1024
/** Longest header: a time and the signatures of `SIGNATURES_LIMIT` secrets take less. */
const HEADER_CHARACTERS = 2048
/** Stripe signs with two secrets at most. */
const SIGNATURES_LIMIT = 16
const SIGNATURE = /^[0-9a-f]{64}$/
const SECONDS = /^\d{1,12}$/

/** @param header value of `Gateway-Signature` or `Stripe-Signature` @param now milliseconds since the epoch @throws ApiError billing_signature_invalid */
export function checkSignature(body: Buffer, header: string | undefined, secret: string, now: number): void {
  if (header === undefined || header.length > HEADER_CHARACTERS || body.length > EVENT_BYTES) throw refused()
  const pairs = header.split(',').map((pair) => pair.trim().split('=', 2) as [string, string | undefined])
  const seconds = pairs.find(([name]) => name === 't')?.[1]
  const signatures = pairs.filter(([name, value]) => name === 'v1' && value !== undefined && SIGNATURE.test(value)).slice(0, SIGNATURES_LIMIT)
  if (seconds === undefined || !SECONDS.test(seconds) || Math.abs(now / 1000 - Number(seconds)) > TOLERANCE_SECONDS) throw refused()
  const expected = hmac(body, seconds, secret)
  // Every signature is compared, so that the time does not depend on the position of the right one.
  const matches = signatures.filter(([, signature]) => timingSafeEqual(Buffer.from(signature!, 'hex'), expected))
  if (matches.length === 0) throw refused()
}

/** Returns the header for a body. @param now milliseconds since the epoch */
export function signatureOf(body: string | Buffer, secret: string, now: number): string {
  const seconds = String(Math.floor(now / 1000))
  return `t=${seconds},v1=${hmac(body, seconds, secret).toString('hex')}`
}

function hmac(body: string | Buffer, seconds: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
}

function refused(): ApiError {
  return new ApiError('billing_signature_invalid')
}
