/**
 * Composes the messages of domain events in the language of an integration. A message has names and counts of the payload, and no event text, which payloads
 * do not have. Every event that can be posted has its texts and its link; a missing one does not compile.
 */
import type { Placeholder } from '#workers'
import { EVENT_NAMES, type EventName, type EventPayload } from '../../../../core/events/catalogue.js'
import type { Locale } from '../../../../core/i18n/locale.js'
import { messaging as english } from '../../../../core/i18n/messages/en-US/messaging.js'
import { messaging as portuguese } from '../../../../core/i18n/messages/pt-BR/messaging.js'
import type { None } from '../../../../core/i18n/texts.js'
import { fill } from '../../../../core/i18n/translate.js'
import type { ChatMessage } from './gateway.js'

/** The events that a messaging integration can select: all but the test of a webhook, which is for that webhook. */
export type MessageEvent = Exclude<EventName, 'webhook.test'>
export const MESSAGE_EVENTS = EVENT_NAMES.filter((name): name is MessageEvent => name !== 'webhook.test')

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Record<Locale, { readonly events: Readonly<Record<MessageEvent, unknown>> }>

type EventTexts = (typeof english)['events']
/** Events whose texts have a placeholder that is no field of the payload. */
type Mismatched = {
  [K in keyof EventTexts]: K extends MessageEvent ? (Exclude<Placeholder<EventTexts[K]['title' | 'text']>, keyof EventPayload<K>> extends never ? never : K) : K
}[keyof EventTexts]
/** Compiles only if texts and payloads agree; the error names the event. */
export type MessagesAgree = None<Mismatched>

/** Entries of a list that a message shows. */
const ENTRIES_SHOWN = 10
/** Shown for null. */
const NONE = '–'

type Payload = Readonly<Record<string, unknown>>
type PathOf = (payload: Payload, organizationId: string) => string | null

const NO_PAGE: PathOf = () => null
const PROJECT: PathOf = ({ project_id }) => `/platform/projects/${id(project_id)}`
const REVIEW: PathOf = ({ project_id, review_id }) => `/platform/projects/${id(project_id)}/reviews/${id(review_id)}`
const VERSION: PathOf = ({ project_id, version_id }) => `/platform/projects/${id(project_id)}/versions/${id(version_id)}`
const API_KEYS: PathOf = (_, organizationId) => `/platform/organizations/${id(organizationId)}/api-keys`

/** Path of the page of an event's object, the same as in notifications; null: it has none. */
const PATHS: Readonly<Record<MessageEvent, PathOf>> = {
  'validation.completed': NO_PAGE,
  'logtest.completed': NO_PAGE,
  'regression.completed': PROJECT,
  'regression.passed': PROJECT,
  'regression.failed': PROJECT,
  'review.created': REVIEW,
  'review.approved': REVIEW,
  'review.changes_requested': REVIEW,
  'review.rejected': REVIEW,
  'version.created': VERSION,
  'version.published': VERSION,
  'publish.failed': VERSION,
  'feedback.created': ({ report_id }, organizationId) => `/platform/organizations/${id(organizationId)}/feedback-reports/${id(report_id)}`,
  'api_key.created': API_KEYS,
  'api_key.revoked': API_KEYS,
}

export interface MessageContext {
  readonly locale: Locale
  readonly organizationId: string
  /** Address of the pages, without a trailing slash. */
  readonly baseUrl: string
}

/** @param name an event that only a newer instance knows is shown by its name */
export function composeEvent(name: string, payload: Payload, { locale, organizationId, baseUrl }: MessageContext): ChatMessage {
  const { events, open } = TEXTS[locale]
  if (!Object.hasOwn(events, name)) return { title: name, text: '', link: null }
  const { title, text } = events[name as MessageEvent]
  const params = Object.fromEntries(Object.entries(payload).map(([field, value]) => [field, shown(value)]))
  const path = PATHS[name as MessageEvent](payload, organizationId)
  return { title: fill(title, params), text: fill(text, params), link: path === null ? null : { label: open, url: `${baseUrl}${path}` } }
}

/** @param integration name of the integration */
export function composeTest(integration: string, integrationId: string, { locale, organizationId, baseUrl }: MessageContext): ChatMessage {
  const { test, open } = TEXTS[locale]
  const url = `${baseUrl}/platform/organizations/${id(organizationId)}/integrations/${id(integrationId)}`
  return { title: test.title, text: fill(test.text, { integration }), link: { label: open, url } }
}

/** A field of a payload as text: numbers and texts, lists of texts, and lists of objects by their `rule`. */
function shown(value: unknown): string | number {
  if (value === null || value === undefined) return NONE
  if (!Array.isArray(value)) return typeof value === 'number' ? value : String(value)
  const entries = value.map((entry: unknown) => (typeof entry === 'string' ? entry : String((entry as { readonly rule?: unknown }).rule)))
  return entries.length === 0 ? NONE : `${entries.slice(0, ENTRIES_SHOWN).join(', ')}${entries.length > ENTRIES_SHOWN ? ', …' : ''}`
}

function id(value: unknown): string {
  return encodeURIComponent(String(value))
}
