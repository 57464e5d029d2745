/** Values that threads have parsed arrive as they were, in pieces that are parsed one by one. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { fromPieces, PIECE_CHARACTERS, type Pieces, toPieces } from '../../workers/reading/pieces.js'

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
