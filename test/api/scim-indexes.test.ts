/** Lookups and lists of provisioned users: an index answers each question to the store, and has its order. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SCIM_USERS, type ScimUserDocument, USER_FIELDS } from '../../server/features/scim/scim/user-store.js'
import { readQuery } from '../../server/features/scim/protocol/query.js'
import { USER_TYPE } from '../../server/features/scim/protocol/resource-types.js'
import { planQuery } from '../../server/features/scim/protocol/store-query.js'
import { bootstrap } from '../support/actors.js'
import { createScimToken, SCIM } from '../support/provisioning.js'
import { sqlitePlan } from '../support/sqlite-plan.js'
import { openWatchedStorage, type WatchedStorage } from '../support/query-plans.js'
import { USER_URN } from '../support/scim-messages.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { withApp } from './steps.js'

const FILTERS = [
  null,
  'userName eq "ana@a.example"',
  'userName sw "ana"',
  'externalId eq "x1"',
  'emails.value eq "ana@a.example"',
  'emails[type eq "work"].value eq "ana@a.example"',
  'id eq "u"',
  'active eq false',
  'displayName eq "Ana"',
  'meta.lastModified gt "2026-01-01T00:00:00Z"',
]
const ORDERS = ['', '&sortBy=userName', '&sortBy=userName&sortOrder=descending', '&sortBy=id', '&sortBy=meta.created', '&sortBy=meta.lastModified&sortOrder=descending']

/** The field by which each lookup of identity providers finds the user. */
const LOOKUPS: Readonly<Record<string, string>> = {
  'userName eq "ana@a.example"': 'user_name',
  'externalId eq "x1"': 'external_id',
  'displayName eq "Ana"': 'display_name',
  'id eq "u"': 'user_id',
  'active eq false': 'active',
}

test('a lookup reads the index of its attribute', () => {
  for (const [filter, field] of Object.entries(LOOKUPS)) {
    const planned = planQuery<ScimUserDocument>(readQuery(USER_TYPE, { filter }), USER_FIELDS)
    assert.equal(planned.isExact, true, filter)
    const { index, sorted } = sqlitePlan(SCIM_USERS, { ...planned.filter, organization_id: 'o' } as never, planned.options)
    assert.deepEqual([index?.includes(field), sorted], [true, true], filter)
  }
})

describe(`lists of users of SCIM, ${DEFAULT_STORE.name}`, () => {
  test('are answered by an index', async () => {
    let watched: WatchedStorage | undefined
    const open = async (config: Parameters<typeof openWatchedStorage>[0]) => {
      watched = await openWatchedStorage(config)
      return watched.storage
    }
    await withApp({ open }, async (app) => {
      const { client } = await createScimToken(await bootstrap(app.client))
      assert.equal((await client.post(`${SCIM}/Users`, { schemas: [USER_URN], userName: 'ana@a.example', externalId: 'x1', displayName: 'Ana' })).status, 201)
      const faults = new Set<string>()
      let asked = 0
      for (const filter of FILTERS) {
        // Filters and orders combine at will: a filter selects few users, or the order's index is read.
        for (const order of filter === null ? ORDERS : ORDERS.slice(0, 1)) {
          watched!.asked.length = 0
          const { status, text } = await client.get(`${SCIM}/Users?count=1${filter === null ? '' : `&filter=${encodeURIComponent(filter)}`}${order}`)
          assert.equal(status, 200, text)
          for (const question of [...watched!.asked]) {
            if (question.collection === 'scim_users') asked++
            const fault = await watched!.faultOf(question)
            if (fault !== null)
              faults.add(
                `${filter} ${order}: ${question.kind} in ${question.collection} by ${Object.keys(question.filter)}, in order of ${Object.keys(question.options.sort ?? {})}: ${fault}`,
              )
          }
        }
      }
      assert.ok(asked > FILTERS.length)
      assert.deepEqual([...faults], [])
    })
  })
})
