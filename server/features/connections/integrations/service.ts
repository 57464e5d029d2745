/**
 * Integrations of an organization (CONTRACT.md#integrations): create, list, get, update, delete, and open the gateway of one. Invariants:
 *  1. credentials are stored sealed, bound to organization and integration, and leave this folder only as a gateway
 *  2. stored credentials are not sent to another address than the one for which they were given: a new `base_url` needs new credentials
 *  3. dependents are orphaned in the commit that deletes an integration
 */
import type { Identities } from '../../../core/auth/identities.js'
import { subjectOf } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { readingKeys } from '../../../core/auth/secrets.js'
import { ApiError, required } from '../../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../../core/etag.js'
import type { Outbox } from '../../../core/events/outbox.js'
import type { CiConnection, CiGateway } from '../gateways/ci/gateway.js'
import type { ProviderConnection } from '../gateways/connection.js'
import type { GitGateway } from '../gateways/git/gateway.js'
import type { EgressGuard } from '../../../core/egress/egress-guard.js'
import type { CiProvider, GitProvider, IntegrationKind } from '../gateways/providers.js'
import { type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Locale } from '../../../core/i18n/locale.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { Fields, Write } from '../../../core/storage/contract.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { WEBHOOK_CLEAR } from '../../webhooks/index.js'
import { credentialIssues, mergedSettings, newSettings, providerIssues, requirePublic, settingsIssues } from './check.js'
import { credentialKindOf, credentialsOf, openCredentials, sealCredentials, type StoredCredentials } from './credentials.js'
import { resourceOf } from './present.js'
import type { CredentialsInput, IntegrationCreateRequest, IntegrationListQuery, IntegrationUpdateRequest, SettingsInput } from './schema.js'
import { INTEGRATIONS, type IntegrationDocument, type IntegrationSettings } from './store.js'

export type { IntegrationDocument }

/** Maximum integrations of an organization: more than it has forges, CI systems and channels. All messaging ones are read for each event. */
export const INTEGRATIONS_LIMIT = 50
/** Attempts of a change that conflicts with concurrent changes. */
const ATTEMPTS = 5

/** Creates gateways; the tables in `gateways/git` and `gateways/ci` do. */
export interface GatewayOpeners {
  git(provider: GitProvider, connection: ProviderConnection, organizationId: string): GitGateway | Promise<GitGateway>
  ci(provider: CiProvider, connection: CiConnection, organizationId: string): CiGateway | Promise<CiGateway>
}

/** Where runs start. */
export type CiTarget = Pick<CiConnection, 'project' | 'workflow'>

/** Returns the writes by which dependents lose an integration that is deleted. */
export type OnDeleting = (scope: Scope, integrationId: string) => readonly Write[] | Promise<readonly Write[]>

export interface IntegrationsParts {
  readonly identities: Pick<Identities, 'secrets' | 'clock'>
  readonly guard: Pick<EgressGuard, 'check'>
  readonly outbox: Pick<Outbox, 'forget'>
  readonly quotas: Pick<Quotas, 'creating'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
  readonly openers: GatewayOpeners
  readonly onDeleting: readonly OnDeleting[]
  /** Language of posts to chats, where an integration has no setting. */
  readonly defaultLocale: Locale
}

/** An integration with its open gateway. */
export interface Opened<Gateway> {
  readonly integration: IntegrationDocument
  readonly gateway: Gateway
}

export class IntegrationsService {
  readonly #parts: IntegrationsParts

  constructor(parts: IntegrationsParts) {
    this.#parts = parts
  }

  async list(scope: Scope, query: IntegrationListQuery): Promise<Page<IntegrationDocument>> {
    return findPage(scope.collection(INTEGRATIONS), query.kind === undefined ? {} : { kind: query.kind }, findOptions(query))
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, integrationId: string): Promise<IntegrationDocument> {
    return required(await scope.collection(INTEGRATIONS).findOne({ _id: integrationId }))
  }

  /** @throws ApiError request_validation_failed, target_refused, integration_limit */
  async create(scope: Scope, { name, kind, provider, settings: sent = {}, credentials: input = {} }: IntegrationCreateRequest, actor: Actor): Promise<IntegrationDocument> {
    const { identities, guard, outbox, quotas, defaultLocale } = this.#parts
    const settings = newSettings(sent, defaultLocale)
    const wrong = providerIssues(kind, provider)
    refuse(wrong.length > 0 ? wrong : [...settingsIssues(provider, sent, settings), ...credentialIssues(provider, input)], actor.locale)
    await requirePublic(guard, [settings.base_url, input.webhook_url])
    const now = new Date(identities.clock())
    const place = { _id: newId(), organization_id: scope.organizationId }
    const integration: IntegrationDocument = {
      ...place,
      name: name.trim(),
      kind,
      provider,
      settings,
      ...this.#sealed(input, place, now),
      is_active: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      created_by: subjectOf(actor.principal),
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    const entry = { action: 'integration.created', resource: resourceOf(integration), diff: diffOf(null, audited(integration), AUDITED) } as const
    const integrations = scope.collection(INTEGRATIONS)
    const writes = [integrations.inserting(integration), auditing(scope, auditContext(actor), entry, now)]
    await quotas.creating(scope, 'integrations', { count: () => integrations.count({}), requireRoom, writes: async () => writes })
    await outbox.forget(scope)
    return integration
  }

  /**
   * Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition
   * @throws ApiError resource_missing, precondition_failed, request_validation_failed, target_refused, edit_conflict
   */
  async update(scope: Scope, integrationId: string, request: IntegrationUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<IntegrationDocument> {
    const { identities, guard, outbox } = this.#parts
    return retryStale(ATTEMPTS, async () => {
      const integration = await this.get(scope, integrationId)
      requireMatch(etagOf(integration), ifMatch)
      const { name = integration.name, settings: sent = {}, credentials: input, is_active = integration.is_active } = request
      const settings = mergedSettings(integration.settings, sent)
      refuse(updateIssues(integration, sent, settings, request), actor.locale)
      await requirePublic(guard, [sent.base_url, input?.webhook_url])
      const now = new Date(identities.clock())
      // Failures of the old address, or from before a person enabled the integration, no longer count.
      const isFresh = input !== undefined || (is_active && !integration.is_active)
      const change: Fields<IntegrationDocument> = {
        name: name.trim(),
        settings,
        is_active,
        ...(input === undefined ? {} : this.#sealed(input, integration, now)),
        ...(isFresh ? { failing_since: null } : {}),
        ...(is_active ? { disabled_reason: null, disabled_at: null } : {}),
      }
      const changed: IntegrationDocument = { ...integration, ...change }
      const diff = diffOf(audited(integration), audited(changed), AUDITED)
      if (Object.keys(diff).length === 0) return integration
      const [updated] = await scope.commit([
        scope.collection(INTEGRATIONS).updating({ _id: integrationId, revision: integration.revision }, { set: { ...change, updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'integration.updated', resource: resourceOf(changed), diff }, now),
      ])
      await outbox.forget(scope)
      return updated as IntegrationDocument
    })
  }

  /** Deletes the integration; its dependents are orphaned. @throws ApiError resource_missing, edit_conflict */
  async delete(scope: Scope, integrationId: string, actor: Actor): Promise<void> {
    const { identities, outbox, jobs, onDeleting } = this.#parts
    await retryStale(ATTEMPTS, async () => {
      const integration = await this.get(scope, integrationId)
      const orphaning = await Promise.all(onDeleting.map((dependents) => dependents(scope, integrationId)))
      const entry = { action: 'integration.deleted', resource: resourceOf(integration), diff: diffOf(audited(integration), null, AUDITED) } as const
      await scope.commit([
        scope.collection(INTEGRATIONS).deleting({ _id: integrationId }),
        ...orphaning.flat(),
        // Its deliveries are those of messages.
        ...(integration.kind === 'messaging' ? [jobs.enqueuing(scope, { kind: WEBHOOK_CLEAR, subject: integrationId })] : []),
        auditing(scope, auditContext(actor), entry, new Date(identities.clock())),
      ])
    })
    await outbox.forget(scope)
  }

  /** Opens the gateway of a Git integration. @throws ApiError resource_missing, integration_kind_wrong, credentials_unreadable */
  async openGit(scope: Scope, integrationId: string): Promise<Opened<GitGateway>> {
    const { integration, connection } = await this.#connect(scope, integrationId, 'git')
    return { integration, gateway: await this.#parts.openers.git(integration.provider as GitProvider, connection, scope.organizationId) }
  }

  /**
   * Opens the gateway of a CI integration. @param target replaces the project and the workflow of the settings
   * @throws ApiError resource_missing, integration_kind_wrong, credentials_unreadable
   */
  async openCi(scope: Scope, integrationId: string, target: Partial<CiTarget> = {}): Promise<Opened<CiGateway>> {
    const { integration, connection } = await this.#connect(scope, integrationId, 'ci')
    const { project, workflow } = integration.settings
    return { integration, gateway: await this.#parts.openers.ci(integration.provider as CiProvider, { ...connection, project, workflow, ...target }, scope.organizationId) }
  }

  async #connect(scope: Scope, integrationId: string, kind: IntegrationKind) {
    const integration = await this.get(scope, integrationId)
    if (integration.kind !== kind) throw new ApiError('integration_kind_wrong', { params: { kind } })
    const { base_url, organization } = integration.settings
    const credentials = this.#credentials(integration)
    // A stored document of this kind never has one.
    if (credentials.kind === 'webhook') throw new ApiError('integration_kind_wrong', { params: { kind } })
    const connection: ProviderConnection = { baseUrl: base_url, organization, credentials }
    return { integration, connection }
  }

  #credentials(integration: IntegrationDocument): StoredCredentials {
    return openCredentials(readingKeys(this.#parts.identities.secrets, 'integrationCredentials'), integration)
  }

  /** @param input a complete form */
  #sealed(input: CredentialsInput, place: Pick<IntegrationDocument, '_id' | 'organization_id'>, now: Date) {
    const kind = credentialKindOf(input)!
    const credentials = sealCredentials(this.#parts.identities.secrets.integrationCredentials, credentialsOf(kind, input), place)
    return { credentials, credentials_kind: kind, credentials_set_at: kind === 'none' ? null : now }
  }
}

const AUDITED = ['name', 'kind', 'provider', 'settings', 'credentials_kind', 'credentials_set_at', 'is_active'] as const

/** The fields of an integration that audit entries contain: nothing of the credentials. */
function audited(integration: IntegrationDocument): Pick<IntegrationDocument, (typeof AUDITED)[number]> {
  return integration
}

function updateIssues(
  { provider, kind, credentials_kind, settings: before }: IntegrationDocument,
  sent: SettingsInput,
  merged: IntegrationSettings,
  { credentials, is_active }: IntegrationUpdateRequest,
): FieldIssue[] {
  const needsCredentials = credentials === undefined && credentials_kind !== 'none' && merged.base_url !== before.base_url
  return [
    ...settingsIssues(provider, sent, merged),
    ...(credentials === undefined ? [] : credentialIssues(provider, credentials)),
    ...(needsCredentials ? [issue('/credentials', 'required', { words: 'new_credentials' })] : []),
    ...(is_active !== undefined && kind !== 'messaging' ? [issue('/is_active', 'unknown', null)] : []),
  ]
}

/** @throws ApiError request_validation_failed */
function refuse(issues: readonly FieldIssue[], locale: Locale): void {
  if (issues.length > 0) throw invalidRequest(issues, locale)
}

/** @throws ApiError integration_limit */
function requireRoom(there: number): void {
  if (there >= INTEGRATIONS_LIMIT) throw new ApiError('integration_limit', { params: { limit: INTEGRATIONS_LIMIT } })
}
