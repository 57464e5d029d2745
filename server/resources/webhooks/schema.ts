/** Requests and answers about webhooks and their deliveries. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { EVENT_NAMES, type EventName } from '../../events/catalogue.js'
import { OUTBOUND_FAILURES } from '../../gateways/http/client.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { DELIVERY_REASONS, DELIVERY_STATUSES, DISABLED_REASONS } from './store.js'

/** What servers commonly take as an address. */
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
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES], { description: 'Only deliveries of this status.' })),
    event: Type.Optional(Type.Enum(NAMES, { description: 'Only deliveries of this event.' })),
  },
})
export type DeliveryListQuery = Static<typeof DeliveryListQuery>

const request = {
  url: Type.String({
    minLength: 1,
    maxLength: URL_CHARACTERS,
    format: 'http-uri',
    description: 'Where events are sent to: `https:`, or `http:`, which others can read on the way. No credentials.',
  }),
  events: Type.Array(Type.Enum(NAMES), { minItems: 1, maxItems: NAMES.length, uniqueItems: true, description: 'Events that are sent.' }),
  description: fields.text(DESCRIPTION_CHARACTERS, 'What it is for.'),
}

export const WebhookCreateRequest = Type.Object(
  { url: request.url, events: request.events, description: Type.Optional(request.description) },
  { $id: 'WebhookCreateRequest', description: 'A webhook that is to be made.' },
)
export type WebhookCreateRequest = Static<typeof WebhookCreateRequest>

export const WebhookUpdateRequest = Type.Object(
  {
    url: Type.Optional(request.url),
    events: Type.Optional(request.events),
    description: Type.Optional(request.description),
    is_active: Type.Optional(Type.Boolean({ description: 'False: nothing is sent, and what waits to be sent is cancelled when its time comes.' })),
  },
  { $id: 'WebhookUpdateRequest', description: 'What is to change of a webhook; what is left out stays.' },
)
export type WebhookUpdateRequest = Static<typeof WebhookUpdateRequest>

const record = {
  id: id('Identifier.'),
  organization_id: id('The organization whose events are sent.'),
  url: Type.String({ examples: ['https://siem.example.com/hooks/content'], description: 'Where events are sent to.' }),
  description: Type.String({ examples: ['Change tickets'], description: 'What it is for.' }),
  events: Type.Array(Type.String(), { examples: [['version.published', 'publish.failed']], description: 'Events that are sent.' }),
  is_active: Type.Boolean({ description: 'False: nothing is sent.' }),
  disabled_reason: nullable(
    Type.Enum([...DISABLED_REASONS]),
    'Why the service switched it off: the receiver answered 410 (`gone`), or took nothing for five days (`failing`). Null: it did not.',
  ),
  disabled_at: moment('When the service switched it off; null: it did not.'),
  failing_since: moment('Since when every attempt has failed; null: the last one did not.'),
  previous_secret_expires_at: moment('Until when the secret before the last rotation signs as well; null: there was none.'),
  created_at: fields.timestamp('When it was created.'),
  updated_at: fields.timestamp('When it was last changed, or switched off.'),
}

export const WebhookRecord = Type.Object(record, { $id: 'WebhookRecord', description: 'A webhook, without its secret.' })

export const WebhookSecretRecord = Type.Object(
  {
    ...record,
    secret: Type.String({
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfmhMCQ1jE='],
      description: 'What deliveries are signed with. It is shown here, and never again.',
    }),
  },
  { $id: 'WebhookSecretRecord', description: 'A webhook, with its secret.' },
)

const ERRORS = [...OUTBOUND_FAILURES.filter((failure) => failure !== 'aborted'), 'status_refused', 'redirect_refused', 'secret_unreadable'] as const

const DeliveryAttemptRecord = Type.Object(
  {
    at: fields.timestamp('When it began.'),
    duration_ms: Type.Integer({ minimum: 0, examples: [84], description: 'How long it took, in milliseconds.' }),
    status_code: nullable(Type.Integer({ examples: [503] }), 'Status of the answer; null: there was none.'),
    error: nullable(
      Type.String({ examples: ['status_refused'] }),
      `What went wrong: ${ERRORS.map((error) => `\`${error}\``).join(', ')}. New ones may appear. Null: the event was taken.`,
    ),
  },
  { $id: 'WebhookDeliveryAttempt', description: 'An attempt to deliver.' },
)

const delivery = {
  id: id('Identifier.'),
  webhook_id: id('The webhook.'),
  event_id: id('The event: `webhook-id` of every attempt.'),
  event: Type.String({ examples: ['version.published'], description: 'Name of the event.' }),
  status: Type.Enum([...DELIVERY_STATUSES], { description: '`pending`: it is tried, or tried again.' }),
  reason: nullable(
    Type.Enum([...DELIVERY_REASONS]),
    'Why it came to its end undelivered: no attempt was left, the receiver answered 410, too many others waited, or the webhook was switched off.',
  ),
  attempts: Type.Array(DeliveryAttemptRecord, { description: 'The latest attempts, the oldest first; at most 20.' }),
  attempt_count: Type.Integer({ minimum: 0, examples: [1], description: 'Attempts that were made.' }),
  next_attempt_at: moment('When it is tried next; null: it is not.'),
  delivered_at: moment('When the receiver took it; null: it has not.'),
  created_at: fields.timestamp('When it was made. It is kept for 30 days from then on.'),
  updated_at: fields.timestamp('When it was last tried or changed.'),
}

export const WebhookDeliveryRecord = Type.Object(delivery, { $id: 'WebhookDeliveryRecord', description: 'An event on its way to a webhook.' })

export const WebhookDeliveryDetail = Type.Object(
  {
    ...delivery,
    payload: Type.Object(
      {
        type: Type.String({ examples: ['version.published'], description: 'Name of the event.' }),
        timestamp: fields.timestamp('When it happened.'),
        data: Type.Unknown({ examples: [{ name: '2026.1', status: 'published' }], description: 'What happened; see the section `webhooks` for each event.' }),
      },
      { description: 'The body that is sent.' },
    ),
  },
  { $id: 'WebhookDeliveryDetail', description: 'An event on its way to a webhook, with what is sent.' },
)
