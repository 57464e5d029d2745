/** Requests and answers about the identity policy of an organization. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { ONE_LINE } from '../../../core/patterns.js'

/** Most break-glass users. They are the exception: a handful of people. */
export const BREAK_GLASS_LIMIT = 20
/** Most group mappings: several groups for each of many projects. Each login compares them with the groups of the user. */
export const GROUP_MAPPINGS_LIMIT = 500
/** UTF-8 bytes of the names of all mappings together: 100 each for the most mappings. Ids have 36, paths about 40. */
export const GROUPS_BYTES = 50_000
/** Characters of a group's name. Directories send names or ids of up to 256 characters. */
const GROUP_CHARACTERS = 256

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })

const GroupMappingRecord = Type.Object(
  {
    group: Type.String({
      minLength: 1,
      maxLength: GROUP_CHARACTERS,
      pattern: ONE_LINE,
      examples: ['soc-leads'],
      description: 'Name or identifier of the group, exactly as the provider sends it.',
    }),
    role: fields.role('Role of the members of the group.'),
    project_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, examples: [EXAMPLE_ID], description: 'The project of the role. Absent: the role is in the organization.' }),
    ),
  },
  { $id: 'GroupMapping', description: 'A role for the members of a group.' },
)

const policy = {
  sso_required: Type.Boolean({
    description:
      'Sessions that were opened with a password do not reach the organization, except those of break-glass users and platform admins. No effect while the plan does not include `sso`.',
  }),
  break_glass_user_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64, examples: [EXAMPLE_ID] }), {
    maxItems: BREAK_GLASS_LIMIT,
    uniqueItems: true,
    description: 'Users who may log in with their password although `sso_required` is set. Each is an active org_admin with a password.',
  }),
  require_two_factor: Type.Boolean({
    description: 'Sessions that were opened with a password need a second factor. A session without one reaches the own account only, where its user sets one up.',
  }),
  group_mappings: Type.Array(GroupMappingRecord, {
    maxItems: GROUP_MAPPINGS_LIMIT,
    description:
      "Roles by group, applied at each login through a provider and by provisioning. The first mapping of the organization that names one of the user's groups decides the role in the organization; the same holds for each project. The names have at most 50,000 bytes of UTF-8 together.",
  }),
}

export const IdentityPolicyRecord = Type.Object(policy, { $id: 'IdentityPolicyRecord', description: 'How members of an organization sign in.' })
export type IdentityPolicyRecord = Static<typeof IdentityPolicyRecord>

export const IdentityPolicyUpdateRequest = Type.Partial(Type.Object(policy), { $id: 'IdentityPolicyUpdateRequest', description: 'The fields to update.' })
export type IdentityPolicyUpdateRequest = Static<typeof IdentityPolicyUpdateRequest>
