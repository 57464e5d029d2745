/** `/platform/organizations/{organization_id}/webhooks`, and their deliveries. */
import Type from 'typebox'
import { etagOf } from '../../core/etag.js'
import { noContent, permission, type Route, routesOf } from '../../core/http/route.js'
import { presentPage } from '../../core/tenancy/page.js'
import type { DeliveryHistory } from './history.js'
import { presentDelivery, presentDeliveryDetail, presentWebhook } from './present.js'
import {
  DeliveryListQuery,
  DeliveryParams,
  OrganizationParams,
  WebhookCreateRequest,
  WebhookDeliveryDetail,
  WebhookDeliveryRecord,
  WebhookListQuery,
  WebhookParams,
  WebhookRecord,
  WebhookSecretRecord,
  WebhookUpdateRequest,
} from './schema.js'
import type { RevealedWebhook, WebhooksService } from './service.js'
import type { WebhookDocument } from './store.js'

const defineRoute = routesOf('Webhooks')
const COLLECTION = '/platform/organizations/{organization_id}/webhooks'
const ITEM = `${COLLECTION}/{webhook_id}`
const DELIVERIES = `${ITEM}/deliveries`
const ACCESS = permission('webhook:manage')
const WEBHOOK = { 200: { description: 'The webhook.', schema: WebhookRecord } } as const
const REVEALED = { 200: { description: 'The webhook, with its secret.', schema: WebhookSecretRecord } } as const
const DELIVERY = { 200: { description: 'The delivery.', schema: WebhookDeliveryDetail } } as const

const TARGETS =
  'A URL that is or resolves to a loopback, link-local, private or other special address is refused (400); the address is checked again for each delivery. Redirects are not followed.'

const answer = (webhook: WebhookDocument) => ({ body: presentWebhook(webhook), etag: etagOf(webhook) })
const reveal = ({ webhook, secret }: RevealedWebhook) => ({ body: { ...presentWebhook(webhook), secret } })

export function webhookRoutes(webhooks: WebhooksService, history: DeliveryHistory): readonly Route[] {
  return [
    defineRoute({
      id: 'webhooks.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List webhooks',
      description: 'The answer contains no secrets.',
      access: ACCESS,
      params: OrganizationParams,
      query: WebhookListQuery,
      responses: { 200: { description: 'The webhooks.', schema: Type.Array(WebhookRecord) } },
      handle: async ({ scope, query }) => presentPage(await webhooks.list(scope, query), presentWebhook),
    }),
    defineRoute({
      id: 'webhooks.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a webhook',
      description: `The service sends the selected events to its URL. The section \`webhooks\` of this document describes bodies, signatures and retries. Only this answer contains the secret. ${TARGETS} An organization has at most 50 webhooks (409).`,
      access: ACCESS,
      params: OrganizationParams,
      body: { as: 'json', schema: WebhookCreateRequest },
      bodyExamples: {
        tickets: { url: 'https://siem.example.com/hooks/content', events: ['version.published', 'publish.failed'], description: 'Change tickets' },
      },
      responses: REVEALED,
      errors: ['target_refused', 'webhook_limit', 'plan_quota_exceeded'],
      handle: async (request) => reveal(await webhooks.create(request.scope, request.body, request)),
    }),
    defineRoute({
      id: 'webhooks.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a webhook',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: ACCESS,
      params: WebhookParams,
      responses: WEBHOOK,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await webhooks.get(scope, params.webhook_id)),
    }),
    defineRoute({
      id: 'webhooks.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update a webhook',
      description: `Updates the fields that are sent. \`is_active: true\` enables a webhook that the service disabled. ${TARGETS}`,
      access: ACCESS,
      params: WebhookParams,
      body: { as: 'json', schema: WebhookUpdateRequest },
      bodyExamples: {
        events: { events: ['regression.failed'] },
        again: { is_active: true },
        moved: { url: 'https://siem.example.com/hooks/v2' },
      },
      responses: WEBHOOK,
      errors: ['resource_missing', 'target_refused', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await webhooks.update(request.scope, request.params.webhook_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'webhooks.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a webhook',
      description: 'Stops its deliveries and deletes their history.',
      access: ACCESS,
      params: WebhookParams,
      responses: { 204: { description: 'The webhook is deleted.', schema: null } },
      errors: ['resource_missing'],
      handle: (request) => noContent(webhooks.delete(request.scope, request.params.webhook_id, request)),
    }),
    defineRoute({
      id: 'webhooks.rotate-secret',
      method: 'POST',
      path: `${ITEM}/rotate-secret`,
      summary: 'Rotate the secret of a webhook',
      description:
        'Only this answer contains the new secret. For 24 hours deliveries are signed with both secrets: `webhook-signature` has two signatures, of which receivers need to verify one. If two rotations run concurrently, one is answered 409.',
      access: ACCESS,
      params: WebhookParams,
      responses: REVEALED,
      errors: ['resource_missing', 'edit_conflict'],
      handle: async (request) => reveal(await webhooks.rotateSecret(request.scope, request.params.webhook_id, request)),
    }),
    defineRoute({
      id: 'webhooks.test',
      method: 'POST',
      path: `${ITEM}/test`,
      summary: 'Test a webhook',
      description: 'Sends `webhook.test` once, immediately, also if the webhook is disabled. The answer has the result: `status` is `delivered` or `failed`.',
      access: ACCESS,
      rateLimit: 'webhook.test',
      params: WebhookParams,
      responses: DELIVERY,
      errors: ['resource_missing'],
      handle: async (request) => ({ body: presentDeliveryDetail(await history.test(request.scope, request.params.webhook_id, request)) }),
    }),
    defineRoute({
      id: 'webhook-deliveries.list',
      method: 'GET',
      path: DELIVERIES,
      summary: 'List deliveries of a webhook',
      description: 'Lists the deliveries of the last 30 days, without their bodies.',
      access: ACCESS,
      params: WebhookParams,
      query: DeliveryListQuery,
      responses: { 200: { description: 'The deliveries.', schema: Type.Array(WebhookDeliveryRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => presentPage(await history.list(scope, params.webhook_id, query), presentDelivery),
    }),
    defineRoute({
      id: 'webhook-deliveries.get',
      method: 'GET',
      path: `${DELIVERIES}/{delivery_id}`,
      summary: 'Get a delivery of a webhook',
      description: 'The answer contains the body of the delivery.',
      access: ACCESS,
      params: DeliveryParams,
      responses: DELIVERY,
      errors: ['resource_missing'],
      handle: async ({ scope, params }) => ({ body: presentDeliveryDetail(await history.get(scope, params.webhook_id, params.delivery_id)) }),
    }),
    defineRoute({
      id: 'webhook-deliveries.redeliver',
      method: 'POST',
      path: `${DELIVERIES}/{delivery_id}/redeliver`,
      summary: 'Redeliver a delivery of a webhook',
      description:
        'Sends the delivery again with the same `webhook-id` and with the retries of a new one. A `pending` delivery is tried immediately. A disabled webhook is answered 409.',
      access: ACCESS,
      params: DeliveryParams,
      responses: DELIVERY,
      errors: ['resource_missing', 'webhook_inactive'],
      handle: async (request) => ({ body: presentDeliveryDetail(await history.redeliver(request.scope, request.params.webhook_id, request.params.delivery_id, request)) }),
    }),
  ]
}
