/** The gateway of language models against a real HTTP server that cuts, lies, hangs and floods. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import { AiProviderError } from '../../../../../server/features/assistant/gateways/ai-provider-error.js'
import type { CompletionPart } from '../../../../../server/features/assistant/gateways/gateway.js'
import { OpenAiGateway } from '../../../../../server/features/assistant/gateways/openai.js'
import { HttpClient } from '../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../server/core/egress/egress-guard.js'
import { type AiProvider, type AiScript, refuses, says, startAiProvider, streamed } from '../../../../support/ai-provider.js'
import { READER } from '../../../../support/reader.js'

const KEY = 'sk-secret'
const CONNECTION = { baseUrl: 'http://provider.test/v1', apiKey: KEY, model: 'model', embeddingModel: null }
const TEXT = 'Olá: use <srcip>, não <match>.'
const STREAM = { 'Content-Type': 'text/event-stream' }

/** Sends these pieces one after the other, each in a packet of its own. */
function pieces(...parts: readonly (string | Uint8Array)[]): AiScript {
  return async (response) => {
    response.writeHead(200, STREAM)
    for (const part of parts) {
      response.write(part)
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  }
}

describe('the gateway of language models', () => {
  let provider: AiProvider
  let http: HttpClient
  let gateway: OpenAiGateway
  const open = (options: { readonly allowPrivateTargets?: boolean; readonly limits?: { firstPartMs: number; partMs: number; answerMs: number }; readonly baseUrl?: string } = {}) =>
    new OpenAiGateway(
      { baseUrl: options.baseUrl ?? provider.baseUrl, apiKey: KEY, model: 'model', embeddingModel: 'vectors' },
      {
        http: options.allowPrivateTargets === false ? new HttpClient(new EgressGuard({ allowPrivateTargets: false })) : http,
        reader: READER,
        ...(options.limits === undefined ? {} : { limits: options.limits }),
      },
    )
  const read = async (from: OpenAiGateway, signal = new AbortController().signal): Promise<CompletionPart[]> => {
    const parts: CompletionPart[] = []
    for await (const part of from.stream({ messages: [{ role: 'user', content: 'THE QUESTION' }], maxTokens: 100, signal })) parts.push(part)
    return parts
  }
  const textOf = (parts: readonly CompletionPart[]): string => parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  const failureOf = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => assert.fail('it succeeded'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof AiProviderError, String(error))
    assert.ok(!JSON.stringify([error.message, error.details, String(error.cause)]).includes('QUESTION'))
    return error.failure
  }

  before(async () => {
    provider = await startAiProvider()
    http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
  })
  beforeEach(() => {
    gateway = open()
  })
  after(async () => {
    http.close()
    await provider.close()
  })

  test('yields the text as it arrives, and the usage', async () => {
    provider.script(says(TEXT))
    const parts = await read(gateway)
    assert.equal(textOf(parts), TEXT)
    assert.deepEqual(parts.at(-1), { kind: 'end', usage: { promptTokens: 100, completionTokens: 20, cachedTokens: 10 }, isCut: false })
    const { body } = provider.calls.at(-1)!
    assert.deepEqual([body.model, body.max_completion_tokens, body.stream], ['model', 100, true])
  })

  test('an answer cut at any byte is a failure, or whole', async () => {
    const bytes = streamed(TEXT)
    const whole = bytes.indexOf('"finish_reason":"stop"}]}\n\n') + '"finish_reason":"stop"}]}\n'.length
    const isWhole = async (from: OpenAiGateway, at: number): Promise<boolean> => {
      const parts = await read(from).catch((error: unknown) => {
        assert.ok(error instanceof AiProviderError, String(error))
        return null
      })
      // Only after the sign of the end, and never with a part of the text.
      if (parts !== null) assert.ok(at >= whole && textOf(parts) === TEXT, String(at))
      return parts !== null
    }
    for (let at = 0; at <= bytes.length; at++) {
      const body = async function* (): AsyncGenerator<Buffer, void, undefined> {
        yield bytes.subarray(0, at)
      }
      const open: HttpClient['open'] = async () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: body() })
      const cut = new OpenAiGateway(CONNECTION, { http: { send: (request) => http.send(request), open }, reader: READER })
      assert.ok((await isWhole(cut, at)) || at < bytes.length)
    }
    // The same over sockets, which end in order or do not.
    for (let at = 0; at < bytes.length; at += 47) {
      for (const destroys of [true, false]) {
        provider.script((response) => {
          response.writeHead(200, STREAM)
          if (destroys) response.write(bytes.subarray(0, at), () => response.destroy())
          else response.end(bytes.subarray(0, at))
        })
        assert.ok(!(await isWhole(gateway, at)) || !destroys)
      }
    }
  })

  test('texts arrive whole if they are sent byte by byte, characters of several bytes too', async () => {
    provider.script(pieces(...[...streamed('ação 🔒')].map((byte) => Uint8Array.of(byte))))
    assert.equal(textOf(await read(gateway)), 'ação 🔒')
  })

  test('half a character is a mark in its place, and bytes before the text are no part of it', async () => {
    const chunk = Buffer.from('data: {"choices":[{"delta":{"content":"a?o"},"finish_reason":"stop"}]}\n\n')
    chunk[chunk.indexOf('?')] = 0xc3
    provider.script(pieces(Uint8Array.of(0xef, 0xbb, 0xbf), chunk))
    assert.equal(textOf(await read(gateway)), 'a\ufffdo')
  })

  test('events may have comments, other fields, several lines and line ends of two characters', async () => {
    const text =
      ': hello\r\n\r\nid: 7\r\nevent: message\r\ndata: {"choices":\r\ndata:[{"delta":{"content":"ok"}}]}\r\n\r\n: bye\r\n\r\ndata:[DONE]\r\n\r\ndata: {"choices": 5}\r\n\r\n'
    for (const parts of [[text], [...text]]) {
      provider.script(pieces(...parts))
      assert.equal(textOf(await read(gateway)), 'ok')
    }
  })

  test('usage that cannot be is not reported', async () => {
    for (const usage of [
      { prompt_tokens: -5, completion_tokens: 1 },
      { prompt_tokens: '100', completion_tokens: 2 },
      'lots',
      { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } },
      null,
    ]) {
      provider.script(says('ok', usage))
      const end = (await read(gateway)).at(-1)
      assert.deepEqual(end, { kind: 'end', usage: null, isCut: false })
    }
  })

  test('a provider that sends no mark of the end is understood if it says that it has finished', async () => {
    provider.script(pieces('data: {"choices":[{"delta":{"content":"ok"}}]}\n\n', 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'))
    assert.equal(textOf(await read(gateway)), 'ok')
    provider.script(pieces('data: {"choices":[{"delta":{"content":"ok"}}]}\n\n', 'data: [DONE]\n\n'))
    assert.equal(textOf(await read(gateway)), 'ok')
    provider.script(pieces('data: {"choices":[{"delta":{"content":"ok"}}]}\n\n'))
    assert.equal(await failureOf(read(gateway)), 'answer_truncated')
  })

  test('a provider that does not stream is understood', async () => {
    const body = { choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }], usage: { prompt_tokens: 3, completion_tokens: 1 } }
    provider.script((response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)))
    const parts = await read(gateway)
    assert.deepEqual([textOf(parts), parts.at(-1)], ['whole', { kind: 'end', usage: { promptTokens: 3, completionTokens: 1, cachedTokens: 0 }, isCut: false }])
  })

  test('answers that are none are malformed', async () => {
    const html: AiScript = (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>THE QUESTION is not for us</html>')
    const events = [
      'data: not json\n\n',
      'data: null\n\n',
      'data: [1]\n\n',
      'data: {"choices": 5}\n\n',
      'data: {"choices":[{"delta":{"content":7}}]}\n\n',
      'data: {"error":{"message":"THE QUESTION"}}\n\n',
      'data: {"error":"THE QUESTION"}\n\n',
      'event: thread.x\ndata: oops\n\n',
    ]
    const json: AiScript = (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"choices"')
    for (const script of [html, json, ...events.map((event) => pieces(event, 'data: [DONE]\n\n'))]) {
      provider.script(script)
      assert.equal(await failureOf(read(gateway)), 'answer_malformed')
    }
    provider.script(pieces('data: [DONE]\n\n'))
    assert.equal(await failureOf(read(gateway)), 'answer_empty')
  })

  test('429 and 5xx are tried again before the first byte, other refusals and cut answers are not', async () => {
    const count = async (work: Promise<unknown>): Promise<number> => {
      const before = provider.calls.length
      await work
      return provider.calls.length - before
    }
    provider.script(refuses(429, { 'Retry-After': '0' }), refuses(503), says('ok'))
    assert.equal(await count(read(gateway)), 3)
    provider.script(refuses(429, { 'Retry-After': '3600' }))
    assert.equal(await count(failureOf(read(gateway)).then((failure) => assert.equal(failure, 'rate_limited'))), 1)
    for (const [status, failure] of [
      [400, 'refused'],
      [401, 'credentials_refused'],
      [404, 'not_found'],
    ] as const) {
      provider.script(refuses(status))
      assert.equal(await count(failureOf(read(gateway)).then((found) => assert.equal(found, failure))), 1)
    }
    provider.script((response) => response.writeHead(200, STREAM).write('data: {"choices":[{"delta":{"content":"ok"}}]}\n\n', () => response.destroy()))
    assert.equal(await count(failureOf(read(gateway)).then((failure) => assert.equal(failure, 'connection_closed'))), 1)
  })

  test('a provider that hangs, before or within an answer, has failed when its time is over', async () => {
    const limits = { firstPartMs: 150, partMs: 150, answerMs: 60_000 }
    const begun: AiScript = (response) => response.writeHead(200, STREAM).write('data: {"choices":[{"delta":{"content":"ok"}}]}\n\n')
    const headers: AiScript = (response) => response.writeHead(200, STREAM).flushHeaders()
    // Comments keep a connection open, and are no part of an answer.
    const comments: AiScript = (response) => drippingInto(response, ': ping\n\n')
    for (const script of [() => undefined, headers, comments, begun]) {
      provider.script(script)
      assert.equal(await failureOf(read(open({ limits }))), 'timeout')
    }
    const drip: AiScript = (response) => drippingInto(response)
    provider.script(drip)
    assert.equal(await failureOf(read(open({ limits: { ...limits, answerMs: 600 } }))), 'timeout')
    // What an earlier call for the same answer took is a part of the time.
    provider.script(says('ok'))
    const late = open().stream({ messages: [{ role: 'user', content: 'q' }], maxTokens: 10, signal: new AbortController().signal, since: performance.now() - 15_000 })
    assert.equal(await failureOf(drain(late)), 'timeout')
  })

  test('floods are refused', async () => {
    provider.script((response) => response.writeHead(200, STREAM).end(`data: {"choices":[{"delta":{"content":"${'x'.repeat(10 * 1024 * 1024)}"}}]}\n\n`))
    assert.equal(await failureOf(read(gateway)), 'answer_too_large')
    provider.script((response) =>
      response.writeHead(200, STREAM).end(`${'data: {"choices":[{"delta":{"content":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}]}\n\n'.repeat(4000)}data: [DONE]\n\n`),
    )
    assert.equal(await failureOf(read(gateway)), 'answer_too_large')
    // One event that is too long, in an answer that is not.
    provider.script(pieces(`data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}],"padding":"${'x'.repeat(600 * 1024)}"}\n\n`))
    assert.equal(await failureOf(read(gateway)), 'answer_too_large')
    // A line, an event and an answer without an end.
    const nothing = `data: {"choices":[{"delta":{"content":""}}],"obfuscation":"${'x'.repeat(1000)}"}\n\n`
    for (const flood of ['x'.repeat(1000), `data: ${'x'.repeat(1000)}\n`, nothing]) {
      provider.script((response) => {
        response.writeHead(200, STREAM)
        const more = (): void => {
          for (let isFree = !response.destroyed; isFree; ) isFree = response.write(flood)
        }
        response.on('drain', more)
        more()
      })
      assert.equal(await failureOf(read(gateway)), 'answer_too_large', flood.slice(0, 60))
    }
  })

  test('redirects are not followed, and private addresses not called', async () => {
    const before = provider.calls.length
    provider.script(refuses(302, { Location: 'http://127.0.0.1:9/latest/meta-data' }))
    assert.equal(await failureOf(read(gateway)), 'redirect_refused')
    assert.equal(provider.calls.length, before + 1)
    for (const baseUrl of [provider.baseUrl, 'http://169.254.169.254/v1', 'http://[::ffff:127.0.0.1]/v1'])
      assert.equal(await failureOf(read(open({ allowPrivateTargets: false, baseUrl }))), 'target_refused')
    assert.equal(provider.calls.length, before + 1)
  })

  test('a caller who leaves ends the stream of the provider', async () => {
    const before = provider.left()
    provider.script((response) => drippingInto(response))
    const leaving = new AbortController()
    const parts = gateway.stream({ messages: [{ role: 'user', content: 'q' }], maxTokens: 10, signal: leaving.signal })
    await parts.next()
    leaving.abort()
    assert.equal(await failureOf(drain(parts)), 'aborted')
    while (provider.left() === before) await new Promise((resolve) => setImmediate(resolve))
    // So does one who reads no more.
    const others = gateway.stream({ messages: [{ role: 'user', content: 'q' }], maxTokens: 10, signal: new AbortController().signal })
    await others.next()
    await others.return()
    while (provider.left() === before + 1) await new Promise((resolve) => setImmediate(resolve))
  })

  test('vectors are checked: one for each text, in the order of the texts, of one length', async () => {
    const vectors = await gateway.embed(['a', 'bb', 'eee'], new AbortController().signal)
    assert.deepEqual(
      vectors.map(([length]) => length),
      [0.001, 0.002, 0.003],
    )
  })
})

async function drain(parts: AsyncGenerator<CompletionPart>): Promise<void> {
  for (let next = await parts.next(); next.done !== true; ) next = await parts.next()
}

/** Sends a word, or another event, again and again, until the caller is gone. */
function drippingInto(response: ServerResponse, event = 'data: {"choices":[{"delta":{"content":"word "}}]}\n\n'): void {
  response.writeHead(200, STREAM)
  const timer = setInterval(() => response.write(event), 20)
  response.on('close', () => clearInterval(timer))
}
