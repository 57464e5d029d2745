/** Builds the section `webhooks` of the interface document: every event of the catalogue, as the request that a receiver gets. */
import Type, { type TSchema } from 'typebox'
import { EVENTS, type EventName } from '../core/events/catalogue.js'
import { exampleOfSchema } from './example.js'
import type { SchemaRegistry } from './schemas.js'

type Json = Record<string, unknown>

/** Tag of the webhooks, and of the routes that manage them. */
export const WEBHOOKS_TAG = 'Webhooks'

/** Text of the tag. */
export const WEBHOOKS_TEXT = `Events are sent as the [Standard Webhooks](https://www.standardwebhooks.com) specification defines. To verify an event, join \`webhook-id\`,
\`webhook-timestamp\` and the unmodified bytes of the body with full stops, and compute the HMAC-SHA256 of the result. The key is the base64-decoded part of the
webhook's secret after \`whsec_\`. One of the signatures in \`webhook-signature\` must be \`v1,\` followed by the HMAC in base64; compare in constant time. Refuse
timestamps that differ from your clock by more than five minutes.

An event can arrive more than once and out of order; \`webhook-id\` is the same each time. A 2xx response within 15 seconds accepts the event. After other
responses it is sent again after 5 seconds, 5 and 30 minutes, 2, 5, 10 and 14 hours. A 410 disables the webhook, as does a receiver that accepts nothing for five
days.`

const HEADERS: readonly Json[] = [
  header('webhook-id', 'Id of the event, the same for every attempt.', 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'),
  header('webhook-timestamp', 'Time of this attempt, in seconds since 1970-01-01 UTC.', '1769860800'),
  header('webhook-signature', 'Signatures, separated by spaces. For 24 hours after the secret was rotated there are two.', 'v1,pB/xhHMbNFl3rcIfKhMiBjqPDHjZpxXYMbNLXJxkbZs='),
]

/** All events, by name. */
export function describeWebhooks(registry: SchemaRegistry): Json {
  return Object.fromEntries((Object.keys(EVENTS) as EventName[]).map((name) => [name, { post: describeEvent(name, registry) }]))
}

function describeEvent(name: EventName, registry: SchemaRegistry): Json {
  const data = EVENTS[name] as TSchema & { readonly description?: string }
  const description = data.description ?? name
  const body = Type.Object(
    {
      type: Type.Literal(name, { description: 'Name of the event.' }),
      timestamp: Type.String({ format: 'date-time', description: 'Time of the event.' }),
      data,
    },
    { $id: `Event.${name}`, description },
  )
  return {
    operationId: `event_${name.replaceAll('.', '_')}`,
    tags: [WEBHOOKS_TAG],
    summary: name,
    description,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: registry.present(body, 'response'), examples: { event: { value: exampleOfSchema(body as unknown as Json) } } } },
    },
    responses: {
      '2XX': { description: 'Accepted. The body is ignored.' },
      '410': { description: 'The receiver wants no more events: the webhook is disabled.' },
      default: { description: 'Not accepted: the event is sent again later. Redirects are not followed.' },
    },
  }
}

function header(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example }
}
