/**
 * Serves the page of the playground to browsers on this machine, and a folder of content to that page. Invariants:
 *  1. it listens on 127.0.0.1 only, and answers only requests that name this address as their host: the name of another site may lead here (DNS rebinding)
 *  2. the folder is only for requests with the secret, which no other site knows, and for none that another site has sent
 *  3. bodies, waiting requests and connections have limits
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, resolve } from 'node:path'
import { isKnown } from '../../core/http/request/etag.js'
import { PAGE_NAME, type PlaygroundSite } from '../../core/playground-site.js'
import type { BaseFile, Folder, FolderBase, FolderFragment, FolderTokenHeader } from '../../playground/folder-api.js'
import { type ChosenBase, readBase } from '../ruleset-source.js'
import { UsageError } from '../usage-error.js'
import { ContentFolder, FOLDER_BYTES, FOLDER_ENTRIES, FOLDER_FILES } from './folder.js'
import { FolderError } from './refusal.js'

const HOST = '127.0.0.1'
const TOKEN_HEADER: FolderTokenHeader = 'x-playground-token'
const TOKEN_BYTES = 32
/** Tabs that wait for changes. */
export const WAITING_LIMIT = 16
/** A browser opens six to a host. */
const CONNECTIONS_LIMIT = 128
/** For a request with its body, which comes from this machine. */
const REQUEST_MS = 60_000
/** Headers of every answer. Other sites can neither frame an answer nor load it as their own. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
/** What a person sees who opens an answer that is no page. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'"
const FOLDER = /^\/folder(?:\/|$)/
const FILE = /^\/folder\/files\/(.+)$/

/** A folder that the page edits, and the ruleset below it. */
export interface OpenedFolder {
  readonly content: ContentFolder
  readonly base: FolderBase
  readonly baseFiles: readonly BaseFile[]
}

/** @throws UsageError when the folder has too much in it, or the base is no ruleset */
export async function openFolder(path: string, chosen: ChosenBase): Promise<OpenedFolder> {
  const { kind, folder } = chosen
  // The page has the reference itself.
  const baseFiles = kind === 'folder' ? readBase(chosen).map(({ file: { kind, filename, content } }) => ({ kind, filename, content })) : []
  const base: FolderBase = kind === 'folder' ? { kind, name: basename(resolve(folder ?? '')), files: baseFiles.length } : { kind }
  try {
    return { content: await ContentFolder.open(path), base, baseFiles }
  } catch (error) {
    if (!(error instanceof FolderError)) throw error
    throw new UsageError('folder_too_large', { folder: path, files: FOLDER_FILES, bytes: FOLDER_BYTES, entries: FOLDER_ENTRIES })
  }
}

export interface PlaygroundOptions {
  readonly site: PlaygroundSite
  /** Null: the page alone. */
  readonly folder: OpenedFolder | null
  /** 0: any free one. */
  readonly port: number
}

export interface RunningPlayground {
  /** Address of the page, with the secret if there is a folder. */
  readonly address: string
  close(): Promise<void>
}

/** @throws UsageError when the port is in use */
export async function startPlayground({ site, folder, port }: PlaygroundOptions): Promise<RunningPlayground> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const stop = new AbortController()
  const server = createServer({ requestTimeout: REQUEST_MS })
  server.maxConnections = CONNECTIONS_LIMIT
  const listening = await listen(server, port)
  const hosts = new Set([`${HOST}:${listening}`, `localhost:${listening}`])
  const api = folder === null ? null : folderApi(folder, token, stop.signal)
  server.on('request', (req, res) => {
    answer(req, res, { site, hosts, api }).catch((error: unknown) => refuse(req, res, error))
  })
  const fragment: FolderFragment | '' = folder === null ? '' : `#folder=${token}`
  return {
    address: `http://${HOST}:${listening}/${fragment}`,
    async close() {
      stop.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? new UsageError('port_taken', { port }) : error))
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port))
  })
}

type Answering = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void>

interface Served {
  readonly site: PlaygroundSite
  readonly hosts: ReadonlySet<string>
  readonly api: Answering | null
}

async function answer(req: IncomingMessage, res: ServerResponse, { site, hosts, api }: Served): Promise<void> {
  const { host = '' } = req.headers
  if (!hosts.has(host.toLowerCase())) throw new FolderError('host_refused')
  const [path] = (req.url ?? '').split('?', 1)
  if (api !== null && FOLDER.test(path)) {
    const { origin, 'sec-fetch-site': from } = req.headers
    if ((origin !== undefined && origin !== `http://${host}`) || (from !== undefined && from !== 'same-origin')) throw new FolderError('origin_refused')
    return api(req, res, path)
  }
  const name = path === '/' ? PAGE_NAME : path.slice(1)
  if (!site.has(name)) throw new FolderError('not_found')
  allow(req, res, ['GET', 'HEAD'])
  const { 'accept-encoding': encodings, 'if-none-match': ifNoneMatch } = req.headers
  const { status, type, headers, body } = await site.answer(name, { acceptEncoding: String(encodings ?? ''), ifNoneMatch })
  write(req, res, status, body === null ? headers : { ...headers, 'Content-Type': type }, body)
}

/** The requests of `folder-api.ts`. */
function folderApi({ content, base, baseFiles }: OpenedFolder, token: string, stopped: AbortSignal): Answering {
  const expected = digest(token)
  let waiting = 0

  const changes: Answering = async (req, res) => {
    if (waiting >= WAITING_LIMIT) throw new FolderError('too_many_waiting', { limit: WAITING_LIMIT })
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    waiting++
    try {
      const index = await content.changedSince(tagOf(req, 'if-none-match'), AbortSignal.any([gone.signal, stopped]))
      if (index === null) write(req, res, 304, {}, null)
      else writeJson(req, res, 200, index, index.etag)
    } finally {
      waiting--
    }
  }

  const file = async (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    allow(req, res, ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'])
    if (req.method === 'DELETE') {
      await content.remove(path, tagOf(req, 'if-match'))
      return write(req, res, 204, {}, null)
    }
    if (req.method === 'GET' || req.method === 'HEAD') {
      const found = await content.read(path)
      return writeJson(req, res, 200, found, found.etag)
    }
    const isNew = req.method === 'POST'
    const etag = isNew ? '' : tagOf(req, 'if-match')
    const body = await readBody(req)
    const written = isNew ? await content.create(path, body) : await content.save(path, body, etag)
    writeJson(req, res, isNew ? 201 : 200, written, written.etag)
  }

  return async (req, res, path) => {
    // Digests have the same length, so the comparison does not depend on the token.
    if (!timingSafeEqual(digest(String(req.headers[TOKEN_HEADER] ?? '')), expected)) throw new FolderError('token_refused')
    const [, written] = FILE.exec(path) ?? []
    if (written !== undefined) return file(req, res, pathOf(written))
    if (path === '/folder/changes') {
      allow(req, res, ['GET'])
      return changes(req, res, path)
    }
    if (path !== '/folder' && path !== '/folder/base') throw new FolderError('not_found')
    allow(req, res, ['GET', 'HEAD'])
    if (path === '/folder/base') return writeJson(req, res, 200, baseFiles, null)
    const { files, index } = await content.look()
    const folder: Folder = { ...index, name: content.name, base, files: [...files.values()], limits: { files: FOLDER_FILES, bytes: FOLDER_BYTES } }
    writeJson(req, res, 200, folder, index.etag)
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Decodes the steps of a path; a slash inside of one separates none. @throws FolderError not_found */
function pathOf(written: string): string {
  const steps = written.split('/').map((step) => {
    try {
      return decodeURIComponent(step)
    } catch {
      throw new FolderError('not_found')
    }
  })
  if (steps.some((step) => step.includes('/'))) throw new FolderError('not_found')
  return steps.join('/')
}

/** The only tag of a header. @throws FolderError condition_missing */
function tagOf({ headers }: IncomingMessage, header: 'if-match' | 'if-none-match'): string {
  const [, tag] = /^\s*(?:W\/)?"([\w-]+)"\s*$/.exec(headers[header] ?? '') ?? []
  if (tag === undefined) throw new FolderError('condition_missing')
  return tag
}

function allow({ method = '' }: IncomingMessage, res: ServerResponse, methods: readonly string[]): void {
  if (methods.includes(method)) return
  res.setHeader('Allow', methods.join(', '))
  throw new FolderError('method_refused')
}

/** @throws FolderError folder_too_large */
async function readBody(req: IncomingMessage): Promise<Buffer> {
  const tooLarge = (): FolderError => new FolderError('folder_too_large', { limit: FOLDER_BYTES })
  if (Number(req.headers['content-length'] ?? 0) > FOLDER_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let length = 0
  // Leaving the loop would destroy the connection, and the refusal with it.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > FOLDER_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const refusal =
    error instanceof FolderError
      ? error
      : new FolderError('failed', typeof (error as NodeJS.ErrnoException).code === 'string' ? { system: (error as NodeJS.ErrnoException).code as string } : {})
  if (res.headersSent || res.destroyed) return void res.destroy()
  writeJson(req, res, refusal.status, refusal.body, null)
  // Closing the connection over an unread body would lose the refusal. The time of a request limits how long this continues.
  req.resume()
}

function writeJson(req: IncomingMessage, res: ServerResponse, status: number, body: unknown, etag: string | null): void {
  const known = status === 200 && etag !== null && (req.method === 'GET' || req.method === 'HEAD') && isKnown(req.headers['if-none-match'], etag)
  const headers = { 'Content-Security-Policy': NOTHING, 'Cache-Control': 'no-store', ...(etag === null ? {} : { ETag: `"${etag}"` }) }
  if (known) return write(req, res, 304, headers, null)
  write(req, res, status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' }, Buffer.from(JSON.stringify(body)))
}

function write(req: IncomingMessage, res: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: Uint8Array | null): void {
  res.writeHead(status, { ...HEADERS, ...headers, ...(body === null ? {} : { 'Content-Length': body.byteLength }) })
  res.end(req.method === 'HEAD' ? null : body)
}
