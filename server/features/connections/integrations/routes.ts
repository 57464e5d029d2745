/** `/platform/organizations/{organization_id}/integrations`. */
import Type from 'typebox'
import { etagOf } from '../../../core/etag.js'
import { ERRORS, type ErrorReason } from '../../../core/errors.js'
import { noContent, permission, PUBLIC, type Route, routesOf, SESSION } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { BRANCHES_LIMIT, type GitCapabilities, REPOSITORIES_LIMIT } from '../gateways/git/gateway.js'
import { capabilitiesOf } from '../gateways/git/index.js'
import { type GitProvider, PROVIDERS } from '../gateways/providers.js'
import type { ConnectionTests } from './connection-test.js'
import { listBranches, listRepositories } from './listing.js'
import { presentIntegration } from './present.js'
import { describeProviders } from './providers.js'
import {
  BranchListQuery,
  GitBranchItem,
  GitProvidersCapabilities,
  GitRepositoryItem,
  IntegrationTestResult,
  RepositoryListQuery,
  IntegrationConnectionRecord,
  IntegrationCreateRequest,
  IntegrationListQuery,
  IntegrationParams,
  IntegrationUpdateRequest,
  OrganizationParams,
} from './schema.js'
import { INTEGRATIONS_LIMIT, type IntegrationsService } from './service.js'
import type { IntegrationDocument } from './store.js'

const capabilitiesOfAll = (): Record<GitProvider, GitCapabilities> =>
  Object.fromEntries(PROVIDERS.git.map((provider) => [provider, capabilitiesOf(provider)])) as Record<GitProvider, GitCapabilities>
const defineRoute = routesOf('Integrations')
const COLLECTION = '/platform/organizations/{organization_id}/integrations'
const ITEM = `${COLLECTION}/{integration_id}`
const ACCESS = permission('integration:manage')
const INTEGRATION = { 200: { description: 'The integration.', schema: IntegrationConnectionRecord } } as const

const TARGETS =
  'An address that is or resolves to a loopback, link-local, private or other special address is refused (400); it is checked again for each request. Redirects are not followed.'

const answer = (integration: IntegrationDocument) => ({ body: presentIntegration(integration), etag: etagOf(integration) })

/** Longer than a call of a provider, of which some follow one another. */
export const PROVIDER_TIMEOUT_MS = 60_000
/** Refusals of every request that waits for a provider. */
export const PROVIDER_ERRORS: readonly ErrorReason[] = [
  ...(Object.keys(ERRORS) as ErrorReason[]).filter((reason) => reason.startsWith('provider_')),
  'integration_kind_wrong',
  'credentials_unreadable',
  'target_refused',
]
const PROVIDER = { load: 'provider', timeoutMs: PROVIDER_TIMEOUT_MS } as const

export function integrationRoutes(integrations: IntegrationsService, tests: ConnectionTests): readonly Route[] {
  return [
    defineRoute({
      id: 'integrations.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List integrations',
      description: 'The answer contains no credentials.',
      access: SESSION,
      params: OrganizationParams,
      query: IntegrationListQuery,
      responses: { 200: { description: 'The integrations.', schema: Type.Array(IntegrationConnectionRecord) } },
      handle: async ({ scope, query }) => presentPage(await integrations.list(scope, query), presentIntegration),
    }),
    defineRoute({
      id: 'integrations.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create an integration',
      description: `Settings and credentials depend on the provider. A field that the provider does not take is refused (422). Credentials are stored encrypted, and no answer contains them. ${TARGETS} An organization has at most ${INTEGRATIONS_LIMIT} integrations (409).\n\n${describeProviders()}`,
      access: ACCESS,
      params: OrganizationParams,
      body: { as: 'json', schema: IntegrationCreateRequest },
      bodyExamples: {
        forge: {
          name: 'Forge of the SOC',
          kind: 'git',
          provider: 'gitea',
          settings: { base_url: 'https://git.example.com', organization: 'example-soc' },
          credentials: { token: 'a-token-of-the-forge' },
        },
        ci: {
          name: 'Pipelines',
          kind: 'ci',
          provider: 'github_actions',
          settings: { project: 'example-soc/detection', workflow: 'content.yml' },
          credentials: { token: 'a-token' },
        },
        chat: {
          name: 'Channel of the SOC',
          kind: 'messaging',
          provider: 'slack',
          settings: { events: ['version.published', 'publish.failed'], locale: 'en-US' },
          credentials: { webhook_url: 'https://hooks.slack.example.com/services/T0/B0/x' },
        },
      },
      responses: INTEGRATION,
      errors: ['target_refused', 'integration_limit'],
      handle: async (request) => ({ body: presentIntegration(await integrations.create(request.scope, request.body, request)) }),
    }),
    defineRoute({
      id: 'integrations.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get an integration',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: ACCESS,
      params: IntegrationParams,
      responses: INTEGRATION,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await integrations.get(scope, params.integration_id)),
    }),
    defineRoute({
      id: 'integrations.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update an integration',
      description: `Updates the fields that are sent, in \`settings\` as well. Kind and provider do not change. Credentials are replaced as a whole when they are sent. A new \`base_url\` needs credentials in the same request (422), so that stored ones are not sent to another server. ${TARGETS}`,
      access: ACCESS,
      params: IntegrationParams,
      body: { as: 'json', schema: IntegrationUpdateRequest },
      bodyExamples: {
        token: { credentials: { token: 'a-new-token' } },
        events: { settings: { events: ['regression.failed'] } },
        again: { is_active: true },
      },
      responses: INTEGRATION,
      errors: ['resource_missing', 'target_refused', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await integrations.update(request.scope, request.params.integration_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'integrations.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete an integration',
      description: 'Deletes its credentials. Bindings and pipeline runs of the integration remain and are orphaned: a binding works again when it names another integration.',
      access: ACCESS,
      params: IntegrationParams,
      responses: { 204: { description: 'The integration is deleted.', schema: null } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: (request) => noContent(integrations.delete(request.scope, request.params.integration_id, request)),
    }),
    defineRoute({
      id: 'integrations.test',
      method: 'POST',
      path: `${ITEM}/test`,
      summary: 'Test an integration',
      description:
        'A Git integration lists its repositories, a CI integration asks for its account, a messaging integration posts a test message, also if it is disabled. For plain Git, only the address is checked. What the provider refuses is answered as an error that says what to do.',
      access: ACCESS,
      ...PROVIDER,
      params: IntegrationParams,
      responses: { 200: { description: 'The test succeeded.', schema: IntegrationTestResult } },
      errors: ['resource_missing', ...PROVIDER_ERRORS],
      handle: async (request) => ({ body: { ok: true, ...(await tests.run(request.scope, request.params.integration_id, request, request.signal)) } }),
    }),
    defineRoute({
      id: 'integration-repositories.list',
      method: 'GET',
      path: `${ITEM}/repositories`,
      summary: 'List repositories of an integration',
      description: `Lists the repositories that the credential can see, in the order of the provider; at most ${REPOSITORIES_LIMIT.toLocaleString('en-US')}.`,
      access: ACCESS,
      ...PROVIDER,
      params: IntegrationParams,
      query: RepositoryListQuery,
      responses: { 200: { description: 'The repositories.', schema: Type.Array(GitRepositoryItem) } },
      errors: ['resource_missing', ...PROVIDER_ERRORS],
      handle: async ({ scope, params, query, signal }) =>
        presentPage(await listRepositories(integrations, scope, params.integration_id, query, signal), ({ fullName, defaultBranch, isPrivate }) => ({
          full_name: fullName,
          default_branch: defaultBranch,
          private: isPrivate,
        })),
    }),
    defineRoute({
      id: 'integration-branches.list',
      method: 'GET',
      path: `${ITEM}/branches`,
      summary: 'List branches of a repository',
      description: `Lists the branches in the order of the provider; at most ${BRANCHES_LIMIT.toLocaleString('en-US')}.`,
      access: ACCESS,
      ...PROVIDER,
      params: IntegrationParams,
      query: BranchListQuery,
      responses: { 200: { description: 'The branches.', schema: Type.Array(GitBranchItem) } },
      errors: ['resource_missing', ...PROVIDER_ERRORS],
      handle: async ({ scope, params, query, signal }) =>
        presentPage(await listBranches(integrations, scope, params.integration_id, query, signal), ({ name, commitSha, isProtected }) => ({
          name,
          commit_sha: commitSha,
          protected: isProtected,
        })),
    }),
    defineRoute({
      id: 'git-providers.get-capabilities',
      method: 'GET',
      path: '/platform/git-providers/capabilities',
      summary: 'Get what the Git providers support',
      description: 'The answer has one object for each provider.',
      access: PUBLIC,
      responses: { 200: { description: 'The capabilities by provider.', schema: GitProvidersCapabilities } },
      handle: async () => ({ body: capabilitiesOfAll() }),
    }),
  ]
}
