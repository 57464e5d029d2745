/** What gateways read in answers of providers. An answer may have any form: it is checked before it is used, and what is malformed is `unavailable`. */
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Static, TSchema } from 'typebox'
import { ProviderError } from './provider-error.js'

/** Characters of a provider's message that an error repeats: one sentence or two. */
const MESSAGE_CHARACTERS = 300
/** Longest address of a page that is kept; browsers commonly accept no more. */
const URL_CHARACTERS = 2048
/** Latest time until which a provider can ask to wait. One that says more is wrong. */
const WAIT_LIMIT_MS = 24 * 60 * 60 * 1000
// Control characters could forge lines of a log or of a terminal.
const CONTROL = /\p{Cc}+/gu

/** Returns the answer as its schema says. @throws ProviderError unavailable */
export function checkAnswer<T extends TSchema>(schema: T, answer: unknown, provider: string): Static<T> {
  if (!isValid(schema, answer)) throw malformedAnswer(provider)
  return answer
}

/** Providers add fields at any time, so that objects are open here, other than in requests of routes. Names that objects inherit are no fields. */
const OPTIONS = { strict: true, strictTypes: false, strictRequired: false, ownProperties: true, messages: false, addUsedSchema: false, meta: false, validateSchema: false } as const
const validatorOf = validators(OPTIONS)
const prunerOf = validators({ ...OPTIONS, removeAdditional: 'all' })

/** Returns functions that compile the validator of a schema at its first use. */
function validators(options: Options): (schema: TSchema) => ValidateFunction {
  let ajv: Ajv2020 | undefined
  const known = new WeakMap<TSchema, ValidateFunction>()
  return (schema) => {
    let validator = known.get(schema)
    if (validator === undefined) known.set(schema, (validator = (ajv ??= new Ajv2020(options)).compile(schema)))
    return validator
  }
}

/** Whether the answer is as the schema says. */
export function isValid<T extends TSchema>(schema: T, answer: unknown): answer is Static<T> {
  return validatorOf(schema)(answer)
}

/**
 * Checks an answer, and deletes the fields in it that its schema does not name: a list is kept, and a hostile one may have anything in them. The schema has no
 * union of objects and no intersection, whose parts would delete each other's fields. (`Clean` of typebox keeps them, and takes 20 times as long: 150 µs for
 * each entry of a list, on an event loop.)
 * @throws ProviderError unavailable
 */
export function pruneAnswer<T extends TSchema>(schema: T, answer: unknown, provider: string): Static<T> {
  if (!prunerOf(schema)(answer)) throw malformedAnswer(provider)
  return answer as Static<T>
}

export function malformedAnswer(provider: string, cause?: unknown): ProviderError {
  return new ProviderError('unavailable', { provider, details: { failure: 'answer_malformed' }, cause })
}

/** Parses JSON. @throws ProviderError unavailable */
export function parseAnswer(text: string, provider: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The error of the parser repeats a part of the text.
    throw malformedAnswer(provider)
  }
}

/** Returns a time that the provider sent. @throws ProviderError unavailable */
export function answerTime(value: string | number, provider: string): Date {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) throw malformedAnswer(provider)
  return date
}

/** Returns the address of a page. Null: it is none that a browser should open, for example `javascript:`. */
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
