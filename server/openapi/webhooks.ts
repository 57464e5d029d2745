/** Builds the section `webhooks` of the interface document: every event of the catalogue, as the request that a receiver gets. */
import Type, { type TSchema } from 'typebox'
import { EVENTS, type EventName } from '../events/catalogue.js'
import { exampleOfSchema } from './example.js'
import type { SchemaRegistry } from './schemas.js'

type Json = Record<string, unknown>

/** Tag of the webhooks, and of the routes that manage them. */
export const WEBHOOKS_TAG = 'Webhooks'

/** Text of the tag. */
export const WEBHOOKS_TEXT = `Events are sent as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. To check it, take \`webhook-id\`, \`webhook-timestamp\` and the body
byte for byte as it came, with a full stop between them, and make their HMAC-SHA256 with the bytes that stand in base64 behind \`whsec_\` in the
webhook's secret. One of the signatures in \`webhook-signature\` has to be \`v1,\` and that in base64; compare in constant time. Refuse a timestamp that is more
than five minutes off.

An event may come more than once, and not in order: \`webhook-id\` is the same every time. Any 2xx within 15 seconds means that it was taken. Anything else is
tried again after 5 seconds, 5 and 30 minutes, 2, 5, 10 and 14 hours. A 410 switches the webhook off, as does a receiver that takes nothing for five days.`

const HEADERS: readonly Json[] = [
  header('webhook-id', 'Name of the event: the same for every attempt.', 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970-01-01 UTC.', '1769860800'),
  header('webhook-signature', 'Signatures, with a space between them: two for 24 hours after the secret was rotated.', 'v1,pB/xhHMbNFl3rcIfKhMiBjqPDHjZpxXYMbNLXJxkbZs='),
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
      timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
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
      '2XX': { description: 'Taken. The body is not looked at.' },
      '410': { description: 'Nothing more is wanted: the webhook is switched off.' },
      default: { description: 'Not taken: it is tried again. Redirects are not followed.' },
    },
  }
}

function header(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example }
}
