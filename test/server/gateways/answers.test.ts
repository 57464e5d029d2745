/** What is kept of an answer. */
import assert from 'node:assert/strict'
import test from 'node:test'
import Type from 'typebox'
import { checkAnswer, pruneAnswer } from '../../../server/gateways/answers.js'
import { ProviderError } from '../../../server/gateways/provider-error.js'

const Author = Type.Object({ login: Type.String() })
const List = Type.Object({
  items: Type.Array(Type.Object({ id: Type.Integer(), note: Type.Optional(Type.String()), user: Type.Union([Author, Type.Null()]) })),
})

const ANSWER = `{
  "total": 2,
  "__proto__": { "own": true },
  "items": [
    { "id": 1, "note": "kept", "user": { "login": "ana", "email": "ana@example.test" }, "url": "https://example.test", "constructor": 1 },
    { "id": 2, "user": null, "labels": [{ "id": 3 }] }
  ]
}`

test('an answer is pruned to the fields that its schema names, in lists and in objects', () => {
  const pruned = pruneAnswer(List, JSON.parse(ANSWER), 'p')
  assert.equal(JSON.stringify(pruned), '{"items":[{"id":1,"note":"kept","user":{"login":"ana"}},{"id":2,"user":null}]}')
})

test('an answer that is only checked keeps its other fields', () => {
  assert.equal(JSON.stringify(checkAnswer(List, JSON.parse(ANSWER), 'p')), JSON.stringify(JSON.parse(ANSWER)))
})

test('a malformed answer is refused, pruned or not', () => {
  for (const check of [checkAnswer, pruneAnswer]) {
    for (const text of ['null', '[]', '{}', '{"items":[{"id":"1","user":null}]}', '{"items":[{"id":1}]}']) {
      assert.throws(() => check(List, JSON.parse(text), 'p'), ProviderError, text)
    }
  }
})
