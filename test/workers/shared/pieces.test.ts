/** Values that threads have parsed arrive as they were, in pieces that are parsed one by one. */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { validateBytes } from '#requests'
import { fromPieces, PIECE_CHARACTERS, type Pieces, toPieces } from '../../../workers/shared/pieces.js'
import { runs } from '../../support/runs.js'

/** The longest JSON that is parsed at once. */
function longest(pieces: Pieces): number {
  if ('json' in pieces) return pieces.json.length
  if ('text' in pieces) return 0
  const parts =
    'list' in pieces ? pieces.list.map((part) => (typeof part === 'string' ? part : part.entry)) : pieces.members.map((part) => (typeof part === 'string' ? part : part[1]))
  return Math.max(...parts.map((part) => (typeof part === 'string' ? part.length : longest(part))))
}

const LONG = 'x'.repeat(2 * PIECE_CHARACTERS)
const entries = Array.from({ length: 5_000 }, (_, at) => ({ path: `rules/${at}.xml`, size: at, kind: null }))
const VALUES: Readonly<Record<string, unknown>> = {
  'a number': 7,
  null: null,
  'a short object': { a: [1, { b: 'c' }] },
  'a long text': LONG,
  'a list of many entries': entries,
  'an object of a long list': { total: 1, tree: entries, truncated: false },
  'a list with long entries between short ones': [1, LONG, { a: entries }, [], 2],
  'an object of many members': Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`member ${at}`, 'y'.repeat(200)])),
  'names that are special': JSON.parse(`{"__proto__": {"a": "${LONG}"}, "constructor": 1, "7": 2, "a": "${LONG}"}`),
}

for (const [name, value] of Object.entries(VALUES)) {
  test(`${name} arrives as it was`, async () => {
    const pieces = structuredClone(toPieces(value))
    assert.equal(JSON.stringify(await fromPieces(pieces)), JSON.stringify(value))
    // What is counted of a value is about what it is as JSON.
    assert.ok(longest(pieces) < 2 * PIECE_CHARACTERS, String(longest(pieces)))
  })
}

/** JSON as anyone may write it: spaces, escapes, numbers of every form, names that repeat or are special. */
const spaced = (text: string): fc.Arbitrary<string> => fc.constantFrom('', '', ' ', '\n\t').map((space) => space + text + space)
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\ud800"', '"\\uDC00\\u0041"', '"\\u005f_proto__"', '"__proto__"', '"toString"', '"10"', '"9"', '"\\/\\b"', '"é\u2028"', `"${'x'.repeat(40)}"`),
)
const scalars = fc.oneof(
  texts,
  fc.double().map((number) => JSON.stringify(number)),
  fc.constantFrom('-0', '0', '-0.0', '1e999', '-1E+999', '1e-999', '12345678901234567890', '0.1e1', '-1.5E-3', 'true', 'false', 'null', '1e23', '9007199254740993'),
)
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc
    .oneof(
      { depthSize: 'medium', withCrossShrink: true },
      scalars,
      fc.array(tie('json'), { maxLength: 8 }).map((entries) => `[${entries}]`),
      fc.array(fc.tuple(texts, tie('json')), { maxLength: 8 }).map((members) => `{${members.map(([name, member]) => `${name} :${member}`)}}`),
    )
    .chain(spaced),
}))

/** All that tells values apart: order of members, own members with special names, the sign of zero. */
const seen = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(seen)
    : typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, member]) => [name, seen(member)])
      : typeof value === 'number'
        ? Object.is(value, -0)
          ? '-0'
          : `${value}`
        : [value]

test('whatever JSON.parse makes of a text is what arrives, cut into pieces of any length', async () => {
  await fc.assert(
    fc.asyncProperty(json, fc.integer({ min: 1, max: 60 }), async (text, characters) => {
      const read = validateBytes({}, Buffer.from(text), true)
      assert.ok(read.kind === 'valid', text)
      assert.deepEqual(seen(await fromPieces(structuredClone(toPieces(read.value, characters)))), seen(JSON.parse(text)), text)
    }),
    { numRuns: runs(100, 5_000) },
  )
})

test('what JSON.parse refuses is refused, and nothing else', () => {
  const broken = fc.tuple(json, fc.nat(), fc.constantFrom('', ',', '"', '}', ']', ':', '\\', '\u0000', 'é', '0', '-', '{"a":')).map(([text, at, by]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + by + text.slice(place + 1)
  })
  fc.assert(
    fc.property(broken, (text) => {
      let isJson = text.length === 0
      try {
        JSON.parse(text)
        isJson = true
      } catch {}
      assert.equal(validateBytes({}, Buffer.from(text), true).kind, isJson ? 'valid' : 'unparseable', text)
    }),
    { numRuns: runs(100, 5_000) },
  )
})
