/**
 * Backups: one gzip file of JSON lines, the same for every store, so that it also carries data from one store to the other.
 *
 *   {"format":"detection-content-backup","version":1,"created_at":"…","store":"embedded"}
 *   ["users",{"_id":"…","created_at":{"$date":1763746964963},…}]                              one line a document
 *   {"end":true,"documents":2,"collections":{"users":2},"sha256":"…"}                         of all lines before
 *
 *  1. a file is read to its end, and found whole, before anything of it is written
 *  2. it is only restored into a store that is empty, or has a part of a backup whose restoring was interrupted; nothing else is done with such a part
 *  3. neither way holds more than some documents in memory
 *  4. an older file stays until the new one is complete, and on disk
 *  5. of two restores of one store at once the later one takes its place, or is refused; none is told that it went well but one whose documents are all there
 */
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { backup as english } from '../i18n/messages/en-US/backup.js'
import { backup as portuguese } from '../i18n/messages/pt-BR/backup.js'
import { type ErrorParams, type ErrorTexts, LocalizedError } from '../i18n/localized-error.js'
import { type Collection, platformCollection, type Storage, type StoredDocument, type StoredRecord } from './contract.js'
import { DuplicateKeyError } from './errors.js'
import { decode, encode } from './json-values.js'
import { measureDocument } from './measure.js'

const FORMAT = 'detection-content-backup'
const FORMAT_VERSION = 1
/** A document of 15 MiB can't be longer in JSON, even if each of its characters has to be escaped as \u0000. */
const LINE_BYTES = 100 * 1024 * 1024
const READ_BYTES = 64 * 1024
const LINE_FEED = 0x0a
/** Documents after which a restore looks whether another one has begun. */
const LOOK_EVERY = 1000

interface RestoreDocument extends StoredDocument {
  readonly begun_at: Date
  /** The one restore that may fill the store. */
  readonly by: string
}

/** Has a document while a store is filled, and after that only where the filling was interrupted. To be prepared with all others. */
export const RESTORES = platformCollection<RestoreDocument>('restores', [])

const UNFINISHED = 'unfinished'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies ErrorTexts<typeof english>

type BackupFault = keyof typeof english

/** The file can't be restored, or not here. Nothing was written, unless the message says so. */
export class BackupError<Fault extends BackupFault = BackupFault> extends LocalizedError<typeof english, Fault> {
  override readonly name = 'BackupError'

  constructor(fault: Fault, params: ErrorParams<typeof english, Fault, string | number | Error>, options?: ErrorOptions) {
    super(TEXTS, fault, params, options)
  }
}

export interface BackupSummary {
  readonly createdAt: Date
  readonly documents: number
  /** Documents by collection. */
  readonly collections: Readonly<Record<string, number>>
}

/** Holds for every store but one that has a part of a backup only. @throws BackupError */
export async function requireWhole(storage: Storage): Promise<void> {
  if (await isUnfinished(storage)) throw new BackupError('store_partial', {})
}

async function isUnfinished(storage: Storage): Promise<boolean> {
  return (await storage.open(RESTORES).findOne({ _id: UNFINISHED })) !== null
}

/** Writes all documents of a store's prepared collections to a file, which only its owner may read. @throws BackupError */
export async function backUp(storage: Storage, path: string, now = new Date()): Promise<BackupSummary> {
  await requireWhole(storage)
  const unfinished = `${path}.${randomBytes(4).toString('hex')}.unfinished`
  const tally = new Tally()
  try {
    await pipeline(Readable.from(linesOf(storage, now, tally)), createGzip(), createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(unfinished, path)
  } catch (fault) {
    await rm(unfinished, { force: true })
    throw fault
  }
  await syncDirectory(dirname(path))
  return { createdAt: now, ...tally.counts() }
}

/** @throws BackupError */
export async function restore(storage: Storage, path: string): Promise<BackupSummary> {
  const file = await open(path, 'r')
  try {
    const summary = await checkFile(file, storage)
    const turn = await RestoreTurn.begin(storage)
    try {
      const loaded = await storage.load(turn.watch(recordsOf(file)))
      if (loaded !== summary.documents) throw new BackupError('file_changing', { restored: loaded, documents: summary.documents })
      await turn.end()
    } catch (cause) {
      // A part of a backup is worse than none: a service would start on it.
      const left = await turn.undo().then(
        () => 'undone' as const,
        (fault) => (fault instanceof BackupError ? 'left_to_other' : 'left_partial'),
      )
      throw new BackupError(left, { cause: cause as Error }, { cause })
    }
    return summary
  } finally {
    await file.close()
  }
}

/** The mark of one restore in the store. Whoever finds another's mark takes that one for interrupted, and makes the mark its own; the other one, if it was not, sees it. */
class RestoreTurn {
  readonly #storage: Storage
  readonly #marks: Collection<RestoreDocument>
  readonly #mark = { _id: UNFINISHED, by: randomBytes(16).toString('hex') }

  private constructor(storage: Storage) {
    this.#storage = storage
    this.#marks = storage.open(RESTORES)
  }

  /** The store is empty then, but for the mark. @throws BackupError */
  static async begin(storage: Storage): Promise<RestoreTurn> {
    const turn = new RestoreTurn(storage)
    const begun = { by: turn.#mark.by, begun_at: new Date() }
    if ((await turn.#marks.update({ _id: UNFINISHED }, { set: begun })) !== null) {
      await turn.#empty()
      await requireEmpty(storage)
      return turn
    }
    await requireEmpty(storage)
    try {
      await turn.#marks.insert({ _id: UNFINISHED, ...begun })
    } catch (cause) {
      throw cause instanceof DuplicateKeyError ? new BackupError('other_begun', {}, { cause }) : cause
    }
    return turn
  }

  /** The same records, as long as no other restore takes the store. */
  async *watch(records: AsyncIterable<StoredRecord>): AsyncGenerator<StoredRecord> {
    let count = 0
    for await (const record of records) {
      if (count++ % LOOK_EVERY === 0) await this.#require()
      yield record
    }
  }

  /** All documents are there. @throws BackupError */
  async end(): Promise<void> {
    if (!(await this.#marks.delete(this.#mark))) throw anotherBegan()
  }

  /** @throws BackupError when it is another's turn */
  async undo(): Promise<void> {
    await this.#require()
    await this.#empty()
    await this.end()
  }

  async #require(): Promise<void> {
    if ((await this.#marks.findOne(this.#mark)) === null) throw anotherBegan()
  }

  /** The mark stays: until the last document is gone it is told that there may be some. */
  async #empty(): Promise<void> {
    const collections = new Set<string>()
    for await (const { collection } of this.#storage.dump()) collections.add(collection)
    collections.delete(RESTORES.name)
    for (const name of collections) await openAny(this.#storage, name).deleteMany({})
    await this.#marks.deleteMany({ _id: { not: UNFINISHED } })
  }
}

const anotherBegan = (): BackupError => new BackupError('other_begun_meanwhile', {})

/** But for the mark. */
async function requireEmpty(storage: Storage): Promise<void> {
  for await (const { collection } of storage.dump()) {
    if (collection !== RESTORES.name) throw new BackupError('store_filled', { collection })
  }
}

async function* linesOf(storage: Storage, now: Date, tally: Tally): AsyncGenerator<Buffer> {
  yield tally.add(lineOf({ format: FORMAT, version: FORMAT_VERSION, created_at: now.toISOString(), store: storage.kind }))
  for await (const { collection, document } of storage.dump()) {
    tally.count(collection)
    yield tally.add(lineOf([collection, encode(document)]))
  }
  yield lineOf(tally.trailer())
}

const lineOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

/** Reads all of it, and holds each document against what a store takes: whoever made the file may have made its checksum, too. @throws BackupError */
async function checkFile(file: FileHandle, storage: Storage): Promise<BackupSummary> {
  const tally = new Tally()
  let header: Header | null = null
  let trailer: string | null = null
  for await (const line of readLines(file)) {
    if (trailer !== null) throw new BackupError('goes_on', {})
    if (header === null) header = readHeader(line)
    else {
      const value = parse(line)
      if (!Array.isArray(value)) {
        trailer = JSON.stringify(value)
        continue
      }
      const { collection, document } = readRecord(value)
      if (tally.count(collection) === 1) checkCollection(storage, collection)
      checkDocument(collection, document)
    }
    tally.add(line)
  }
  if (header === null) throw new BackupError('empty', {})
  if (trailer === null) throw new BackupError('cut_off', {})
  if (trailer !== JSON.stringify(tally.trailer())) throw new BackupError('changed', {})
  return { createdAt: new Date(header.created_at), ...tally.counts() }
}

interface Header {
  readonly created_at: string
}

function readHeader(line: Buffer): Header {
  const header = parse(line) as { format?: unknown; version?: unknown; created_at?: unknown } | null
  if (header?.format !== FORMAT || typeof header.created_at !== 'string') throw new BackupError('no_backup', {})
  if (header.version !== FORMAT_VERSION) throw new BackupError('other_format', { format: String(header.version), known: FORMAT_VERSION })
  return { created_at: header.created_at }
}

function readRecord(value: readonly unknown[]): StoredRecord {
  const [collection, encoded] = value
  const document = decodeDocument(encoded)
  if (typeof collection !== 'string' || typeof document?._id !== 'string') throw new BackupError('no_document', {})
  return { collection, document }
}

/** @throws BackupError for a document that is nested too deep */
function decodeDocument(encoded: unknown): StoredDocument | null {
  try {
    return decode(encoded) as StoredDocument | null
  } catch (cause) {
    if (cause instanceof RangeError) throw new BackupError('too_deep', {}, { cause })
    throw cause
  }
}

async function* recordsOf(file: FileHandle): AsyncGenerator<StoredRecord> {
  for await (const line of readLines(file)) {
    const value = parse(line)
    if (Array.isArray(value)) yield readRecord(value)
  }
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    throw new BackupError('no_json', {})
  }
}

/** Lines with their line feeds. Not `readline`, which also ends lines at U+2028. @throws BackupError for a file that gzip can't read */
async function* readLines(file: FileHandle): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const reading = pipeline(Readable.from(bytesOf(file)), gunzip)
  // Told by the loop as well.
  reading.catch(() => undefined)
  let parts: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, at + 1)])
        parts = []
        length = 0
        from = at + 1
      }
      parts.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > LINE_BYTES) throw new BackupError('line_too_long', {})
    }
  } catch (fault) {
    const { code } = fault as { code?: string }
    if (code === 'Z_BUF_ERROR') throw new BackupError('cut_off', {}, { cause: fault })
    if (code?.startsWith('Z_') === true) throw new BackupError('not_unpacked', {}, { cause: fault })
    throw fault
  }
  if (length > 0) throw new BackupError('cut_off', {})
}

/** From the beginning, as often as it is asked. */
async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** What went by. */
class Tally {
  readonly #hash = createHash('sha256')
  readonly #collections = new Map<string, number>()
  #documents = 0

  add(line: Buffer): Buffer {
    this.#hash.update(line)
    return line
  }

  /** @returns how many of the collection there were */
  count(collection: string): number {
    this.#documents++
    const count = (this.#collections.get(collection) ?? 0) + 1
    this.#collections.set(collection, count)
    return count
  }

  counts(): { documents: number; collections: Record<string, number> } {
    return { documents: this.#documents, collections: Object.fromEntries(this.#collections) }
  }

  trailer(): object {
    return { end: true, ...this.counts(), sha256: this.#hash.copy().digest('hex') }
  }
}

/** A store opens what was prepared, and nothing else. */
function checkCollection(storage: Storage, name: string): void {
  try {
    openAny(storage, name)
  } catch (cause) {
    throw new BackupError('collection_unknown', { collection: name }, { cause })
  }
}

/** Of whichever kind: all of it is meant here. */
const openAny = (storage: Storage, name: string): Collection<StoredDocument> => storage.open(platformCollection(name, []))

function checkDocument(collection: string, document: StoredDocument): void {
  try {
    measureDocument(collection, document)
  } catch (cause) {
    throw new BackupError('document_refused', { cause: cause as Error }, { cause })
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
