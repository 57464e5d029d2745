/**
 * The access of each route of the running service, as the contract defines it (CONTRACT.md#limits, #roles). The matrix checks every route against its own
 * declaration; this test checks the declarations.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Route } from '../../server/core/http/route.js'
import { startTestApp, type TestApp } from '../support/app.js'

/** Routes by who may call them: a kind of access, or a permission. */
const ACCESS: Readonly<Record<string, string>> = {
  public:
    'auth.bootstrap auth.get-bootstrap-status auth.register-organization auth.login auth.login-with-second-factor auth.request-password-reset auth.confirm-password-reset invitations.get invitations.accept git-providers.get-capabilities git-webhooks.accept saml.get saml.get-metadata saml.accept sso.discover sso.login sso.accept-callback billing.list-public-plans billing.accept-event',
  optional_session: 'sso.logout',
  credential: 'health.get',
  user: [
    'auth.get-session auth.update-locale auth.logout auth.update-password sessions.list sessions.delete sessions.delete-others',
    'second-factor.get second-factor.create second-factor.confirm second-factor.rotate-recovery-codes second-factor.delete',
  ].join(' '),
  session: [
    'ai.get-status ai.ask ai.stream ai.generate-cases',
    'members.list members.get invitations.list integrations.list templates.list templates.get notifications.list notifications.mark-read notifications.stream',
    'git-bindings.list git-bindings.get git-bindings.list-runs git-bindings.get-review git-bindings.list-commits git-bindings.get-run',
    'identity-providers.list identity-providers.get identity-providers.validate identity-providers.test',
    // The last two need billing:manage, and take no API keys.
    'billing.get-overview billing.create-checkout billing.create-portal',
  ].join(' '),
  platform_admin: [
    'platform-admin.list-users platform-admin.get-user platform-admin.update-user platform-admin.delete-sessions platform-admin.delete-second-factor',
    'platform-admin.list-organizations platform-admin.create-organization platform-admin.get-organization platform-admin.update-organization platform-admin.update-plan platform-admin.delete-plan',
    'platform-admin.list-audit platform-admin.list-feedback platform-admin.get-feedback platform-admin.update-feedback',
    'platform-admin.get-billing-reconciliation platform-admin.create-billing-reconciliation',
    'platform-overview.get',
    'platform-ai.get-config platform-ai.update-config platform-ai.test ai.reindex',
    'platform-jobs.list platform-jobs.retry-all platform-jobs.get platform-jobs.retry platform-jobs.delete',
  ].join(' '),
  scim: 'scim-config.get scim-resource-types.list scim-resource-types.get scim-schemas.list scim-schemas.get scim-me.get scim-me.create scim-me.replace scim-me.update scim-me.delete scim-bulk.create scim-resources.search scim-users.list scim-users.search scim-users.create scim-users.get scim-users.replace scim-users.update scim-users.delete scim-groups.list scim-groups.search scim-groups.get scim-groups.create scim-groups.replace scim-groups.update scim-groups.delete',
  'analysis:run': 'analysis.validate rulesets.compile analysis.run-logtest analysis.run-full-logtest analysis.run-logtest-batch analysis.get-schema',
  'project:view': [
    'projects.list projects.get projects.get-overview projects.get-report projects.compare-workspace projects.compare-behaviour projects.search-versions projects.audit-rules projects.generate-witnesses projects.generate-sigma projects.compare-upgrade catalog.list-rules catalog.list-decoders dashboard.get corpora.list corpora.get replays.list replays.get replays.get-report cases.list cases.export cases.get quality-gate.get',
    'versions.list versions.get versions.get-content project-members.list project-members.get workspaces.list workspaces.get reviews.list reviews.get reviews.compare-behaviour review-comments.list',
    'git-bindings.list-of-project',
  ].join(' '),
  'project:create': 'projects.create',
  'project:edit': 'projects.archive projects.unarchive projects.update quality-gate.update',
  'project:delete': 'projects.delete',
  'case:edit': 'cases.create cases.import cases.update cases.delete corpora.create corpora.update corpora.delete',
  'case:run': 'cases.run cases.run-one replays.create replays.cancel replays.delete',
  'workspace:create': 'workspaces.create workspaces.delete workspaces.update',
  'review:create': 'reviews.create reviews.close',
  'review:approve': 'reviews.update',
  'review:comment': 'review-comments.create',
  'version:create': 'versions.create versions.archive',
  'version:publish': 'versions.publish versions.restore git-bindings.publish',
  'audit:view': 'audit.list audit.list-project',
  'feedback:view': 'feedback.list feedback.get feedback.update feedback.delete feedback.get-attachment',
  'feedback:create': 'feedback.create',
  'member:manage':
    'members.create members.update members.delete invitations.create invitations.delete project-members.create project-members.assign project-members.update project-members.delete',
  'api_key:manage': 'api-keys.list api-keys.create api-keys.rotate api-keys.delete key-policy.get key-policy.update',
  'identity_provider:manage': [
    'identity-policy.get identity-policy.update domains.list domains.create domains.get domains.verify domains.delete',
    'identity-providers.create identity-providers.update identity-providers.delete',
    'scim-tokens.list scim-tokens.create scim-tokens.delete',
  ].join(' '),
  'webhook:manage': [
    'webhooks.list webhooks.create webhooks.get webhooks.update webhooks.delete webhooks.rotate-secret webhooks.test',
    'webhook-deliveries.list webhook-deliveries.get webhook-deliveries.redeliver',
  ].join(' '),
  'integration:manage': [
    'integrations.create integrations.get integrations.update integrations.delete integrations.test integration-repositories.list integration-branches.list',
    'git-bindings.create git-bindings.update git-bindings.delete git-bindings.rotate-secret',
    'git-bindings.preflight integrations.export',
    'git-bindings.import git-bindings.rollback git-bindings.validate git-bindings.discover integrations.discover integrations.import',
    'pipeline-runs.list pipeline-runs.create pipeline-runs.get pipeline-runs.cancel',
  ].join(' '),
}

const RATE_LIMITS: Readonly<Record<string, string>> = {
  'auth.login': 'auth.login auth.login-with-second-factor',
  'auth.register': 'auth.register-organization',
  'analysis.validate': 'analysis.validate rulesets.compile',
  'analysis.logtest': 'analysis.run-logtest analysis.run-full-logtest analysis.run-logtest-batch',
  'webhook.test': 'webhooks.test',
}

/** A preference is not a record, and has no version. The version of an upload is its offset. */
const WITHOUT_IF_MATCH = ['auth.update-locale', 'corpora.update']

/** The verbs of operation ids: those of every resource, and those that only some have. */
const VERBS = ['create', 'list', 'get', 'update', 'delete', 'archive', 'publish', 'restore']
const OTHER_VERBS: Readonly<Record<string, string>> = {
  accept: 'takes an invitation, a delivery of a forge, or what an identity provider sends',
  ask: 'answers a question',
  assign: 'gives an existing member a role in a project',
  audit: 'says of each rule whether it can fire',
  bootstrap: 'creates the first organization with its administrator',
  cancel: 'asks for the end of a run',
  close: 'ends a review without a decision',
  compare: 'measures a workspace against its project',
  compile: 'the old name of validate',
  confirm: 'uses a token from a mail, or the first code of an authenticator',
  discover: 'reads a repository without importing it',
  export: 'writes all records as a file',
  generate: 'makes records that nobody wrote',
  import: 'reads records from a file, or content from a repository',
  login: 'begins a session',
  logout: 'ends a session',
  mark: 'changes the state of several records at once',
  preflight: 'says what a publication would change',
  redeliver: 'repeats a delivery',
  register: 'creates an organization with its administrator',
  reindex: 'builds an index again',
  replace: 'writes a whole resource of SCIM',
  request: 'asks for a mail with a token',
  retry: 'runs failed jobs again',
  rollback: 'restores an earlier commit',
  rotate: 'replaces a secret',
  run: 'runs events or cases',
  stream: 'keeps the connection open for events',
  test: 'sends a test event, or begins a login that changes nothing',
  search: 'lists resources of SCIM, with the parameters in the body',
  unarchive: 'takes out of the archive',
  validate: 'compiles and checks a ruleset',
  verify: 'looks up the record that proves a domain',
}

describe('the routes of the service', () => {
  let app: TestApp
  let routes: readonly Route[]
  const accessOf = ({ access }: Route): string => (access.kind === 'permission' ? access.permission : access.kind)
  const ids = (some: (route: Route) => boolean): string[] =>
    routes
      .filter(some)
      .map(({ id }) => id)
      .sort()

  before(async () => {
    app = await startTestApp()
    routes = app.service.routes
  })

  /** Those of the router, which begin with the prefix of the interface. */
  async function expressionsTried(method: string, path: string): Promise<number> {
    const { exec } = RegExp.prototype
    let tried = 0
    RegExp.prototype.exec = function (text) {
      if (this.source.startsWith('^(?:\\/api\\/v1\\/')) tried++
      return exec.call(this, text)
    }
    try {
      assert.equal((await app.client.call(method, path)).status, 401)
    } finally {
      RegExp.prototype.exec = exec
    }
    return tried
  }

  test('are found among few: a logtest passes none of those of resources', async () => {
    assert.ok(routes.length > 200)
    // The expression that matches runs once more, for its parameters.
    assert.equal(await expressionsTried('POST', '/analysis/logtest-native'), 2)
    for (const path of ['/platform/projects/p1', '/platform/organizations/o1/integrations/i1']) {
      const tried = await expressionsTried('GET', path)
      assert.ok(tried > 1 && tried <= 40, `${tried} expressions for ${path}`)
    }
  })
  after(() => app?.close())

  test('have ids of a resource and a verb', () => {
    const used = new Set(routes.map(({ id }) => /^[a-z]+(?:-[a-z]+)*\.([a-z]+)(?:-[a-z]+)*$/.exec(id)?.[1] ?? id))
    assert.deepEqual([...used].sort(), [...VERBS, ...Object.keys(OTHER_VERBS)].sort())
  })

  test('have the access that the contract defines', () => {
    for (const [access, named] of Object.entries(ACCESS)) {
      assert.deepEqual(
        ids((route) => accessOf(route) === access),
        named.split(' ').sort(),
        access,
      )
    }
    assert.deepEqual(
      ids((route) => !(accessOf(route) in ACCESS)),
      [],
    )
  })

  test('also require the role in the project below a project, unless they change the organization', () => {
    assert.deepEqual(
      ids(({ path, access }) => path.includes('{project_id}') && !(access.kind === 'permission' && access.inProject === true)),
      ['project-members.create'],
    )
  })

  test('are limited under the key of the contract', () => {
    for (const [key, named] of Object.entries(RATE_LIMITS)) {
      assert.deepEqual(
        ids(({ rateLimit }) => rateLimit === key),
        named.split(' ').sort(),
        key,
      )
    }
    assert.deepEqual(
      ids(({ rateLimit }) => rateLimit !== undefined && !(rateLimit in RATE_LIMITS)),
      [],
    )
  })

  test('support Idempotency-Key and If-Match as in the contract', () => {
    assert.deepEqual(
      ids(({ idempotencyKey }) => idempotencyKey === true),
      ['cases.run', 'pipeline-runs.create', 'versions.publish'],
    )
    assert.deepEqual(
      ids(({ method, ifMatch, responses }) => method === 'PATCH' && !ifMatch && Object.keys(responses).length > 0),
      WITHOUT_IF_MATCH,
    )
  })

  test('refuse sessions of a suspended organization, except for the end of the session', () => {
    assert.deepEqual(
      ids(({ evenSuspended }) => evenSuspended === true),
      ['auth.logout'],
    )
  })

  test('return validation_failed for a wrong body only in the analysis', () => {
    assert.deepEqual(
      ids(({ invalidBody }) => invalidBody === 'validation_failed'),
      ids(({ id, body }) => body !== undefined && (ACCESS['analysis:run'] as string).split(' ').includes(id)),
    )
  })
})
