/** Requests and answers about webhooks and their deliveries. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { EVENT_NAMES, type EventName } from '../../core/events/catalogue.js'
import { OUTBOUND_FAILURES } from '../../core/egress/client.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'
import { DELIVERY_REASONS, DELIVERY_STATUSES, DISABLED_REASONS } from './store.js'

/** Longest URL that servers commonly accept. */
const URL_CHARACTERS = 2048
const DESCRIPTION_CHARACTERS = 500

const NAMES = [...EVENT_NAMES] as [EventName, ...EventName[]]
const moment = (description: string) => nullable(Type.String({ format: 'date-time' }), description)
const id = (description: string) => Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description })

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const WebhookParams = Type.Object({ organization_id: fields.id('The organization.'), webhook_id: fields.id('The webhook.') })
export const DeliveryParams = Type.Object({
  organization_id: fields.id('The organization.'),
  webhook_id: fields.id('The webhook.'),
  delivery_id: fields.id('The delivery.'),
})

export const WebhookListQuery = listQuery()
export type WebhookListQuery = Static<typeof WebhookListQuery>

export const DeliveryListQuery = listQuery({
  filters: {
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES], { description: 'Only deliveries with this status.' })),
    event: Type.Optional(Type.Enum(NAMES, { description: 'Only deliveries of this event.' })),
  },
})
export type DeliveryListQuery = Static<typeof DeliveryListQuery>

const request = {
  url: Type.String({
    minLength: 1,
    maxLength: URL_CHARACTERS,
    format: 'http-uri',
    description: 'URL of the receiver: `https:`, or `http:`, which is not encrypted. It must not contain credentials.',
  }),
  events: Type.Array(Type.Enum(NAMES), { minItems: 1, maxItems: NAMES.length, uniqueItems: true, description: 'Names of the events to send.' }),
  description: fields.text(DESCRIPTION_CHARACTERS, 'Description of the webhook.'),
}

export const WebhookCreateRequest = Type.Object(
  { url: request.url, events: request.events, description: Type.Optional(request.description) },
  { $id: 'WebhookCreateRequest', description: 'A webhook to create.' },
)
export type WebhookCreateRequest = Static<typeof WebhookCreateRequest>

export const WebhookUpdateRequest = Type.Object(
  {
    url: Type.Optional(request.url),
    events: Type.Optional(request.events),
    description: Type.Optional(request.description),
    is_active: Type.Optional(Type.Boolean({ description: 'Whether events are sent. False: pending deliveries are cancelled when they become due.' })),
  },
  { $id: 'WebhookUpdateRequest', description: 'The fields to update.' },
)
export type WebhookUpdateRequest = Static<typeof WebhookUpdateRequest>

const record = {
  id: id('Identifier.'),
  organization_id: id('The organization whose events are sent.'),
  url: Type.String({ examples: ['https://siem.example.com/hooks/content'], description: 'URL of the receiver.' }),
  description: Type.String({ examples: ['Change tickets'], description: 'Description of the webhook.' }),
  events: Type.Array(Type.String(), { examples: [['version.published', 'publish.failed']], description: 'Names of the events to send.' }),
  is_active: Type.Boolean({ description: 'Whether events are sent.' }),
  disabled_reason: nullable(
    Type.Enum([...DISABLED_REASONS]),
    'Why the service disabled it: the receiver answered 410 (`gone`), or failed for five days (`failing`). Null: it did not.',
  ),
  disabled_at: moment('When the service disabled it; null: it did not.'),
  failing_since: moment('Since when all attempts have failed; null: the last one succeeded.'),
  previous_secret_expires_at: moment('Until when deliveries are also signed with the previous secret; null: there is none.'),
  created_at: fields.timestamp('When it was created.'),
  updated_at: fields.timestamp('When it was last updated or disabled.'),
}

export const WebhookRecord = Type.Object(record, { $id: 'WebhookRecord', description: 'A webhook, without its secret.' })

export const WebhookSecretRecord = Type.Object(
  {
    ...record,
    secret: Type.String({
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfmhMCQ1jE='],
      description: 'Secret that signs deliveries. No other answer contains it.',
    }),
  },
  { $id: 'WebhookSecretRecord', description: 'A webhook, with its secret.' },
)

const ERRORS = [...OUTBOUND_FAILURES.filter((failure) => failure !== 'aborted'), 'status_refused', 'redirect_refused', 'secret_unreadable'] as const

const DeliveryAttemptRecord = Type.Object(
  {
    at: fields.timestamp('Start of the attempt.'),
    duration_ms: Type.Integer({ minimum: 0, examples: [84], description: 'Duration in milliseconds.' }),
    status_code: nullable(Type.Integer({ examples: [503] }), 'Status of the answer; null: no answer.'),
    error: nullable(
      Type.String({ examples: ['status_refused'] }),
      `What went wrong: ${ERRORS.map((error) => `\`${error}\``).join(', ')}. New values may be added. Null: the receiver accepted the event.`,
    ),
  },
  { $id: 'WebhookDeliveryAttempt', description: 'An attempt to deliver.' },
)

const delivery = {
  id: id('Identifier.'),
  webhook_id: id('The webhook.'),
  event_id: id('Identifier of the event, sent as `webhook-id` with every attempt.'),
  event: Type.String({ examples: ['version.published'], description: 'Name of the event.' }),
  status: Type.Enum([...DELIVERY_STATUSES], { description: 'Status. `pending`: it has attempts left.' }),
  reason: nullable(
    Type.Enum([...DELIVERY_REASONS]),
    'Why it was not delivered: no attempt left, the receiver answered 410, too many pending deliveries, or the webhook was disabled.',
  ),
  attempts: Type.Array(DeliveryAttemptRecord, { description: 'The latest attempts, the oldest first; at most 20.' }),
  attempt_count: Type.Integer({ minimum: 0, examples: [1], description: 'Number of attempts.' }),
  next_attempt_at: moment('Time of the next attempt; null: none.'),
  delivered_at: moment('When the receiver accepted it; null: not yet.'),
  created_at: fields.timestamp('When it was created. It is kept for 30 days.'),
  updated_at: fields.timestamp('When it was last tried or updated.'),
}

export const WebhookDeliveryRecord = Type.Object(delivery, { $id: 'WebhookDeliveryRecord', description: 'A delivery of an event to a webhook.' })

export const WebhookDeliveryDetail = Type.Object(
  {
    ...delivery,
    payload: Type.Object(
      {
        type: Type.String({ examples: ['version.published'], description: 'Name of the event.' }),
        timestamp: fields.timestamp('Time of the event.'),
        data: Type.Unknown({ examples: [{ name: '2026.1', status: 'published' }], description: 'Payload of the event; see the section `webhooks`.' }),
      },
      { description: 'The body of the request.' },
    ),
  },
  { $id: 'WebhookDeliveryDetail', description: 'A delivery of an event to a webhook, with its body.' },
)
