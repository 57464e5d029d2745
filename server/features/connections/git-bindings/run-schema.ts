/** Runs of a binding, as the API shows them. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { projectFields } from '../../../content/shared/fields.js'
import { RUN_STATUSES, RUN_TRIGGERS, RUN_TYPES } from './store.js'

const SHA = '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'

export const RunListQuery = listQuery({
  filters: {
    run_type: Type.Optional(Type.Enum([...RUN_TYPES], { description: 'Only runs of this type.' })),
    status: Type.Optional(Type.Enum([...RUN_STATUSES], { description: 'Only runs with this status.' })),
  },
})
export type RunListQuery = Static<typeof RunListQuery>

export const GitProjectSyncRunRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    binding_id: projectFields.id('The binding.'),
    project_id: projectFields.id('The project.'),
    run_type: Type.Enum([...RUN_TYPES], { description: 'What was done. `check`: the check of a pull or merge request.' }),
    status: Type.Enum([...RUN_STATUSES], {
      description:
        '`conflict`: nothing was changed, because both sides changed the same item. `canceled`: a newer push replaced the check, or its review was merged, closed or given another target branch.',
    }),
    trigger: Type.Enum([...RUN_TRIGGERS], { description: 'What caused it.' }),
    commit_sha: nullable(Type.String({ examples: [SHA] }), 'The commit that was read or created; null: none.'),
    review_number: nullable(Type.Integer({ examples: [17] }), 'Number of the pull or merge request; null: none.'),
    workspace_id: projectFields.idOrNull('The workspace that it created or changed; null: none.'),
    error: nullable(
      Type.Object({
        code: Type.String({ examples: ['provider_credentials_refused'], description: 'Code of the failure.' }),
        message: Type.String({ examples: ['gitea refused the credential.'], description: 'What happened, in English.' }),
      }),
      'The failure; null: none.',
    ),
    diff_summary: Type.Record(Type.String(), Type.Unknown(), {
      examples: [{ no_change: false, rules: { added: 1, removed: 0, changed: 2 } }],
      description: 'What changed, depending on the type: numbers, and the first names, paths and warnings.',
    }),
    started_by: Type.String({ examples: ['user:b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'Who caused it: a user, an API key or a job of the service.' }),
    created_at: fields.timestamp('When it started.'),
    finished_at: nullable(Type.String({ format: 'date-time' }), 'When it ended; null: it is running.'),
  },
  { $id: 'GitProjectSyncRunRecord', description: 'A run of a Git binding.' },
)
