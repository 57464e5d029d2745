/** `/scim/v2/Users` (RFC 7644, 3). */
import type { Route } from '../../../core/http/route.js'
import { weakEtag } from '../protocol/etag.js'
import { USER_TYPE } from '../protocol/resource-types.js'
import { USER_SCHEMA } from '../protocol/schemas/user.js'
import { SCIM_PATH } from './http.js'
import { resourceRoutes, type ScimResources } from './resource-routes.js'

const USER_ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'
const BODY = {
  schemas: [USER_SCHEMA],
  userName: 'ana@example.com',
  externalId: '00ujl29u0le5T6Aj10h7',
  name: { familyName: 'Souza', givenName: 'Ana' },
  displayName: 'Ana Souza',
  emails: [{ value: 'ana@example.com', type: 'work', primary: true }],
  active: true,
}
const EXAMPLE = {
  ...BODY,
  id: USER_ID,
  meta: {
    resourceType: 'User',
    created: '2026-11-23T10:00:00.000Z',
    lastModified: '2026-11-23T10:00:00.000Z',
    location: `https://content.example.com/api/v1${SCIM_PATH}/Users/${USER_ID}`,
    version: weakEtag('1'),
  },
}
const ADMISSION_ERRORS = ['scim_refused', 'scim_user_exists', 'domain_unproven', 'email_taken', 'user_inactive', 'member_limit', 'organization_limit', 'edit_conflict'] as const
const CHANGE_ERRORS = [...ADMISSION_ERRORS, 'resource_missing', 'account_email_refused', 'last_admin', 'policy_locks_out'] as const

export function scimUserRoutes(users: ScimResources): readonly Route[] {
  return resourceRoutes({
    type: USER_TYPE,
    resources: users,
    ids: 'scim-users',
    noun: 'user',
    schemaName: 'ScimUser',
    parameter: { name: 'scim_user_id', description: 'Identifier of the user, as in the members.' },
    derived: 'groups',
    example: EXAMPLE,
    body: BODY,
    list: {
      description:
        'Lists users in the order of their creation, with a filter by `id`, or as `sortBy` says. Members of the organization who were not provisioned are users as well, with their e-mail as `userName`, so that a client finds and adopts them. Filters take all operators and grouping; those by `userName`, `externalId`, `emails.value` and `id` are fast for any number of users.',
      filter: 'userName eq "ana@example.com"',
    },
    search: { filter: 'userName sw "ana"', attributes: ['userName', 'active'] },
    create: {
      description:
        "Admits the person as a member, with the token's `default_role`. The account is that of the primary e-mail, else of the first e-mail, else of `userName`; without one it is created. An account that exists elsewhere joins only if the organization has proven the domain of its e-mail (403). Without `active` the user is active. A `userName`, or an account, that is provisioned already is answered 409 (`uniqueness`).",
      errors: [...ADMISSION_ERRORS, 'scim_user_limit', 'rate_limited'],
    },
    get: { description: 'A user, active or not.' },
    replace: {
      description:
        'Attributes that the body omits are removed; `active` remains as it is. `active` false removes the person from the organization: the sessions end, and the administrators are told of their API keys; true admits the person again with the default role. The last org_admin cannot be deactivated (409). The e-mail and the name of the account follow if the account belongs to this organization alone, the e-mail only within proven domains (403 otherwise).',
      errors: CHANGE_ERRORS,
    },
    update: {
      description: 'Applies all operations, or none. `active` and the e-mail have the effects of PUT. Two requests that change different attributes at once both take effect.',
      errors: CHANGE_ERRORS,
      example: { deactivate: { op: 'replace', path: 'active', value: false } },
      hasNoBody: false,
    },
    delete: {
      description: 'Removes the person from the organization, as `active` false does, and from its groups. The account remains. The last org_admin cannot be deleted (409).',
      errors: ['resource_missing', 'last_admin', 'policy_locks_out', 'edit_conflict'],
      done: 'The user is deleted.',
    },
  })
}
