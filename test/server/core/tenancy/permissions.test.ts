/** Who may do what, as the contract has it (CONTRACT.md#roles, #api-keys), written down once more: all other tests ask the tables themselves. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { KEY_SCOPES, permissionsOfRole, permissionsOfScopes, ROLE_PERMISSIONS, SCOPE_PERMISSIONS } from '../../../../server/core/tenancy/permissions.js'

const ROLES = ['org_admin', 'security_content_lead', 'reviewer', 'engineer', 'read_only'] as const

/** A row of the contract's table: permissions, and an x under each role that has them, in the order of `ROLES`. */
const ROWS: readonly (readonly [permissions: string, roles: string])[] = [
  ['project:view feedback:create', 'xxxxx'],
  ['analysis:run case:run', 'xxxx-'],
  ['project:create project:edit case:edit workspace:create review:create version:create', 'xx-x-'],
  ['review:comment', 'xxxx-'],
  ['review:approve', 'xxx--'],
  ['version:publish project:delete', 'xx---'],
  ['audit:view feedback:view', 'xxx--'],
  ['integration:manage', 'xx---'],
  ['member:manage identity_provider:manage webhook:manage api_key:manage billing:manage', 'x----'],
]
const ALL = ROWS.flatMap(([permissions]) => permissions.split(' ')).sort()

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'analysis:run': ['analysis:run'],
  'projects:read': ['project:view'],
  'projects:write': ['project:create', 'project:edit', 'project:view', 'workspace:create'],
  'cases:write': ['case:edit', 'project:view'],
  'cases:run': ['case:run'],
  'reviews:write': ['project:view', 'review:comment', 'review:create'],
  'versions:write': ['project:view', 'version:create', 'version:publish'],
  'audit:read': ['audit:view'],
  'integrations:manage': ['integration:manage'],
  'admin:*': ALL,
}

test('each role has the permissions of the contract, and no others', () => {
  assert.deepEqual(Object.keys(ROLE_PERMISSIONS), ROLES)
  for (const [at, role] of ROLES.entries()) {
    const expected = ROWS.filter(([, roles]) => roles[at] === 'x').flatMap(([permissions]) => permissions.split(' '))
    assert.deepEqual([...permissionsOfRole(role, false)].sort(), expected.sort(), role)
    assert.deepEqual([...permissionsOfRole(role, true)].sort(), ALL, 'a platform admin holds every permission')
  }
  assert.deepEqual([...permissionsOfRole(null, false)], [])
  assert.deepEqual([...permissionsOfRole(null, true)].sort(), ALL)
})

test('each scope gives the permissions of the contract, and no others', () => {
  assert.deepEqual([...KEY_SCOPES].sort(), Object.keys(SCOPES).sort())
  for (const scope of KEY_SCOPES) {
    assert.deepEqual([...SCOPE_PERMISSIONS[scope]].sort(), SCOPES[scope], scope)
    assert.deepEqual([...permissionsOfScopes([scope])].sort(), SCOPES[scope], scope)
  }
  assert.deepEqual([...permissionsOfScopes(['cases:run', 'audit:read'])].sort(), ['audit:view', 'case:run'])
  assert.deepEqual([...permissionsOfScopes([])], [])
})
