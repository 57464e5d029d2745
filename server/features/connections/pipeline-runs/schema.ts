/** Requests and answers about runs of pipelines. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { PIPELINE_STATUSES } from '../gateways/ci/gateway.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { ONE_LINE } from '../../../core/patterns.js'
import { UNKNOWN_REASONS } from './store.js'

/** Longer names are refused by all providers. */
const NAME_CHARACTERS = 512
const BRANCH_CHARACTERS = 255
/** More than GitHub accepts (25), and than people pass. */
const INPUTS_LIMIT = 50
const INPUT_NAME_CHARACTERS = 100
const INPUT_CHARACTERS = 2_000
/** Ids of Jenkins contain the path of the job. */
const RUN_ID_CHARACTERS = 1_000

const EXAMPLE_RUN = '46000000017'
const id = (description: string) => Type.String({ examples: [EXAMPLE_ID], description })
const moment = (description: string) => nullable(Type.String({ format: 'date-time' }), description)
const name = (maxLength: number, example: string, description: string) => Type.String({ minLength: 1, maxLength, pattern: ONE_LINE, examples: [example], description })

export const PipelineRunsParams = Type.Object({ organization_id: fields.id('The organization.'), integration_id: fields.id('The integration.') })
export const PipelineRunParams = Type.Object({
  organization_id: fields.id('The organization.'),
  integration_id: fields.id('The integration. Runs of a deleted one are still answered.'),
  external_run_id: Type.String({ minLength: 1, maxLength: RUN_ID_CHARACTERS, examples: [EXAMPLE_RUN], description: '`external_run_id` of the run.' }),
})

export const PipelineRunListQuery = listQuery({
  filters: { status: Type.Optional(Type.Enum([...PIPELINE_STATUSES], { description: 'Only runs with this status.' })) },
})
export type PipelineRunListQuery = Static<typeof PipelineRunListQuery>

export const PipelineRunRequest = Type.Object(
  {
    project: Type.Optional(
      name(
        NAME_CHARACTERS,
        'example/detections',
        'Project: `owner/name` (`github_actions`), path of the project (`gitlab_ci`), or path of the job with its folders (`jenkins`). Default: the one of the settings.',
      ),
    ),
    workflow: Type.Optional(name(NAME_CHARACTERS, 'content.yml', 'File name or id of the workflow (`github_actions`); others ignore it. Default: the one of the settings.')),
    branch: Type.Optional(
      name(
        BRANCH_CHARACTERS,
        'main',
        'Branch. Default: the default branch. `jenkins`: the branch of a multibranch job; for other jobs the value of the parameter `BRANCH`, `branch`, `BRANCH_NAME` or `GIT_BRANCH`.',
      ),
    ),
    inputs: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        propertyNames: { type: 'string', minLength: 1, maxLength: INPUT_NAME_CHARACTERS },
        additionalProperties: { type: 'string', maxLength: INPUT_CHARACTERS },
        maxProperties: INPUTS_LIMIT,
        examples: [{ LEVEL: '3' }],
        description:
          'Inputs by name: inputs of the workflow (`github_actions`), variables of the pipeline (`gitlab_ci`), or parameters of the job (`jenkins`). They are not stored.',
      }),
    ),
  },
  { $id: 'PipelineRunRequest', description: 'A run to start.' },
)
export type PipelineRunRequest = Static<typeof PipelineRunRequest>

export const PipelineRunRecord = Type.Object(
  {
    id: id('Identifier in the audit log.'),
    organization_id: id('The organization.'),
    integration_id: id('The integration, which may be deleted.'),
    external_run_id: Type.String({ examples: [EXAMPLE_RUN], description: 'Identifier for this interface. It does not change, and begins as the one of the provider.' }),
    status: Type.Enum([...PIPELINE_STATUSES], { description: 'Status. `queued` includes runs that wait for a person.' }),
    reason: nullable(
      Type.Enum([...UNKNOWN_REASONS]),
      'Why the status is `failed` although the provider did not say so: the provider no longer has the run (`run_missing`), or it had not ended after three days (`follow_limit`). Null: the status is the one of the provider.',
    ),
    url: nullable(Type.String({ examples: ['https://gitlab.example.com/soc/content/-/pipelines/46000000017'] }), 'Page of the run; null: unknown.'),
    logs_url: nullable(Type.String({ examples: ['https://gitlab.example.com/soc/content/-/pipelines/46000000017/builds'] }), 'Page of its logs; null: there are none yet.'),
    started_at: moment('When it began to run; null: it has not.'),
    finished_at: moment('When it ended; null: it has not.'),
    project: nullable(Type.String({ examples: ['example/detections'] }), 'The project in which it runs.'),
    workflow: nullable(Type.String({ examples: ['content.yml'] }), 'The workflow; null: the provider has none.'),
    branch: nullable(Type.String({ examples: ['main'] }), 'The branch that was requested; null: the default branch.'),
    orphaned: Type.Boolean({ description: 'Whether the integration was deleted. The record then remains as it was.' }),
    checked_at: fields.timestamp('When the provider was last asked.'),
    check_error: nullable(Type.String({ examples: ['provider_rate_limited'] }), 'Code of the error of that check; null: it succeeded.'),
    started_by: Type.String({ examples: [`user:${EXAMPLE_ID}`], description: 'Who started it: a user or an API key.' }),
    created_at: fields.timestamp('When it was requested. It is kept for 180 days.'),
  },
  { $id: 'PipelineRunRecord', description: 'A run of a pipeline.' },
)
