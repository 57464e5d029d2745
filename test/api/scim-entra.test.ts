/**
 * What Entra ID sends (Microsoft's "Develop a SCIM endpoint"): capital operations, booleans as texts, filters in paths, `members` by value, lookups that leave
 * out members, and the requests of its SCIM validator.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap } from '../support/actors.js'
import { createScimToken } from '../support/provisioning.js'
import { ENTERPRISE_URN, GROUP_URN, LIST_URN, operations as patch, USER_URN } from '../support/scim-messages.js'
import { runScript } from '../support/scim-script.js'
import { ALL_STORES, withApp } from './steps.js'

const LIST = [LIST_URN]
const NAME = 'Test_User_00aa00aa-bb11-cc22-dd33-44ee44ee44ee@testuser.com'
const EMAIL = 'Test_User_11bb11bb-cc22-dd33-ee44-55ff55ff55ff@testuser.com'

for (const store of ALL_STORES) {
  describe(`SCIM of Entra ID, ${store.name}`, () => {
    const texts: string[] = []
    test('users and groups', () =>
      withApp({ store, readTxt: async () => texts }, async (app) => {
        const admin = await bootstrap(app.client)
        // The e-mail of an account changes only within proven domains.
        for (const domain of ['testuser.com', 'microsoft.com']) {
          const below = `/platform/organizations/${admin.organizationId}/domains`
          const claimed = await admin.client.post<{ id: string; txt_record: { value: string } }>(below, { domain })
          texts.push(claimed.body.txt_record.value)
          assert.equal((await admin.client.post(`${below}/${claimed.body.id}/verify`)).status, 200)
        }
        const { client } = await createScimToken(admin)
        const members = `/auth/organizations/${admin.organizationId}/members`
        const count = async (expected: number) => assert.equal((await admin.client.get<unknown[]>(members)).body.length, expected)
        await runScript(client, {}, [
          {
            title: 'tests the connection with a user who does not exist',
            request: 'GET /Users?filter=userName eq "29f6ea28-8b36-4f3e-9c1e-0f2f6c1b9d5e"',
            status: 200,
            has: { schemas: LIST, totalResults: 0, Resources: [], startIndex: 1 },
          },
          { title: 'discovers the schemas', request: 'GET /Schemas', status: 200, has: { schemas: LIST, startIndex: 1 } },
          {
            title: 'creates a user',
            request: 'POST /Users',
            body: {
              schemas: [USER_URN, ENTERPRISE_URN],
              externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
              userName: NAME,
              active: true,
              emails: [{ primary: true, type: 'work', value: EMAIL }],
              meta: { resourceType: 'User' },
              name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
              roles: [],
            },
            status: 201,
            has: {
              userName: NAME,
              externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
              active: true,
              emails: [{ primary: true, type: 'work', value: EMAIL }],
              name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
            },
            without: ['roles'],
            keep: 'user',
            after: () => count(2),
          },
          {
            title: 'creates a user with null for what the directory does not have',
            request: 'POST /Users',
            body: {
              // The spelling of the extension is that of Microsoft's documentation.
              schemas: [USER_URN, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User'],
              externalId: 'jyoung',
              userName: 'jyoung@testuser.com',
              active: true,
              addresses: null,
              displayName: 'Joy Young',
              emails: [{ type: 'work', value: 'jyoung@Contoso.com', primary: true }],
              meta: { resourceType: 'User' },
              name: { familyName: 'Young', givenName: 'Joy' },
              phoneNumbers: null,
              preferredLanguage: null,
              title: null,
              department: null,
              manager: null,
            },
            status: 201,
            has: { userName: 'jyoung@testuser.com', displayName: 'Joy Young' },
            without: ['title', 'addresses', 'phoneNumbers', 'manager'],
            keep: 'manager',
          },
          { title: 'gets the user', request: 'GET /Users/{user}', status: 200, has: { id: '{user}' } },
          { title: 'gets a user who does not exist', request: 'GET /Users/5171a35d82074e068ce2', status: 404, has: { status: '404' } },
          { title: 'finds the user by userName', request: `GET /Users?filter=userName eq "${NAME}"`, status: 200, has: { totalResults: 1 } },
          { title: 'finds the user by externalId', request: 'GET /Users?filter=externalId eq "jyoung"', status: 200, has: { totalResults: 1 } },
          { title: 'finds the user by e-mail', request: 'GET /Users?filter=emails[type eq "work"].value eq "jyoung@contoso.com"', status: 200, has: { totalResults: 1 } },
          {
            title: 'updates multi-valued attributes',
            request: 'PATCH /Users/{user}',
            body: patch(
              { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
              { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
            ),
            status: 200,
            has: {
              emails: [{ primary: true, type: 'work', value: 'updatedEmail@microsoft.com' }],
              name: { formatted: 'givenName familyName', familyName: 'updatedFamilyName', givenName: 'givenName' },
            },
          },
          {
            title: 'updates the userName',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'Replace', path: 'userName', value: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com' }),
            status: 200,
            has: { userName: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com' },
          },
          {
            title: 'sets the manager',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'Add', path: 'manager', value: [{ $ref: 'http://example.com/scim/Users/{manager}', value: '{manager}' }] }),
            status: 200,
          },
          { title: 'asks whether the manager is set', request: 'GET /Users?filter=id eq "{user}" and manager eq "{manager}"&attributes=id', status: 200, has: { totalResults: 1 } },
          {
            title: 'adds what the directory has got meanwhile',
            request: 'PATCH /Users/{user}',
            body: patch(
              { op: 'Add', path: `${ENTERPRISE_URN}:department`, value: 'Sales' },
              { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' },
              { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Oslo' },
            ),
            status: 200,
            has: { phoneNumbers: [{ type: 'mobile', value: '+1 555 0100' }], addresses: [{ type: 'work', locality: 'Oslo' }] },
          },
          {
            title: 'disables the user, with a text',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'Replace', path: 'active', value: 'False' }),
            status: 200,
            has: { active: false },
            after: () => count(2),
          },
          {
            title: 'enables the user',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'Add', path: 'active', value: 'True' }),
            status: 200,
            has: { active: true },
            after: () => count(3),
          },
          {
            title: 'disables the user',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'Replace', path: 'active', value: false }),
            status: 200,
            has: { active: false },
          },
          {
            title: 'enables the user without a path',
            request: 'PATCH /Users/{user}',
            body: patch({ op: 'Replace', value: { active: 'True', 'name.givenName': 'Given' } }),
            status: 200,
            has: { active: true },
          },
          {
            title: 'creates a group',
            request: 'POST /Groups',
            body: {
              schemas: [GROUP_URN, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
              externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
              displayName: 'displayName',
              meta: { resourceType: 'Group' },
            },
            status: 201,
            has: { externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159', displayName: 'displayName' },
            keep: 'group',
          },
          {
            title: 'gets the group without members',
            request: 'GET /Groups/{group}?excludedAttributes=members',
            status: 200,
            has: { displayName: 'displayName' },
            without: ['members'],
          },
          {
            title: 'finds the group by name',
            request: 'GET /Groups?excludedAttributes=members&filter=displayName eq "displayName"',
            status: 200,
            has: { schemas: LIST, totalResults: 1, startIndex: 1 },
          },
          { title: 'renames the group', request: 'PATCH /Groups/{group}', body: patch({ op: 'Replace', path: 'displayName', value: '1879db59-updatedDisplayName' }), status: 204 },
          { title: 'adds a member', request: 'PATCH /Groups/{group}', body: patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: '{user}' }] }), status: 204 },
          {
            title: 'asks whether the user is a member',
            request: 'GET /Groups?filter=id eq "{group}" and members eq "{user}"&attributes=id',
            status: 200,
            has: { totalResults: 1 },
          },
          {
            title: 'asks whether another user is a member',
            request: 'GET /Groups?excludedAttributes=members&filter=id eq "{group}" and members eq "{manager}"',
            status: 200,
            has: { totalResults: 0 },
          },
          { title: 'removes the member', request: 'PATCH /Groups/{group}', body: patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: '{user}' }] }), status: 204 },
          { title: 'asks again', request: 'GET /Groups?filter=id eq "{group}" and members eq "{user}"&attributes=id', status: 200, has: { totalResults: 0 } },
          { title: 'deletes the group', request: 'DELETE /Groups/{group}', status: 204 },
          { title: 'deletes the user', request: 'DELETE /Users/{user}', status: 204 },
          { title: 'deletes the user again', request: 'DELETE /Users/{user}', status: 404 },
          { title: 'gets the deleted user', request: 'GET /Users/{user}', status: 404 },
        ])
      }))
  })
}
