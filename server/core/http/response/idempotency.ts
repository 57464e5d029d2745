/**
 * `Idempotency-Key`: the same key returns the same response for 24 hours, per organization, caller and route. Invariants:
 *  1. of concurrent requests with one key, one runs; the others are answered 409 until it is done
 *  2. a response is stored before it is sent: a caller that received it always receives the same one again
 *  3. a process that dies during a request holds its key only until the lease ends, which is no longer than a request may take; the next request with the key runs
 *  4. a refused request has changed nothing and frees its key; a refusal that is a result (`RouteResponse.refusal`) is a response
 *  5. a response that is too large to store is sent with `Idempotency-Status: not-kept`, and its key is freed. Streams are not stored
 */
import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gunzip } from 'node:zlib'
import { subjectOf } from '../../auth/principal.js'
import { ApiError } from '../../errors.js'
import type { Log } from '../../observability/log.js'
import { type Collection, platformCollection, type Storage } from '../../storage/contract.js'
import { DuplicateKeyError } from '../../storage/errors.js'
import type { RequestState } from '../request-state.js'
import { ChunkedBody } from '../text/chunked-body.js'
import type { Route } from '../route.js'

const STORED_MS = 24 * 60 * 60 * 1000
/** Added to the timeout of the request: time to store the response. */
const LEASE_MARGIN_MS = 10_000
/** The form of a key, also used by the interface document. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

interface IdempotencyDocument {
  readonly _id: string
  /** Hash of the request: another request with the same key is refused. */
  readonly fingerprint: string
  readonly state: 'running' | 'done'
  /** The run that holds the key. A run that lost its lease must not write. */
  readonly run: string
  readonly lease_until: Date
  readonly expires_at: Date
  /** Null while the request runs. */
  readonly answer: StoredResponse | null
}

interface StoredResponse {
  readonly status: number
  /** Pairs, because header names are not valid field names of a database. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** gzip, base64; null: none. */
  readonly body: string | null
}

/** Maximum compressed body that fits into a document of every store. */
const STORED_BYTES = 10 * 1024 * 1024

/** The argument of `Storage.prepare`. */
export const IDEMPOTENCY_KEYS = platformCollection<IdempotencyDocument>('idempotency_keys', [{ keys: { expires_at: 1 }, expireAfterSeconds: 0 }])

/** A response without the headers that belong to one request only. */
export interface StorableResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ChunkedBody | Readable | null
}

const decompress = promisify(gunzip)

/** Stores responses by key. */
export class Idempotency {
  readonly #documents: Collection<IdempotencyDocument>
  readonly #log: Log
  readonly #now: () => number

  constructor(storage: Pick<Storage, 'open'>, log: Log, now: () => number) {
    this.#documents = storage.open(IDEMPOTENCY_KEYS)
    this.#log = log
    this.#now = now
  }

  /**
   * Returns the stored response, or that of `run`.
   * @param request method, path and query as they were sent
   * @throws ApiError idempotency_key_reused, idempotency_in_progress, header_malformed
   */
  async answer(state: RequestState, route: Route, request: string, leaseMs: number, run: () => Promise<StorableResponse>): Promise<StorableResponse> {
    const key = state.header('idempotency-key')
    if (key === undefined) return run()
    if (!IDEMPOTENCY_KEY.test(key)) throw new ApiError('header_malformed', { params: { header: 'Idempotency-Key' } })
    const caller = state.caller
    const id = hash([caller?.organizationId ?? '', caller === null ? state.address : subjectOf(caller), route.id, key])
    const fingerprint = hash([request, JSON.stringify(state.body) ?? ''])
    const name = randomUUID()
    const stored = await this.#claim(id, fingerprint, name, leaseMs + LEASE_MARGIN_MS)
    if (stored !== null) return stored
    let answer: StorableResponse
    try {
      answer = await run()
    } catch (error) {
      await this.#release(id, name)
      throw error
    }
    const isStored = await this.#store(id, name, answer)
    return isStored ? answer : { ...answer, headers: { ...answer.headers, 'Idempotency-Status': 'not-kept' } }
  }

  /** Claims the key for this run. Returns null if that succeeds, else the stored response. */
  async #claim(id: string, fingerprint: string, run: string, leaseMs: number): Promise<StorableResponse | null> {
    const now = this.#now()
    const claim = { fingerprint, state: 'running' as const, run, lease_until: new Date(now + leaseMs), expires_at: new Date(now + STORED_MS), answer: null }
    try {
      await this.#documents.insert({ _id: id, ...claim })
      return null
    } catch (error) {
      if (!(error instanceof DuplicateKeyError)) throw error
    }
    // The lease of a dead process, or a response older than a day: the store deletes expired documents late.
    const abandoned = { anyOf: [{ state: 'running' as const, lease_until: { lte: new Date(now) } }, { expires_at: { lte: new Date(now) } }] }
    const stored = await this.#documents.findOne({ _id: id })
    if (stored !== null && stored.fingerprint !== fingerprint && stored.expires_at.getTime() > now) throw new ApiError('idempotency_key_reused')
    if (stored?.state === 'done' && stored.answer !== null && stored.expires_at.getTime() > now) return unpack(stored.answer)
    if ((await this.#documents.update({ _id: id, ...abandoned }, { set: claim })) !== null) return null
    throw new ApiError('idempotency_in_progress', { headers: { 'Retry-After': '1' } })
  }

  /** Stores the response. False: it is too large. */
  async #store(id: string, run: string, { status, headers, body }: StorableResponse): Promise<boolean> {
    const packed = body === null ? null : await pack(body)
    if (packed !== undefined) {
      await this.#documents.update({ _id: id, run }, { set: { state: 'done', answer: { status, headers: Object.entries(headers), body: packed } } })
      return true
    }
    this.#log.warn('a response is a stream or too large and cannot be stored under its idempotency key')
    await this.#release(id, run)
    return false
  }

  /** Frees the key; errors are ignored, because the lease ends anyway. */
  async #release(id: string, run: string): Promise<void> {
    try {
      await this.#documents.delete({ _id: id, run })
    } catch (error) {
      this.#log.warn({ err: error }, 'an idempotency key could not be freed')
    }
  }
}

/** Hashes the parts with their lengths, so that different parts never form the same input. */
function hash(parts: readonly string[]): string {
  return createHash('sha256')
    .update(parts.map((part) => `${part.length}:${part}`).join(''))
    .digest('base64url')
}

/** Compresses and encodes a body without copying the whole of it. Undefined: it is too large, or can be read only once. */
async function pack(body: NonNullable<StorableResponse['body']>): Promise<string | undefined> {
  if (body instanceof Readable) return undefined
  const source = body instanceof ChunkedBody ? body.chunks : [body]
  const packed: Buffer[] = []
  let bytes = 0
  for await (const chunk of Readable.from(source).pipe(createGzip())) {
    packed.push(chunk as Buffer)
    bytes += (chunk as Buffer).byteLength
    if (bytes > STORED_BYTES) return undefined
  }
  return Buffer.concat(packed, bytes).toString('base64')
}

async function unpack({ status, headers, body }: StoredResponse): Promise<StorableResponse> {
  return { status, headers: Object.fromEntries(headers), body: body === null ? null : await decompress(Buffer.from(body, 'base64')) }
}
