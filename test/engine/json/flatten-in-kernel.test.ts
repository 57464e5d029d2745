/** The kernel flattens JSON as the reader does, whatever the text, and whatever it has read before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { takeFields } from '../../../engine/decoders/plugins/json.js'
import type { PluginContext } from '../../../engine/decoders/plugins/plugin.js'
import { Event } from '../../../engine/event/event.js'
import { unescapeByReader, unescapeJson, unescapeLower } from '../../../engine/json/escapes.js'
import { FlatFields } from '../../../engine/json/flat-fields.js'
import { flattenByReader, flattenJson } from '../../../engine/json/flatten.js'
import type { FlattenOptions } from '../../../engine/json/flattener.js'
import { NESTING_LIMIT } from '../../../engine/json/grammar.js'
import { JsonWriter } from '../../../engine/json/json-writer.js'
import { NAMES_ROOM } from '../../../engine/json/path-table.js'
import { JsonPath } from '../../../engine/json/paths.js'
import { COMPILED, nameHash } from '../../../engine/kernel/kernel.js'
import { MOST_PROBES, NODE_NAME } from '../../../engine/kernel/json-records.js'
import { JSON_ENDS, JSON_FIELDS_LIMIT, JSON_IDS, JSON_STARTS, LOG_ROOM, UNESCAPED } from '../../../engine/kernel/layout.js'
import { BYTES, CHUNK, Chunk, growths } from '../../../engine/kernel/memory.js'
import { foldCase } from '../../../engine/source/byte-string.js'

assert(COMPILED !== null, 'Node has WebAssembly')

const DEFAULT: FlattenOptions = { nulls: 'string', arrays: 'array' }
const MODES: readonly FlattenOptions[] = (['string', 'discard'] as const).flatMap((nulls) => (['array', 'csv', 'discard'] as const).map((arrays) => ({ nulls, arrays })))
const MEANING = {
  find: (name: string) => (name.length % 3 === 0 ? name.length : -1),
  statics: new Map([...['id', 'url', 'srcip', 'win'].entries()].map(([at, name]) => [name, at])),
}

/** The trees of one ruleset: the kernel and the reader have one each. */
class Ruleset {
  readonly ofKernel = JsonPath.root(MEANING)
  readonly ofReader = JsonPath.root(MEANING)
}

interface Settings {
  readonly options: FlattenOptions
  /** Most dynamic fields of the event. */
  readonly limit: number
  /** Whether the event has a field before. */
  readonly hasField: boolean
}

const USUAL: Settings = { options: DEFAULT, limit: 256, hasField: false }
const fields = new FlatFields()

function eventOf(isByKernel: boolean, { ofKernel, ofReader }: Ruleset, text: string, { options, limit, hasField }: Settings): Event {
  const event = new Event(text, 0)
  if (hasField) event.addField('first', -1, 'value')
  const isObject = isByKernel ? flattenJson(text, 0, ofKernel, options, fields) : text[0] === '{' && flattenByReader(text, 0, ofReader, options, fields)
  if (!isObject) {
    event.addField('no JSON', -1, '')
    return event
  }
  const context: Pick<PluginContext, 'event' | 'setStatic' | 'addFields'> = {
    event,
    setStatic: (index, value) => {
      event.statics[index] = value
    },
    addFields: (all) => event.addFields(all, limit),
  }
  takeFields(context as PluginContext, fields)
  return event
}

/** What callers read of an event: first its folded or its written values, so that nothing is cut out before. */
function readOf(event: Event, isFoldedFirst: boolean): unknown[] {
  const lowers = (): string[] => event.names.map((_, index) => event.lowerAt(index))
  const written = (): string[] =>
    event.names.map((_, index) => {
      const writer = new JsonWriter(64)
      event.writeValue(index, writer)
      return Buffer.from(writer.written).toString('latin1')
    })
  const first = isFoldedFirst ? lowers() : written()
  return [first, event.names, event.keys, event.values, event.keys.map((_, index) => event.keptValueAt(index)), lowers(), written(), event.statics]
}

/** Holds that both read a text alike. */
function assertAlike(ruleset: Ruleset, text: string, settings = USUAL): void {
  const [expected, actual] = [false, true].map((isByKernel) => readOf(eventOf(isByKernel, ruleset, text, settings), true))
  assert.deepEqual(actual, expected, text.slice(0, 200))
}

const ESCAPES = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0041', '\\u00e9', '\\u20AC', '\\ud83d\\ude00']
const WRONG_ESCAPES = ['\\x', '\\u', '\\u12"4', '\\ud83d', '\\ud83d\\u0041', '\\ude00', '\\ude00\\ude00', '\\']
/** They end a text. */
const NUL_ESCAPES = ['\\u0000', '\\u12 4', '\\u004g', '\\u00/1', '\\u:000', '\\u00@F', '\\u`000']
const PARTS = ['a', 'B', ' ', '\x01', '\xff', '{', ']', 'x'.repeat(13), 'Y'.repeat(16), 'z'.repeat(61)]
const string = fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.constantFrom(...ESCAPES)), { maxLength: 7 }).map((parts) => `"${parts.join('')}"`)
/** Many of them are none. */
const oddNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom('0', '7', '01', '123456789', '1234567890', '2147483648', '9'.repeat(62), '9'.repeat(63), ''),
    fc.constantFrom('', '', '.', '.5', '.0000005', `.${'7'.repeat(61)}`),
    fc.constantFrom('', '', 'e', 'E5', 'e-3', 'e+', '+', '-1', 'e400'),
  )
  .map((parts) => parts.join(''))
const number = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('1', '-2', '3.25', '1e3', '-0', '1234567890') }, { weight: 1, arbitrary: oddNumber })
const name = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"c"', '"id"', '"url"', '"user"', '"win"', '""', '"a.b"', '"\\u0061"', '"n\\n"', '"q\\""', '"z\\u0000"', '"\xe9"'),
  fc.constantFrom(14, 15, 16, 17, 31, 32, 33, 499, 500, 501).map((length) => `"${'n'.repeat(length)}"`),
  fc.nat(300).map((index) => `"k${index}"`),
)
const blank = fc.constantFrom('', '', '', ' ', '\n\t', ' '.repeat(17))
const list = (members: fc.Arbitrary<string>, open: string, close: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      blank,
      fc.array(
        fc.tuple(members, blank).map((parts) => parts.join('')),
        { maxLength: 5 },
      ),
    )
    .map(([before, all]) => `${open}${before}${all.join(`,${before}`)}${close}`)
const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom('true', 'false', 'null'), number, string, list(tie('value'), '[', ']'), tie('object')),
  object: list(
    fc.tuple(name, blank, fc.constantFrom(':', ': '), tie('value')).map((parts) => parts.join('')),
    '{',
    '}',
  ),
}))
/** A change: bytes are replaced at a place. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(9),
  put: fc.oneof(fc.constantFrom('', '"', '\\', ',', ':', '}', ']', '\0', 'tru', '-', ...NUL_ESCAPES, ...WRONG_ESCAPES), string),
})
const text = fc
  .tuple(object, fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(change, { maxLength: 2 })), fc.constantFrom('', '', ' ', '}', '{"a":'))
  .map(([json, changes, tail]) =>
    changes.reduce((all, { at, removed, put }) => {
      const from = 1 + Math.floor(at * (all.length - 1))
      return all.slice(0, from) + put + all.slice(from + removed)
    }, json + tail),
  )
const settings = fc.record({ options: fc.constantFrom(...MODES), limit: fc.oneof(fc.constant(256), fc.nat(5)), hasField: fc.nat(5).map((one) => one === 0) })

test('reads any text alike, of two rulesets in turn, while the memory grows', () => {
  const rulesets = [new Ruleset(), new Ruleset()]
  const before = growths
  const chunks: Chunk[] = []
  let runs = 0
  let objects = 0
  fc.assert(
    fc.property(text, text, settings, fc.boolean(), (one, other, given, isFoldedFirst) => {
      if (++runs % 200 === 0) chunks.push(new Chunk(1 << 20))
      // Events are read after others were: they keep nothing of the kernel.
      const [expected, actual] = [false, true].map((isByKernel) => {
        const events = [eventOf(isByKernel, rulesets[0], one, given), eventOf(isByKernel, rulesets[1], other, given), eventOf(isByKernel, rulesets[1], one, given)]
        for (const event of events) event.addField('last', 7, 'value')
        return events.map((event) => readOf(event, isFoldedFirst))
      })
      if (!(expected[0][1] as string[]).includes('no JSON')) objects++
      assert.deepEqual(actual, expected)
    }),
    { numRuns: 4000 },
  )
  assert.ok(objects > 1000, `${objects} objects`)
  assert.ok(growths > before, 'the memory has grown')
})

test('reads escapes and quotes alike at all places in blocks', () => {
  const ruleset = new Ruleset()
  for (let before = 0; before < 132; before++) {
    const blanks = 'x'.repeat(before)
    for (const one of [...ESCAPES, ...NUL_ESCAPES, ...WRONG_ESCAPES, '\\\\\\', '\\\\\\\\"', '"', ''])
      for (const after of ['', '\\\\', '\\"y']) {
        const value = `"${blanks}${one}${after}"`
        assertAlike(ruleset, `{"a":${value},"b":1}`)
        if (after === '') assertAlike(ruleset, `{"list":[${value}],"o":{"${blanks}${one}":1}}`)
      }
  }
})

test('reads texts alike that end anywhere, whatever bytes are behind them', () => {
  const ruleset = new Ruleset()
  const whole = `{"a":"${'x'.repeat(20)}\\u00e9","b" : [1, {"c":[true, null]}], "d":{"e":-1.5e3, "f":false,"g":"\\n and more"},"${'n'.repeat(40)}":{} }`
  // A shorter text leaves the bytes behind its NUL.
  assertAlike(ruleset, whole)
  for (const options of MODES) for (let end = 1; end <= whole.length; end++) assertAlike(ruleset, whole.slice(0, end), { ...USUAL, options })
})

test('texts with the same members have the same shape, however many members they and others have', () => {
  const { ofKernel } = new Ruleset()
  const shapes = Array.from({ length: 3 }, () =>
    Array.from({ length: 20 }, (_, count) => {
      assert.ok(flattenJson(`{${Array.from({ length: count + 1 }, (_one, index) => `"m${(index * 7) % 20}":1`).join(',')}}`, 0, ofKernel, DEFAULT, fields))
      return fields.shape
    }),
  )
  assert.ok(!shapes[0].includes(null))
  assert.equal(new Set(shapes.flat()).size, 20)
})

test('unescapes alike, folded or not', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.constantFrom(...ESCAPES, ...NUL_ESCAPES)), { maxLength: 30 }), fc.nat(3), (parts, start) => {
      const source = `${' '.repeat(start)}${parts.join('')}"\\n`
      const end = source.length - 3
      const expected = unescapeByReader(source, start, end)
      assert.equal(unescapeJson(source, start, end), expected)
      assert.ok([foldCase(expected), null].includes(unescapeLower(source, start, end)))
    }),
    { numRuns: 500 },
  )
})

test('nesting has the same limit inside and outside of arrays', () => {
  const ruleset = new Ruleset()
  for (const depth of [NESTING_LIMIT - 1, NESTING_LIMIT, NESTING_LIMIT + 1])
    for (const objects of [0, 1, 500, depth - 1]) {
      const arrays = depth - 1 - objects
      assertAlike(ruleset, `{"q":${'{"a":'.repeat(objects)}${'['.repeat(arrays)}1${']'.repeat(arrays)}${'}'.repeat(objects)}}`, { ...USUAL, limit: 1 })
    }
})

test('reads texts alike up to the room of a log, with as many members as it has room for, and longer ones', () => {
  const ruleset = new Ruleset()
  assert.ok('"":1,'.length * JSON_FIELDS_LIMIT > LOG_ROOM)
  for (const room of [JSON_STARTS - JSON_IDS, JSON_ENDS - JSON_STARTS, UNESCAPED - JSON_ENDS]) assert.ok(room >= 4 * JSON_FIELDS_LIMIT)
  for (const length of [LOG_ROOM - 1, LOG_ROOM, LOG_ROOM + 1]) {
    assertAlike(ruleset, `{"a":[1],"b":"${'x'.repeat(length - 17)}\\n"}`)
    const members = '"":1,'.repeat(Math.floor((length - 2) / 5))
    assertAlike(ruleset, `{${members.slice(0, -1)}}`)
    assertAlike(ruleset, `{${members.slice(0, -1)}}`, { ...USUAL, hasField: true })
  }
})

test('reads texts alike when there is no room for further shapes and names, and known ones as before', () => {
  const ruleset = new Ruleset()
  const first = '{"known":1,"names":{"of":"the \\"first\\" text"}}'
  assertAlike(ruleset, first)
  const table = ruleset.ofKernel.tree.table
  assert(table !== null)
  for (let shape = 1; shape < 2000; shape++) {
    const members = Array.from({ length: 24 }, (_, bit) => (((shape * 0x9e37) >> (bit % 16)) & 1 ? `"m${bit}":${bit}` : `"n${bit}":"${bit}"`))
    flattenJson(`{${members.join(',')}}`, 0, ruleset.ofKernel, DEFAULT, fields)
    if (shape % 200 === 0) assertAlike(ruleset, `{${members.join(',')},"last${shape}":1}`)
  }
  assert.equal(fields.shape, null, 'shapes are full')
  const paths: number[] = []
  for (let round = 0; round < 40; round++) {
    const members = Array.from({ length: 300 }, (_, index) => `"name-${round}-${index}-${'x'.repeat(30)}":${index}`)
    assertAlike(ruleset, `{${members.join(',')}}`)
    paths.push(table.paths.length)
  }
  assert.equal(paths.at(-1), paths.at(-2), 'names are full')
  assert.ok(table.paths.length > NAMES_ROOM / 200 && table.paths.length < NAMES_ROOM / 64)
  assertAlike(ruleset, first)
  assert.equal(ruleset.ofKernel.tree.table, table)
})

/** Names with the same hash in any object: of each two words, the second one undoes what the first one has changed. */
function namesOfOneHash(words: number): readonly string[] {
  let names = ['']
  for (let i = 0; i < words; i++) names = names.flatMap((before) => [`${before}abcdefghabcdefgh`, `${before}abcdefg\xe8abcdafg\xe8`])
  return names
}

test('names with equal hashes are read alike, though the kernel finds few of them', () => {
  const ruleset = new Ruleset()
  const names = namesOfOneHash(8)
  assert.ok(names.length > 2 * MOST_PROBES)
  const text = `{${names.map((one, index) => `"${one}":${index}`).join(',')}}`
  assertAlike(ruleset, text)
  const { table } = ruleset.ofKernel.tree
  assert(table !== null && nameHash !== null)
  const [root, ...nodes] = table.paths.map(({ node }) => node)
  assert.equal(new Set(nodes.map((node) => nameHash?.(root, node + NODE_NAME, names[0].length + 1))).size, 1)
  assertAlike(ruleset, `{${text.slice(1, -1).split(',').toReversed().join(',')}}`)
  assert.equal(table.paths.length, names.length + 1)
})

test('reads a text alike while its names make the memory grow', () => {
  const ruleset = new Ruleset()
  const chunks = [new Chunk(CHUNK)]
  for (; chunks[0].address + CHUNK < BYTES.length; chunks.unshift(new Chunk(CHUNK)));
  const before = growths
  const members = Array.from({ length: 1000 }, (_, index) => `"member${index}":"\\n${index}"`)
  assertAlike(ruleset, `{${members.join(',')}}`)
  assert.ok(growths > before)
})
