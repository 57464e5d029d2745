/** `/platform/organizations/{organization_id}/git-bindings/{binding_id}/runs/{run_id}`: one run, with the report of a check. */
import Type from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { required } from '../../../core/errors.js'
import { defineRoute, type Route, SESSION } from '../../../core/http/route.js'
import { nullable } from '../../../core/nullable.js'
import { BindingParams, GIT_RUNS, GitProjectSyncRunRecord, presentRun } from '../git-bindings/service.js'
import { type ContentImpact, ContentImpactRecord } from '../../../content/impact/service.js'
import { GIT_CHECK_REPORTS, type GitCheckReportDocument } from './store.js'

const RunParams = Type.Object({ ...BindingParams.properties, run_id: fields.id('The run.') })

const RunReport = Type.Object(
  {
    ...GitProjectSyncRunRecord.properties,
    report: nullable(ContentImpactRecord, 'What the pull or merge request changes for detection; null: the run is no check, or found nothing.'),
  },
  { $id: 'GitProjectSyncRunReport', description: 'A run of a Git binding, with its report.' },
)

export function gitRunRoutes(): readonly Route[] {
  return [
    defineRoute({
      id: 'git-bindings.get-run',
      method: 'GET',
      path: '/platform/organizations/{organization_id}/git-bindings/{binding_id}/runs/{run_id}',
      tag: 'Git bindings',
      summary: 'Get a run of a Git binding',
      description:
        'The statuses that checks set at the provider link to this address. For a check, `diff_summary.conclusion` is `success` or `failure`, `report` has every change, and `diff_summary.how_to_accept` says how a review of the service accepts what the change loses.',
      access: SESSION,
      params: RunParams,
      responses: { 200: { description: 'The run.', schema: RunReport } },
      errors: ['resource_missing'],
      handle: async ({ scope, params }) => {
        const run = required(await scope.collection(GIT_RUNS).findOne({ _id: params.run_id, binding_id: params.binding_id }))
        const report = run.run_type === 'check' ? await scope.collection(GIT_CHECK_REPORTS).findOne({ _id: run._id }) : null
        return { body: { ...presentRun(run), report: report === null ? null : completed(report) } }
      },
    }),
  ]
}

/** Reports that are older than the list of dropped rules, or than the comparison of behaviour, lack it. */
function completed({ impact, behaviour_json }: GitCheckReportDocument): ContentImpact {
  const behaviour = behaviour_json === undefined ? {} : { behaviour: JSON.parse(behaviour_json) as NonNullable<ContentImpact['behaviour']> }
  return { ...impact, rules: { ...NONE_DROPPED, ...impact.rules }, ...behaviour }
}

const NONE_DROPPED = { dropped_count: 0, dropped: [] }
