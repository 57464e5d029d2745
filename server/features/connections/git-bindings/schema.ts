/** Requests about Git bindings, and the record of one. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { ONE_LINE, SOME_LINES } from '../../../core/patterns.js'
import { projectFields } from '../../../content/shared/fields.js'
import { PATH_CHARACTERS } from './paths.js'
import { PUBLISH_STRATEGIES } from './store.js'

/** Longer names are refused by all providers. */
const REPOSITORY_CHARACTERS = 512
const BRANCH_CHARACTERS = 255
/** A day: no job is due later. */
export const INTERVAL_LIMIT_MINUTES = 24 * 60

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const BindingParams = Type.Object({ organization_id: fields.id('The organization.'), binding_id: fields.id('The Git binding.') })
export const ProjectParams = Type.Object({ project_id: fields.id('The project.') })

export const BindingListQuery = listQuery({})
export type BindingListQuery = Static<typeof BindingListQuery>

/** Fields that other requests about repositories have too. */
export const repositoryFields = {
  repository: Type.String({
    minLength: 1,
    maxLength: REPOSITORY_CHARACTERS,
    pattern: ONE_LINE,
    examples: ['example/detections'],
    description: 'Repository, as the provider names it: `owner/name`, with all groups. Provider `git`: path below the base URL of the integration.',
  }),
  branch: Type.String({ minLength: 1, maxLength: BRANCH_CHARACTERS, pattern: ONE_LINE, examples: ['main'], description: 'Branch.' }),
}

const path = (example: string, description: string) =>
  Type.String({
    maxLength: PATH_CHARACTERS,
    pattern: SOME_LINES,
    examples: [example],
    description: `${description} From the root of the repository, without \`..\`; empty: the root.`,
  })

const request = {
  ...repositoryFields,
  integration_id: fields.id('An integration of the kind `git`.'),
  rules_path: path('rules', 'Folder of the rule files, or one file.'),
  decoders_path: path('decoders', 'Folder of the decoder files, or one file. In one folder with the rules, the elements of a file decide its kind.'),
  lists_path: nullable(path('lists', 'Folder of the CDB lists, or one file.'), 'Null: lists are neither read nor written.'),
  publish_strategy: Type.Enum([...PUBLISH_STRATEGIES], { description: '`direct` commits to the branch; `review` opens a pull or merge request.' }),
  scheduled_sync_interval_minutes: Type.Integer({ minimum: 0, maximum: INTERVAL_LIMIT_MINUTES, examples: [60], description: 'Minutes between two scheduled imports; 0: none.' }),
  sync_on_webhook: Type.Boolean({ description: 'Whether a push that the provider reports is imported.' }),
  check_pull_requests: Type.Boolean({ description: 'Whether pull and merge requests that the provider reports are checked.' }),
  comment_on_review: Type.Boolean({ description: 'Whether a check keeps a comment with its results up to date.' }),
}

export const GitBindingCreateRequest = Type.Object(
  {
    project_id: fields.id('The project.'),
    integration_id: request.integration_id,
    repository: request.repository,
    branch: request.branch,
    rules_path: request.rules_path,
    decoders_path: request.decoders_path,
    lists_path: Type.Optional(request.lists_path),
    publish_strategy: request.publish_strategy,
    scheduled_sync_interval_minutes: Type.Optional(request.scheduled_sync_interval_minutes),
    sync_on_webhook: Type.Optional(request.sync_on_webhook),
    check_pull_requests: Type.Optional(request.check_pull_requests),
    comment_on_review: Type.Optional(request.comment_on_review),
  },
  {
    $id: 'GitBindingCreateRequest',
    description:
      'A Git binding to create. Defaults: `lists_path` null, `scheduled_sync_interval_minutes` 0, `sync_on_webhook` false, `check_pull_requests` true, `comment_on_review` false.',
  },
)
export type GitBindingCreateRequest = Static<typeof GitBindingCreateRequest>

export const GitBindingUpdateRequest = Type.Partial(Type.Object(request), { $id: 'GitBindingUpdateRequest', description: 'The fields to update.' })
export type GitBindingUpdateRequest = Static<typeof GitBindingUpdateRequest>

const count = (description: string) => Type.Integer({ minimum: 0, examples: [12], description })

export const CountsRecord = Type.Object(
  {
    rule_files: count('Number of rule files.'),
    decoder_files: count('Number of decoder files.'),
    list_files: count('Number of lists.'),
    rules: count('Number of rules.'),
    decoders: count('Number of decoder names.'),
  },
  { $id: 'GitContentCounts', description: 'Numbers of files, rules and decoders in a repository.' },
)

const record = {
  id: projectFields.id('Identifier.'),
  organization_id: projectFields.id('The organization.'),
  project_id: projectFields.id('The project.'),
  integration_id: projectFields.idOrNull('The integration. Null: it was deleted; an update can name another one.'),
  repository: Type.String({ examples: ['example/detections'], description: 'Repository.' }),
  branch: Type.String({ examples: ['main'], description: 'Branch.' }),
  rules_path: Type.String({ examples: ['rules'], description: 'Folder or file of the rules; empty: the root.' }),
  decoders_path: Type.String({ examples: ['decoders'], description: 'Folder or file of the decoders; empty: the root.' }),
  lists_path: nullable(Type.String({ examples: ['lists'] }), 'Folder or file of the lists; empty: the root. Null: lists are neither read nor written.'),
  publish_strategy: request.publish_strategy,
  scheduled_sync_interval_minutes: Type.Integer({ examples: [60], description: 'Minutes between two scheduled imports; 0: none.' }),
  sync_on_webhook: request.sync_on_webhook,
  check_pull_requests: request.check_pull_requests,
  comment_on_review: request.comment_on_review,
  webhook_url: Type.String({
    examples: [`https://content.example.com/api/v1/webhooks/git/${EXAMPLE_ID}`],
    description: 'Address for a webhook of the provider: events of pushes and of pull or merge requests, as `application/json`, with the secret of the binding.',
  }),
  synced_commit_sha: nullable(Type.String({ examples: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'] }), 'Head of the branch at the last import or publication; null: none.'),
  synced_at: nullable(Type.String({ format: 'date-time' }), 'When it was last imported or published; null: never.'),
  review: nullable(
    Type.Object({
      number: Type.Integer({ examples: [17], description: 'Number of the pull or merge request.' }),
      url: Type.String({ examples: ['https://git.example.com/example/detections/pulls/17'], description: 'Its page.' }),
      branch: Type.String({ examples: ['detection-content/perimeter'], description: 'Its source branch.' }),
      head_sha: Type.String({ examples: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'], description: 'The last commit of the service on it.' }),
    }),
    'The open review of the last publication; null: none.',
  ),
  discovered: nullable(CountsRecord, 'Numbers of the last discovery; null: none yet.'),
  created_at: fields.timestamp('When it was created.'),
  updated_at: fields.timestamp('When it was last updated, imported or published.'),
}

export const GitProjectBindingRecord = Type.Object(record, { $id: 'GitProjectBindingRecord', description: 'The binding of a project to a branch of a repository.' })

export const GitBindingSecretRecord = Type.Object(
  {
    ...record,
    webhook_secret: Type.String({
      examples: ['C2FVsBQIhrscChlQIMV-b5sSYspob7oDazfmhMCQ1jE'],
      description: "Secret for the provider's webhook. No other answer contains it.",
    }),
  },
  { $id: 'GitBindingSecretRecord', description: 'A Git binding, with the secret of its inbound webhook.' },
)
