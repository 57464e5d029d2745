/** What every store has to do: the sentences of `server/core/storage/contract.ts`. All stores run it, so nothing here may depend on one of them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  type Collection,
  type Filter,
  platformCollection,
  type Storage,
  type StoredDocument,
  type StoredRecord,
  type TenantDocument,
  tenantCollection,
  type Update,
  type WindowDocument,
} from '../../server/core/storage/contract.js'
import { insertAll } from '../support/insert-all.js'
import { DocumentTooLargeError, DuplicateKeyError, StaleWriteError, StorageUnavailableError } from '../../server/core/storage/errors.js'
import { DOCUMENT_BYTES } from '../../server/core/storage/values.js'

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

export const THINGS = platformCollection<Thing>('things', [{ keys: { a: 1 } }, { keys: { tags: 1, rank: 1 } }, { keys: { group: 1, rank: -1 } }, { keys: { at: 1 } }])
/** The same without indexes: what it answers is what indexes must answer. */
const PLAIN = platformCollection<Thing>('plain', [])
export const NAMED = platformCollection<Thing>('named', [
  { keys: { email: 1 }, unique: true },
  { keys: { realm: 1, name: 1 }, unique: true },
])
export const NOTES = tenantCollection<Note>('notes', [{ keys: { title: 1 }, unique: true }, { keys: { level: 1, at: -1 } }], ['public_id'])
export const COUNTS = platformCollection<Thing>(
  'counts',
  [
    { keys: { name: 1 }, unique: true },
    { keys: { at: 1 }, expireAfterSeconds: 3600 },
  ],
  { volatile: true },
)
const WINDOWS = platformCollection<WindowDocument>('windows', [{ keys: { reset_at: 1 }, expireAfterSeconds: 0 }], { volatile: true })
export const DEFINITIONS = [THINGS, PLAIN, NAMED, NOTES, COUNTS, WINDOWS]

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
      await storage.open(WINDOWS).deleteMany({})
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
        const updated = await things.update({ _id: 'x' }, { set: { n: 1 } })
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
        await assert.rejects(things.update({ _id: 'large' }, { set: { more: 'x'.repeat(2 * 1024 * 1024) } }), refused)
        await assert.rejects(storage.commit([things.inserting({ _id: 'small' }), things.inserting(larger)]), refused)
        await assert.rejects(storage.commit([things.updating({ _id: 'large' }, { set: { more: 'x'.repeat(1024) } })]), refused)
        assert.deepEqual(ids(await things.find({})), ['large'])
        assert.equal((await things.findOne({ _id: 'large' }))?.more, undefined)
      })
    })

    describe('filters', () => {
      const cases: readonly (readonly [what: string, fields: object, filter: object, expected: boolean])[] = [
        ['null is a missing field', {}, { a: null }, true],
        ['null is null', { a: null }, { a: null }, true],
        ['null is not a value', { a: 0 }, { a: null }, false],
        ['null is no empty text', { a: '' }, { a: null }, false],
        ['a text is itself', { a: 'ü 😀 \u0000 "' }, { a: 'ü 😀 \u0000 "' }, true],
        ['a text is not itself in another case', { a: 'x' }, { a: 'X' }, false],
        ['types are kept apart: text', { a: '1' }, { a: 1 }, false],
        ['types are kept apart: boolean', { a: true }, { a: 1 }, false],
        ['types are kept apart: the text of a boolean', { a: 'true' }, { a: true }, false],
        ['types are kept apart: the text of null', { a: 'null' }, { a: null }, false],
        ['true is no false', { a: true }, { a: false }, false],
        ['false is no null', { a: false }, { a: null }, false],
        ['0 is -0', { a: -0 }, { a: 0 }, true],
        ['a whole number is itself with a fraction of zero', { a: 2 }, { a: 4 / 2 }, true],
        ['large numbers are exact', { a: 2 ** 53 }, { a: 2 ** 53 - 1 }, false],
        ['dates are equal by their time', { a: date('2026-01-01T00:00:00Z') }, { a: date('2026-01-01T00:00:00Z') }, true],
        ['a date is no text', { a: date('2026-01-01T00:00:00Z') }, { a: '2026-01-01T00:00:00.000Z' }, false],
        ['a date is no number', { a: date('2026-01-01T00:00:00Z') }, { a: Date.UTC(2026, 0, 1) }, false],
        ['a field that every object has is missing', {}, { toString: null }, true],
        ['not matches other values', { a: 2 }, { a: { not: 1 } }, true],
        ['not matches values of other types', { a: '1' }, { a: { not: 1 } }, true],
        ['not does not match the value', { a: 1 }, { a: { not: 1 } }, false],
        ['not matches missing fields', {}, { a: { not: 1 } }, true],
        ['not matches null', { a: null }, { a: { not: 'x' } }, true],
        ['not null wants a value', {}, { a: { not: null } }, false],
        ['not null refuses null', { a: null }, { a: { not: null } }, false],
        ['not null has a value', { a: 0 }, { a: { not: null } }, true],
        ['in is one of them', { a: 2 }, { a: { in: [1, 2] } }, true],
        ['in is none of them', { a: 3 }, { a: { in: [1, 2] } }, false],
        ['in keeps types apart', { a: '1' }, { a: { in: [1, true] } }, false],
        ['in does not match missing fields', {}, { a: { in: [1, 2] } }, false],
        ['in with null matches missing fields', {}, { a: { in: [1, null] } }, true],
        ['in of nothing is nothing', { a: 1 }, { a: { in: [] } }, false],
        ['in takes dates', { a: date('2026-01-01T00:00:00Z') }, { a: { in: [date('2026-01-01T00:00:00Z')] } }, true],
        ['notIn is none of them', { a: 3 }, { a: { notIn: [1, 2] } }, true],
        ['notIn is one of them', { a: 2 }, { a: { notIn: [1, 2] } }, false],
        ['notIn matches missing fields', {}, { a: { notIn: [1] } }, true],
        ['notIn with null refuses missing fields', {}, { a: { notIn: [null] } }, false],
        ['notIn with null matches other values', { a: 'x' }, { a: { notIn: [null, 1] } }, true],
        ['notIn of nothing is everything', {}, { a: { notIn: [] } }, true],
        ['gt is more', { a: 2 }, { a: { gt: 1 } }, true],
        ['gt is not equal', { a: 1 }, { a: { gt: 1 } }, false],
        ['gte is equal, too', { a: 1 }, { a: { gte: 1 } }, true],
        ['lt is less', { a: -5 }, { a: { lt: -4.5 } }, true],
        ['lte is equal, too', { a: 'b' }, { a: { lte: 'b' } }, true],
        ['only the same type is compared: text', { a: 'x' }, { a: { gt: 1 } }, false],
        ['only the same type is compared: number', { a: 5 }, { a: { lt: 'a' } }, false],
        ['only the same type is compared: boolean', { a: true }, { a: { gt: 0 } }, false],
        ['only the same type is compared: date', { a: date('2026-01-01T00:00:00Z') }, { a: { gt: 1 } }, false],
        ['only the same type is compared: the text of a date', { a: '2026-01-02T00:00:00.000Z' }, { a: { gt: date('2026-01-01T00:00:00Z') } }, false],
        ['less than a number is no missing field', {}, { a: { lt: 5 } }, false],
        ['less than a date is no null', { a: null }, { a: { lt: date('2026-01-01T00:00:00Z') } }, false],
        ['dates are compared', { a: date('2026-01-02T00:00:00Z') }, { a: { gt: date('2026-01-01T00:00:00Z'), lte: date('2026-01-02T00:00:00Z') } }, true],
        ['dates before 1970 are compared', { a: date('1969-12-31T23:59:59.999Z') }, { a: { lt: date('1970-01-01T00:00:00Z') } }, true],
        ['dates of many digits are compared', { a: new Date(8_640_000_000_000_000) }, { a: { gt: date('9999-12-31T00:00:00Z') } }, true],
        ['texts are compared by code point', { a: '\u{1F600}' }, { a: { gt: '\uffee' } }, true],
        ['capitals come first', { a: 'Z' }, { a: { lt: 'a' } }, true],
        ['the beginning of a text comes first', { a: 'ab' }, { a: { gt: 'a' } }, true],
        ['several conditions all hold', { a: 2 }, { a: { gt: 0, not: 1, in: [1, 2] } }, true],
        ['several conditions do not all hold', { a: 2 }, { a: { gt: 0, not: 2, in: [1, 2] } }, false],
        ['contains takes any case', { a: 'an Umbrella' }, { a: { contains: 'UMBR' } }, true],
        ['contains takes any case of Unicode', { a: 'Gro\u1e9e \u212a' }, { a: { contains: 'o\u00df k' } }, true],
        ['contains takes any case beyond the first plane', { a: 'x\u{10428}' }, { a: { contains: 'X\u{10400}' } }, true],
        ['contains tells a letter from one with a dot', { a: 'i' }, { a: { contains: '\u0130' } }, false],
        ['contains takes characters as they are', { a: 'axb' }, { a: { contains: 'a.b' } }, false],
        ['contains takes wildcards of other languages as they are', { a: 'axxb' }, { a: { contains: 'a%_b' } }, false],
        ['contains finds them', { a: 'x a.b(c)[d]*+?^$|\\%_ y' }, { a: { contains: 'a.b(c)[d]*+?^$|\\%_' } }, true],
        ['contains finds a zero byte', { a: 'x\0y' }, { a: { contains: '\0Y' } }, true],
        ['contains finds no zero byte', { a: 'x00y' }, { a: { contains: '\0' } }, false],
        ['contains of nothing is every text', { a: 'x' }, { a: { contains: '' } }, true],
        ['contains is not for numbers', { a: 11 }, { a: { contains: '1' } }, false],
        ['contains is not for missing fields', {}, { a: { contains: '' } }, false],
        ['has finds an element', { tags: ['x', 'y'] }, { tags: { has: 'y' } }, true],
        ['has finds no part of an element', { tags: ['xy'] }, { tags: { has: 'y' } }, false],
        ['has finds nothing in nothing', { tags: [] }, { tags: { has: 'y' } }, false],
        ['has finds nothing where there is no array', {}, { tags: { has: 'y' } }, false],
        ['has takes characters as they are', { tags: ['a"%_'] }, { tags: { has: 'a"%_' } }, true],
        ['anyOf takes one', { a: 2, b: 1 }, { anyOf: [{ a: 1 }, { b: 1 }] }, true],
        ['anyOf takes none', { a: 2, b: 2 }, { anyOf: [{ a: 1 }, { b: 1 }] }, false],
        ['anyOf stands beside other conditions', { a: 1, b: 1, c: 2 }, { anyOf: [{ a: 1 }, { b: 2 }], c: 1 }, false],
        [
          'all conditions of an alternative hold',
          { a: 1, b: 2 },
          {
            anyOf: [
              { a: 1, b: 1 },
              { a: 2, b: 2 },
            ],
          },
          false,
        ],
        ['an alternative of nothing is everything', { a: 1 }, { anyOf: [{ a: 5 }, {}] }, true],
        ['no condition takes all', { a: 1 }, {}, true],
      ]
      for (const [what, fields, filter, expected] of cases) {
        it(what, async () => {
          assert.equal(await matches(fields, filter), expected)
        })
      }

      it('that are none are refused, before they match everything', async () => {
        await things.insert({ _id: 'x', a: 1 })
        const hostile = JSON.parse('{ "a": { "$ne": null } }') as object
        for (const filter of [
          hostile,
          { a: undefined },
          { a: {} },
          { a: { equal: 1 } },
          { a: { not: undefined } },
          { a: { not: { not: 1 } } },
          { a: { in: 1 } },
          { a: { in: [{ not: 1 }] } },
          { a: { gt: null } },
          { a: { lt: true } },
          { a: { lt: Number.NaN } },
          { a: { contains: 1 } },
          { a: { has: ['x'] } },
          { a: Number.NaN },
          { a: new Date(Number.NaN) },
          { a: /x/ },
          { anyOf: [] },
          { anyOf: { a: 1 } },
          { anyOf: undefined },
          { anyOf: [undefined] },
          { anyOf: [{ anyOf: [{ a: 1 }] }] },
          { $or: [{ a: 1 }] },
          { 'a.b': 1 },
          { '': 1 },
          { a: { b: 1 } },
          { a: [1] },
        ]) {
          const wrong = unchecked<Filter<Thing>>(filter)
          for (const act of [() => things.find(wrong), () => things.count(wrong), () => things.update(wrong, { set: { a: 2 } }), () => storage.commit([things.deleting(wrong)])])
            await assert.rejects(async () => act(), TypeError, JSON.stringify(filter))
          await assert.rejects(things.deleteMany(wrong), TypeError, JSON.stringify(filter))
        }
        assert.equal(await things.count({}), 1)
      })
    })

    describe('finding', () => {
      const fill = async (): Promise<void> => {
        const documents = Array.from({ length: 12 }, (_, n) => ({ _id: `t${String(n).padStart(2, '0')}`, group: `g${n % 2}`, rank: n % 5, n }))
        await insertAll(storage, things, documents)
        await insertAll(storage, plain, documents)
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
          const beyond = last === undefined ? {} : { anyOf: [{ rank: { lt: last.rank as number } }, { rank: last.rank as number, _id: { gt: last._id } }] }
          const page = await things.find(unchecked<Filter<Thing>>({ group: 'g0', ...beyond }), { sort: { rank: -1, _id: 1 }, limit: 2 })
          if (page.length === 0) break
          seen.push(...page.map(({ _id }) => _id))
          last = page.at(-1)
        }
        assert.deepEqual(seen, ['t04', 't08', 't02', 't06', 't00', 't10'])
      })

      const ordered: Readonly<Record<string, readonly unknown[]>> = {
        texts: ['', 'Text', 'text', 'text 2', '\uffee', '\u{1F600}'],
        numbers: [-(2 ** 53), -1.5, -1, 0, 1e-9, 2, 2.5, 10, 2 ** 53],
        dates: [date('1960-01-01T00:00:00Z'), date('1969-12-31T23:59:59.999Z'), date('1970-01-01T00:00:00Z'), date('2026-01-01T00:00:00Z'), new Date(8_640_000_000_000_000)],
        booleans: [false, true],
      }
      for (const [what, values] of Object.entries(ordered)) {
        it(`sorts ${what}, and null and missing fields before them`, async () => {
          const documents = [...values, null, undefined].map((a, index) => ({ _id: String.fromCharCode(97 + index), a }))
          const last = documents.length
          const expected = [documents[last - 2], documents[last - 1], ...documents.slice(0, last - 2)].map(({ _id }) => _id)
          for (const collection of [things, plain]) {
            // Not in the order in which they are written.
            await insertAll(storage, collection, [...documents.filter((_, n) => n % 2 === 1), ...documents.filter((_, n) => n % 2 === 0)])
            const up = (await collection.find({}, { sort: { a: 1, _id: 1 } })).map(({ _id }) => _id)
            assert.deepEqual(up, expected)
            const down = (await collection.find({}, { sort: { a: -1, _id: -1 } })).map(({ _id }) => _id)
            assert.deepEqual(down, up.toReversed())
          }
        })
      }

      it('refuses an order, or a page, that is none', async () => {
        for (const options of [{ sort: { a: 2 } }, { sort: { 'a.b': 1 } }, { sort: { $a: 1 } }, { skip: -1 }, { skip: 0.5 }, { limit: -1 }, { limit: Number.NaN }])
          await assert.rejects(things.find({}, unchecked(options)), TypeError, JSON.stringify(options))
        await things.insert({ _id: 'x' })
        assert.deepEqual(await things.find({}, { limit: 0 }), [])
      })

      it('orders long texts right', async () => {
        const long = 'x'.repeat(2000)
        const texts = [`${long}b`, `${long}a`, long, `${long}c`, 'x', 'y', `${long}`.slice(0, 1999)]
        for (const collection of [things, plain]) {
          await insertAll(
            storage,
            collection,
            texts.map((a, index) => ({ _id: String(index), a })),
          )
          assert.deepEqual(
            (await collection.find({}, { sort: { a: 1 } })).map(({ _id }) => _id),
            ['4', '6', '2', '1', '0', '3', '5'],
          )
          assert.deepEqual(ids(await collection.find({ a: { gt: long } })), ['0', '1', '3', '5'])
          assert.deepEqual(ids(await collection.find({ a: { lte: `${long}a` } })), ['1', '2', '4', '6'])
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
        assert.deepEqual(ids(await things.find({ _id: { in: ['t03', 't01', 'nobody', 't03'] } })), ['t01', 't03'])
        assert.deepEqual(ids(await things.find({ _id: { in: ['t03', 't02'] }, group: 'g0' })), ['t02'])
        assert.deepEqual(ids(await things.find({ _id: { gte: 't10' } })), ['t10', 't11'])
      })

      it('reads documents one by one, while others are written', async () => {
        await insertAll(
          storage,
          things,
          Array.from({ length: 500 }, (_, n) => ({ _id: `t${n}`, group: n % 2 === 0 ? 'even' : 'odd' })),
        )
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
        ['set replaces', { a: 1, b: 2 }, { set: { a: 'x' } }, { a: 'x', b: 2 }],
        ['set adds a field', { a: 1 }, { set: { b: 2 } }, { a: 1, b: 2 }],
        ['set replaces a whole object', { a: { b: 1, c: 2 } }, { set: { a: { b: 3 } } }, { a: { b: 3 } }],
        ['set replaces a whole array', { a: [1, 2] }, { set: { a: [3] } }, { a: [3] }],
        ['set of undefined does nothing', { a: 1 }, unchecked({ set: { a: undefined } }), { a: 1 }],
        ['set of null', { a: 1 }, { set: { a: null } }, { a: null }],
        ['set of a date', {}, { set: { at: date('2026-01-01T00:00:00Z') } }, { at: date('2026-01-01T00:00:00Z') }],
        ['set of what looks like an operator', {}, { set: { a: { $set: { b: '$c' } }, b: '$a' } }, { a: { $set: { b: '$c' } }, b: '$a' }],
        ['increment adds', { a: 1 }, { increment: { a: 2.5 } }, { a: 3.5 }],
        ['increment of nothing begins at 0', {}, { increment: { a: -2 } }, { a: -2 }],
        ['several at once', { a: 1, b: [1], c: 1, d: 1 }, { set: { a: 2, b: [2] }, increment: { c: 1, d: -1 } }, { a: 2, b: [2], c: 2, d: 0 }],
        ['of nothing', { a: 1 }, {}, { a: 1 }],
        ['of nothing in each', { a: 1 }, { set: {}, increment: {} }, { a: 1 }],
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
          { increment: { text: 1 } },
          { increment: { none: 1 } },
          { increment: { list: 1 } },
          { set: { text: 'b' }, increment: { text: 1 } },
          { set: { n: 2 }, increment: { n: 1 } },
          { set: { 'n.b': 1 } },
          { set: { 'list.0': 1 } },
          { set: { $n: 1 } },
          { set: { n: Number.NaN } },
          { increment: { n: Number.POSITIVE_INFINITY } },
          unchecked({ increment: { n: '1' } }),
          unchecked({ $set: { n: 2 } }),
          unchecked({ unset: { n: true } }),
          unchecked({ set: { _id: 'y' } }),
          unchecked({ set: { organization_id: 'y' } }),
          unchecked({ set: [1] }),
          unchecked({ n: 2 }),
        ]
        for (const update of wrong) await assert.rejects(things.update({ _id: 'x' }, update), TypeError, JSON.stringify(update))
        assert.deepEqual(await all(things), [document])
      })

      it('change one document among several', async () => {
        await insertAll(storage, things, [
          { _id: '1', a: 1 },
          { _id: '2', a: 1 },
        ])
        const given = await things.update({ a: 1 }, { set: { a: 2 } })
        assert.equal(given?.a, 2)
        assert.equal(await things.count({ a: 1 }), 1)
        assert.equal(await things.count({ a: 2 }), 1)
      })

      it('give null when nothing matches', async () => {
        assert.equal(await things.update({ _id: 'nobody' }, { set: { a: 1 } }), null)
        assert.equal(await things.count({}), 0)
      })

      it('of many change all, and say how many', async () => {
        await insertAll(
          storage,
          things,
          Array.from({ length: 30 }, (_, n) => ({ _id: `t${n}`, a: n % 3 })),
        )
        assert.equal(await things.updateMany({ a: { lt: 2 } }, { set: { a: 5 } }), 20)
        assert.equal(await things.count({ a: 5 }), 20)
        assert.equal(await things.updateMany({ a: 9 }, { set: { a: 5 } }), 0)
      })

      it('are found again by what they changed, and no longer by what was', async () => {
        await things.insert({ _id: 'x', tags: ['a', 'b'], group: 'g', rank: 1 })
        await things.update({ _id: 'x' }, { set: { tags: ['b', 'c'], rank: 2 } })
        assert.equal(await things.count({ tags: { has: 'a' } }), 0)
        assert.equal(await things.count({ tags: { has: 'c' } }), 1)
        assert.equal(await things.count({ group: 'g', rank: 1 }), 0)
        assert.equal(await things.count({ group: 'g', rank: 2 }), 1)
      })

      it('made at the same time are all made', async () => {
        await things.insert({ _id: 'x', n: 0 })
        const given = await Promise.all(Array.from({ length: 50 }, () => things.update({ _id: 'x' }, { increment: { n: 1 } })))
        assert.equal((await things.findOne({ _id: 'x' }))?.n, 50)
        assert.equal(new Set(given.map((document) => document?.n)).size, 50)
      })

      it('decide: of many that want the same, one gets it', async () => {
        await things.insert({ _id: 'x', owner: null })
        const given = await Promise.all(Array.from({ length: 20 }, (_, n) => things.update({ _id: 'x', owner: null }, { set: { owner: `o${n}` } })))
        const winners = given.filter((one) => one !== null)
        assert.equal(winners.length, 1)
        assert.equal((await things.findOne({ _id: 'x' }))?.owner, winners[0].owner)
      })
    })

    describe('deleting', () => {
      it('says whether something was there', async () => {
        await insertAll(storage, things, [
          { _id: '1', a: 1 },
          { _id: '2', a: 2 },
        ])
        assert.equal(await things.delete({ a: 1 }), true)
        assert.equal(await things.delete({ a: 1 }), false)
        assert.deepEqual(ids(await things.find({})), ['2'])
      })

      it('of many says how many', async () => {
        await insertAll(
          storage,
          things,
          Array.from({ length: 20 }, (_, n) => ({ _id: `t${n}`, a: n })),
        )
        assert.equal(await things.deleteMany({ a: { gte: 5 } }), 15)
        assert.equal(await things.deleteMany({ a: { gte: 5 } }), 0)
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
        await assert.rejects(named.update({ _id: '2' }, { set: { email: 'a' } }), duplicate('email'))
        assert.equal((await named.findOne({ email: 'a' }))?._id, '1')
        assert.equal((await named.findOne({ email: 'b' }))?._id, '2')
      })

      it('are kept by a document that changes otherwise, and free when it goes', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r', name: 'n' })
        await named.update({ _id: '1' }, { set: { email: 'a', other: 1 } })
        await named.delete({ _id: '1' })
        await named.insert({ _id: '2', email: 'a', realm: 'r', name: 'n' })
      })

      const freed = 'are free when their document takes another'
      it(freed, { skip: skip[freed] ?? false }, async () => {
        await named.insert({ _id: '1', email: 'first', realm: 'r', name: 'n' })
        await named.update({ _id: '1' }, { set: { email: 'second' } })
        await named.insert({ _id: '2', email: 'first', realm: 'r', name: 'o' })
        await named.update({ _id: '2' }, { set: { email: null } })
        await named.insert({ _id: '3', email: 'first', realm: 'r', name: 'p' })
      })

      it('count a missing field as null', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r' })
        await assert.rejects(named.insert({ _id: '2', email: 'b', realm: 'r', name: null }), duplicate('realm', 'name'))
        await named.insert({ _id: '2', email: 'b', realm: 'r', name: '' })
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
        await assert.rejects(insertAll(storage, named, list), DuplicateKeyError)
        const left = ids(await named.find({}))
        assert.deepEqual(left, ['1'])
      })
    })

    describe('commit', () => {
      it('makes all writes in their order, and gives the documents of updates', async () => {
        await things.insert({ _id: '1', n: 1 })
        const given = await storage.commit([
          things.updating({ _id: '1', n: 1 }, { increment: { n: 1 } }),
          things.inserting({ _id: '2', n: 5 }),
          named.inserting({ _id: 'x', realm: 'r', name: 'n' }),
          things.updating({ _id: '2' }, { set: { seen: true } }),
          things.updatingMany({ n: { gt: 0 } }, { increment: { n: 10 } }),
          things.deleting({ _id: '1' }),
        ])
        assert.deepEqual(given, [{ _id: '1', n: 2 }, null, null, { _id: '2', n: 5, seen: true }, null, null])
        assert.deepEqual(await all(things), [{ _id: '2', n: 15, seen: true }])
        assert.equal(await named.count({}), 1)
      })

      it('is refused as a whole when one write finds nothing', async () => {
        await insertAll(storage, things, [
          { _id: '1', n: 1 },
          { _id: '2', n: 1 },
        ])
        const stale =
          (index: number) =>
          (error: unknown): boolean =>
            error instanceof StaleWriteError && error.collection === 'things' && error.index === index
        await assert.rejects(
          storage.commit([things.updating({ _id: '1' }, { increment: { n: 1 } }), things.inserting({ _id: '3' }), things.updating({ _id: '2', n: 7 }, { set: { n: 8 } })]),
          stale(2),
        )
        await assert.rejects(storage.commit([things.updating({ _id: '1', n: 9 }, { increment: { n: 1 } }), things.inserting({ _id: '3' })]), stale(0))
        await assert.rejects(storage.commit([things.updating({ _id: '1' }, { increment: { n: 1 } }), things.deleting({ _id: 'nobody' })]), stale(1))
        assert.deepEqual(await all(things), [
          { _id: '1', n: 1 },
          { _id: '2', n: 1 },
        ])
      })

      it('goes on when an optional write, or one of many, finds nothing', async () => {
        await things.insert({ _id: '1', n: 1 })
        const given = await storage.commit([
          things.updating({ _id: '1' }, { increment: { n: 1 } }),
          things.updating({ _id: 'nobody' }, { increment: { n: 1 } }, { optional: true }),
          things.deleting({ _id: 'nobody' }, { optional: true }),
          things.updatingMany({ n: 77 }, { set: { n: 1 } }),
          things.deletingMany({ n: 77 }),
        ])
        assert.deepEqual(given, [{ _id: '1', n: 2 }, null, null, null, null])
      })

      it('is refused as a whole for a duplicate', async () => {
        await named.insert({ _id: '1', email: 'a', realm: 'r', name: '1' })
        await things.insert({ _id: '1', n: 1 })
        await assert.rejects(
          storage.commit([things.updating({ _id: '1' }, { set: { n: 2 } }), named.inserting({ _id: '2', email: 'a', realm: 'r', name: '2' })]),
          (error: unknown) => error instanceof DuplicateKeyError && error.fields[0] === 'email',
        )
        await assert.rejects(storage.commit([things.updating({ _id: '1' }, { set: { n: 2 } }), things.inserting({ _id: '1' })]), DuplicateKeyError)
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
          Array.from({ length: 20 }, (_, n) => storage.commit([things.updating({ _id: 'head', version: 0 }, { increment: { version: 1 } }), things.inserting({ _id: `v${n}` })])),
        )
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const result of results) if (result.status === 'rejected') assert.ok(result.reason instanceof StaleWriteError, String(result.reason))
        assert.equal(await things.count({}), 2)
      })

      it('is decided by all of its writes, whichever comes first: of two that stand on the same documents one comes through', async () => {
        // A publish and the rejection of the review that it stands on.
        for (let round = 0; round < 60; round++) {
          const [project, review] = [`p${round}`, `r${round}`]
          await insertAll(storage, things, [{ _id: project, decisions: 0, published: false }])
          await insertAll(storage, plain, [{ _id: review, status: 'approved' }])
          const publish = [
            things.updating({ _id: project, decisions: 0 }, { set: { published: true } }),
            plain.updating({ _id: review, status: 'approved' }, { set: { status: 'settled' } }),
          ]
          const reject = [
            plain.updating({ _id: review, status: 'approved' }, { set: { status: 'rejected' } }),
            things.updating({ _id: project, published: false }, { increment: { decisions: 1 } }),
          ]
          const outcomes = await Promise.allSettled([publish, round % 2 === 0 ? reject : reject.toReversed()].map((writes) => storage.commit(writes)))
          const [isPublished, isRejected] = outcomes.map(({ status }) => status === 'fulfilled')
          for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof StaleWriteError, String(outcome.reason))
          assert.notEqual(isPublished, isRejected, `round ${round}`)
          assert.deepEqual(
            [(await things.findOne({ _id: project }))?.published, (await plain.findOne({ _id: review }))?.status],
            isPublished ? [true, 'settled'] : [false, 'rejected'],
          )
        }
      })

      it('of counters loses none', async () => {
        await things.insert({ _id: 'head', n: 0 })
        await Promise.all(Array.from({ length: 20 }, (_, n) => storage.commit([things.updating({ _id: 'head' }, { increment: { n: 1 } }), things.inserting({ _id: `v${n}` })])))
        assert.equal((await things.findOne({ _id: 'head' }))?.n, 20)
        assert.equal(await things.count({}), 21)
      })

      it('of nothing does nothing', async () => {
        assert.deepEqual(await storage.commit([]), [])
      })
    })

    describe('windows', () => {
      const NOW = date('2026-11-28T12:00:00Z').getTime()

      it('count the units of an id until they end, and then begin anew', async () => {
        const windows = storage.windows(WINDOWS)
        const open = storage.open(WINDOWS)
        assert.deepEqual(await windows.add('a', 1, 1000, NOW), { count: 1, resetAt: NOW + 1000 })
        assert.deepEqual(await windows.add('a', 5, 1000, NOW + 999), { count: 6, resetAt: NOW + 1000 })
        assert.deepEqual(await windows.add("b' --", 2, 1000, NOW), { count: 2, resetAt: NOW + 1000 })
        assert.deepEqual(await windows.add('a', 3, 2000, NOW + 1000), { count: 3, resetAt: NOW + 3000 })
        assert.deepEqual(await open.findOne({ _id: 'a' }), { _id: 'a', count: 3, reset_at: new Date(NOW + 3000) })
        assert.deepEqual(await open.update({ _id: 'a', reset_at: { gt: new Date(NOW) } }, { increment: { count: -1 } }), { _id: 'a', count: 2, reset_at: new Date(NOW + 3000) })
        assert.deepEqual(await windows.add('a', 1, 2000, NOW + 1001), { count: 3, resetAt: NOW + 3000 })
        assert.deepEqual(
          (await open.find({ reset_at: { lte: new Date(NOW + 1000) } })).map(({ _id }) => _id),
          ["b' --"],
        )
      })

      it('lose no unit of concurrent callers', async () => {
        const added = await Promise.all(Array.from({ length: 50 }, () => storage.windows(WINDOWS).add('a', 2, 1000, NOW)))
        assert.deepEqual(
          added.map(({ count }) => count).sort((one, other) => one - other),
          Array.from({ length: 50 }, (_, at) => 2 * (at + 1)),
        )
      })
    })

    describe('collections of organizations', () => {
      it('keep unique values apart by organization', async () => {
        await notes.insert({ _id: '1', organization_id: 'o1', title: 'same', public_id: '1' })
        await notes.insert({ _id: '2', organization_id: 'o2', title: 'same', public_id: '2' })
        await assert.rejects(
          notes.insert({ _id: '3', organization_id: 'o1', title: 'same', public_id: '3' }),
          (error: unknown) => error instanceof DuplicateKeyError && error.fields.join() === 'organization_id,title',
        )
        assert.deepEqual(ids(await notes.find({ organization_id: 'o2', title: 'same' })), ['2'])
      })

      it('keep locators unique over all of them', async () => {
        await notes.insert({ _id: '1', organization_id: 'o1', title: '1', public_id: 'p' })
        await notes.insert({ _id: '2', organization_id: 'o1', title: '2', public_id: 'q' })
        await assert.rejects(
          notes.insert({ _id: '3', organization_id: 'o2', title: '3', public_id: 'p' }),
          (error: unknown) => error instanceof DuplicateKeyError && error.fields.join() === 'public_id',
        )
        assert.equal((await notes.findOne({ public_id: 'p' }))?.organization_id, 'o1')
      })

      it('answer for one organization', async () => {
        await insertAll(
          storage,
          notes,
          Array.from({ length: 60 }, (_, n) => ({
            _id: `n${n}`,
            organization_id: `o${n % 3}`,
            title: `n${n}`,
            public_id: `n${n}`,
            level: n % 4,
            at: new Date(n * 1000),
            tags: [`t${n % 5}`],
          })),
        )
        assert.equal(await notes.count({ organization_id: 'o1' }), 20)
        assert.equal(await notes.count({ organization_id: 'o1', level: { in: [0, 3] } }), 10)
        assert.equal(await notes.count({ organization_id: 'o1', tags: { has: 't1' } }), 4)
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
        await counts.insert({ _id: '2', name: 'b', n: 2, at: new Date() })
        assert.deepEqual(
          (await counts.find({ n: { gte: 1 } }, { sort: { n: -1 } })).map(({ name: called }) => called),
          ['b', 'a'],
        )
        assert.equal(await counts.updateMany({}, { increment: { n: 1 } }), 2)
        assert.equal(await counts.count({ n: { gt: 1 } }), 2)
        const found = await counts.findOne({ name: 'a' })
        ;(found as unknown as { n: number }).n = 99
        assert.equal((await counts.findOne({ name: 'a' }))?.n, 2)
        assert.equal(await counts.delete({ name: 'a' }), true)
        assert.equal(await counts.deleteMany({}), 1)
      })
    })

    describe('dump and load', () => {
      it('give every document, and take them into an empty store', async () => {
        const documents = Array.from({ length: 250 }, (_, n) => ({ _id: `t${n}`, a: n, at: new Date(n) }))
        await insertAll(storage, things, documents)
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
