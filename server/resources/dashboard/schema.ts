/** An organization at a glance, as the interface shows it. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { nullable } from '../../nullable.js'
import { ProjectVersionRecord } from '../versions/service.js'
import { projectFields } from '../../projects/fields.js'
import { BillingUsageMetric } from '../../tenancy/usage-record.js'
import { AuditEventRecord } from '../audit/service.js'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const { id, name, status, quality_score, created_at } = ProjectVersionRecord.properties

export const DashboardResponse = Type.Object(
  {
    organization_id: projectFields.id('The organization.'),
    generated_at: fields.timestamp('When it was made.'),
    counts: Type.Object(
      {
        projects: count('Projects.'),
        open_workspaces: count('Open workspaces.'),
        open_reviews: count('Open reviews.'),
        reviews_waiting: count('Of them: reviews that the caller was asked for; 0 for API keys.'),
        cases: count('Cases of all projects.'),
        versions_published: count('Versions that were first published in the last 30 days.'),
      },
      { description: 'Numbers of the organization.' },
    ),
    projects: Type.Array(
      Type.Object(
        {
          id: projectFields.id('The project.'),
          slug: Type.String({ examples: ['vpn-gateways'], description: 'Its short name.' }),
          name: Type.String({ examples: ['VPN gateways'], description: 'Its name.' }),
          updated_at: fields.timestamp('When its fields or its content were last changed.'),
          case_count: count('Cases.'),
          workspace_count: count('Open workspaces.'),
          active_baseline_id: projectFields.idOrNull('The version that its content was published or restored from last; null: none.'),
          active_baseline_name: Type.String({ examples: ['2026.11'], description: 'Name of that version; empty: none.' }),
          latest_version: nullable(
            Type.Object({ id, name, status, quality_score, created_at }, { description: 'A version.' }),
            'The newest version, as it was last measured; null: none.',
          ),
        },
        { description: 'A project.' },
      ),
      { description: 'The 20 projects that changed last.' },
    ),
    recent_audit: Type.Array(AuditEventRecord, { description: 'The newest 10 entries of the audit trail; empty for callers without the permission `audit:view`.' }),
    usage: Type.Array(BillingUsageMetric, { description: "How much of the plan's limits is used." }),
  },
  { $id: 'DashboardResponse', description: 'An organization at a glance.' },
)
export type DashboardResponse = Static<typeof DashboardResponse>
