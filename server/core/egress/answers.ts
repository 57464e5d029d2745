/** Reads answers of providers for gateways. An answer may have any form: it is checked before it is used, and a malformed answer is `unavailable`. */
import Type, { type Static, type TSchema } from 'typebox'
import { matches, pruneBytes } from '#requests'
import type { AnsweredFile } from '#workers'
import { OutboundError } from './client.js'
import { ERROR_BYTES } from './fetch.js'
import { noAnswer, ProviderError } from './provider-error.js'
import type { AnswerRead, AnswerReader } from './reader.js'

/** Characters of a provider's message that an error repeats: one sentence or two. */
const MESSAGE_CHARACTERS = 300
/** Longest address of a page that is kept; browsers commonly accept no more. */
const URL_CHARACTERS = 2048
/** Longest time that a provider can ask callers to wait. A longer time is taken for an error. */
const WAIT_LIMIT_MS = 24 * 60 * 60 * 1000
// Control characters could forge lines of a log or of a terminal.
const CONTROL = /\p{Cc}+/gu

/** A field of which only the presence is read. An object in it loses its fields. */
export const Present = Type.Union([Type.Object({}), Type.String(), Type.Number(), Type.Boolean(), Type.Null(), Type.Array(Type.Null())])

/** Returns an answer as its schema says, without the fields that the schema does not name. The body must not be used afterwards. @throws ProviderError unavailable; too_large above the limits of JSON */
export async function readAnswer<T extends TSchema>(reader: AnswerReader, schema: T, body: Uint8Array, provider: string, signal?: AbortSignal): Promise<Static<T>> {
  return checked(await unlessAborted(reader.json(schema, body, optionsOf(signal)), provider), provider)
}

/** Returns an answer with a file in its `content`. Null: it has none. @throws as `readAnswer` */
export async function readFileAnswer<T extends TSchema>(
  reader: AnswerReader,
  schema: T,
  body: Uint8Array,
  provider: string,
  signal?: AbortSignal,
): Promise<{ readonly value: Static<T>; readonly file: AnsweredFile | null }> {
  const read = await unlessAborted(reader.jsonWithFile(schema, body, optionsOf(signal)), provider)
  return { value: checked(read, provider), file: read.kind === 'valid' ? read.file : null }
}

/** Whether a value that was read here or by a library matches the schema. */
export function isValid<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
  return matches(schema, value)
}

/** Throws for an aborted reading the same error as its request would. */
export async function unlessAborted<T>(reading: Promise<T>, provider: string): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof OutboundError ? noAnswer(error, provider) : error
  }
}

function optionsOf(signal: AbortSignal | undefined) {
  return { isLast: true, ...(signal === undefined ? {} : { signal }) }
}

function checked<T>(read: AnswerRead<T>, provider: string): T {
  if (read.kind === 'over') throw new ProviderError('too_large', { provider, details: { limit: read.limit } })
  if (read.kind === 'malformed') throw malformedAnswer(provider)
  return read.value
}

/** Reads the beginning of an error's body, which may have any content. Null: it is not JSON of that form. */
export function readError<T extends TSchema>(schema: T, body: Uint8Array): Static<T> | null {
  const read = pruneBytes(schema, body.subarray(0, ERROR_BYTES))
  return read.kind === 'valid' ? (read.value as Static<T>) : null
}

export function malformedAnswer(provider: string, cause?: unknown): ProviderError {
  return new ProviderError('unavailable', { provider, details: { failure: 'answer_malformed' }, cause })
}

/** Returns a time that the provider sent. @throws ProviderError unavailable */
export function answerTime(value: string | number, provider: string): Date {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) throw malformedAnswer(provider)
  return date
}

/** Returns the address of a page. Null: a browser should not open it, for example `javascript:`. */
export function pageUrl(value: string | null | undefined): string | null {
  if (value === null || value === undefined || value.length > URL_CHARACTERS || !URL.canParse(value)) return null
  return ['http:', 'https:'].includes(new URL(value).protocol) ? value : null
}

/** Returns a provider's message for `details.provider_message`: without the credentials, cut, without control characters. Null: it sent none. */
export function providerMessage(value: unknown, secrets: readonly string[]): string | null {
  if (typeof value !== 'string') return null
  return withoutSecrets(value, secrets).slice(0, MESSAGE_CHARACTERS).replace(CONTROL, ' ').trim() || null
}

/** Returns when a provider accepts requests again, from `Retry-After` (seconds or a date) or the reset time (seconds since the epoch). Undefined: it did not say. */
export function retryTime(retryAfter: string | null, resetSeconds: string | null, now: number): Date | undefined {
  const after = retryAfter === null || retryAfter.trim() === '' ? Number.NaN : /^\d+$/.test(retryAfter) ? now + Number(retryAfter) * 1000 : Date.parse(retryAfter)
  const at = Number.isNaN(after) && resetSeconds !== null && /^\d+$/.test(resetSeconds) ? Number(resetSeconds) * 1000 : after
  return Number.isNaN(at) ? undefined : new Date(Math.min(Math.max(at, now), now + WAIT_LIMIT_MS))
}

/** Removes credentials, also Base64- and URL-encoded, from a text of a provider, which may repeat what it was sent. A text in JSON is parsed before: it may be escaped. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')])
  return forms.reduce((rest, form) => (form === '' ? rest : rest.replaceAll(form, '[redacted]')), text)
}
