/**
 * Posts domain events to chats. Messaging integrations are receivers of the outbox beside webhooks: with the same deliveries, retries and pauses. A post is
 * composed at the attempt from the stored event, in the language of the integration.
 */
import type { Identities } from '../../../core/auth/identities.js'
import { readingKeys } from '../../../core/auth/secrets.js'
import { UnsealError } from '../../../core/auth/sealing.js'
import type { EventName } from '../../../core/events/catalogue.js'
import type { SelectedEvents } from '../../../core/events/outbox.js'
import { composeIntegrationDisabled } from '../../../core/mail/compose.js'
import { composeEvent, composeTest, type MessageContext } from '../gateways/messaging/compose.js'
import type { ChatMessage } from '../gateways/messaging/gateway.js'
import { MESSAGING } from '../gateways/messaging/index.js'
import type { MessagingProvider } from '../gateways/providers.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import {
  type AttemptParts,
  attemptRequest,
  type DeliveryAttempt,
  type HealthKind,
  type Receiver,
  type ReceiverHealth,
  type ReceiverKind,
  type SentAttempt,
} from '../../webhooks/index.js'
import { unsealCredentials } from './credentials.js'
import { resourceOf } from './present.js'
import { INTEGRATIONS, type IntegrationDocument } from './store.js'

/** What the health of webhooks needs to know of integrations. */
export const MESSAGING_HEALTH: HealthKind<IntegrationDocument> = {
  collection: INTEGRATIONS,
  actor: 'messaging',
  action: 'integration.disabled',
  resource: resourceOf,
  // The address is sealed; a new one has another text.
  sameAddress: ({ credentials }) => ({ credentials }),
  path: ({ organization_id, _id }) => `/platform/organizations/${organization_id}/integrations/${_id}`,
  notice: ({ name }) => ({ kind: 'integration.disabled', params: { name } }),
  composeMail: ({ name }, mail) => composeIntegrationDisabled({ ...mail, name }),
}

/** The events that messaging integrations of an organization select, for the outbox. */
export const selectedByMessaging: SelectedEvents = async (scope) => (await activeOnes(scope)).flatMap(({ settings }) => settings.events)

export interface MessagingParts extends Pick<AttemptParts, 'http' | 'counts' | 'clock'> {
  readonly identities: Pick<Identities, 'secrets'>
  readonly address: Pick<PublicAddress, 'pages'>
  readonly health: Pick<ReceiverHealth<IntegrationDocument>, 'succeeded' | 'failed' | 'gone'>
}

export class Messaging implements ReceiverKind {
  readonly target = 'integration'
  readonly #parts: MessagingParts

  constructor(parts: MessagingParts) {
    this.#parts = parts
  }

  readonly selecting = async (scope: Scope, event: EventName): Promise<readonly string[]> =>
    (await activeOnes(scope)).filter(({ settings }) => settings.events.includes(event)).map(({ _id }) => _id)

  async find(scope: Scope, id: string): Promise<Receiver | null> {
    const { health } = this.#parts
    const integration = await scope.collection(INTEGRATIONS).findOne({ _id: id, kind: 'messaging' })
    if (integration === null) return null
    return {
      isActive: integration.is_active,
      attempt: ({ body }, signal) => {
        const { type, data } = JSON.parse(body) as { readonly type: string; readonly data: Readonly<Record<string, unknown>> }
        return this.#post(integration, composeEvent(type, data, this.#contextOf(integration)), signal)
      },
      isGone: (attempt) => isGone(integration, attempt),
      succeeded: () => health.succeeded(scope, integration),
      failed: (isLast) => health.failed(scope, integration, isLast),
      gone: () => health.gone(scope, integration),
    }
  }

  /** Posts a test message once, also if the integration is disabled, and records the result. */
  async test(scope: Scope, integration: IntegrationDocument, signal: AbortSignal): Promise<DeliveryAttempt> {
    const { health } = this.#parts
    const attempt = await this.#post(integration, composeTest(integration.name, integration._id, this.#contextOf(integration)), signal)
    if (attempt.error === null) await health.succeeded(scope, integration)
    else if (isGone(integration, attempt)) await health.gone(scope, integration)
    return attempt
  }

  #post(integration: IntegrationDocument, message: ChatMessage, signal: AbortSignal): Promise<SentAttempt> {
    const gateway = gatewayOf(integration)
    const keys = readingKeys(this.#parts.identities.secrets, 'integrationCredentials')
    const request = () => {
      const credentials = unsealCredentials(keys, integration)
      if (credentials.kind !== 'webhook') throw new UnsealError('not the address of a webhook')
      return { url: credentials.webhookUrl, headers: {}, body: gateway.render(message) }
    }
    return attemptRequest(this.#parts, request, signal, (body) => gateway.isPosted(body))
  }

  #contextOf({ settings, organization_id }: IntegrationDocument): MessageContext {
    return { locale: settings.locale, organizationId: organization_id, baseUrl: this.#parts.address.pages }
  }
}

/** Whether the provider says that the webhook does not exist any more. */
export function isGone(integration: IntegrationDocument, { status_code }: DeliveryAttempt): boolean {
  return status_code !== null && gatewayOf(integration).goneStatuses.has(status_code)
}

function gatewayOf({ provider }: IntegrationDocument) {
  return MESSAGING[provider as MessagingProvider]
}

function activeOnes(scope: Scope): Promise<IntegrationDocument[]> {
  return scope.collection(INTEGRATIONS).find({ kind: 'messaging', is_active: true })
}
