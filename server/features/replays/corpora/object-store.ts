/**
 * Objects of S3-compatible stores, as sources of corpora. Invariants:
 *  1. only addresses below one that the operator has set (`OBJECT_STORES`) are read, so that a store may be in the service's own network
 *  2. the credentials are sent to that store alone: no redirect is followed
 *  3. the size of the decompressed bytes of an object is limited, for any compression ratio
 */
import { pipeline, Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { HttpClient, OutboundError, type OutboundStream } from '../../../core/egress/client.js'
import { EgressGuard } from '../../../core/egress/egress-guard.js'
import { createDecoder, ENCODING_NAMES, encodingBySignature } from '../../../core/http/content-encoding.js'

/** Limit for one object, from the request to its last byte. */
const FETCH_MS = 20 * 60 * 1000
/** The region that requests are signed for if none is given. A signature must name the region of the bucket. */
export const DEFAULT_REGION = 'us-east-1'
/** Bytes by which compression is recognized. */
const SIGNATURE_BYTES = 4

/** An object, and the credentials to read it. */
export interface ObjectSource {
  readonly url: string
  readonly region: string
  /** Null: the object is public, or its address is signed. */
  readonly credentials: { readonly access_key_id: string; readonly secret_access_key: string; readonly session_token: string | null } | null
}

/** Why an object cannot be a corpus. */
export const OBJECT_FAILURES = ['object_missing', 'object_denied', 'object_too_large', 'object_empty', 'object_unreadable', 'store_failed'] as const
export type ObjectFailure = (typeof OBJECT_FAILURES)[number]

export class ObjectError extends Error {
  override readonly name = 'ObjectError'
  constructor(readonly failure: ObjectFailure) {
    super(failure)
  }
}

/** Whether an address is below that of a store. @param stores base URLs */
export function isInStore(address: string, stores: readonly string[]): boolean {
  if (!URL.canParse(address)) return false
  const { origin, pathname, username, password, hash } = new URL(address)
  // Servers may take these for the end of a folder, or of the path.
  if (username !== '' || password !== '' || hash !== '' || /%(?:2f|5c|00)/i.test(pathname) || pathname.includes('//')) return false
  return stores.some((store) => {
    const base = new URL(store)
    const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`
    return origin === base.origin && pathname.startsWith(folder) && pathname.length > folder.length
  })
}

/** The address of an object as it may be shown: a query may be a signature. */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}

/** Reads objects. It asks no guard: the operator has named the stores. */
export class ObjectReader {
  readonly #http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))

  /**
   * Reads the bytes of an object, decompressed if they begin like a format that this Node reads.
   * @param limit of the bytes, compressed or not
   * @throws ObjectError, also while they are read
   */
  async *read(source: ObjectSource, limit: number, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    try {
      const { status, headers, body } = await this.#open(source, limit, signal)
      if (status !== 200) {
        await body.return()
        throw new ObjectError(status === 404 ? 'object_missing' : status === 401 || status === 403 ? 'object_denied' : 'store_failed')
      }
      if (Number(headers['content-length'] ?? 0) > limit) {
        await body.return()
        throw new ObjectError('object_too_large')
      }
      yield* decoded(body)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof OutboundError)) throw error
      throw new ObjectError(error.failure === 'answer_too_large' ? 'object_too_large' : 'store_failed')
    }
  }

  async #open({ url, region, credentials }: ObjectSource, bodyLimit: number, signal: AbortSignal): Promise<OutboundStream> {
    const request = { method: 'GET', url: new URL(url), timeoutMs: FETCH_MS, bodyLimit, signal } as const
    if (credentials === null) return this.#http.open(request)
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token } = credentials
    const signer = new AwsV4Signer({ url, region, accessKeyId, secretAccessKey, service: 's3', ...(session_token === null ? {} : { sessionToken: session_token }) })
    const { url: signed, headers } = await signer.sign()
    return this.#http.open({ ...request, url: signed, headers: Object.fromEntries(headers) })
  }

  /** Ends all that is read. */
  close(): void {
    this.#http.close()
  }
}

async function* decoded(body: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {
  let first: Buffer = Buffer.alloc(0)
  for (let next = await body.next(); next.done !== true; next = await body.next()) {
    first = first.length === 0 ? next.value : Buffer.concat([first, next.value])
    if (first.length >= SIGNATURE_BYTES) break
  }
  const encoding = encodingBySignature(first)
  const all = following(first, body)
  if (encoding === null) return yield* all
  if (!ENCODING_NAMES.includes(encoding)) {
    await all.return()
    throw new ObjectError('object_unreadable')
  }
  let cause: unknown = null
  const decoder = pipeline(Readable.from(all), createDecoder(encoding), (error) => {
    cause = error
  })
  try {
    for await (const bytes of decoder) yield bytes as Buffer
  } catch (error) {
    if (error instanceof OutboundError || cause instanceof OutboundError) throw error
    throw new ObjectError('object_unreadable')
  }
}

async function* following(first: Buffer, rest: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {
  try {
    if (first.length > 0) yield first
    yield* rest
  } finally {
    await rest.return()
  }
}
