/** `/webhooks/git/{binding_id}`: the address that a forge calls. */
import Type from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { DELIVERY_BYTES } from '../gateways/git/gateway.js'
import { defineRoute, JSON_MEDIA_TYPE, PUBLIC, type Route } from '../../../core/http/route.js'
import { type InboundWebhooks, RECEIPTS } from './inbound.js'
import { TAG } from './routes.js'

const GitWebhookEvent = Type.Object(
  {},
  { $id: 'GitWebhookEvent', additionalProperties: true, description: 'An event of the forge: a push, or a pull or merge request, as the provider documents it.' },
)
const GitWebhookReceipt = Type.Object(
  {
    status: Type.Enum([...RECEIPTS], {
      description: '`ignored`: the event is of another kind, repository or branch, or the binding does nothing with it. `duplicate`: the delivery was received before.',
    }),
  },
  { $id: 'GitWebhookReceipt', description: 'What the service does with a delivery.' },
)

export function inboundWebhookRoutes(inbound: InboundWebhooks): readonly Route[] {
  return [
    defineRoute({
      id: 'git-webhooks.accept',
      method: 'POST',
      path: '/webhooks/git/{binding_id}',
      tag: TAG,
      summary: 'Receive a webhook of a forge',
      description:
        'For forges only. The delivery needs the signature (GitHub `X-Hub-Signature-256`, Gitea `X-Gitea-Signature`) or token (GitLab `X-Gitlab-Token`) of the secret of the binding, and the type `application/json`. A push to the bound branch is imported if `sync_on_webhook` is set, a pull or merge request is checked if `check_pull_requests` is. The answer comes before the work. A delivery has at most 1 MB. The deliveries of a binding within a minute (429), and its checks that wait (503), are limited.',
      access: PUBLIC,
      params: Type.Object({ binding_id: fields.id('The Git binding.', EXAMPLE_ID) }),
      body: { as: 'bytes', schema: GitWebhookEvent, mediaType: JSON_MEDIA_TYPE, maxBytes: DELIVERY_BYTES },
      bodyExamples: { push: { ref: 'refs/heads/main', after: '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12', deleted: false, repository: { full_name: 'example/detections' } } },
      responses: { 200: { description: 'The delivery was received.', schema: GitWebhookReceipt } },
      errors: ['webhook_refused', 'body_unparseable', 'edit_conflict', 'rate_limited', 'overloaded'],
      handle: async (request) => ({
        body: { status: await inbound.receive(request.params.binding_id, { header: (name) => request.header(name), body: request.body }) },
      }),
    }),
  ]
}
