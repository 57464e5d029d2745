/**
 * What every store has to do: the sentences of `server/storage/contract.ts`, and what MongoDB does with the filters and updates that it names.
 * Both stores run it, so nothing here may depend on one of them.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  type Collection,
  containing,
  type Filter,
  platformCollection,
  type Storage,
  type StoredDocument,
  type StoredRecord,
  type TenantDocument,
  tenantCollection,
  type Update,
} from '../../server/storage/contract.js'
import { DOCUMENT_BYTES, DocumentTooLargeError, DuplicateKeyError, StaleWriteError, StorageUnavailableError } from '../../server/storage/errors.js'

export interface OpenedStorage {
  readonly storage: Storage
  close(): Promise<void>
}

/** Any document: what is asked of it is what the tests are about. */
export interface Thing extends StoredDocument {
  readonly [field: string]: unknown
}
interface Note extends TenantDocument {
  readonly title?: string
  readonly level?: number
  readonly at?: Date
  readonly public_id?: string
  readonly tags?: readonly string[]
}

export const THINGS = platformCollection<Thing>('things', [{ keys: { a: 1 } }, { keys: { 'a.b': 1 } }, { keys: { group: 1, rank: -1 } }, { keys: { at: 1 } }])
/** The same without indexes: what it answers is what indexes must answer. */
const PLAIN = platformCollection<Thing>('plain', [])
export const NAMED = platformCollection<Thing>('named', [
  { keys: { email: 1 }, unique: true, onlyWith: ['email'] },
  { keys: { realm: 1, name: 1 }, unique: true },
])
export const NOTES = tenantCollection<Note>('notes', [{ keys: { title: 1 }, unique: true, onlyWith: ['title'] }, { keys: { level: 1, at: -1 } }], ['public_id'])
export const COUNTS = platformCollection<Thing>(
  'counts',
  [
    { keys: { name: 1 }, unique: true, onlyWith: ['name'] },
    { keys: { at: 1 }, expireAfterSeconds: 3600 },
  ],
  { volatile: true },
)
export const DEFINITIONS = [THINGS, PLAIN, NAMED, NOTES, COUNTS]

const date = (text: string): Date => new Date(text)
const ids = (documents: readonly StoredDocument[]): string[] => documents.map(({ _id }) => _id).sort()
/** What a caller without types could pass. */
const unchecked = <T>(value: unknown): T => value as T

export interface ContractOptions {
  /** Tests by name, and why this server can't pass them though MongoDB does. */
  readonly skip?: Readonly<Record<string, string>>
}

export function storageContract(name: string, open: () => Promise<OpenedStorage>, { skip = {} }: ContractOptions = {}): void {
  describe(`storage contract: ${name}`, () => {
    let opened: OpenedStorage
    let storage: Storage
    let things: Collection<Thing>
    let plain: Collection<Thing>
    let named: Collection<Thing>
    let notes: Collection<Note>
    let counts: Collection<Thing>

    before(async () => {
      opened = await open()
      storage = opened.storage
      await storage.prepare(DEFINITIONS)
      things = storage.open(THINGS)
      plain = storage.open(PLAIN)
      named = storage.open(NAMED)
      notes = storage.openTenant(NOTES)
      counts = storage.open(COUNTS)
    })
    after(() => opened.close())
    beforeEach(async () => {
      for (const collection of [things, plain, named, counts]) await collection.deleteMany({})
      await notes.deleteMany({})
    })

    /** Whether a document with these fields matches: with indexes and without. */
    const matches = async (fields: object, asked: object): Promise<boolean> => {
      const filter = unchecked<Filter<Thing>>(asked)
      const answers: boolean[] = []
      for (const collection of [things, plain]) {
        await collection.deleteMany({})
        await collection.insert({ _id: 'x', ...fields })
        answers.push((await collection.findOne(filter)) !== null)
        assert.equal(await collection.count(filter), Number(answers.at(-1)))
      }
      assert.equal(answers[0], answers[1], 'an index changes the answer')
      return answers[0]
    }
    const all = async (collection: Collection<Thing>): Promise<Thing[]> => collection.find({}, { sort: { _id: 1 } })
    const dumped = async (): Promise<StoredRecord[]> => {
      const records: StoredRecord[] = []
      for await (const record of storage.dump()) records.push(record)
      return records
    }

    describe('documents', () => {
      it('come out as they went in, dates included', async () => {
        const document = {
          _id: 'x',
          text: 'ü 😀 \u0000 "',
          empty: '',
          whole: 7,
          large: 2 ** 53,
          negative: -1.5,
          tiny: Number.MIN_VALUE,
          yes: true,
          no: false,
          nothing: null,
          at: date('2026-11-21T17:42:44.963Z'),
          before: date('1969-12-31T23:59:59.999Z'),
          far: new Date(8_640_000_000_000_000),
          list: [1, 'two', null, [3], { four: 4 }, []],
          inner: { deeper: { at: date('2000-02-29T00:00:00Z') }, empty: {} },
          constructor: 'a field like others',
        }
        await things.insert(document)
        assert.deepEqual(await things.findOne({ _id: 'x' }), document)
      })

      it('lose fields that are undefined, and nothing else', async () => {
        await things.insert({ _id: 'x', gone: undefined, inner: { gone: undefined, stays: null }, list: [{ gone: undefined }] })
        assert.deepEqual(await things.findOne({ _id: 'x' }), { _id: 'x', inner: { stays: null }, list: [{}] })
      })

      it("are the caller's own, before and after", async () => {
        const at = date('2026-01-01T00:00:00Z')
        const list = [{ n: 1 }]
        await things.insert({ _id: 'x', list, at })
        list[0].n = 2
        at.setFullYear(1999)
        const found = await things.findOne({ _id: 'x' })
        ;(found?.list as { n: number }[])[0].n = 3
        ;(found?.at as Date).setFullYear(1999)
        assert.deepEqual(await things.findOne({ _id: 'x' }), { _id: 'x', list: [{ n: 1 }], at: date('2026-01-01T00:00:00Z') })
        const updated = await things.update({ _id: 'x' }, { $set: { n: 1 } })
        ;(updated?.list as { n: number }[])[0].n = 4
        assert.deepEqual((await things.findOne({ _id: 'x' }))?.list, [{ n: 1 }])
      })

      it('of almost any size are taken, larger ones refused by name', async () => {
        const text = 'x'.repeat(DOCUMENT_BYTES - 200)
        await things.insert({ _id: 'large', text })
        assert.equal(((await things.findOne({ _id: 'large' }))?.text as string).length, text.length)
        const larger = { _id: 'larger', text: 'x'.repeat(DOCUMENT_BYTES) }
        const refused = (error: unknown): boolean => error instanceof DocumentTooLargeError && error.collection === 'things'
        await assert.rejects(things.insert(larger), refused)
        await assert.rejects(things.insertMany([{ _id: 'small' }, larger]), refused)
        await assert.rejects(things.update({ _id: 'large' }, { $set: { more: 'x'.repeat(2 * 1024 * 1024) } }), refused)
        await assert.rejects(storage.commit([things.inserting({ _id: 'small' }), things.inserting(larger)]), refused)
        await assert.rejects(storage.commit([things.updating({ _id: 'large' }, { $set: { more: 'x'.repeat(1024) } })]), refused)
        assert.deepEqual(ids(await things.find({})), ['large'])
        assert.equal((await things.findOne({ _id: 'large' }))?.more, undefined)
      })
    })

    describe('filters', () => {
      const cases: readonly (readonly [what: string, fields: object, filter: object, expected: boolean])[] = [
        ['null is a missing field', {}, { a: null }, true],
        ['null is null', { a: null }, { a: null }, true],
        ['null is not a value', { a: 0 }, { a: null }, false],
        ['null is found in an array', { a: [1, null] }, { a: null }, true],
        ['null is no empty array', { a: [] }, { a: null }, false],
        ['a missing inner field is null', { a: {} }, { 'a.b': null }, true],
        ['an inner field of a scalar is null', { a: 1 }, { 'a.b': null }, true],
        ['an inner field is null in one object of an array', { a: [{ b: 1 }, {}] }, { 'a.b': null }, true],
        ['an inner field is null in no object of an array', { a: [{ b: 1 }] }, { 'a.b': null }, false],
        ['$eq is equality', { a: 1 }, { a: { $eq: 1 } }, true],
        ['types are kept apart: text', { a: '1' }, { a: 1 }, false],
        ['types are kept apart: boolean', { a: true }, { a: 1 }, false],
        ['0 is -0', { a: -0 }, { a: 0 }, true],
        ['NaN is itself', { a: Number.NaN }, { a: Number.NaN }, true],
        ['dates are equal by their time', { a: date('2026-01-01T00:00:00Z') }, { a: date('2026-01-01T00:00:00Z') }, true],
        ['a date is no text', { a: date('2026-01-01T00:00:00Z') }, { a: '2026-01-01T00:00:00.000Z' }, false],
        ['an element of an array is enough', { a: [1, 2] }, { a: 2 }, true],
        ['an array in an array is not looked into', { a: [[1]] }, { a: 1 }, false],
        ['a path reaches into objects', { a: { b: { c: 1 } } }, { 'a.b.c': 1 }, true],
        ['a path reaches into objects of arrays', { a: [{ b: 1 }, { b: 2 }] }, { 'a.b': 2 }, true],
        ['a path reaches into arrays of objects of arrays', { a: [{ b: [1, 2] }] }, { 'a.b': 2 }, true],
        ['a path can say a position', { a: ['x', 'y'] }, { 'a.1': 'y' }, true],
        ['a position is no other', { a: ['x', 'y'] }, { 'a.0': 'y' }, false],
        ['a position and a field', { a: [{ b: 1 }, { b: 2 }] }, { 'a.1.b': 2 }, true],
        ['$ne matches other values', { a: 2 }, { a: { $ne: 1 } }, true],
        ['$ne matches missing fields', {}, { a: { $ne: 1 } }, true],
        ['$ne: no element may be it', { a: [1, 2] }, { a: { $ne: 1 } }, false],
        ['$ne: in no object of an array', { a: [{ b: 1 }, { b: 2 }] }, { 'a.b': { $ne: 1 } }, false],
        ['$ne null wants a value', {}, { a: { $ne: null } }, false],
        ['$ne null has a value', { a: 0 }, { a: { $ne: null } }, true],
        ['$in is one of them', { a: 2 }, { a: { $in: [1, 2] } }, true],
        ['$in is none of them', { a: 3 }, { a: { $in: [1, 2] } }, false],
        ['$in takes elements', { a: [3, 2] }, { a: { $in: [1, 2] } }, true],
        ['$in with null takes missing fields', {}, { a: { $in: [1, null] } }, true],
        ['$in with null takes missing inner fields', { a: [{ b: 1 }, {}] }, { 'a.b': { $in: [null] } }, true],
        ['$in of nothing is nothing', { a: 1 }, { a: { $in: [] } }, false],
        ['$in takes dates', { a: date('2026-01-01T00:00:00Z') }, { a: { $in: [date('2026-01-01T00:00:00Z')] } }, true],
        ['$nin is none of them', { a: 3 }, { a: { $nin: [1, 2] } }, true],
        ['$nin takes missing fields', {}, { a: { $nin: [1] } }, true],
        ['$nin with null refuses missing fields', {}, { a: { $nin: [null] } }, false],
        ['$nin: no element may be one of them', { a: [2, 3] }, { a: { $nin: [1, 2] } }, false],
        ['$gt is more', { a: 2 }, { a: { $gt: 1 } }, true],
        ['$gt is not equal', { a: 1 }, { a: { $gt: 1 } }, false],
        ['$gte is equal, too', { a: 1 }, { a: { $gte: 1 } }, true],
        ['$lt is less', { a: -5 }, { a: { $lt: -4.5 } }, true],
        ['$lte is equal, too', { a: 'b' }, { a: { $lte: 'b' } }, true],
        ['only the same type is compared: text', { a: 'x' }, { a: { $gt: 1 } }, false],
        ['only the same type is compared: number', { a: 5 }, { a: { $gt: 'a' } }, false],
        ['only the same type is compared: boolean', { a: true }, { a: { $gt: 0 } }, false],
        ['only the same type is compared: date', { a: date('2026-01-01T00:00:00Z') }, { a: { $gt: 1 } }, false],
        ['less than a number is no missing field', {}, { a: { $lt: 5 } }, false],
        ['less than a date is no null', { a: null }, { a: { $lt: date('2026-01-01T00:00:00Z') } }, false],
        ['less than a number is not NaN', { a: Number.NaN }, { a: { $lt: 5 } }, false],
        ['dates are compared', { a: date('2026-01-02T00:00:00Z') }, { a: { $gt: date('2026-01-01T00:00:00Z'), $lte: date('2026-01-02T00:00:00Z') } }, true],
        ['booleans are compared', { a: true }, { a: { $gt: false } }, true],
        ['texts are compared by code point', { a: '\u{1F600}' }, { a: { $gt: '\uffee' } }, true],
        ['capitals come first', { a: 'Z' }, { a: { $lt: 'a' } }, true],
        ['the beginning of a text comes first', { a: 'ab' }, { a: { $gt: 'a' } }, true],
        ['bounds may hold for different elements', { a: [0, 5] }, { a: { $gt: 1, $lt: 3 } }, true],
        ['an element is compared in an object of an array', { a: [{ b: 0 }, { b: [3] }] }, { 'a.b': { $gt: 1 } }, true],
        ['at least null is null', {}, { a: { $gte: null } }, true],
        ['more than null is nothing', { a: 1 }, { a: { $gt: null } }, false],
        ['several operators all hold', { a: 2 }, { a: { $gt: 0, $ne: 1, $in: [1, 2] } }, true],
        ['$exists takes null', { a: null }, { a: { $exists: true } }, true],
        ['$exists takes an empty array', { a: [] }, { a: { $exists: true } }, true],
        ['$exists false', {}, { a: { $exists: false } }, true],
        ['$exists inside an array', { a: [{ b: 1 }, {}] }, { 'a.b': { $exists: true } }, true],
        ['$exists false inside an array', { a: [{ b: 1 }, {}] }, { 'a.b': { $exists: false } }, false],
        ['$exists of a field that every object has', {}, { toString: { $exists: true } }, false],
        ['$regex in any case', { a: 'an Umbrella' }, { a: containing('UMBR') }, true],
        ['$regex in any case of Unicode', { a: 'Gro\u1e9e \u212a' }, { a: containing('o\u00df k') }, true],
        ['$regex in any case beyond the first plane', { a: 'x\u{10428}' }, { a: containing('X\u{10400}') }, true],
        ['$regex tells a letter from one with a dot', { a: 'i' }, { a: containing('\u0130') }, false],
        ['$regex takes characters as they are', { a: 'axb' }, { a: containing('a.b') }, false],
        ['$regex finds them', { a: 'x a.b(c)[d]*+?^$|\\ y' }, { a: containing('a.b(c)[d]*+?^$|\\') }, true],
        ['$regex finds a zero byte', { a: 'x\0y' }, { a: containing('\0Y') }, true],
        ['$regex finds no zero byte', { a: 'x00y' }, { a: containing('\0') }, false],
        ['$regex of an element', { a: ['one', 'two'] }, { a: containing('TW') }, true],
        ['$regex of a number', { a: 11 }, { a: containing('1') }, false],
        ['$or takes one', { a: 2, b: 1 }, { $or: [{ a: 1 }, { b: 1 }] }, true],
        ['$or takes none', { a: 2, b: 2 }, { $or: [{ a: 1 }, { b: 1 }] }, false],
        ['$or stands beside other conditions', { a: 1, b: 1, c: 2 }, { $or: [{ a: 1 }, { b: 2 }], c: 1 }, false],
        ['$and wants all', { a: 1, b: 2 }, { $and: [{ a: 1 }, { b: 1 }] }, false],
        ['$and of conditions of one field', { a: [1, 2] }, { $and: [{ a: 1 }, { a: 2 }] }, true],
        ['$or inside $and inside $or', { a: 1, b: 2 }, { $or: [{ a: 5 }, { $and: [{ a: 1 }, { $or: [{ b: 2 }, { b: 3 }] }] }] }, true],
        ['no condition takes all', { a: 1 }, {}, true],
      ]
      for (const [what, fields, filter, expected] of cases) {
        it(what, async () => {
          assert.equal(await matches(fields, filter), expected)
        })
      }

      it('that are none are refused, before they match everything', async () => {
        await things.insert({ _id: 'x', a: 1 })
        for (const filter of [
          { a: undefined },
          { a: {} },
          { a: { $equal: 1 } },
          { a: { $eq: undefined } },
          { a: { $in: 1 } },
          { $or: [] },
          { $nor: [{ a: 1 }] },
          { a: { b: 1 } },
          { a: [1] },
        ]) {
          const wrong = unchecked<Filter<Thing>>(filter)
          await assert.rejects(things.find(wrong), TypeError, JSON.stringify(filter))
          await assert.rejects(things.deleteMany(wrong), TypeError, JSON.stringify(filter))
        }
        assert.equal(await things.count({}), 1)
      })
    })

    describe('finding', () => {
      const fill = async (): Promise<void> => {
        const documents = Array.from({ length: 12 }, (_, n) => ({ _id: `t${String(n).padStart(2, '0')}`, group: `g${n % 2}`, rank: n % 5, n }))
        await things.insertMany(documents)
        await plain.insertMany(documents)
      }

      it('sorts by several fields, up and down', async () => {
        await fill()
        for (const collection of [things, plain]) {
          const found = await collection.find({ group: 'g0' }, { sort: { rank: -1, n: 1 } })
          assert.deepEqual(
            found.map(({ rank, n }) => [rank, n]),
            [
              [4, 4],
              [3, 8],
              [2, 2],
              [1, 6],
              [0, 0],
              [0, 10],
            ],
          )
        }
      })

      it('skips and limits in that order', async () => {
        await fill()
        for (const collection of [things, plain]) {
          const page = async (skip: number, limit: number): Promise<unknown[]> =>
            (await collection.find({ group: 'g1' }, { sort: { rank: 1, _id: 1 }, skip, limit })).map(({ n }) => n)
          assert.deepEqual(await page(0, 2), [5, 1])
          assert.deepEqual(await page(2, 3), [11, 7, 3])
          assert.deepEqual(await page(5, 10), [9])
          assert.deepEqual(await page(6, 10), [])
          assert.equal((await collection.find({}, { limit: 5 })).length, 5)
          assert.equal((await collection.find({}, { skip: 10 })).length, 2)
          assert.equal(await collection.count({ group: 'g1' }), 6)
        }
      })

      it('pages from behind the last document that was seen', async () => {
        await fill()
        const seen: string[] = []
        for (let last: Thing | undefined; ; ) {
          const beyond = last === undefined ? {} : { $or: [{ rank: { $lt: last.rank as number } }, { rank: last.rank as number, _id: { $gt: last._id } }] }
          const page = await things.find(unchecked<Filter<Thing>>({ group: 'g0', ...beyond }), { sort: { rank: -1, _id: 1 }, limit: 2 })
          if (page.length === 0) break
          seen.push(...page.map(({ _id }) => _id))
          last = page.at(-1)
        }
        assert.deepEqual(seen, ['t04', 't08', 't02', 't06', 't00', 't10'])
      })

      it('sorts types as MongoDB does, and missing fields as null', async () => {
        const values = [
          true,
          date('2026-01-01T00:00:00Z'),
          'text',
          'Text',
          '',
          '\u{1F600}',
          '\uffee',
          -1,
          10,
          2.5,
          null,
          undefined,
          false,
          Number.NaN,
          { b: 1 },
          date('1960-01-01T00:00:00Z'),
        ]
        for (const collection of [things, plain]) {
          await collection.insertMany(values.map((a, index) => ({ _id: String.fromCharCode(97 + index), a })))
          const up = (await collection.find({}, { sort: { a: 1, _id: 1 } })).map(({ _id }) => _id)
          assert.deepEqual(up, ['k', 'l', 'n', 'h', 'j', 'i', 'e', 'd', 'c', 'g', 'f', 'o', 'm', 'a', 'p', 'b'])
          const down = (await collection.find({}, { sort: { a: -1, _id: -1 } })).map(({ _id }) => _id)
          assert.deepEqual(down, up.toReversed())
        }
      })

      it('sorts an array by its least element going up, by its greatest going down', async () => {
        for (const collection of [things, plain]) {
          await collection.insertMany([
            { _id: 'wide', a: [1, 9] },
            { _id: 'middle', a: 5 },
            { _id: 'none', a: [] },
            { _id: 'null', a: null },
          ])
          assert.deepEqual(
            (await collection.find({}, { sort: { a: 1 } })).map(({ _id }) => _id),
            ['none', 'null', 'wide', 'middle'],
          )
          assert.deepEqual(
            (await collection.find({}, { sort: { a: -1 } })).map(({ _id }) => _id),
            ['wide', 'middle', 'null', 'none'],
          )
        }
      })

      it('orders long texts right', async () => {
        const long = 'x'.repeat(2000)
        const texts = [`${long}b`, `${long}a`, long, `${long}c`, 'x', 'y', `${long}`.slice(0, 1999)]
        for (const collection of [things, plain]) {
          await collection.insertMany(texts.map((a, index) => ({ _id: String(index), a })))
          assert.deepEqual(
            (await collection.find({}, { sort: { a: 1 } })).map(({ _id }) => _id),
            ['4', '6', '2', '1', '0', '3', '5'],
          )
          assert.deepEqual(ids(await collection.find({ a: { $gt: long } })), ['0', '1', '3', '5'])
          assert.deepEqual(ids(await collection.find({ a: { $lte: `${long}a` } })), ['1', '2', '4', '6'])
          assert.deepEqual(ids(await collection.find({ a: `${long}b` })), ['0'])
        }
      })

      it('finds one, the first in an order', async () => {
        await fill()
        assert.equal((await things.findOne({ group: 'g0' }, { sort: { rank: -1 } }))?.n, 4)
        assert.equal(await things.findOne({ group: 'g9' }), null)
        assert.equal(await things.findOne({ _id: 'nobody' }), null)
      })

      it('finds several by their ids', async () => {
        await fill()
        assert.deepEqual(ids(await things.find({ _id: { $in: ['t03', 't01', 'nobody', 't03'] } })), ['t01', 't03'])
        assert.deepEqual(ids(await things.find({ _id: { $in: ['t03', 't02'] }, group: 'g0' })), ['t02'])
        assert.deepEqual(ids(await things.find({ _id: { $gte: 't10' } })), ['t10', 't11'])
      })

      it('reads documents one by one, while others are written', async () => {
        await things.insertMany(Array.from({ length: 500 }, (_, n) => ({ _id: `t${n}`, group: n % 2 === 0 ? 'even' : 'odd' })))
        const seen: string[] = []
        for await (const { _id } of things.iterate({ group: 'even' })) {
          seen.push(_id)
          if (seen.length === 10) await things.insert({ _id: 'late', group: 'odd' })
        }
        assert.equal(new Set(seen).size, 250)
        assert.equal(seen.length, 250)
        let count = 0
        for await (const _ of things.iterate({})) if (++count === 5) break
        assert.equal(count, 5)
      })
    })

    describe('updates', () => {
      const updated = async (fields: object, update: Update<Thing>): Promise<object> => {
        await things.deleteMany({})
        await things.insert({ _id: 'x', ...fields })
        const given = await things.update({ _id: 'x' }, update)
        assert.deepEqual(given, await things.findOne({ _id: 'x' }), 'what is given is what is stored')
        const { _id, ...rest } = given as Thing
        return rest
      }
      const cases: readonly (readonly [what: string, fields: object, update: Update<Thing>, expected: object])[] = [
        ['$set replaces', { a: 1, b: 2 }, { $set: { a: 'x' } }, { a: 'x', b: 2 }],
        ['$set replaces a whole object', { a: { b: 1, c: 2 } }, { $set: { a: { b: 3 } } }, { a: { b: 3 } }],
        ['$set reaches inside', { a: { b: 1, c: 2 } }, { $set: { 'a.b': 3 } }, { a: { b: 3, c: 2 } }],
        ['$set makes the way', {}, { $set: { 'a.b.c': 3 } }, { a: { b: { c: 3 } } }],
        ['$set of an element', { a: [1, 2] }, { $set: { 'a.1': 9 } }, { a: [1, 9] }],
        ['$set behind the last element', { a: [1] }, { $set: { 'a.3': 9 } }, { a: [1, null, null, 9] }],
        ['$set of an inner field of an element', { a: [{ b: 1 }, { b: 2 }] }, { $set: { 'a.1.b': 9 } }, { a: [{ b: 1 }, { b: 9 }] }],
        ['$set of undefined does nothing', { a: 1 }, unchecked({ $set: { a: undefined } }), { a: 1 }],
        ['$set of null', { a: 1 }, { $set: { a: null } }, { a: null }],
        ['$set of a date', {}, { $set: { at: date('2026-01-01T00:00:00Z') } }, { at: date('2026-01-01T00:00:00Z') }],
        ['$unset takes away', { a: 1, b: 2 }, { $unset: { a: true } }, { b: 2 }],
        ['$unset reaches inside', { a: { b: 1, c: 2 } }, { $unset: { 'a.b': true } }, { a: { c: 2 } }],
        ['$unset of nothing makes nothing', {}, { $unset: { 'a.b': true, c: true } }, {}],
        ['$unset under a scalar does nothing', { a: 1 }, { $unset: { 'a.b': true } }, { a: 1 }],
        ['$unset of an element leaves null', { a: [1, 2, 3] }, { $unset: { 'a.1': true } }, { a: [1, null, 3] }],
        ['$inc adds', { a: 1 }, { $inc: { a: 2.5 } }, { a: 3.5 }],
        ['$inc of nothing begins at 0', {}, { $inc: { 'a.b': -2 } }, { a: { b: -2 } }],
        ['$addToSet adds once', { a: ['x'] }, { $addToSet: { a: 'y' } }, { a: ['x', 'y'] }],
        ['$addToSet does not add again', { a: ['x', 'y'] }, { $addToSet: { a: 'x' } }, { a: ['x', 'y'] }],
        ['$addToSet knows dates', { a: [date('2026-01-01T00:00:00Z')] }, { $addToSet: { a: date('2026-01-01T00:00:00Z') } }, { a: [date('2026-01-01T00:00:00Z')] }],
        ['$addToSet makes the array', {}, { $addToSet: { a: 'x' } }, { a: ['x'] }],
        ['$addToSet keeps types apart', { a: [1] }, { $addToSet: { a: '1' } }, { a: [1, '1'] }],
        ['$pull takes all of them', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
        ['$pull takes null', { a: [1, null] }, { $pull: { a: null } }, { a: [1] }],
        ['$pull of nothing makes nothing', {}, { $pull: { a: 1 } }, {}],
        ['several at once', { a: 1, b: [1], c: 1, d: 1 }, { $set: { a: 2 }, $inc: { d: 1 }, $addToSet: { b: 2 }, $unset: { c: true } }, { a: 2, b: [1, 2], d: 2 }],
        ['of nothing', { a: 1 }, {}, { a: 1 }],
      ]
      for (const [what, fields, update, expected] of cases) {
        it(what, async () => {
          assert.deepEqual(await updated(fields, update), expected)
        })
      }

      it('that cannot be made are refused, and leave the document', async () => {
        const document = { _id: 'x', text: 'a', none: null, list: [1], n: 1 }
        await things.insert(document)
        const wrong: readonly Update<Thing>[] = [
          { $inc: { text: 1 } },
          { $inc: { none: 1 } },
          { $set: { 'n.b': 1 } },
          { $set: { 'none.b': 1 } },
          { $set: { 'list.b': 1 } },
          { $addToSet: { text: 'b' } },
          { $addToSet: { none: 'b' } },
          { $pull: { text: 'a' } },
          { $set: { n: 2 }, $inc: { n: 1 } },
          { $set: { n: 2, 'n.b': 1 } },
          unchecked({ $push: { list: 2 } }),
          unchecked({ $set: { _id: 'y' } }),
          unchecked({ n: 2 }),
        ]
        for (const update of wrong) await assert.rejects(things.update({ _id: 'x' }, update), JSON.stringify(update))
        assert.deepEqual(await all(things), [document])
      })

      it('change one document among several', async () => {
        await things.insertMany([
          { _id: '1', a: 1 },
          { _id: '2', a: 1 },
        ])
        const given = await things.update({ a: 1 }, { $set: { a: 2 } })
        assert.equal(given?.a, 2)
        assert.equal(await things.count({ a: 1 }), 1)
        assert.equal(await things.count({ a: 2 }), 1)
      })

      it('give null when nothing matches', async () => {
        assert.equal(await things.update({ _id: 'nobody' }, { $set: { a: 1 } }), null)
        assert.equal(await things.count({}), 0)
      })

      it('of many change all, and say how many', async () => {
        await things.insertMany(Array.from({ length: 30 }, (_, n) => ({ _id: `t${n}`, a: n % 3 })))
        assert.equal(await things.updateMany({ a: { $lt: 2 } }, { $set: { a: 5 } }), 20)
        assert.equal(await things.count({ a: 5 }), 20)
        assert.equal(await things.updateMany({ a: 9 }, { $set: { a: 5 } }), 0)
      })

      it('are found again by what they changed, and no longer by what was', async () => {
        await things.insert({ _id: 'x', a: [1, 2], group: 'g', rank: 1 })
        await things.update({ _id: 'x' }, { $set: { a: [2, 3], rank: 2 } })
        assert.equal(await things.count({ a: 1 }), 0)
        assert.equal(await things.count({ a: 3 }), 1)
        assert.equal(await things.count({ group: 'g', rank: 1 }), 0)
        assert.equal(await things.count({ group: 'g', rank: 2 }), 1)
      })

      it('made at the same time are all made', async () => {
        await things.insert({ _id: 'x', n: 0, list: [] })
        await Promise.all(Array.from({ length: 50 }, (_, n) => things.update({ _id: 'x' }, { $inc: { n: 1 }, $addToSet: { list: n } })))
        const found = await things.findOne({ _id: 'x' })
        assert.equal(found?.n, 50)
        assert.equal((found?.list as unknown[]).length, 50)
      })

      it('decide: of many that want the same, one gets it', async () => {
        await things.insert({ _id: 'x', owner: null })
        const given = await Promise.all(Array.from({ length: 20 }, (_, n) => things.update({ _id: 'x', owner: null }, { $set: { owner: `o${n}` } })))
        const winners = given.filter((one) => one !== null)
        assert.equal(winners.length, 1)
        assert.equal((await things.findOne({ _id: 'x' }))?.owner, winners[0].owner)
      })
    })

    describe('upsert', () => {
      it('makes the document, then changes it', async () => {
        const made = await things.upsert('x', { $inc: { count: 1 }, $set: { last: 'a' } }, { count: 0, first: 'a' })
        assert.deepEqual(made, { _id: 'x', count: 1, first: 'a', last: 'a' })
        const changed = await things.upsert('x', { $inc: { count: 1 }, $set: { last: 'b' } }, { count: 0, first: 'b' })
        assert.deepEqual(changed, { _id: 'x', count: 2, first: 'a', last: 'b' })
        assert.deepEqual(await all(things), [changed])
      })

      it('at the same time makes one', async () => {
        for (const collection of [things, counts]) {
          await Promise.all(Array.from({ length: 30 }, () => collection.upsert('x', { $inc: { n: 1 } }, { n: 0 })))
          assert.deepEqual(await all(collection), [{ _id: 'x', n: 30 }])
        }
      })

      it('is refused for a value that another has', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r1', name: 'n' })
        await assert.rejects(named.upsert('2', { $set: { email: 'a' } }, { realm: 'r2', name: 'n' }), DuplicateKeyError)
        assert.deepEqual(ids(await named.find({})), ['1'])
      })
    })

    describe('deleting', () => {
      it('gives what was there', async () => {
        await things.insertMany([
          { _id: '1', a: 1 },
          { _id: '2', a: 2 },
        ])
        assert.deepEqual(await things.delete({ a: 1 }), { _id: '1', a: 1 })
        assert.equal(await things.delete({ a: 1 }), null)
        assert.deepEqual(ids(await things.find({})), ['2'])
      })

      it('of many says how many', async () => {
        await things.insertMany(Array.from({ length: 20 }, (_, n) => ({ _id: `t${n}`, a: n })))
        assert.equal(await things.deleteMany({ a: { $gte: 5 } }), 15)
        assert.equal(await things.deleteMany({ a: { $gte: 5 } }), 0)
        assert.equal(await things.count({}), 5)
      })
    })

    describe('unique values', () => {
      const duplicate =
        (...fields: string[]) =>
        (error: unknown): boolean => {
          assert.ok(error instanceof DuplicateKeyError, String(error))
          assert.deepEqual([error.collection, error.fields], ['named', fields])
          return true
        }

      it('are refused twice, by the fields of their index', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r', name: 'n' })
        await assert.rejects(named.insert({ _id: '1', email: 'b', realm: 'r', name: 'm' }), duplicate('_id'))
        await assert.rejects(named.insert({ _id: '2', email: 'a', realm: 'r', name: 'm' }), duplicate('email'))
        await assert.rejects(named.insert({ _id: '2', email: 'b', realm: 'r', name: 'n' }), duplicate('realm', 'name'))
        await named.insert({ _id: '2', email: 'b', realm: 'r', name: 'm' })
        await assert.rejects(named.update({ _id: '2' }, { $set: { email: 'a' } }), duplicate('email'))
        assert.equal((await named.findOne({ email: 'a' }))?._id, '1')
        assert.equal((await named.findOne({ email: 'b' }))?._id, '2')
      })

      it('are kept by a document that changes otherwise, and free when it goes', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r', name: 'n' })
        await named.update({ _id: '1' }, { $set: { email: 'a', other: 1 } })
        await named.delete({ _id: '1' })
        await named.insert({ _id: '2', email: 'a', realm: 'r', name: 'n' })
      })

      const freed = 'are free when their document takes another'
      it(freed, { skip: skip[freed] ?? false }, async () => {
        await named.insert({ _id: '1', email: 'first', realm: 'r', name: 'n' })
        await named.update({ _id: '1' }, { $set: { email: 'second' } })
        await named.insert({ _id: '2', email: 'first', realm: 'r', name: 'o' })
        await named.update({ _id: '2' }, { $unset: { email: true } })
        await named.insert({ _id: '3', email: 'first', realm: 'r', name: 'p' })
      })

      it('are only asked of documents that have them, where the index says so', async () => {
        await named.insert({ _id: '1', realm: 'r', name: '1' })
        await named.insert({ _id: '2', realm: 'r', name: '2' })
        await named.insert({ _id: '3', realm: 'r', name: '3', email: null })
        await named.insert({ _id: '4', realm: 'r', name: '4', email: null })
        assert.equal(await named.count({ email: null }), 4)
        assert.equal(await named.count({ email: { $exists: true } }), 2)
      })

      it('count a missing field as null, where the index does not say so', async () => {
        await named.insert({ _id: '1', realm: 'r' })
        await assert.rejects(named.insert({ _id: '2', realm: 'r', name: null }), duplicate('realm', 'name'))
      })

      it('of long texts are told apart', async () => {
        const long = 'x'.repeat(3000)
        await named.insert({ _id: '1', email: `${long}1`, realm: 'r', name: '1' })
        await named.insert({ _id: '2', email: `${long}2`, realm: 'r', name: '2' })
        await assert.rejects(named.insert({ _id: '3', email: `${long}2`, realm: 'r', name: '3' }), duplicate('email'))
        assert.equal((await named.findOne({ email: `${long}1` }))?._id, '1')
      })

      it('taken at the same time are given once', async () => {
        const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => named.insert({ _id: `t${n}`, email: 'same', realm: 'r', name: `n${n}` })))
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
        assert.equal(await named.count({}), 1)
      })

      it('refuse a list of documents as a whole', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r', name: 'n' })
        const list = [
          { _id: '2', email: 'b', realm: 'r', name: 'm' },
          { _id: '3', email: 'a', realm: 'r', name: 'o' },
        ]
        await assert.rejects(named.insertMany(list), DuplicateKeyError)
        const left = ids(await named.find({}))
        assert.deepEqual(left, ['1'])
      })
    })

    describe('commit', () => {
      it('makes all writes in their order, and gives the documents of updates', async () => {
        await things.insert({ _id: '1', n: 1 })
        const given = await storage.commit([
          things.updating({ _id: '1', n: 1 }, { $inc: { n: 1 } }),
          things.inserting({ _id: '2', n: 5 }),
          named.inserting({ _id: 'x', realm: 'r', name: 'n' }),
          things.updating({ _id: '2' }, { $set: { seen: true } }),
          things.updatingMany({ n: { $gt: 0 } }, { $inc: { n: 10 } }),
          things.deleting({ _id: '1' }),
        ])
        assert.deepEqual(given, [{ _id: '1', n: 2 }, null, null, { _id: '2', n: 5, seen: true }, null, null])
        assert.deepEqual(await all(things), [{ _id: '2', n: 15, seen: true }])
        assert.equal(await named.count({}), 1)
      })

      it('is refused as a whole when one write finds nothing', async () => {
        await things.insertMany([
          { _id: '1', n: 1 },
          { _id: '2', n: 1 },
        ])
        const stale =
          (index: number) =>
          (error: unknown): boolean =>
            error instanceof StaleWriteError && error.collection === 'things' && error.index === index
        await assert.rejects(
          storage.commit([things.updating({ _id: '1' }, { $inc: { n: 1 } }), things.inserting({ _id: '3' }), things.updating({ _id: '2', n: 7 }, { $set: { n: 8 } })]),
          stale(2),
        )
        await assert.rejects(storage.commit([things.updating({ _id: '1', n: 9 }, { $inc: { n: 1 } }), things.inserting({ _id: '3' })]), stale(0))
        await assert.rejects(storage.commit([things.updating({ _id: '1' }, { $inc: { n: 1 } }), things.deleting({ _id: 'nobody' })]), stale(1))
        assert.deepEqual(await all(things), [
          { _id: '1', n: 1 },
          { _id: '2', n: 1 },
        ])
      })

      it('goes on when an optional write, or one of many, finds nothing', async () => {
        await things.insert({ _id: '1', n: 1 })
        const given = await storage.commit([
          things.updating({ _id: '1' }, { $inc: { n: 1 } }),
          things.updating({ _id: 'nobody' }, { $inc: { n: 1 } }, { optional: true }),
          things.deleting({ _id: 'nobody' }, { optional: true }),
          things.updatingMany({ n: 77 }, { $set: { n: 1 } }),
          things.deletingMany({ n: 77 }),
        ])
        assert.deepEqual(given, [{ _id: '1', n: 2 }, null, null, null, null])
      })

      it('is refused as a whole for a duplicate', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r', name: '1' })
        await things.insert({ _id: '1', n: 1 })
        await assert.rejects(
          storage.commit([things.updating({ _id: '1' }, { $set: { n: 2 } }), named.inserting({ _id: '2', email: 'a', realm: 'r', name: '2' })]),
          (error: unknown) => error instanceof DuplicateKeyError && error.fields[0] === 'email',
        )
        await assert.rejects(storage.commit([things.updating({ _id: '1' }, { $set: { n: 2 } }), things.inserting({ _id: '1' })]), DuplicateKeyError)
        assert.deepEqual(await all(things), [{ _id: '1', n: 1 }])
        assert.deepEqual(ids(await named.find({})), ['1'])
      })

      it('sees within what it did before', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r', name: '1' })
        await storage.commit([named.deleting({ _id: '1' }), named.inserting({ _id: '2', email: 'a', realm: 'r', name: '1' })])
        assert.equal((await named.findOne({ email: 'a' }))?._id, '2')
      })

      it('of many that begin with the same document lets one through at a time', async () => {
        await things.insert({ _id: 'head', version: 0 })
        const results = await Promise.allSettled(
          Array.from({ length: 20 }, (_, n) => storage.commit([things.updating({ _id: 'head', version: 0 }, { $inc: { version: 1 } }), things.inserting({ _id: `v${n}` })])),
        )
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const result of results) if (result.status === 'rejected') assert.ok(result.reason instanceof StaleWriteError, String(result.reason))
        assert.equal(await things.count({}), 2)
      })

      it('of counters loses none', async () => {
        await things.insert({ _id: 'head', n: 0 })
        await Promise.all(Array.from({ length: 20 }, (_, n) => storage.commit([things.updating({ _id: 'head' }, { $inc: { n: 1 } }), things.inserting({ _id: `v${n}` })])))
        assert.equal((await things.findOne({ _id: 'head' }))?.n, 20)
        assert.equal(await things.count({}), 21)
      })

      it('of nothing does nothing', async () => {
        assert.deepEqual(await storage.commit([]), [])
      })
    })

    describe('collections of organizations', () => {
      it('keep unique values apart by organization', async () => {
        await notes.insert({ _id: '1', organization_id: 'o1', title: 'same' })
        await notes.insert({ _id: '2', organization_id: 'o2', title: 'same' })
        await assert.rejects(
          notes.insert({ _id: '3', organization_id: 'o1', title: 'same' }),
          (error: unknown) => error instanceof DuplicateKeyError && error.fields.join() === 'organization_id,title',
        )
        assert.deepEqual(ids(await notes.find({ organization_id: 'o2', title: 'same' })), ['2'])
      })

      it('keep locators unique over all of them', async () => {
        await notes.insert({ _id: '1', organization_id: 'o1', public_id: 'p' })
        await notes.insert({ _id: '2', organization_id: 'o1' })
        await notes.insert({ _id: '3', organization_id: 'o2' })
        await assert.rejects(
          notes.insert({ _id: '4', organization_id: 'o2', public_id: 'p' }),
          (error: unknown) => error instanceof DuplicateKeyError && error.fields.join() === 'public_id',
        )
        assert.equal((await notes.findOne({ public_id: 'p' }))?.organization_id, 'o1')
      })

      it('answer for one organization', async () => {
        await notes.insertMany(Array.from({ length: 60 }, (_, n) => ({ _id: `n${n}`, organization_id: `o${n % 3}`, level: n % 4, at: new Date(n * 1000), tags: [`t${n % 5}`] })))
        assert.equal(await notes.count({ organization_id: 'o1' }), 20)
        assert.equal(await notes.count({ organization_id: 'o1', level: { $in: [0, 3] } }), 10)
        assert.equal(await notes.count({ organization_id: 'o1', tags: 't1' }), 4)
        const latest = await notes.find({ organization_id: 'o1', level: 1 }, { sort: { at: -1 }, limit: 2 })
        assert.deepEqual(
          latest.map(({ _id }) => _id),
          ['n49', 'n37'],
        )
        assert.equal(await notes.findOne({ organization_id: 'o2', _id: 'n1' }), null)
        assert.equal(await notes.deleteMany({ organization_id: 'o1' }), 20)
        assert.equal(await notes.count({}), 40)
      })
    })

    describe('volatile collections', () => {
      it('are used as others', async () => {
        await counts.insert({ _id: '1', name: 'a', n: 1, at: new Date() })
        await assert.rejects(counts.insert({ _id: '1' }), DuplicateKeyError)
        await assert.rejects(counts.insert({ _id: '2', name: 'a' }), (error: unknown) => error instanceof DuplicateKeyError && error.fields.join() === 'name')
        await counts.upsert('2', { $inc: { n: 2 } }, { name: 'b', n: 0, at: new Date() })
        assert.deepEqual(
          (await counts.find({ n: { $gte: 1 } }, { sort: { n: -1 } })).map(({ name: called }) => called),
          ['b', 'a'],
        )
        assert.equal(await counts.updateMany({}, { $inc: { n: 1 } }), 2)
        assert.equal(await counts.count({ n: { $gt: 1 } }), 2)
        const found = await counts.findOne({ name: 'a' })
        ;(found as unknown as { n: number }).n = 99
        assert.equal((await counts.findOne({ name: 'a' }))?.n, 2)
        assert.equal((await counts.delete({ name: 'a' }))?.n, 2)
        assert.equal(await counts.deleteMany({}), 1)
      })
    })

    describe('dump and load', () => {
      it('give every document, and take them into an empty store', async () => {
        const documents = Array.from({ length: 250 }, (_, n) => ({ _id: `t${n}`, a: n, at: new Date(n) }))
        await things.insertMany(documents)
        await notes.insert({ _id: 'n', organization_id: 'o', title: 't' })
        const records = (await dumped()).filter(({ collection }) => collection !== COUNTS.name)
        assert.equal(records.length, 251)
        assert.deepEqual(
          records.find(({ document }) => document._id === 't7'),
          { collection: 'things', document: documents[7] },
        )
        await things.deleteMany({})
        await notes.deleteMany({})
        const loaded = await storage.load(
          (async function* () {
            yield* records
          })(),
        )
        assert.equal(loaded, 251)
        assert.deepEqual(await things.findOne({ a: 7 }), documents[7])
        assert.equal(await notes.count({ organization_id: 'o', title: 't' }), 1)
      })

      it('refuse what is there already', async () => {
        await things.insert({ _id: 'x', a: 1 })
        const again = (async function* (): AsyncGenerator<StoredRecord> {
          yield { collection: 'things', document: { _id: 'x' } }
        })()
        await assert.rejects(storage.load(again), DuplicateKeyError)
        assert.equal((await things.findOne({ _id: 'x' }))?.a, 1)
      })
    })

    it('answers that it is there', async () => {
      await storage.ping()
    })

    it('lets a collection be prepared again, with what is in it', async () => {
      await things.insert({ _id: 'x', a: 1 })
      await storage.prepare(DEFINITIONS)
      assert.deepEqual(await storage.open(THINGS).findOne({ a: 1 }), { _id: 'x', a: 1 })
    })

    it('does not open a collection that was not prepared', () => {
      assert.throws(() => storage.open(platformCollection<Thing>('stranger', [])))
    })
  })

  describe(`storage contract, closed: ${name}`, () => {
    it('answers nothing any more', async () => {
      const { storage, close } = await open()
      await storage.prepare([THINGS])
      const things = storage.open(THINGS)
      await things.insert({ _id: 'x' })
      await close()
      await assert.rejects(things.findOne({ _id: 'x' }), StorageUnavailableError)
      await assert.rejects(things.insert({ _id: 'y' }), StorageUnavailableError)
      await assert.rejects(storage.ping(), StorageUnavailableError)
    })
  })
}
