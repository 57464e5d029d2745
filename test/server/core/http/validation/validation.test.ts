/** Schemas as they are enforced, and malicious values. */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import Type from 'typebox'
import { FORMATS } from '#requests'
import { prepareSchema } from '#requests'
import { longestJson } from '../../../../../server/core/http/validation/longest-json.js'
import { validateBytes } from '#requests'
import { validatorFor } from '#requests'
import { issue } from '../../../../../server/core/http/validation/issue.js'
import { invalidRequest } from '../../../../../server/core/http/validation/refuse.js'

const issuesOf = (schema: object, value: unknown): string[] =>
  validatorFor(schema)
    .check(value)
    .map(({ path, message }) => `${path} ${message}`)

test('what was expected is said in the language of the caller, and parts of a schema are the same in each', () => {
  const schema = Type.Object({ a: Type.String({ minLength: 2 }), b: Type.Array(Type.String(), { uniqueItems: true, maxItems: 9 }), c: Type.String() })
  const issues = [...validatorFor(schema).check({ a: '', b: ['x', 'x'] }), issue('/d', 'invalid', { type: 'string', format: { words: 'relative_path' } })]
  const expectedIn = (locale: 'en-US' | 'pt-BR'): unknown =>
    Object.fromEntries((invalidRequest(issues, locale).details.errors as { path: string; expected: unknown }[]).map(({ path, expected }) => [path, expected]))
  const limit = { '/a': { min_length: 2 } }
  assert.deepEqual(expectedIn('en-US'), { ...limit, '/b': 'entries that differ', '/c': 'a value', '/d': { type: 'string', format: 'relative path without `..`' } })
  assert.deepEqual(expectedIn('pt-BR'), { ...limit, '/b': 'itens diferentes entre si', '/c': 'um valor', '/d': { type: 'string', format: 'caminho relativo sem `..`' } })
})

test('objects are closed at any depth unless their schema permits more fields', () => {
  const schema = Type.Object({
    a: Type.Array(Type.Object({ b: Type.String() })),
    c: Type.Optional(Type.Object({}, { additionalProperties: true })),
    d: Type.Optional(Type.Union([Type.Object({ e: Type.String() }), Type.Null()])),
  })
  assert.deepEqual(issuesOf(schema, { a: [{ b: 'x', y: 1 }], c: { free: 1 }, d: { e: 'x', z: 1 } }).sort(), ['/a/0/y unknown', '/d/z unknown'])
})

test('an intersection is closed as a whole', () => {
  const schema = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.String()) })])
  assert.deepEqual(issuesOf(schema, { a: 'x', b: 'y' }), [])
  assert.deepEqual(issuesOf(schema, { a: 'x', c: 'y' }), ['/c unknown'])
})

test('of several kinds of objects the intended one is reported', () => {
  const schema = Type.Union([Type.Object({ kind: Type.Literal('a'), x: Type.Integer() }), Type.Object({ kind: Type.Literal('b'), y: Type.String() })])
  assert.deepEqual(issuesOf(schema, { kind: 'b', y: 'y' }), [])
  assert.deepEqual(issuesOf(schema, { kind: 'b', y: 1 }), ['/y type'])
  assert.deepEqual(issuesOf(schema, { kind: 'b', y: 'y', x: 1 }), ['/x unknown'])
  assert.equal(issuesOf(schema, { kind: 'c' }).length, 1)
})

test('a union in a list of unions is one issue per entry', () => {
  const schema = Type.Array(Type.Union([Type.Array(Type.Union([Type.String(), Type.Null()])), Type.Integer()]))
  assert.deepEqual(issuesOf(schema, [['a', null], 1]), [])
  assert.deepEqual(issuesOf(schema, [['a', true, 2], 'x']).sort(), ['/0/1 type', '/0/2 type', '/1 type'])
})

test('adjacent constants are reported as one list of choices', () => {
  const [issue] = validatorFor(Type.Union([Type.Literal('pt-BR'), Type.Literal('en'), Type.Null()])).check('de')
  assert.equal(issue.message, 'choice')
  assert.deepEqual(issue.expected, ['pt-BR', 'en', null])
})

test('lengths of key names are limited', () => {
  const schema = Type.Object({ fields: Type.Unsafe({ type: 'object', additionalProperties: { type: 'string' }, propertyNames: { maxLength: 3 }, maxProperties: 2 }) })
  assert.deepEqual(issuesOf(schema, { fields: { abcd: 'x' } }), ['/fields/abcd too_long'])
  assert.deepEqual(issuesOf(schema, { fields: { a: '', b: '', c: '' } }), ['/fields too_many'])
})

test('an error in a huge value is reported at its first occurrence, without reading the rest', () => {
  const schema = Type.Object({ items: Type.Array(Type.Integer()), name: Type.String() })
  assert.deepEqual(issuesOf(schema, { items: Array.from({ length: 1_000_000 }, () => 'x') }).length, 1)
  const many = issuesOf(schema, { items: Array.from({ length: 5000 }, () => 'x'), extra: 1 })
  assert.equal(many.length, 100)
  assert.equal(many[0], '/extra unknown')
})

test('unique entries must be scalars, and their number is limited', () => {
  assert.throws(() => prepareSchema(Type.Array(Type.String(), { uniqueItems: true })), TypeError)
  assert.throws(() => prepareSchema(Type.Array(Type.Object({}), { uniqueItems: true, maxItems: 5 })), TypeError)
  assert.deepEqual(issuesOf(Type.Array(Type.String(), { uniqueItems: true, maxItems: 5 }), ['a', 'b', 'a']), [' duplicate'])
})

test('a reported path has a limited length', () => {
  const [issue] = validatorFor(Type.Object({})).check({ ['k'.repeat(1_000_000)]: 1 })
  assert.ok(issue.path.length < 300)
})

test('schemas with the same $id may be used by several routes', () => {
  const named = Type.Object({ a: Type.String() }, { $id: 'Named' })
  assert.deepEqual(issuesOf(Type.Object({ x: named, y: Type.Array(named) }), { x: { a: '' }, y: [{ a: 1 }] }), ['/y/0/a type'])
  assert.deepEqual(issuesOf(Type.Object({ z: named }), { z: { a: '' } }), [])
})

test('a schema accepts what its generator creates, and no unknown field', () => {
  const schema = Type.Object({ name: Type.String(), count: Type.Optional(Type.Integer()), tags: Type.Array(Type.Union([Type.String(), Type.Null()])) })
  fc.assert(
    fc.property(fc.record({ name: fc.string(), count: fc.integer(), tags: fc.array(fc.option(fc.string())) }, { requiredKeys: ['name', 'tags'] }), (value) => {
      assert.deepEqual(issuesOf(schema, value), [])
    }),
  )
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text)
      for (const line of issuesOf(schema, value)) assert.match(line, / (type|required|unknown)$/)
    }),
  )
})

test('formats accept valid values only', () => {
  const cases: Record<string, [string[], string[]]> = {
    email: [
      ['a@example.com', "o'neil+x@sub.example.co", 'ü@exämple.com', 'a@localhost'],
      ['', 'a', '@a', 'a@', 'a@@b.c', 'a b@c.d', 'a@b..c', 'a@-b.c', '.a@b.c', 'a@b.c\n', `${'a'.repeat(65)}@b.c`, 'a@[127.0.0.1]', '"a"@b.c'],
    ],
    'date-time': [
      ['2026-02-28T23:59:59Z', '2024-02-29T00:00:00.123456+05:30'],
      ['2026-02-29T00:00:00Z', '2026-02-28', '2026-02-28 00:00:00Z', '2026-02-28T24:00:00Z', '2026-02-28T00:00:00', '2026-02-28T00:00:60Z', '2026-02-28T00:00:00Z\n'],
    ],
    date: [['2026-12-31'], ['2026-13-01', '2026-04-31', '26-01-01', '2026-1-1']],
    uuid: [['0f0e0d0c-0b0a-4908-8706-050403020100'], ['0f0e0d0c0b0a49088706050403020100', 'x']],
    uri: [
      ['https://a.example/x?y#z', 'urn:a:b'],
      ['/a', 'https://a b', 'http://<a>', ''],
    ],
    'http-uri': [['https://a.example'], ['javascript:alert(1)', 'file:///etc/passwd', 'ftp://a', 'http://', 'http:a.example', 'https:/a.example']],
  }
  for (const [format, [good, bad]] of Object.entries(cases)) {
    for (const text of good) assert.equal(FORMATS[format](text), true, `${format} ${text}`)
    for (const text of bad) assert.equal(FORMATS[format](text), false, `${format} ${text}`)
  }
})

test('bytes become a valid value, issues, or neither', () => {
  const schema = Type.Object({ a: Type.String(), b: Type.Integer({ default: 2 }) })
  assert.deepEqual(validateBytes(schema, Buffer.from('{"a":"x"}')), { kind: 'valid', value: { a: 'x', b: 2 }, deprecated: [] })
  assert.equal(validateBytes(schema, Buffer.from('{"__proto__":1,"a":"x"}')).kind, 'invalid')
  assert.equal(validateBytes(schema, Buffer.from('{}')).kind, 'invalid')
  // Together with other errors, both where a schema lists its fields and where it accepts any name.
  const wrong = validateBytes(schema, Buffer.from('{"__proto__":{},"a":1,"zz":1}'))
  assert.deepEqual(wrong.kind === 'invalid' && wrong.issues.map(({ path, message }) => [path, message]), [
    ['/__proto__', 'unknown'],
    ['/zz', 'unknown'],
    ['/a', 'type'],
  ])
  const open = Type.Object({ words: Type.Record(Type.String(), Type.String()), any: Type.Unknown(), n: Type.Optional(Type.Integer()) })
  const body = '{"words":{"__proto__":"a","b":"c"},"any":[{"constructor":{"prototype":{}},"\\u005f_proto__":1}],"n":"x"}'
  const forbidden = validateBytes(open, Buffer.from(body))
  assert.deepEqual(forbidden.kind === 'invalid' && forbidden.issues.map(({ path }) => path), ['/words/__proto__', '/any/0/constructor/prototype', '/any/0/__proto__', '/n'])
  const named = validateBytes(open, Buffer.from('{"words":{"__proto__":"a"},"any":{}}'), true)
  assert.deepEqual(named.kind === 'valid' && Object.keys((named.value as { words: object }).words), ['__proto__'])
  assert.equal(validateBytes(schema, Buffer.from('{"a":"x","__proto__":1}'), true).kind, 'invalid', 'where names are written it is none of them')
  assert.equal(validateBytes(open, Buffer.from('{"words":{"constructor":"a","proto":"b"},"any":{"constructor":1}}')).kind, 'valid')
  for (const bytes of ['{', '\xff', 'x']) assert.deepEqual(validateBytes(schema, Buffer.from(bytes, 'latin1')), { kind: 'unparseable' })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.notEqual(validateBytes(schema, bytes).kind, 'valid')
    }),
  )
})

test('the maximum length of a valid JSON text counts every character as escaped', () => {
  for (const schema of [
    Type.Object({ a: Type.String() }),
    Type.Unknown(),
    Type.Array(Type.Integer()),
    Type.Object({ a: Type.Optional(Type.Object({}, { additionalProperties: true })) }),
    Type.Record(Type.String(), Type.String({ maxLength: 3 })),
  ]) {
    assert.equal(longestJson(schema), Number.POSITIVE_INFINITY)
  }
  const schema = Type.Object({
    a: Type.Union([Type.String({ maxLength: 4 }), Type.Null()]),
    b: Type.Array(Type.String({ format: 'email' }), { maxItems: 3 }),
    c: Type.Optional(Type.Enum(['x', 'yy'])),
    d: Type.Boolean(),
    e: Type.Integer(),
  })
  const email = `${'e'.repeat(64)}@${'a.'.repeat(94)}a`
  const longest = { a: '\u{1f600}'.repeat(4), b: [email, email, email], c: 'yy', d: false, e: Number.MIN_SAFE_INTEGER }
  assert.equal(validatorFor(schema).check(longest).length, 0)
  const escaped = JSON.stringify(longest).replace(
    /"([^"]*)"/g,
    (_, inside: string) => `"${[...inside].flatMap((character) => character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('')}"`,
  )
  assert.deepEqual(JSON.parse(escaped), longest)
  assert.ok(escaped.length <= longestJson(schema), `${escaped.length} of ${longestJson(schema)}`)
})
