/** `/scim/v2/Groups` (RFC 7644, 3). */
import type { Route } from '../../../core/http/route.js'
import { weakEtag } from '../protocol/etag.js'
import { GROUP_TYPE } from '../protocol/resource-types.js'
import { GROUP_SCHEMA } from '../protocol/schemas/group.js'
import { SCIM_PATH } from './http.js'
import { resourceRoutes, type ScimResources } from './resource-routes.js'

const GROUP_ID = '0193b0f0-6b1e-7c3a-9a57-2f1f5f0f7a11'
const USER_ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'
const EXAMPLE = {
  schemas: [GROUP_SCHEMA],
  id: GROUP_ID,
  externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
  displayName: 'SOC Leads',
  members: [{ value: USER_ID, $ref: `https://content.example.com/api/v1${SCIM_PATH}/Users/${USER_ID}`, display: 'Ana Souza', type: 'User' }],
  meta: {
    resourceType: 'Group',
    created: '2026-11-23T10:00:00.000Z',
    lastModified: '2026-11-23T10:00:00.000Z',
    location: `https://content.example.com/api/v1${SCIM_PATH}/Groups/${GROUP_ID}`,
    version: weakEtag('1'),
  },
}
const CHANGE_ERRORS = ['resource_missing', 'scim_refused', 'scim_group_exists', 'edit_conflict'] as const

export function scimGroupRoutes(groups: ScimResources): readonly Route[] {
  return resourceRoutes({
    type: GROUP_TYPE,
    resources: groups,
    ids: 'scim-groups',
    noun: 'group',
    schemaName: 'ScimGroup',
    parameter: { name: 'group_id', description: 'Identifier of the group.' },
    derived: 'members',
    example: EXAMPLE,
    body: { schemas: [GROUP_SCHEMA], displayName: 'SOC Leads', members: [{ value: USER_ID }] },
    list: {
      description:
        'Lists groups by `id`, or as `sortBy` says. Filters take all operators and grouping; `members eq "…"` is fast for groups of any size. Groups with more than 50,000 members together are refused (`tooMany`) unless `excludedAttributes` names `members`.',
      filter: 'displayName eq "SOC Leads"',
    },
    search: { filter: 'displayName sw "SOC"', attributes: ['displayName'] },
    create: {
      description:
        'Members are users by their `id`. Names are unique in the organization, in any letter case (409). Roles follow the identity policy: `group_mappings` compares its names with `displayName`, exactly.',
      errors: ['scim_refused', 'scim_group_exists', 'scim_group_limit', 'edit_conflict'],
    },
    get: { description: 'With `excludedAttributes=members` the members are not read.' },
    replace: { description: 'Attributes that the body omits are removed, members included.', errors: CHANGE_ERRORS },
    update: {
      description:
        'Applies all operations, or none. Answers 204, or 200 with the group if the request has `attributes` or `excludedAttributes`. Adding or removing members by their identifiers takes as long for a large group as for a small one, and two requests that do so at once both take effect.',
      errors: CHANGE_ERRORS,
      example: { member: { op: 'add', path: 'members', value: [{ value: USER_ID }] } },
      hasNoBody: true,
    },
    delete: {
      description: 'Its members remain users, and lose the roles that only this group gave.',
      errors: ['resource_missing', 'edit_conflict'],
      done: 'Done, without a body.',
    },
  })
}
