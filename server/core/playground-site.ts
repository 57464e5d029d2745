/**
 * The built page of the playground, and how it is served: by the service (`features/playground`) and by the command line (`cli/playground`). What a request names
 * is looked up among the names that the folder had at the start, so that no path leads anywhere else.
 */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptedEncoding } from './http/content-encoding.js'
import { isKnown } from './http/request/etag.js'

/** Where the service has it. */
export const PLAYGROUND_PATH = '/playground/'
/** The page itself. */
export const PAGE_NAME = 'index.html'
/** What `npm run build` bundles. */
const ASSETS = fileURLToPath(new URL('../playground/assets/', import.meta.url))

/**
 * What the page may do wherever it is: run its own scripts and workers with the kernel of the engine, which is WebAssembly, and load and ask what is of its own
 * origin. Scripts make style sheets without `unsafe-inline`.
 */
const OWN_ORIGIN = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
/** `Content-Security-Policy` of all files: a worker has the policy of its own file. */
export const PLAYGROUND_POLICY = `${OWN_ORIGIN}; frame-ancestors 'none'`
/** The same in a page that any web server sends; `frame-ancestors` is for headers only. */
const POLICY_ELEMENT = `<meta http-equiv="Content-Security-Policy" content="${OWN_ORIGIN}">`

/** A year, which is the longest that caches heed. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** Kept, and asked for each time. */
const REVALIDATED = 'no-cache'
/** The build has a hash of the content in each name but those that people and licenses need. */
const HASHED = /-[A-Z0-9]{8}\.[a-z0-9]+$/
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const OTHER_TYPE = 'application/octet-stream'
/** Types that are compressed already. */
const COMPRESSED: ReadonlySet<string> = new Set(['.png', '.woff2'])
/** Takes 70 ms for all files, once; the highest takes two seconds for an eighth less. */
const BROTLI_QUALITY = 9
const ENCODERS = {
  br: (content: Uint8Array) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content: Uint8Array) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
} as const
type Encoding = keyof typeof ENCODERS

/** The headers of a request that choose the answer. */
export interface SiteRequest {
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

export interface SiteAnswer {
  readonly status: 200 | 304
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  /** Null with 304. */
  readonly body: Uint8Array | null
}

interface LoadedFile {
  readonly content: Uint8Array
  readonly etag: string
  readonly compressed: Map<Encoding, Promise<Uint8Array>>
}

/** The service that sends the page: where its interface is, and on what it compiles content. */
export interface PlaygroundService {
  /** Relative to the page, because a proxy may put both below a folder. */
  readonly address: string
  /** Whether the base of content is the ruleset that the page has. */
  readonly hasReference: boolean
  /** Whether the instance has content of its own below that of projects. */
  readonly hasCustom: boolean
}

/** The files of the page. Each is read and compressed when it is first asked for: most services are never asked. */
export class PlaygroundSite {
  readonly #folder: string
  readonly #service: PlaygroundService | null
  readonly #files: ReadonlyMap<string, { loaded: Promise<LoadedFile> | null }>

  /** @param folder for tests; default: what the build has made @param service whose content the page can open */
  constructor(folder = ASSETS, service: PlaygroundService | null = null) {
    this.#folder = folder
    this.#service = service
    this.#files = new Map(namesIn(folder).map((name) => [name, { loaded: null }]))
  }

  /** False: the sources were compiled, and the page was not built. */
  get hasPage(): boolean {
    return this.#files.has(PAGE_NAME)
  }

  get names(): readonly string[] {
    return [...this.#files.keys()]
  }

  has(name: string): boolean {
    return this.#files.has(name)
  }

  /** @param name one of `names` @throws TypeError for another */
  async answer(name: string, { acceptEncoding, ifNoneMatch }: SiteRequest): Promise<SiteAnswer> {
    const { content, etag, compressed } = await this.#load(name)
    const type = typeOf(name)
    const headers: Record<string, string> = {
      'Content-Security-Policy': PLAYGROUND_POLICY,
      'Cache-Control': HASHED.test(name) ? IMMUTABLE : REVALIDATED,
      // Weak: the tag is the same for each encoding.
      ETag: `W/"${etag}"`,
      Vary: 'Accept-Encoding',
    }
    if (isKnown(ifNoneMatch, etag)) return { status: 304, type, headers, body: null }
    const encoding = COMPRESSED.has(extname(name)) ? null : encodingOf(acceptEncoding)
    if (encoding === null) return { status: 200, type, headers, body: content }
    let body = compressed.get(encoding)
    if (body === undefined) compressed.set(encoding, (body = ENCODERS[encoding](content)))
    headers['Content-Encoding'] = encoding
    return { status: 200, type, headers, body: await body }
  }

  /** Returns a file for any web server. The page has its policy in itself, because that server need not send it. */
  async exported(name: string): Promise<Uint8Array> {
    const { content } = await this.#load(name)
    if (name !== PAGE_NAME) return content
    return inHead(content, POLICY_ELEMENT)
  }

  #load(name: string): Promise<LoadedFile> {
    const file = this.#files.get(name)
    if (file === undefined) throw new TypeError(`${name} is no file of the playground`)
    file.loaded ??= read(join(this.#folder, name), name === PAGE_NAME ? this.#service : null).catch((error: unknown) => {
      // It is tried again.
      file.loaded = null
      throw error
    })
    return file.loaded
  }
}

async function read(path: string, service: PlaygroundService | null): Promise<LoadedFile> {
  const written = await readFile(path)
  const content = service === null ? written : inHead(written, elementOf(service))
  return { content, etag: createHash('sha256').update(content).digest('base64url'), compressed: new Map() }
}

function elementOf({ address, hasReference, hasCustom }: PlaygroundService): string {
  return `<meta name="service" content="${address}" data-reference="${hasReference}" data-custom="${hasCustom}">`
}

/** Puts an element at the beginning of the head of the page. */
function inHead(page: Uint8Array, element: string): Buffer {
  const text = Buffer.from(page).toString()
  const at = /<head[^>]*>/i.exec(text)
  if (at === null) throw new TypeError(`${PAGE_NAME} has no head`)
  const end = at.index + at[0].length
  return Buffer.from(`${text.slice(0, end)}${element}${text.slice(end)}`)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function typeOf(name: string): string {
  return TYPES[extname(name)] ?? OTHER_TYPE
}

/** The best encoding that `Accept-Encoding` names; null: none. */
function encodingOf(accepted?: string): Encoding | null {
  return acceptedEncoding(accepted, Object.keys(ENCODERS) as Encoding[])
}
