/**
 * A directory of 10,000 users (3,000 without `FULL=1`), provisioned by two writers at once, read in pages while others write, and put into a group whose roles all members get. In the
 * suite most of them are members already, whom the first list stores as users: all 10,000 over HTTP would take minutes of its time. The group has
 * some hundred, and MongoDB has fewer users, because its stand-in needs many times as long. `SCIM_SCALE_USERS=10000` provisions all of them over HTTP in one
 * run, and puts them into the group, on both stores.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newUserDocument, USERS } from '../../server/core/auth/users.js'
import { GROUP_MEMBERS_LIMIT } from '../../server/features/scim/protocol/schemas/group.js'
import { newId } from '../../server/core/storage/id.js'
import { MEMBERSHIPS, newMembership } from '../../server/core/tenancy/memberships.js'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { createScimToken, type Group, GROUP_URN, type GroupList, PATCH_URN, SCIM, scimRefused, USER_URN } from '../support/provisioning.js'
import { runs } from '../support/runs.js'
import { EMBEDDED } from '../support/stores.js'
import { ALL_STORES, SIGNUP, waitFor } from './steps.js'

/** All users, those whom the writers provision, and those of the group. */
const EMBEDDED_SIZE = { users: runs(3_000, 10_000), provisioned: 500, grouped: 500 }
const MONGODB_SIZE = { users: 300, provisioned: 100, grouped: 300 }
/** Documents of a commit. */
const SEEDED_TOGETHER = 500
/** Every so many users, both writers create the same one at once. */
const CONTESTED = 50
/** Users who are added while pages are read: the organization has room for a thousand. */
const ADDED_LIMIT = 500
/** The most that the service answers in a page. */
const PAGE = 200
const GROUPS = `${SCIM}/Groups`

interface User {
  readonly id: string
  readonly userName: string
}

interface List {
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources?: readonly User[]
}

const nameOf = (user: number): string => `user-${String(user).padStart(5, '0')}@example.test`
const filtered = (filter: string): string => `filter=${encodeURIComponent(filter)}`

function create(client: Client, user: number, letters = nameOf(user)) {
  const body = { schemas: [USER_URN], userName: letters, externalId: `x-${user}`, displayName: `User ${user}`, emails: [{ value: letters, primary: true }] }
  return client.post<User>(`${SCIM}/Users`, body)
}

async function list(client: Client, query: string): Promise<List> {
  const { status, body, text } = await client.get<List>(`${SCIM}/Users?${query}`)
  assert.equal(status, 200, text)
  return body
}

/** All pages of a list, up to one that is empty. @param isQuiet nobody is added meanwhile */
async function pages(client: Client, query = '', isQuiet = true): Promise<User[]> {
  const found: User[] = []
  for (;;) {
    const { startIndex, itemsPerPage, totalResults, Resources = [] } = await list(client, `startIndex=${found.length + 1}&count=${PAGE}&attributes=userName${query}`)
    assert.deepEqual([startIndex, itemsPerPage], [found.length + 1, Resources.length])
    if (itemsPerPage === 0) {
      assert.ok(isQuiet ? totalResults === found.length : totalResults >= found.length)
      return found
    }
    assert.ok(totalResults >= found.length + itemsPerPage)
    found.push(...Resources)
  }
}

/** Asserts that the list has every one of the users, and nobody twice. */
function assertExact(found: readonly User[], ids: readonly string[], about: string): void {
  const seen = new Set(found.map(({ id }) => id))
  assert.equal(seen.size, found.length, about)
  assert.deepEqual(
    ids.filter((id) => !seen.has(id)),
    [],
    about,
  )
}

/** Stores members whom nobody provisioned, in place of users of these numbers. */
async function seed({ service: { storage } }: TestApp, organizationId: string, from: number, to: number, ids: string[]): Promise<void> {
  const [people, memberships] = [storage.open(USERS), storage.open(MEMBERSHIPS)]
  const now = new Date()
  for (let begin = from; begin < to; begin += SEEDED_TOGETHER) {
    const documents = Array.from({ length: Math.min(SEEDED_TOGETHER, to - begin) }, (_, index) => {
      const user = begin + index
      ids[user] = newId()
      return newUserDocument({ _id: ids[user], email: nameOf(user), display_name: `User ${user}`, password_hash: null, default_organization_id: organizationId }, now)
    })
    const joining = documents.map(({ _id }) => memberships.inserting(newMembership(newId(), organizationId, _id, 'read_only', now)))
    await storage.commit([...documents.map((user) => people.inserting(user)), ...joining])
  }
}

for (const store of ALL_STORES) {
  const all = process.env.SCIM_SCALE_USERS
  const { users, provisioned, grouped } =
    all !== undefined ? { users: Number(all), provisioned: Number(all), grouped: Number(all) } : store === EMBEDDED ? EMBEDDED_SIZE : MONGODB_SIZE

  describe(`a directory of ${users} users, ${store.name}`, () => {
    let app: TestApp
    let admin: Actor
    let scim: Client
    const ids: string[] = []

    before(async () => {
      app = await startTestApp({ store, env: SIGNUP })
      admin = await bootstrap(app.client)
      scim = (await createScimToken(admin)).client
      await seed(app, admin.organizationId, provisioned, users, ids)
    })
    after(() => app?.close())

    const patchGroup = async (id: string, ...Operations: object[]): Promise<void> => {
      const { status, text } = await scim.patch(`${GROUPS}/${id}`, { schemas: [PATCH_URN], Operations })
      assert.equal(status, 204, text)
    }

    test('two writers provision it in one run; a user whom both create at once is created once', async () => {
      const writers = [scim, (await createScimToken(admin, { name: 'second' })).client]
      for (let begin = 0; begin < provisioned; begin += CONTESTED) {
        // Both at once, the second in other letters.
        const both = await Promise.all([create(writers[0]!, begin), create(writers[1]!, begin, nameOf(begin).toUpperCase())])
        assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409], both.map(({ text }) => text).join('\n'))
        scimRefused(both.find(({ status }) => status === 409)!, 409, 'uniqueness')
        ids[begin] = both.find(({ status }) => status === 201)!.body.id
        const next = (own: number) => async () => {
          for (let user = begin + 1 + own; user < Math.min(begin + CONTESTED, provisioned); user += 2) {
            const { status, body, text } = await create(writers[own]!, user)
            assert.equal(status, 201, text)
            ids[user] = body.id
          }
        }
        await Promise.all([next(0)(), next(1)()])
      }
      assert.equal(new Set(ids).size, users)
    })

    test('pages are exact in every order', async () => {
      // The admin, who was not provisioned, is a user as well.
      const everybody = [...ids, admin.userId]
      for (const order of ['', '&sortBy=id', '&sortBy=meta.created&sortOrder=descending']) {
        const found = await pages(scim, order)
        assert.equal(found.length, everybody.length, order)
        assertExact(found, everybody, order)
      }
      const sorted = await pages(scim, `&sortBy=userName&${filtered('userName sw "user-"')}`)
      assert.deepEqual(
        sorted.map(({ id }) => id),
        ids,
      )
      const beyond = await list(scim, `startIndex=${users + 2}&count=1`)
      assert.deepEqual([beyond.totalResults, beyond.itemsPerPage], [users + 1, 0])
    })

    test('pages are exact for those who stay while others are added, changed and deleted', async () => {
      let isDone = false
      const added: string[] = []
      const third = async (): Promise<void> => {
        for (let user = users; !isDone && user < users + ADDED_LIMIT; user++) {
          const { status, body, text } = await create(scim, user)
          assert.equal(status, 201, text)
          added.push(body.id)
          const changed = await scim.patch(`${SCIM}/Users/${ids[user % users]}`, { schemas: [PATCH_URN], Operations: [{ op: 'replace', path: 'nickName', value: String(user) }] })
          assert.equal(changed.status, 200, changed.text)
        }
      }
      const writing = third()
      for (const order of ['', '&sortBy=meta.created', '&sortBy=userName']) assertExact(await pages(scim, order, false), ids, order)
      isDone = true
      await writing
      // Deletions shift the pages behind them: the next identifiers are asked for instead.
      const deleting = (async () => {
        for (const id of added) assert.equal((await scim.delete(`${SCIM}/Users/${id}`)).status, 204)
      })()
      const found: User[] = []
      for (let last = ''; ; last = found.at(-1)!.id) {
        const { Resources = [] } = await list(scim, `count=${PAGE}&attributes=userName&sortBy=id${last === '' ? '' : `&${filtered(`id gt "${last}"`)}`}`)
        if (Resources.length === 0) break
        found.push(...Resources)
      }
      await deleting
      assertExact(found, ids, 'by identifier')
      assert.equal((await list(scim, 'count=0')).totalResults, users + 1)
    })

    test('a user is found by each name, and by the tokens of the own organization alone', async () => {
      const user = provisioned - 1
      const filters = [`userName eq "${nameOf(user).toUpperCase()}"`, `externalId eq "x-${user}"`, `emails.value eq "${nameOf(user)}"`, `displayName eq "user ${user}"`]
      const other = (await createScimToken(await register(app.client, 'other'))).client
      for (const filter of filters) {
        const { totalResults, Resources } = await list(scim, filtered(filter))
        assert.deepEqual([totalResults, Resources?.[0]?.id], [1, ids[user]], filter)
        assert.equal((await list(other, filtered(filter))).totalResults, 0, filter)
      }
      assert.equal((await pages(other)).length, 1)
      scimRefused(await other.get(`${SCIM}/Users/${ids[user]}`), 404)
      scimRefused(await other.delete(`${SCIM}/Users/${ids[user]}`), 404)
    })

    test('a large group has no more members than its limit; they change one by one, and their roles follow', async () => {
      const members = ids.slice(0, grouped)
      const answer = await scim.post<Group>(`${GROUPS}?excludedAttributes=members`, {
        schemas: [GROUP_URN],
        displayName: 'Everybody',
        members: members.map((value) => ({ value })),
      })
      assert.equal(answer.status, 201, answer.text)
      const { id } = answer.body
      assert.equal(answer.body.members, undefined)
      const path = `${GROUPS}/${id}`
      const membersOf = async () => ((await scim.get<Group>(path)).body.members ?? []).map(({ value }) => value)
      assert.deepEqual((await membersOf()).sort(), [...members].sort())
      const tooMany = Array.from({ length: GROUP_MEMBERS_LIMIT + 1 }, (_, member) => ({ value: String(member) }))
      const refused = scimRefused(await scim.post(GROUPS, { schemas: [GROUP_URN], displayName: 'Too many', members: tooMany }), 400, 'invalidValue')
      assert.match(refused.detail, /11[.,]?000/)
      // Two writers: one removes members and adds every second of them again, the other renames the group.
      const gone = members.slice(0, 20)
      await Promise.all([
        (async () => {
          for (const value of gone) await patchGroup(id, { op: 'remove', path: `members[value eq "${value}"]` })
          for (const value of gone.filter((_, index) => index % 2 === 0)) await patchGroup(id, { op: 'add', path: 'members', value: [{ value }] })
        })(),
        (async () => {
          for (let turn = 0; turn < 5; turn++) await patchGroup(id, { op: 'replace', path: 'externalId', value: `turn-${turn}` })
        })(),
      ])
      const left = await membersOf()
      assert.equal(left.length, members.length - gone.length / 2)
      assert.deepEqual(new Set(left), new Set(members.filter((_, index) => index >= gone.length || index % 2 === 0)))
      const { body } = await scim.get<GroupList>(`${GROUPS}?excludedAttributes=members&${filtered(`members eq "${members.at(-1)}"`)}`)
      assert.deepEqual([body.totalResults, body.Resources[0]?.id, body.Resources[0]?.members], [1, id, undefined])
      assert.equal((await scim.get<GroupList>(`${GROUPS}?excludedAttributes=members&${filtered(`members eq "${gone[1]}"`)}`)).body.totalResults, 0)

      // The roles of all members follow a mapping, and the group.
      const organization = admin.organizationId
      const engineers = async () => Number((await admin.client.get(`/auth/organizations/${organization}/members?role=engineer&limit=1`)).headers.get('x-total-count'))
      const mapped = await admin.client.patch(`/platform/organizations/${organization}/identity-policy`, { group_mappings: [{ group: 'Everybody', role: 'engineer' }] })
      assert.equal(mapped.status, 200, mapped.text)
      await waitFor(async () => ((await engineers()) === left.length ? true : undefined))
      await patchGroup(id, { op: 'add', path: 'members', value: [{ value: gone[1] }] })
      assert.equal(await engineers(), left.length + 1)
      assert.equal((await scim.delete(path)).status, 204)
      await waitFor(async () => ((await engineers()) === 0 ? true : undefined))
    })
  })
}
