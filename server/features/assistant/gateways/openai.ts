/**
 * Providers with an API that is compatible with OpenAI's (chat completions, embeddings, models), through the library `openai`. Invariants:
 *  1. all requests go through the guarded client, with no headers but those of the protocol: the library would describe the machine in others
 *  2. the first part of an answer, retries included, is there within `FIRST_PART_MS`, each further part within `PART_MS`, all within `ANSWER_MS`; else it fails
 *  3. a request is repeated after 429 and 5xx only, and never after a part of an answer has arrived
 *  4. an answer that does not end with a mark of its end is a failure, as is one beyond the limits
 *  5. the library logs nothing, and what it throws, which may repeat what was sent and received, is replaced by `AiProviderError`
 */
import type OpenAI from 'openai'
import Type, { type Static, type TSchema } from 'typebox'
import { isValid, Present, retryTime } from '../../../core/egress/answers.js'
import { type HttpClient, OutboundError } from '../../../core/egress/client.js'
import { guardedFetch, guardedStreamingFetch } from '../../../core/egress/fetch.js'
import type { AnswerReader } from '../../../core/egress/reader.js'
import { type AiFailure, AiProviderError } from './ai-provider-error.js'
import { eventData } from './event-data.js'
import type { AiConnection, AiGateway, ChatMessage, CompletionPart, CompletionRequest, TokenUsage } from './gateway.js'

/** Within it a provider answers or has failed, retries included (CONTRACT.md#assistant). */
export const FIRST_PART_MS = 15_000
/** Longest pause between two parts: models on a busy machine write a word a second. */
export const PART_MS = 15_000
/** A thousand words at the speed of a model on a small machine. */
export const ANSWER_MS = 60_000
/** A part has some 250 bytes around a word; an answer has at most some thousand of them. */
const STREAM_BYTES = 4 * 1024 * 1024
/** Characters of an answer: eight times the tokens that are asked for. */
const TEXT_CHARACTERS = 64 * 1024
/** Vectors of 4,096 numbers for a hundred texts, as JSON. */
const EMBEDDING_BYTES = 16 * 1024 * 1024
const MODELS_BYTES = 1024 * 1024
/** A list of models comes at once, or the provider is not usable. */
const PING_MS = 5_000
/** Longest vectors of known models have 4,096 numbers. */
const DIMENSIONS = 16_384
const ATTEMPTS = 3
/** Pause before the first repetition, doubled for each further one, unless the provider names one. */
const PAUSE_MS = 500
/** Headers that are sent; the library adds others about the machine. */
const HEADERS: ReadonlySet<string> = new Set(['authorization', 'content-type', 'accept'])
/** The data of the last event. */
const DONE = '[DONE]'

const Chunk = Type.Object({
  choices: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Array(
        Type.Object({
          delta: Type.Optional(Type.Union([Type.Null(), Type.Object({ content: Type.Optional(Type.Union([Type.Null(), Type.String()])) })])),
          message: Type.Optional(Type.Union([Type.Null(), Type.Object({ content: Type.Optional(Type.Union([Type.Null(), Type.String()])) })])),
          finish_reason: Type.Optional(Type.Union([Type.Null(), Type.String()])),
        }),
      ),
    ]),
  ),
  /** Figures, or a thing that cannot be. */
  usage: Type.Optional(
    Type.Union([
      Type.Object({
        prompt_tokens: Type.Optional(Type.Unknown()),
        completion_tokens: Type.Optional(Type.Unknown()),
        prompt_tokens_details: Type.Optional(Type.Union([Type.Object({ cached_tokens: Type.Optional(Type.Unknown()) }), Type.Null()])),
      }),
      Type.String(),
      Type.Number(),
      Type.Boolean(),
      Type.Null(),
    ]),
  ),
  /** In place of the others: why the provider fails within its answer. */
  error: Type.Optional(Present),
})
const Usage = Type.Object({
  prompt_tokens: Type.Integer({ minimum: 0 }),
  completion_tokens: Type.Integer({ minimum: 0 }),
  prompt_tokens_details: Type.Optional(Type.Union([Type.Null(), Type.Object({ cached_tokens: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 0 })])) })])),
})
const Vectors = Type.Object({
  data: Type.Array(Type.Object({ index: Type.Optional(Type.Integer({ minimum: 0 })), embedding: Type.Array(Type.Number(), { minItems: 1, maxItems: DIMENSIONS }) })),
})
const Models = Type.Object({ data: Type.Array(Present) })
/** Values of an answer with vectors: those of a hundred texts with the longest vectors. */
const VECTOR_VALUES = 2_000_000

/** Times of an answer, in milliseconds. */
export interface AnswerTimes {
  readonly firstPartMs: number
  readonly partMs: number
  readonly answerMs: number
}

export interface OpenAiParts {
  readonly http: Pick<HttpClient, 'send' | 'open'>
  /** The reader of the instance, because the provider is the instance's. */
  readonly reader: Pick<AnswerReader, 'json'>
  readonly clock?: () => number
  /** For tests. */
  readonly limits?: AnswerTimes
}

export class OpenAiGateway implements AiGateway {
  readonly #connection: AiConnection
  readonly #parts: OpenAiParts
  readonly #clock: () => number
  readonly #times: AnswerTimes

  constructor(connection: AiConnection, parts: OpenAiParts) {
    this.#connection = connection
    this.#parts = parts
    this.#clock = parts.clock ?? Date.now
    this.#times = parts.limits ?? { firstPartMs: FIRST_PART_MS, partMs: PART_MS, answerMs: ANSWER_MS }
  }

  async *stream({ messages, maxTokens, signal, since = performance.now() }: CompletionRequest): AsyncGenerator<CompletionPart, void, undefined> {
    const pace = new Pace(signal)
    try {
      const { firstPartMs, answerMs } = this.#times
      pace.expect(firstPartMs - (performance.now() - since))
      const fetching = guardedStreamingFetch(this.#parts.http, { timeoutMs: answerMs, bodyLimit: STREAM_BYTES })
      const client = await this.#open(fetching)
      const body = {
        model: this.#connection.model,
        messages: messages as ChatMessage[],
        max_completion_tokens: maxTokens,
        stream: true,
        stream_options: { include_usage: true },
      } as const
      const response = await this.#repeated(pace, () => client.chat.completions.create(body, { signal: pace.signal }).asResponse())
      const type = response.headers.get('content-type') ?? ''
      const seen = { isDone: false }
      const chunks = /^application\/json\b/i.test(type)
        ? this.#wholeAnswer(response, pace)
        : /^text\/event-stream\b/i.test(type)
          ? this.#streamedAnswer(response, seen, pace)
          : refuse(response)
      yield* this.#read(chunks, seen, pace)
    } catch (error) {
      throw pace.failureOf(error)
    } finally {
      pace.end()
    }
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]> {
    const model = this.#connection.embeddingModel
    if (model === null) throw new TypeError('the provider has no embedding model')
    const pace = new Pace(signal)
    try {
      pace.expect(FIRST_PART_MS)
      let body: Uint8Array = new Uint8Array()
      const keep = (kept: Uint8Array): void => {
        body = kept
      }
      const client = await this.#open(guardedFetch(this.#parts.http, { timeoutMs: FIRST_PART_MS, bodyLimit: EMBEDDING_BYTES }, keep))
      const create = () => client.embeddings.create({ model, input: [...texts], encoding_format: 'float' }, { signal: pace.signal }).asResponse()
      await this.#repeated(pace, create)
      return vectorsOf(await this.#parsed(Vectors, body, pace, VECTOR_VALUES), texts.length)
    } catch (error) {
      throw pace.failureOf(error)
    } finally {
      pace.end()
    }
  }

  async ping(signal: AbortSignal): Promise<void> {
    const pace = new Pace(signal)
    try {
      pace.expect(PING_MS)
      const client = await this.#open(guardedFetch(this.#parts.http, { timeoutMs: PING_MS, bodyLimit: MODELS_BYTES }))
      const response = await client.models.list({ signal: pace.signal }).asResponse()
      await this.#parsed(Models, await response.arrayBuffer(), pace)
    } catch (error) {
      throw pace.failureOf(error)
    } finally {
      pace.end()
    }
  }

  /** Checks each chunk and yields its text, then the end. */
  async *#read(chunks: AsyncIterable<Static<typeof Chunk>>, seen: { readonly isDone: boolean }, pace: Pace): AsyncGenerator<CompletionPart, void, undefined> {
    let characters = 0
    let finish: string | null = null
    let usage: TokenUsage | null = null
    for await (const chunk of chunks) {
      pace.expect(this.#times.partMs)
      const [choice] = chunk.choices ?? []
      const text = choice?.delta?.content ?? choice?.message?.content ?? ''
      finish ??= choice?.finish_reason ?? null
      usage = usageOf(chunk.usage) ?? usage
      if (text === '') continue
      characters += text.length
      if (characters > TEXT_CHARACTERS) throw new AiProviderError('answer_too_large')
      // A reader may take its time.
      pace.pause()
      yield { kind: 'text', text }
      pace.expect(this.#times.partMs)
    }
    if (finish === null && !seen.isDone) throw new AiProviderError('answer_truncated')
    if (characters === 0) throw new AiProviderError('answer_empty')
    yield { kind: 'end', usage, isCut: finish === 'length' }
  }

  /** A server that does not stream answers with one object. */
  async *#wholeAnswer(response: Response, pace: Pace): AsyncGenerator<Static<typeof Chunk>> {
    yield await this.#parsed(Chunk, await response.arrayBuffer(), pace)
  }

  /** Yields the chunks of a stream, and notes the mark of its end. What comes after it is not read. */
  async *#streamedAnswer({ body }: Response, seen: { isDone: boolean }, pace: Pace): AsyncGenerator<Static<typeof Chunk>> {
    for await (const data of eventData(body ?? ReadableStream.from([]))) {
      if (data.startsWith(DONE)) {
        seen.isDone = true
        return
      }
      const chunk = await this.#parsed(Chunk, Buffer.from(data), pace)
      if (chunk.error !== undefined && chunk.error !== null) throw new AiProviderError('answer_malformed')
      yield chunk
    }
  }

  /** @throws AiProviderError */
  async #parsed<T extends TSchema>(schema: T, body: ArrayBuffer | Uint8Array, pace: Pace, valuesLimit?: number): Promise<Static<T>> {
    const read = await this.#parts.reader.json(schema, new Uint8Array(body), { signal: pace.signal, isLast: true, ...(valuesLimit === undefined ? {} : { valuesLimit }) })
    if (read.kind === 'over') throw new AiProviderError('answer_too_large')
    if (read.kind === 'malformed') throw new AiProviderError('answer_malformed')
    return read.value
  }

  /** Sends a request, again after 429 and 5xx, as long as the pause fits into the time for the first part. */
  async #repeated<T>(pace: Pace, send: () => PromiseLike<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send()
      } catch (error) {
        const { status, headers } = error as { status?: unknown; headers?: unknown }
        const mayRepeat = typeof status === 'number' && (status === 429 || status >= 500)
        const now = this.#clock()
        const named = headers instanceof Headers ? retryTime(headers.get('retry-after'), null, now) : undefined
        const pause = Math.max(named === undefined ? 0 : named.getTime() - now, PAUSE_MS * 2 ** (attempt - 1))
        if (!mayRepeat || attempt === ATTEMPTS || pause >= pace.left) throw error
        await pace.wait(pause)
      }
    }
  }

  /** The library is loaded with the first request: most instances have no provider. */
  async #open(fetching: typeof fetch): Promise<OpenAI> {
    const { default: Client } = await import('openai')
    const { baseUrl, apiKey } = this.#connection
    return new Client({
      baseURL: baseUrl,
      // Nothing of the environment is used. A key is required; the header is removed below if there is none.
      apiKey: apiKey ?? 'none',
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      // The pace ends requests.
      timeout: 2 * ANSWER_MS,
      logLevel: 'off',
      fetch: (input, init) => fetching(input, { ...init, headers: headersOf(init?.headers, apiKey !== null) }),
    })
  }
}

function headersOf(given: NonNullable<Parameters<typeof fetch>[1]>['headers'], hasKey: boolean): Record<string, string> {
  const kept = [...new Headers(given)].filter(([name]) => HEADERS.has(name) && (hasKey || name !== 'authorization'))
  return { ...Object.fromEntries(kept), 'user-agent': 'detection-content' }
}

async function* refuse(response: Response): AsyncGenerator<never> {
  await response.body?.cancel()
  yield Promise.reject(new AiProviderError('answer_malformed'))
}

/** Null: the provider reported none, or a thing that cannot be. */
function usageOf(reported: unknown): TokenUsage | null {
  if (!isValid(Usage, reported)) return null
  const { prompt_tokens, completion_tokens, prompt_tokens_details }: Static<typeof Usage> = reported
  const cachedTokens = prompt_tokens_details?.cached_tokens ?? 0
  return cachedTokens > prompt_tokens ? null : { promptTokens: prompt_tokens, completionTokens: completion_tokens, cachedTokens }
}

function vectorsOf(answer: Static<typeof Vectors>, count: number): number[][] {
  if (answer.data.length !== count) throw new AiProviderError('answer_malformed')
  const vectors: number[][] = []
  for (const [place, { index = place, embedding }] of answer.data.entries()) vectors[index] = embedding
  const length = vectors[0]?.length
  for (let index = 0; index < count; index++) if (vectors[index]?.length !== length) throw new AiProviderError('answer_malformed')
  return vectors
}

/** The deadline of the next part, and the signal that ends everything: the caller's, or the deadline's. */
class Pace {
  readonly #ending = new AbortController()
  readonly #caller: AbortSignal
  readonly #abort = (): void => this.#ending.abort('aborted')
  #timer: NodeJS.Timeout | undefined
  #until = 0

  constructor(caller: AbortSignal) {
    this.#caller = caller
    caller.addEventListener('abort', this.#abort, { once: true })
    if (caller.aborted) this.#abort()
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Milliseconds until the deadline. */
  get left(): number {
    return this.#until - performance.now()
  }

  /** Sets the deadline of the next part. */
  expect(ms: number): void {
    clearTimeout(this.#timer)
    this.#until = performance.now() + ms
    this.#timer = setTimeout(() => this.#ending.abort('timeout'), ms)
  }

  pause(): void {
    clearTimeout(this.#timer)
  }

  wait(ms: number): Promise<void> {
    const { signal } = this.#ending
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        reject(new OutboundError(signal.reason as 'timeout' | 'aborted'))
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop)
        resolve()
      }, ms)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#abort)
    // Requests that still run are of no use.
    this.#ending.abort('aborted')
  }

  /** Converts what was thrown. An answer that was begun and stopped is not the fault of its text. */
  failureOf(error: unknown): AiProviderError {
    if (error instanceof AiProviderError) return error
    const { signal } = this.#ending
    if (signal.aborted) return new AiProviderError(signal.reason as 'timeout' | 'aborted')
    const outbound = outboundOf(error)
    if (outbound !== null) return new AiProviderError(outbound.failure)
    const { status } = error as { status?: unknown }
    if (typeof status === 'number') return new AiProviderError(failureOfStatus(status), status)
    // JSON or an event that cannot be parsed, or an error inside of the stream.
    return new AiProviderError('answer_malformed')
  }
}

/** The library wraps what its `fetch` throws. */
function outboundOf(error: unknown): OutboundError | null {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) if (each instanceof OutboundError) return each
  return null
}

function failureOfStatus(status: number): AiFailure {
  if (status >= 300 && status < 400) return 'redirect_refused'
  if (status === 401 || status === 403) return 'credentials_refused'
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'server_failed' : 'refused'
}
