/** What is kept of an answer. */
import assert from 'node:assert/strict'
import test from 'node:test'
import Type from 'typebox'
import { SMALL_JSON_BYTES } from '#requests'
import { readAnswer } from '../../../../server/core/egress/answers.js'
import { ProviderError } from '../../../../server/core/egress/provider-error.js'
import { READER } from '../../../support/reader.js'

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

const read = (text: string) => readAnswer(READER, List, Buffer.from(text), 'p')

test('an answer is pruned to the fields that its schema names, in lists and in objects, however long it is', async () => {
  for (const text of [ANSWER, ANSWER.replace('"total": 2', `"total": "${'x'.repeat(SMALL_JSON_BYTES)}"`)]) {
    assert.equal(JSON.stringify(await read(text)), '{"items":[{"id":1,"note":"kept","user":{"login":"ana"}},{"id":2,"user":null}]}')
  }
})

test('a malformed answer is refused', async () => {
  for (const text of ['', '{', 'null', '[]', '{}', '{"items":[{"id":"1","user":null}]}', '{"items":[{"id":1}]}']) {
    await assert.rejects(read(text), ProviderError, text)
  }
})
