/** Requests and answers of the administration of organizations. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields, OrganizationRecord } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { PLAN_CODES, type PlanCode } from '../../../core/tenancy/plans.js'
import { BillingUsageMetric } from '../../../core/tenancy/usage-record.js'

const REASON_CHARACTERS = 500
const plan = (description: string) => Type.Enum([...PLAN_CODES] as [PlanCode, ...PlanCode[]], { description })

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })

const SORT = ['created_at', 'updated_at'] as const
const q = (what: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['example'], description: `Only those whose ${what} contains this text. Case does not matter.` }))

export const OrganizationListQuery = listQuery({
  sort: [...SORT, 'name'],
  filters: {
    q: q('name or slug'),
    is_active: Type.Optional(Type.Boolean({ description: 'True: only active organizations. False: only suspended organizations.' })),
    plan: Type.Optional(plan('Only organizations on this plan.')),
  },
})
export type OrganizationListQuery = Static<typeof OrganizationListQuery>

export const OrganizationCreateRequest = Type.Object(
  {
    name: fields.name('Name of the organization. The slug is derived from it.'),
    description: Type.Optional(fields.text(2000, 'Description of the organization. Default: empty.')),
    admin_email: fields.email('E-mail address of the first org_admin, who is invited.'),
  },
  { $id: 'OrganizationCreateRequest', description: 'A new organization and the e-mail address of its first org_admin.' },
)
export type OrganizationCreateRequest = Static<typeof OrganizationCreateRequest>

export const OrganizationUpdateRequest = Type.Object(
  {
    is_active: Type.Optional(Type.Boolean({ description: 'False suspends the organization: its sessions and API keys are answered 403.' })),
    reason: Type.Optional(
      nullable(
        fields.text(REASON_CHARACTERS, 'Text.'),
        'Why the organization is suspended. Its members see it in the details of the 403. Only for a suspended organization; the end of the suspension removes it.',
      ),
    ),
  },
  { $id: 'OrganizationUpdateRequest', description: 'The fields to update.' },
)
export type OrganizationUpdateRequest = Static<typeof OrganizationUpdateRequest>

export const PlanGrantRequest = Type.Object(
  {
    plan: plan('The plan.'),
    expires_at: Type.Optional(nullable(fields.timestamp('Time.'), 'When the plan ends, in the future; null, the default: it has no end.')),
  },
  { $id: 'PlanGrantRequest', description: 'A plan to set by hand.' },
)
export type PlanGrantRequest = Static<typeof PlanGrantRequest>

export const PlatformOrganizationRecord = Type.Object(
  {
    ...OrganizationRecord.properties,
    suspension_reason: nullable(Type.String({ examples: ['Unpaid since August.'] }), 'Why it is suspended; null: it is active, or no reason was given.'),
    suspended_at: nullable(fields.timestamp('Time.'), 'Since when it is suspended; null: it is active.'),
    plan: plan('The plan in force.'),
  },
  { $id: 'PlatformOrganizationRecord', description: 'An organization, as platform admins see it.' },
)

const PlanGrantRecord = Type.Object(
  {
    plan: plan('The plan.'),
    expires_at: nullable(fields.timestamp('Time.'), 'When it ends; null: it has no end.'),
    set_by: Type.String({ examples: [EXAMPLE_ID], description: 'The platform admin who set it.' }),
    set_by_name: Type.String({ examples: ['ana@example.com'], description: 'E-mail of that platform admin at that time.' }),
    set_at: fields.timestamp('When it was set.'),
  },
  { $id: 'PlanGrantRecord', description: 'A plan that was set by hand.' },
)

export const PlatformOrganizationDetailRecord = Type.Object(
  {
    ...PlatformOrganizationRecord.properties,
    plan_grant: nullable(PlanGrantRecord, 'The plan that a platform admin set, while it is in force; null: none.'),
    api_keys: Type.Integer({ minimum: 0, description: 'Number of API keys.' }),
    usage: Type.Array(BillingUsageMetric, { description: 'Members, projects, webhooks, and the requests and analyses of this month, with the limits of the plan.' }),
  },
  { $id: 'PlatformOrganizationDetailRecord', description: 'An organization with plan and usage, as platform admins see it.' },
)
