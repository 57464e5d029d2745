/**
 * Tests an integration with its provider: a forge lists repositories, a CI system names the account, a chat gets a message. A server of plain Git has no list, so
 * only its address is checked. What the provider refuses is the error of the request.
 */
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError } from '../../../core/errors.js'
import { CALL_TIMEOUT_MS } from '../gateways/git/gateway.js'
import { type HttpClient, OutboundError } from '../../../core/egress/client.js'
import { noAnswer, ProviderError } from '../../../core/egress/provider-error.js'
import { capabilitiesOf } from '../gateways/git/index.js'
import type { GitProvider } from '../gateways/providers.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext, auditing } from '../../../core/audit/service.js'
import type { DeliveryAttempt } from '../../webhooks/index.js'
import { isGone, type Messaging } from './messaging.js'
import { resourceOf } from './present.js'
import type { IntegrationsService } from './service.js'
import type { IntegrationDocument } from './store.js'

/** Names of repositories in the answer. */
export const REPOSITORIES_SHOWN = 10
/** Bytes of the page of a Git server, whose content does not matter. */
const PAGE_BYTES = 4 * 1024

export interface ConnectionTestResult {
  readonly checked: 'repositories' | 'account' | 'address' | 'message'
  readonly repository_count: number | null
  readonly repositories: readonly string[]
  readonly account: string | null
}

const NOTHING: Omit<ConnectionTestResult, 'checked'> = { repository_count: null, repositories: [], account: null }

export interface ConnectionTestParts {
  readonly integrations: Pick<IntegrationsService, 'get' | 'openGit' | 'openCi'>
  readonly messaging: Pick<Messaging, 'test'>
  readonly http: Pick<HttpClient, 'send'>
  readonly clock: () => number
}

export class ConnectionTests {
  readonly #parts: ConnectionTestParts

  constructor(parts: ConnectionTestParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing, credentials_unreadable, target_refused, and those of the provider */
  async run(scope: Scope, integrationId: string, actor: Actor, signal: AbortSignal): Promise<ConnectionTestResult> {
    const integration = await this.#parts.integrations.get(scope, integrationId)
    try {
      return await this.#check(scope, integration, signal)
    } finally {
      await scope.commit([auditing(scope, auditContext(actor), { action: 'integration.tested', resource: resourceOf(integration) }, new Date(this.#parts.clock()))])
    }
  }

  async #check(scope: Scope, integration: IntegrationDocument, signal: AbortSignal): Promise<ConnectionTestResult> {
    const { integrations, messaging } = this.#parts
    if (integration.kind === 'messaging') {
      requirePosted(integration, await messaging.test(scope, integration, signal))
      return { ...NOTHING, checked: 'message' }
    }
    if (integration.kind === 'ci') {
      const { gateway } = await integrations.openCi(scope, integration._id)
      const { account } = await gateway.test(signal)
      return { ...NOTHING, checked: 'account', account }
    }
    if (!capabilitiesOf(integration.provider as GitProvider).supports_repository_listing) {
      await this.#checkAddress(integration, signal)
      return { ...NOTHING, checked: 'address' }
    }
    const { gateway } = await integrations.openGit(scope, integration._id)
    const found = await gateway.listRepositories(signal)
    const repositories = found.slice(0, REPOSITORIES_SHOWN).map(({ fullName }) => fullName)
    return { ...NOTHING, checked: 'repositories', repository_count: found.length, repositories }
  }

  /** Passes if the server answers. Which answer does not matter, except for its own failure: its first page may be for members only. */
  async #checkAddress({ provider, settings }: IntegrationDocument, signal: AbortSignal): Promise<void> {
    try {
      const url = new URL(settings.base_url!)
      const { status } = await this.#parts.http.send({ method: 'GET', url, timeoutMs: CALL_TIMEOUT_MS, signal, bodyLimit: PAGE_BYTES, beyondLimit: 'cut' })
      if (status >= 500) throw new ProviderError('unavailable', { provider, details: { failure: 'status_refused', status } })
    } catch (error) {
      throw error instanceof OutboundError ? noAnswer(error, provider) : error
    }
  }
}

/** @throws ApiError if the message was not posted */
function requirePosted(integration: IntegrationDocument, attempt: DeliveryAttempt): void {
  const { provider } = integration
  const { error, status_code: status } = attempt
  if (error === null) return
  if (error === 'secret_unreadable') throw new ApiError('credentials_unreadable')
  if (error === 'redirect_refused') throw new ProviderError('redirect_refused', { provider })
  if (error !== 'status_refused') throw noAnswer(new OutboundError(error), provider)
  if (isGone(integration, attempt)) throw new ProviderError('not_found', { provider, details: { what: 'webhook' } })
  if (status === 401 || status === 403) throw new ProviderError('credentials_refused', { provider, details: { status } })
  if (status !== null && status >= 500) throw new ProviderError('unavailable', { provider, details: { failure: error, status } })
  throw new ProviderError('refused', { provider, details: { status } })
}
