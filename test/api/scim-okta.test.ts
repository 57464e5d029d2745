/**
 * What Okta sends (its SCIM 2.0 protocol reference): lookups by userName, PUT of whole users, activation by PATCH without a path, group push by PATCH and, for
 * apps of the App Integration Wizard, by PUT.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap } from '../support/actors.js'
import { createScimToken } from '../support/provisioning.js'
import { GROUP_URN, LIST_URN, operations as patch, USER_URN } from '../support/scim-messages.js'
import { runScript } from '../support/scim-script.js'
import { ALL_STORES, withApp } from './steps.js'

const HEADERS = { 'User-Agent': 'Okta SCIM Client 1.0.0', Accept: 'application/scim+json', 'Content-Type': 'application/scim+json; charset=utf-8' }
const LIST = [LIST_URN]
const NAME = 'test.user@okta.example'
const EMAILS = [{ primary: true, value: NAME, type: 'work' }]
const PROFILE = {
  schemas: [USER_URN],
  userName: NAME,
  name: { givenName: 'Test', familyName: 'User' },
  emails: EMAILS,
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
}

for (const store of ALL_STORES) {
  describe(`SCIM of Okta, ${store.name}`, () => {
    test('users and pushed groups', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const { client } = await createScimToken(admin)
        const organization = `/platform/organizations/${admin.organizationId}`
        const mapped = await admin.client.patch(`${organization}/identity-policy`, { group_mappings: [{ group: 'Test SCIMv2', role: 'security_content_lead' }] })
        assert.equal(mapped.status, 200, mapped.text)
        const members = `/auth/organizations/${admin.organizationId}/members`
        const roles = async (): Promise<string[]> =>
          (await admin.client.get<{ role: string }[]>(members)).body
            .map(({ role }) => role)
            .filter((role) => role !== 'org_admin')
            .sort()
        const holding =
          (...expected: string[]) =>
          async () =>
            assert.deepEqual(await roles(), expected)

        await runScript(client, HEADERS, [
          { title: 'tests the connection', request: 'GET /Users?startIndex=1&count=2', status: 200, has: { schemas: LIST, startIndex: 1 } },
          {
            title: 'looks for the user',
            request: `GET /Users?filter=userName eq "${NAME}"&startIndex=1&count=100`,
            status: 200,
            has: { schemas: LIST, totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] },
          },
          {
            title: 'creates the user',
            request: 'POST /Users',
            body: PROFILE,
            status: 201,
            has: { userName: NAME, name: PROFILE.name, emails: EMAILS, displayName: 'Test User', locale: 'en-US', externalId: PROFILE.externalId, active: true },
            without: ['password'],
            keep: 'user',
          },
          { title: 'creates the user again', request: 'POST /Users', body: PROFILE, status: 409, has: { status: '409', scimType: 'uniqueness' } },
          {
            title: 'finds the user',
            request: `GET /Users?filter=userName eq "${NAME.toUpperCase()}"&startIndex=1&count=100`,
            status: 200,
            has: { totalResults: 1, itemsPerPage: 1 },
          },
          { title: 'reads the user', request: 'GET /Users/{user}', status: 200, has: { id: '{user}', active: true }, after: holding('read_only') },
          {
            title: 'updates the user by PUT',
            request: 'PUT /Users/{user}',
            body: {
              schemas: [USER_URN],
              id: '{user}',
              userName: NAME,
              name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
              emails: [{ ...EMAILS[0], display: NAME }],
              active: true,
              groups: [],
              meta: { resourceType: 'User' },
            },
            status: 200,
            has: { id: '{user}', name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' }, emails: [{ ...EMAILS[0], display: NAME }], active: true },
          },
          {
            title: 'looks for the group',
            request: 'GET /Groups?filter=displayName eq "Test SCIMv2"&startIndex=1&count=100',
            status: 200,
            has: { totalResults: 0, Resources: [] },
          },
          {
            title: 'pushes a group',
            request: 'POST /Groups',
            body: { schemas: [GROUP_URN], displayName: 'Test SCIMv2', members: [] },
            status: 201,
            has: { displayName: 'Test SCIMv2' },
            keep: 'group',
          },
          { title: 'imports groups', request: 'GET /Groups?startIndex=1&count=100', status: 200, has: { totalResults: 1, startIndex: 1, itemsPerPage: 1 } },
          {
            title: 'creates a second user',
            request: 'POST /Users',
            body: { ...PROFILE, userName: 'second@okta.example', emails: [{ ...EMAILS[0], value: 'second@okta.example' }], externalId: '00u2' },
            status: 201,
            keep: 'second',
          },
          {
            title: 'adds and removes members',
            request: 'PATCH /Groups/{group}',
            body: patch({ op: 'remove', path: 'members[value eq "{second}"]' }, { op: 'add', path: 'members', value: [{ value: '{user}', display: NAME }] }),
            status: 204,
            after: holding('read_only', 'security_content_lead'),
          },
          {
            title: 'sends the name with each change of members',
            request: 'PATCH /Groups/{group}',
            body: patch({ op: 'replace', value: { id: '{group}', displayName: 'Test SCIMv2' } }),
            status: 204,
          },
          {
            title: 'reads the user with the groups',
            request: 'GET /Users/{user}?attributes=groups.display,groups.value',
            status: 200,
            has: { groups: [{ value: '{group}', display: 'Test SCIMv2' }] },
          },
          {
            title: 'pushes all members',
            request: 'PATCH /Groups/{group}',
            body: patch({
              op: 'replace',
              path: 'members',
              value: [
                { value: '{user}', display: NAME },
                { value: '{second}', display: 'second@okta.example' },
              ],
            }),
            status: 204,
            after: holding('security_content_lead', 'security_content_lead'),
          },
          {
            title: 'pushes the group by PUT',
            request: 'PUT /Groups/{group}',
            body: { schemas: [GROUP_URN], id: '{group}', displayName: 'Test SCIMv2', members: [{ value: '{second}', display: 'second@okta.example' }] },
            status: 200,
            has: { displayName: 'Test SCIMv2' },
            after: holding('read_only', 'security_content_lead'),
          },
          {
            title: 'deactivates the user',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'replace', value: { active: false } }),
            status: 200,
            has: { active: false },
            after: holding('security_content_lead'),
          },
          { title: 'reads the deactivated user', request: 'GET /Users/{user}', status: 200, has: { active: false } },
          {
            title: 'activates the user',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'replace', value: { active: true } }),
            status: 200,
            has: { active: true },
            after: holding('read_only', 'security_content_lead'),
          },
          {
            title: 'deactivates the second user by PUT',
            request: 'PUT /Users/{second}',
            body: { ...PROFILE, id: '{second}', userName: 'second@okta.example', emails: [{ ...EMAILS[0], value: 'second@okta.example' }], externalId: '00u2', active: false },
            status: 200,
            has: { active: false },
            after: holding('read_only'),
          },
          {
            title: 'activates the second user, who is still in the group',
            request: 'PATCH /Users/{second}',
            body: patch({ op: 'replace', value: { active: true } }),
            status: 200,
            after: holding('read_only', 'security_content_lead'),
          },
          { title: 'unlinks the group', request: 'DELETE /Groups/{group}', status: 204, after: holding('read_only', 'read_only') },
          { title: 'looks for the deleted group', request: 'GET /Groups/{group}', status: 404, has: { status: '404' } },
        ])
      }))
  })
}
