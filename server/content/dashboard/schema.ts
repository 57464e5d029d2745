/** The dashboard of an organization as the API returns it. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { ProjectVersionRecord } from '../versions/service.js'
import { projectFields } from '../shared/fields.js'
import { BillingUsageMetric } from '../../core/tenancy/usage-record.js'
import { AuditEventRecord } from '../../core/audit/service.js'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const { id, name, status, quality_score, created_at } = ProjectVersionRecord.properties

export const DashboardResponse = Type.Object(
  {
    organization_id: projectFields.id('The organization.'),
    generated_at: fields.timestamp('When it was created.'),
    counts: Type.Object(
      {
        projects: count('Projects.'),
        open_workspaces: count('Open workspaces.'),
        open_reviews: count('Open reviews.'),
        reviews_waiting: count('Open reviews with the caller as a reviewer; 0 for API keys.'),
        cases: count('Cases.'),
        versions_published: count('Versions first published in the last 30 days, also of archived and deleted projects.'),
      },
      { description: 'Numbers of the organization, without archived projects and what belongs to them.' },
    ),
    projects: Type.Array(
      Type.Object(
        {
          id: projectFields.id('The project.'),
          slug: Type.String({ examples: ['vpn-gateways'], description: 'Slug of the project.' }),
          name: Type.String({ examples: ['VPN gateways'], description: 'Name of the project.' }),
          updated_at: fields.timestamp('When its fields or its content were last updated.'),
          case_count: count('Cases.'),
          workspace_count: count('Open workspaces.'),
          active_baseline_id: projectFields.idOrNull('The version that was published or restored last; null: none.'),
          active_baseline_name: Type.String({ examples: ['2026.11'], description: 'Name of that version; empty: none.' }),
          latest_version: nullable(
            Type.Object({ id, name, status, quality_score, created_at }, { description: 'A version.' }),
            'The newest version, with its last measurement; null: none.',
          ),
        },
        { description: 'A project.' },
      ),
      { description: 'The 20 projects that were updated last.' },
    ),
    recent_audit: Type.Array(AuditEventRecord, { description: 'The newest 10 entries of the audit trail. Empty for callers without the permission `audit:view`.' }),
    usage: Type.Array(BillingUsageMetric, { description: "Usage of the plan's limits." }),
  },
  { $id: 'DashboardResponse', description: 'Dashboard of an organization.' },
)
export type DashboardResponse = Static<typeof DashboardResponse>
