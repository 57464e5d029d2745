/** How SCIM speaks HTTP (CONTRACT.md#scim; RFC 7644, 3.1, 3.12 and 8): media types, the limit of bodies, and refusals in the form of the RFC. */
import Type from 'typebox'
import { ApiError, type ErrorReason } from '../../../core/errors.js'
import type { ErrorForm } from '../../../core/http/route.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { errorTexts } from '../../../core/i18n/translate.js'
import { ERROR_SCHEMA, errorBody, ScimError, type ScimType } from '../protocol/errors.js'

/** Path of SCIM below `/api/v1`. */
export const SCIM_PATH = '/scim/v2'
export const SCIM_MEDIA_TYPE = 'application/scim+json'
/** Maximum bytes of a body: a group of ten thousand members has 0.6 MB, and a user some kilobytes. Reading a body of this size takes at most about 0.2 seconds. */
export const SCIM_BODY_BYTES = 1024 * 1024

/** Bodies are read by `server/features/scim/protocol`, which knows the letter case of names and the spellings of values that clients send; the schema only requires an object. */
export const scimBody = (description: string) =>
  ({
    as: 'json',
    schema: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true, description }),
    mediaTypes: [SCIM_MEDIA_TYPE, 'application/json'],
    maxBytes: SCIM_BODY_BYTES,
  }) as const

const ScimErrorRecord = Type.Object(
  {
    schemas: Type.Array(Type.String(), { examples: [[ERROR_SCHEMA]], description: 'URN of the message.' }),
    scimType: Type.Optional(Type.String({ examples: ['invalidValue'], description: 'Keyword of the error (RFC 7644, 3.12).' })),
    detail: Type.String({ examples: ['The attribute userName is required.'], description: 'Describes the error, in the language of the request.' }),
    status: Type.String({ examples: ['400'], description: 'The HTTP status.' }),
  },
  { $id: 'ScimError', description: 'The format of all errors of SCIM (RFC 7644, 3.12).' },
)

/** Keywords of refusals that are not of the protocol itself. */
const SCIM_TYPES: Readonly<Partial<Record<ErrorReason, ScimType>>> = {
  body_unparseable: 'invalidSyntax',
  scim_user_exists: 'uniqueness',
  email_taken: 'uniqueness',
  scim_group_exists: 'uniqueness',
  request_validation_failed: 'invalidValue',
}

/** RFC 7644 has no 422. */
const STATUSES: Readonly<Record<number, number>> = { 422: 400 }
/** Clients send a request again after a 429, and give up after a 403: the limit of requests per minute of a plan. */
const TRY_LATER = 429

/** Issues that a detail names. */
const ISSUES_SHOWN = 3

/** All refusals below `/scim/v2`. */
export const SCIM_ERRORS: ErrorForm = {
  below: SCIM_PATH,
  mediaType: SCIM_MEDIA_TYPE,
  schema: ScimErrorRecord,
  convert: (error) => (error instanceof ScimError ? new ApiError('scim_refused', { cause: error }) : error),
  present(refusal, locale) {
    const status = statusOf(refusal)
    const { cause } = refusal
    if (cause instanceof ScimError) return { status, body: errorBody(status, cause.scimType, cause.localize(locale)) }
    return { status, body: errorBody(status, SCIM_TYPES[refusal.reason] ?? null, detailOf(refusal, locale)) }
  },
}

function statusOf({ status, code, headers }: ApiError): number {
  if (code === 'plan_quota_exceeded' && 'Retry-After' in headers) return TRY_LATER
  return STATUSES[status] ?? status
}

/** The message, what is invalid, and the hint: SCIM has one text for all of them. */
function detailOf({ reason, params, details }: ApiError, locale: Locale): string {
  const { message, hint } = errorTexts(reason, locale, params)
  // Its hint is about `debug_id`, which this form does not have.
  if (reason === 'internal_error') return message
  const issues = (details.errors ?? []) as readonly { readonly path: string; readonly message: string }[]
  const named = issues.slice(0, ISSUES_SHOWN).map(({ path, message: text }) => `${path} ${text}`.trim())
  return [message, ...(named.length === 0 ? [] : [`${named.join('; ')}.`]), hint].filter((text) => text !== '').join(' ')
}
