/** Translation of queries to the store: which are exact, and that every store returns what the evaluation in memory does. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { type Query, type QueryParameters, readQuery, selectPage } from '../../../../../server/features/scim/protocol/query.js'
import type { ScimObject } from '../../../../../server/features/scim/protocol/resource.js'
import { GROUP_TYPE, USER_TYPE } from '../../../../../server/features/scim/protocol/resource-types.js'
import { CANDIDATES_LIMIT, planQuery, type StoredFields } from '../../../../../server/features/scim/protocol/store-query.js'
import { afterPrefix, compareTexts, foldCase } from '../../../../../server/features/scim/protocol/text-order.js'
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../../../../../server/core/storage/contract.js'
import { openMongoStorage } from '../../../../../server/core/storage/mongo/index.js'
import { insertAll } from '../../../../support/insert-all.js'
import { mongodForTests } from '../../../../support/mongod.js'
import { openTestStorage } from '../../../../support/storage.js'

interface StoredUser extends StoredDocument {
  readonly name_key: string
  readonly external_id: string | null
  readonly title_key?: string
  readonly is_active: boolean | null
  readonly updated_at: Date
  readonly email_keys: readonly string[]
}

const STORED = platformCollection<StoredUser>('scim_users', [{ keys: { name_key: 1 } }, { keys: { email_keys: 1 } }])
const FIELDS: StoredFields = {
  userName: { field: 'name_key', isAssigned: true },
  externalId: { field: 'external_id' },
  title: { field: 'title_key' },
  active: { field: 'is_active' },
  'meta.lastModified': { field: 'updated_at', isAssigned: true },
  'emails.value': { field: 'email_keys' },
}

const plan = (parameters: QueryParameters) => planQuery<StoredUser>(readQuery(USER_TYPE, parameters), FIELDS)
const filterOf = (filter: string) => {
  const { filter: stored, isExact } = plan({ filter })
  return [stored, isExact]
}

const DATE = '2020-01-01T00:00:00Z'
const PLANS: readonly (readonly [filter: string, stored: object, isExact: boolean])[] = [
  ['userName eq "Ana@Example.com"', { name_key: 'ana@example.com' }, true],
  ['id eq "A1"', { _id: 'A1' }, true],
  ['externalId eq "A1"', { external_id: 'A1' }, true],
  ['active eq "True"', { is_active: true }, true],
  ['active ne true', { is_active: { not: true } }, true],
  ['not (userName eq "a")', { name_key: { not: 'a' } }, true],
  ['not (not (userName eq "a"))', { name_key: 'a' }, true],
  ['title pr', { title_key: { not: null } }, true],
  ['not (title pr)', { title_key: null }, true],
  ['title eq null', { title_key: null }, true],
  ['userName sw "An"', { name_key: { gte: 'an', lt: 'ao' } }, true],
  [`meta.lastModified ge "${DATE}" and meta.lastModified lt "2021-01-01T00:00:00Z"`, { updated_at: { gte: new Date(DATE), lt: new Date('2021-01-01T00:00:00Z') } }, true],
  ['userName eq "a" or externalId eq "b"', { anyOf: [{ name_key: 'a' }, { external_id: 'b' }] }, true],
  ['not (userName eq "a" or externalId eq "b")', { name_key: { not: 'a' }, external_id: { not: 'b' } }, true],
  [
    'active eq true and (userName eq "a" or userName eq "b")',
    {
      anyOf: [
        { is_active: true, name_key: 'a' },
        { is_active: true, name_key: 'b' },
      ],
    },
    true,
  ],
  ['emails.value eq "A@x"', { email_keys: { has: 'a@x' } }, true],
  ['emails eq "a@x"', { email_keys: { has: 'a@x' } }, true],
  ['emails[value eq "a@x"]', { email_keys: { has: 'a@x' } }, true],
  ['emails[type eq "work"].value eq "a@x"', { email_keys: { has: 'a@x' } }, false],
  ['emails[type eq "work" and value eq "a@x"] and active eq true', { email_keys: { has: 'a@x' }, is_active: true }, false],
  ['userName co "a.b"', { name_key: { contains: 'a.b' } }, false],
  ['userName ew "a"', { name_key: { contains: 'a' } }, false],
  ['userName eq "a" and userName eq "b"', { name_key: 'a' }, false],
  ['nickName eq "a"', {}, false],
  ['nickName eq "a" and userName eq "b"', { name_key: 'b' }, false],
  ['nickName eq "a" or userName eq "b"', {}, false],
  ['not (userName gt "a")', {}, false],
  ['not (emails.value eq "a")', {}, false],
  ['emails pr', {}, false],
]

for (const [filter, stored, isExact] of PLANS) test(`the store's filter for ${filter}`, () => assert.deepEqual(filterOf(filter), [stored, isExact]))

test('an element must satisfy all conditions, which the store checks for any element', () => {
  const fields = { 'emails.value': { field: 'email_keys' }, 'emails.type': { field: 'email_types' } }
  const { filter, isExact } = planQuery(readQuery(USER_TYPE, { filter: 'emails[type eq "work" and value eq "a@x"]' }), fields)
  assert.deepEqual([filter, isExact], [{ email_types: { has: 'work' }, email_keys: { has: 'a@x' } }, false])
})

test('a filter with many alternatives is left to memory', () => {
  const any = (count: number) => Array.from({ length: count }, (_, n) => `userName eq "${n}"`).join(' or ')
  assert.equal(filterOf(any(16))[1], true)
  assert.deepEqual(filterOf(any(17)), [{}, false])
  assert.deepEqual(filterOf(`(${any(8)}) and (${any(8)})`)[1], false)
})

test('the store orders and pages what it can evaluate', () => {
  const page = { startIndex: 3, count: 2 }
  assert.deepEqual(plan({ ...page }).options, { sort: { _id: 1 }, skip: 2, limit: 2 })
  assert.deepEqual(plan({ ...page, sortBy: 'userName', sortOrder: 'descending' }).options, { sort: { name_key: -1, _id: -1 }, skip: 2, limit: 2 })
  for (const unsorted of ['title', 'emails', 'nickName']) assert.deepEqual(plan({ ...page, sortBy: unsorted }), { filter: {}, options: { sort: { _id: 1 } }, isExact: false })
  assert.deepEqual(plan({ ...page, filter: 'nickName pr' }), { filter: {}, options: { sort: { _id: 1 } }, isExact: false })
})

test('members of a group are found by an array of ids', () => {
  const query = readQuery(GROUP_TYPE, { filter: 'id eq "g" and members eq "U1"' })
  assert.deepEqual(planQuery(query, { 'members.value': { field: 'member_ids' } }).filter, { _id: 'g', member_ids: { has: 'U1' } })
})

/** Texts of the characters beside surrogates and at the ends of Unicode. */
const boundaryText = fc.string({ unit: fc.constantFrom('\0', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'), maxLength: 3 })

test('prefixes end before the next text, and texts are ordered by code point', () => {
  assert.deepEqual(['a', 'a\ud7ff', 'a\u{10ffff}', '\u{10ffff}', ''].map(afterPrefix), ['b', 'a\ue000', 'b', null, null])
  fc.assert(
    fc.property(boundaryText, boundaryText, (a, b) => {
      const byBytes = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      assert.equal(Math.sign(compareTexts(a, b)), byBytes)
      const end = afterPrefix(a)
      const isBetween = compareTexts(b, a) >= 0 && (end === null || compareTexts(b, end) < 0)
      assert.equal(isBetween, b.startsWith(a))
    }),
  )
})

/** Few texts, so that many comparisons are equal or nearly. */
const word = fc.constantFrom('a', 'A', 'ab', 'aB', 'b', 'ba', 'é', 'É', 'ß', 'K', 'K', 'ſ', 's', '\u{1f600}', '\uffff', 'a.b', 'İ')
const date = fc.constantFrom('2020-01-01T00:00:00Z', '2020-01-01T00:00:00.001Z', '2020-01-01T02:00:00+02:00', '2021-05-05T05:05:05Z')
const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le')
const comparison = fc.oneof(
  fc
    .tuple(fc.constantFrom('userName', 'externalId', 'title', 'nickName', 'id', 'emails', 'emails.value'), operator, word)
    .map(([name, op, value]) => `${name} ${op} ${JSON.stringify(value)}`),
  fc.tuple(fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le'), date).map(([op, value]) => `meta.lastModified ${op} "${value}"`),
  fc.tuple(fc.constantFrom('eq', 'ne'), fc.constantFrom('true', 'false', '"True"', 'null')).map(([op, value]) => `active ${op} ${value}`),
  fc.constantFrom('userName', 'externalId', 'title', 'nickName', 'emails', 'active').map((name) => `${name} pr`),
  fc.tuple(fc.constantFrom('title', 'externalId'), fc.constantFrom('eq', 'ne')).map(([name, op]) => `${name} ${op} null`),
  fc.tuple(word, word).map(([type, value]) => `emails[type eq ${JSON.stringify(type)} and value eq ${JSON.stringify(value)}]`),
  word.map((value) => `emails[value eq ${JSON.stringify(value)}]`),
)
const { filter: anyFilter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    fc.tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('filter').map((one) => `not (${one})`),
  ),
}))
const anyUser = fc.record({
  id: fc.uuid(),
  userName: word,
  externalId: fc.option(word, { nil: undefined }),
  title: fc.option(word, { nil: undefined }),
  nickName: fc.option(word, { nil: undefined }),
  active: fc.option(fc.boolean(), { nil: undefined }),
  lastModified: date,
  emails: fc.array(fc.record({ type: word, value: word }), { maxLength: 3 }),
})

const USERS = fc
  .sample(anyUser, { numRuns: 120, seed: 17 })
  .map(({ lastModified, emails, ...user }): ScimObject => ({ ...user, ...(emails.length === 0 ? {} : { emails }), meta: { lastModified } }) as ScimObject)

function documentOf(user: ScimObject): StoredUser {
  const emails = (user.emails ?? []) as readonly ScimObject[]
  return {
    _id: String(user.id),
    name_key: foldCase(String(user.userName)),
    external_id: (user.externalId as string | undefined) ?? null,
    ...(user.title === undefined ? {} : { title_key: foldCase(String(user.title)) }),
    is_active: (user.active as boolean | undefined) ?? null,
    updated_at: new Date(String((user.meta as ScimObject).lastModified)),
    email_keys: emails.map(({ value }) => foldCase(String(value))),
  }
}

/** What a service does with a query. */
async function answer(documents: Collection<StoredUser>, query: Query): Promise<{ ids: unknown[]; total: number; isExact: boolean }> {
  const { filter, options, isExact } = planQuery<StoredUser>(query, FIELDS)
  if (isExact) {
    const found = await documents.find(filter, options)
    return { ids: found.map(({ _id }) => _id), total: await documents.count(filter), isExact }
  }
  const candidates = new Set((await documents.find(filter, { ...options, limit: CANDIDATES_LIMIT })).map(({ _id }) => _id))
  const { resources, total } = selectPage(
    query,
    USERS.filter(({ id }) => candidates.has(String(id))),
  )
  return { ids: resources.map(({ id }) => id), total, isExact }
}

async function comparesWithMemory(storage: Storage): Promise<void> {
  const documents = storage.open(STORED)
  await insertAll(storage, documents, USERS.map(documentOf))
  const sortBy = fc.constantFrom(undefined, 'id', 'userName', 'title', 'meta.lastModified', 'emails')
  const sortOrder = fc.constantFrom(undefined, 'descending')
  const exact = { yes: 0, no: 0 }
  await fc.assert(
    fc.asyncProperty(anyFilter, sortBy, sortOrder, fc.integer({ min: 1, max: 130 }), fc.integer({ min: 0, max: 130 }), async (filter, by, order, startIndex, count) => {
      const query = readQuery(USER_TYPE, { filter, sortBy: by, sortOrder: order, startIndex, count })
      const expected = selectPage(query, USERS)
      const { ids, total, isExact } = await answer(documents, query)
      exact[isExact ? 'yes' : 'no']++
      assert.deepEqual([ids, total], [expected.resources.map(({ id }) => id), expected.total], filter)
    }),
    { numRuns: 400, seed: 17 },
  )
  assert.ok(exact.yes > 40 && exact.no > 40, `both ways are tested: ${JSON.stringify(exact)}`)
}

describe('a query is answered alike by the store and in memory', () => {
  test('on the embedded store', async () => {
    const { storage, close } = await openTestStorage([STORED])
    await comparesWithMemory(storage).finally(close)
  })

  const { skip, server } = mongodForTests()
  test('on MongoDB', { skip }, async () => {
    const database = `scim_${crypto.randomUUID().replaceAll('-', '')}`
    const mongod = await server()
    const storage = await openMongoStorage({ url: mongod.url(database) })
    after(() => mongod.drop(database))
    try {
      await storage.prepare([STORED])
      await comparesWithMemory(storage)
    } finally {
      await storage.close()
    }
  })
})
