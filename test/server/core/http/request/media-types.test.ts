/** Responses in the media type that `Accept` prefers, and chunked responses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { ChunkedBody } from '../../../../../server/core/http/text/chunked-body.js'
import { defineRoute, PUBLIC, permission } from '../../../../../server/core/http/route.js'
import { KEY, startHttp, type TestService } from '../support/service.js'

const XML = 'application/xml'
const pieces = (...texts: string[]): ChunkedBody => new ChunkedBody(texts.map((text) => Buffer.from(text)))
let runs = 0

const responses = {
  200: {
    description: 'Fine.',
    schema: Type.Object({ run: Type.Integer() }),
    alternatives: [
      { mediaType: `${XML}; charset=utf-8`, schema: Type.String(), examples: { one: '<run/>' } },
      { mediaType: 'text/plain', schema: Type.String(), examples: { one: 'run' } },
    ],
  },
} as const
const form = (mediaType: string): ChunkedBody | { readonly run: number } => (mediaType === 'application/json' ? { run: ++runs } : pieces('<run>', String(++runs), '</run>'))

const routes = [
  defineRoute({
    id: 'forms.get',
    method: 'GET',
    path: '/forms',
    tag: 'Test',
    summary: 'Test',
    description: 'Test.',
    access: PUBLIC,
    responses,
    handle: async ({ mediaType }) => ({ body: form(mediaType) }),
  }),
  defineRoute({
    id: 'forms.run',
    method: 'POST',
    path: '/forms/run',
    tag: 'Test',
    summary: 'Test',
    description: 'Test.',
    access: permission('case:run'),
    idempotencyKey: true,
    responses,
    handle: async ({ mediaType }) => ({ body: form(mediaType) }),
  }),
  defineRoute({
    id: 'forms.large',
    method: 'POST',
    path: '/forms/large',
    tag: 'Test',
    summary: 'Test',
    description: 'Test.',
    access: permission('case:run'),
    idempotencyKey: true,
    responses: { 200: { description: 'Fine.', schema: Type.String(), mediaType: 'text/plain' } },
    handle: async () => {
      runs++
      // Pseudo-random bytes, which cannot be compressed.
      let state = runs
      const bytes = Buffer.alloc(12 * 1024 * 1024)
      for (let i = 0; i < bytes.length; i += 4) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        bytes.writeUInt32BE((state ^ (state >>> 15)) >>> 0, i)
      }
      return { body: new ChunkedBody([bytes]) }
    },
  }),
]

async function served(work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startHttp({ routes, checkResponses: true })
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

test('the preferred media type is sent, and JSON to callers that accept none', () =>
  served(async (service) => {
    for (const [accept, type] of [
      [undefined, 'application/json; charset=utf-8'],
      ['*/*', 'application/json; charset=utf-8'],
      ['application/*', 'application/json; charset=utf-8'],
      [`application/json, ${XML}`, 'application/json; charset=utf-8'],
      [`${XML}, application/json;q=0.9`, `${XML}; charset=utf-8`],
      [`text/*;q=0.5, ${XML};q=0.4`, 'text/plain'],
      [`${XML};q=0, */*;q=0.1`, 'application/json; charset=utf-8'],
      ['image/png', 'application/json; charset=utf-8'],
      ['APPLICATION/XML', `${XML}; charset=utf-8`],
      ['nonsense', 'application/json; charset=utf-8'],
    ] as const) {
      const answer = await service.call('GET', '/forms', { headers: accept === undefined ? {} : { accept } })
      assert.equal(answer.headers['content-type'], type, accept)
      assert.equal(answer.headers.vary, 'Accept')
      assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
    }
  }))

test('an idempotency key stores the response of one media type', () =>
  served(async (service) => {
    const run = (accept: string, key: string) => service.call('POST', '/forms/run', { headers: { accept, 'x-api-key': KEY, 'idempotency-key': key } })
    const [first, again] = [await run(XML, 'a'), await run(XML, 'a')]
    assert.match(first.text, /^<run>\d+<\/run>$/)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['content-type'], first.headers['content-type'])
    assert.equal((await run('application/json', 'a')).status, 409)
  }))

test('a response that is too large to store is sent with a header that says so', () =>
  served(async (service) => {
    const run = () => service.call('POST', '/forms/large', { headers: { 'x-api-key': KEY, 'idempotency-key': 'b' } })
    const before = runs
    for (let i = 1; i <= 2; i++) {
      const answer = await run()
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-length'], String(12 * 1024 * 1024))
      assert.equal(answer.headers['idempotency-status'], 'not-kept')
      assert.equal(runs, before + i)
    }
  }))
