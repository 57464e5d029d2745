/** Requests and answers about integrations. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { MESSAGE_EVENTS, type MessageEvent } from '../gateways/messaging/compose.js'
import { type GitProvider, INTEGRATION_KINDS, type IntegrationKind, PROVIDERS, type Provider } from '../gateways/providers.js'
import { listQuery, pageQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { ONE_LINE, SOME_LINES } from '../../../core/patterns.js'
import { CREDENTIAL_KINDS } from './store.js'

/** Longest URL that servers commonly accept. */
const URL_CHARACTERS = 2048
/** Longer than the tokens of all providers: those of GitLab and GitHub have less than 300. */
const TOKEN_CHARACTERS = 1024
/** An RSA key of 8,192 bits has 6,400 characters in PEM. */
const PRIVATE_KEY_CHARACTERS = 16 * 1024
const PATH_CHARACTERS = 255
/** A header is built of it: no spaces, no control characters, no characters beyond ASCII. */
const TOKEN = '^[!-~]+$'
/** Digits, or a client id of GitHub. */
const APP_ID = '^[A-Za-z0-9.]{1,64}$'

const ALL_PROVIDERS = Object.values(PROVIDERS).flat() as [Provider, ...Provider[]]
const KINDS = [...INTEGRATION_KINDS] as [IntegrationKind, ...IntegrationKind[]]
const LOCALES = ['pt-BR', 'en-US'] as const

const NAMES = [...MESSAGE_EVENTS] as [MessageEvent, ...MessageEvent[]]

const moment = (description: string) => nullable(Type.String({ format: 'date-time' }), description)
const id = (description: string) => Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description })
const line = (maxLength: number, example: string, description: string) => Type.String({ minLength: 1, maxLength, pattern: ONE_LINE, examples: [example], description })

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const IntegrationParams = Type.Object({ organization_id: fields.id('The organization.'), integration_id: fields.id('The integration.') })

export const IntegrationListQuery = listQuery({
  sort: ['created_at', 'name'],
  filters: { kind: Type.Optional(Type.Enum(KINDS, { description: 'Only integrations of this kind.' })) },
})
export type IntegrationListQuery = Static<typeof IntegrationListQuery>

export const RepositoryListQuery = pageQuery()
export type RepositoryListQuery = Static<typeof RepositoryListQuery>

export const BranchListQuery = pageQuery({
  repository: line(PATH_CHARACTERS, 'example-soc/detection', 'Repository, as the list of repositories names it.'),
})
export type BranchListQuery = Static<typeof BranchListQuery>

const SettingsInput = Type.Object(
  {
    base_url: Type.Optional(
      nullable(
        Type.String({ minLength: 1, maxLength: URL_CHARACTERS, format: 'http-uri', examples: ['https://git.example.com'] }),
        'Address of the provider: `https:`, or `http:`, which is not encrypted; without credentials, query and fragment. Null: its public service.',
      ),
    ),
    organization: Type.Optional(nullable(line(PATH_CHARACTERS, 'example-soc', 'Name or path.'), 'Organization, group or user whose repositories are listed. Null: all.')),
    project: Type.Optional(
      nullable(line(PATH_CHARACTERS, 'example-soc/detection', 'Path or name.'), 'CI: the repository, project or job in which runs start. Null: the request names it.'),
    ),
    workflow: Type.Optional(nullable(line(PATH_CHARACTERS, 'content.yml', 'File name or id.'), 'GitHub Actions: the workflow that starts. Null: the request names it.')),
    events: Type.Optional(Type.Array(Type.Enum(NAMES), { minItems: 1, maxItems: NAMES.length, uniqueItems: true, description: 'Messaging: names of the events to post.' })),
    locale: Type.Optional(
      Type.Enum([...LOCALES], { description: 'Messaging: language of the posts. Default: that of the instance, which is `pt-BR` unless its operator has set another.' }),
    ),
  },
  { $id: 'IntegrationSettingsInput', description: 'Settings of the provider; each provider takes some of them.' },
)
export type SettingsInput = Static<typeof SettingsInput>

const CredentialsInput = Type.Object(
  {
    token: Type.Optional(Type.String({ minLength: 1, maxLength: TOKEN_CHARACTERS, pattern: TOKEN, description: 'An access token.' })),
    username: Type.Optional(line(PATH_CHARACTERS, 'content-bot', 'Name of the account.')),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: TOKEN_CHARACTERS, pattern: SOME_LINES, description: 'Password, or API token, of the account.' })),
    app_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: APP_ID, examples: ['123456'], description: 'Id of the GitHub App.' })),
    private_key: Type.Optional(Type.String({ minLength: 1, maxLength: PRIVATE_KEY_CHARACTERS, pattern: SOME_LINES, description: 'Private key of the GitHub App, in PEM.' })),
    installation_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 20, pattern: '^[0-9]+$', examples: ['7890123'], description: 'Id of the installation of the GitHub App.' }),
    ),
    webhook_url: Type.Optional(
      Type.String({ minLength: 1, maxLength: URL_CHARACTERS, format: 'http-uri', description: 'Messaging: address of the incoming webhook, which is a secret.' }),
    ),
  },
  { $id: 'IntegrationCredentialsInput', description: 'One form of credentials that the provider accepts. It is stored encrypted, and no answer contains it.' },
)
export type CredentialsInput = Static<typeof CredentialsInput>

export const IntegrationCreateRequest = Type.Object(
  {
    name: fields.name('Name of the integration.'),
    kind: Type.Enum(KINDS, { description: 'Kind of the integration.' }),
    provider: Type.Enum(ALL_PROVIDERS, { description: 'The provider, one of the kind.' }),
    settings: Type.Optional(SettingsInput),
    credentials: Type.Optional(CredentialsInput),
  },
  { $id: 'IntegrationCreateRequest', description: 'An integration to create.' },
)
export type IntegrationCreateRequest = Static<typeof IntegrationCreateRequest>

export const IntegrationUpdateRequest = Type.Object(
  {
    name: Type.Optional(fields.name('Name of the integration.')),
    settings: Type.Optional(SettingsInput),
    credentials: Type.Optional(CredentialsInput),
    is_active: Type.Optional(Type.Boolean({ description: 'Messaging: whether events are posted. True also enables an integration that the service disabled.' })),
  },
  { $id: 'IntegrationUpdateRequest', description: 'The fields to update.' },
)
export type IntegrationUpdateRequest = Static<typeof IntegrationUpdateRequest>

const setting = (example: string, description: string) => Type.Optional(nullable(Type.String({ examples: [example] }), description))

export const IntegrationConnectionRecord = Type.Object(
  {
    id: id('Identifier.'),
    organization_id: id('The organization.'),
    name: Type.String({ examples: ['Forge of the SOC'], description: 'Name of the integration.' }),
    kind: Type.Enum(KINDS, { description: 'Kind of the integration.' }),
    provider: Type.Enum(ALL_PROVIDERS, { description: 'The provider.' }),
    settings: Type.Object(
      {
        base_url: setting('https://git.example.com', 'Address of the provider; null: its public service.'),
        organization: setting('example-soc', 'Organization, group or user whose repositories are listed; null: all.'),
        project: setting('example-soc/detection', 'CI: the repository, project or job in which runs start; null: the request names it.'),
        workflow: setting('content.yml', 'GitHub Actions: the workflow that starts; null: the request names it.'),
        events: Type.Optional(Type.Array(Type.String(), { examples: [['version.published']], description: 'Messaging: names of the events to post.' })),
        locale: Type.Optional(Type.Enum([...LOCALES], { description: 'Messaging: language of the posts.' })),
      },
      { $id: 'IntegrationSettings', description: 'Settings that the provider has.' },
    ),
    credentials_kind: Type.Enum([...CREDENTIAL_KINDS], { description: 'Form of the stored credentials; `none`: there are none.' }),
    credentials_set_at: moment('When the credentials were last sent; null: there are none.'),
    is_active: Type.Boolean({ description: 'Messaging: whether events are posted. Always true for other kinds.' }),
    disabled_reason: nullable(
      Type.Enum(['gone', 'failing']),
      'Messaging: why the service disabled it: the webhook does not exist any more (`gone`), or failed for five days (`failing`). Null: it did not.',
    ),
    disabled_at: moment('When the service disabled it; null: it did not.'),
    failing_since: moment('Messaging: since when all posts have failed; null: the last one succeeded.'),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When it was last updated or disabled.'),
  },
  { $id: 'IntegrationConnectionRecord', description: 'An integration, without its credentials.' },
)

export const GitRepositoryItem = Type.Object(
  {
    full_name: Type.String({ examples: ['example-soc/detection'], description: 'Name with its owner, as other routes take it.' }),
    default_branch: Type.String({ examples: ['main'], description: 'Name of the default branch.' }),
    private: Type.Boolean({ description: 'Whether only members can read it.' }),
  },
  { $id: 'GitRepositoryItem', description: 'A repository of the provider.' },
)

export const GitBranchItem = Type.Object(
  {
    name: Type.String({ examples: ['main'], description: 'Name of the branch.' }),
    commit_sha: Type.String({ examples: ['3f786850e387550fdab836ed7e6dc881de23001b'], description: 'Its head.' }),
    protected: Type.Boolean({ description: 'Whether the provider protects it.' }),
  },
  { $id: 'GitBranchItem', description: 'A branch of a repository.' },
)

export const IntegrationTestResult = Type.Object(
  {
    ok: Type.Literal(true, { description: 'Always true: a failed test is an error.' }),
    checked: Type.Enum(['repositories', 'account', 'address', 'message'], {
      description: 'What was checked: the list of repositories, the account at the CI system, the address only (plain Git has no list), or that a message was posted.',
    }),
    repository_count: nullable(Type.Integer({ minimum: 0, examples: [12] }), 'Number of repositories that the credential can see; null: not checked.'),
    repositories: Type.Array(Type.String(), { examples: [['example-soc/detection']], description: 'Names of the first ten.' }),
    account: nullable(Type.String({ examples: ['content-bot'] }), 'Account or server at the CI system; null: not checked, or unknown.'),
  },
  { $id: 'IntegrationTestResult', description: 'The result of a successful test.' },
)

const supports = (description: string) => Type.Boolean({ description })

const GitProviderCapabilities = Type.Object(
  {
    supports_repository_listing: supports('Lists repositories.'),
    supports_branch_listing: supports('Lists branches.'),
    supports_scan_discovery: supports('Finds folders of rules and decoders in a repository.'),
    supports_explicit_paths: supports('Reads the paths that a binding names.'),
    supports_direct_publish: supports('Publishes as a commit.'),
    supports_review_publish: supports('Publishes as a pull or merge request.'),
    supports_app_auth: supports('Accepts the credentials of an app.'),
    supports_webhook_sync: supports('Sends webhooks that start an import.'),
    supports_pagination: supports('Lists are read page by page.'),
  },
  { $id: 'GitProviderCapabilities', description: 'What a Git provider supports.' },
)

export const GitProvidersCapabilities = Type.Object(
  Object.fromEntries(PROVIDERS.git.map((provider) => [provider, GitProviderCapabilities])) as Record<GitProvider, typeof GitProviderCapabilities>,
  { $id: 'GitProvidersCapabilities', description: 'The capabilities of each Git provider.' },
)
