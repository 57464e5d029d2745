/**
 * Backups: one gzip file of JSON lines. The format is the same for every store, so a backup of one store can be restored into another.
 *
 *   {"format":"detection-content-backup","version":1,"created_at":"…","store":"embedded"}
 *   ["users",{"_id":"…","created_at":{"$date":1763746964963},…}]                              one line for each document
 *   {"end":true,"documents":2,"collections":{"users":2},"sha256":"…"}                         over all previous lines
 *
 *  1. a restore reads and checks the whole file before it writes anything
 *  2. a restore needs an empty store, or a store with the partial data of an interrupted restore; every other operation refuses such partial data
 *  3. backup and restore hold only a few documents in memory
 *  4. an existing backup file is replaced only when the new one is complete and on disk
 *  5. when two restores of one store run at the same time, the later one replaces the earlier one or is refused; a restore succeeds only if all its documents
 *     are stored
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
/** Maximum length of a document of 15 MiB in JSON, with every character escaped as \u0000. */
const LINE_BYTES = 100 * 1024 * 1024
const READ_BYTES = 64 * 1024
const LINE_FEED = 0x0a
/** A restore checks after this many documents whether another one has started. */
const CHECK_EVERY = 1000

interface RestoreDocument extends StoredDocument {
  readonly begun_at: Date
  /** Random id of the restore that may write to the store. */
  readonly by: string
}

/** Has a document while a restore runs, and after a restore that was interrupted. It must be prepared with all other collections. */
export const RESTORES = platformCollection<RestoreDocument>('restores', [])

const UNFINISHED = 'unfinished'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies ErrorTexts<typeof english>

type BackupFault = keyof typeof english

/** The file cannot be restored, or not into this store. Nothing was written, unless the message says so. */
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

/** Called for each document that is written or read. @param total documents of the file; null: not known yet */
export type OnDocument = (count: number, total: number | null) => Promise<void>

interface BackupOptions {
  /** Default: now. */
  readonly now?: Date
  readonly onDocument?: OnDocument
}

/** Requires that the store is not left by an interrupted restore. @throws BackupError */
export async function requireWhole(storage: Storage): Promise<void> {
  if (await isUnfinished(storage)) throw new BackupError('store_partial', {})
}

async function isUnfinished(storage: Storage): Promise<boolean> {
  return (await storage.open(RESTORES).findOne({ _id: UNFINISHED })) !== null
}

/** Writes all documents of the prepared collections to a file with mode 0600. @throws BackupError */
export async function backUp(storage: Storage, path: string, { now = new Date(), onDocument }: BackupOptions = {}): Promise<BackupSummary> {
  await requireWhole(storage)
  const unfinished = `${path}.${randomBytes(4).toString('hex')}.unfinished`
  const tally = new Tally()
  try {
    await pipeline(Readable.from(linesOf(storage, now, tally, onDocument)), createGzip(), createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(unfinished, path)
  } catch (fault) {
    await rm(unfinished, { force: true })
    throw fault
  }
  await syncDirectory(dirname(path))
  return { createdAt: now, ...tally.counts() }
}

/** Restores a backup file into an empty store. @throws BackupError */
export async function restore(storage: Storage, path: string, { onDocument }: Pick<BackupOptions, 'onDocument'> = {}): Promise<BackupSummary> {
  const file = await open(path, 'r')
  try {
    const summary = await checkFile(file, storage, onDocument)
    const onStored = onDocument === undefined ? undefined : (count: number) => onDocument(count, summary.documents)
    const marker = await RestoreMarker.begin(storage)
    try {
      const loaded = await storage.load(marker.watch(recordsOf(file), onStored))
      if (loaded !== summary.documents) throw new BackupError('file_changing', { restored: loaded, documents: summary.documents })
      await marker.end()
    } catch (cause) {
      // A service must not start with partial data.
      const left = await marker.undo().then(
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

/** The marker document of one restore. A restore that finds the marker of another one assumes that it was interrupted, and replaces the marker. If the other one still runs, it finds the new marker and stops. */
class RestoreMarker {
  readonly #storage: Storage
  readonly #markers: Collection<RestoreDocument>
  readonly #own = { _id: UNFINISHED, by: randomBytes(16).toString('hex') }

  private constructor(storage: Storage) {
    this.#storage = storage
    this.#markers = storage.open(RESTORES)
  }

  /** Writes the marker, and removes the partial data of an interrupted restore. Afterwards the store holds only the marker. @throws BackupError */
  static async begin(storage: Storage): Promise<RestoreMarker> {
    const marker = new RestoreMarker(storage)
    const begun = { by: marker.#own.by, begun_at: new Date() }
    if ((await marker.#markers.update({ _id: UNFINISHED }, { set: begun })) !== null) {
      await marker.#empty()
      await requireEmpty(storage)
      return marker
    }
    await requireEmpty(storage)
    try {
      await marker.#markers.insert({ _id: UNFINISHED, ...begun })
    } catch (cause) {
      throw cause instanceof DuplicateKeyError ? new BackupError('other_begun', {}, { cause }) : cause
    }
    return marker
  }

  /** Yields the same records. @throws BackupError when another restore has replaced the marker */
  async *watch(records: AsyncIterable<StoredRecord>, onDocument?: (count: number) => Promise<void>): AsyncGenerator<StoredRecord> {
    let count = 0
    for await (const record of records) {
      if (count++ % CHECK_EVERY === 0) await this.#require()
      await onDocument?.(count)
      yield record
    }
  }

  /** Removes the marker after all documents were stored. @throws BackupError when another restore has replaced it */
  async end(): Promise<void> {
    if (!(await this.#markers.delete(this.#own))) throw anotherBegan()
  }

  /** Removes all documents and the marker. @throws BackupError when another restore has replaced it */
  async undo(): Promise<void> {
    await this.#require()
    await this.#empty()
    await this.end()
  }

  async #require(): Promise<void> {
    if ((await this.#markers.findOne(this.#own)) === null) throw anotherBegan()
  }

  /** Removes all documents except the marker, which stays until the last document is removed. */
  async #empty(): Promise<void> {
    const collections = new Set<string>()
    for await (const { collection } of this.#storage.dump()) collections.add(collection)
    collections.delete(RESTORES.name)
    for (const name of collections) await openAny(this.#storage, name).deleteMany({})
    await this.#markers.deleteMany({ _id: { not: UNFINISHED } })
  }
}

const anotherBegan = (): BackupError => new BackupError('other_begun_meanwhile', {})

/** @throws BackupError when the store has any document except the marker */
async function requireEmpty(storage: Storage): Promise<void> {
  for await (const { collection } of storage.dump()) {
    if (collection !== RESTORES.name) throw new BackupError('store_filled', { collection })
  }
}

async function* linesOf(storage: Storage, now: Date, tally: Tally, onDocument: OnDocument | undefined): AsyncGenerator<Buffer> {
  yield tally.add(lineOf({ format: FORMAT, version: FORMAT_VERSION, created_at: now.toISOString(), store: storage.kind }))
  for await (const { collection, document } of storage.dump()) {
    tally.count(collection)
    await onDocument?.(tally.documents, null)
    yield tally.add(lineOf([collection, encode(document)]))
  }
  yield lineOf(tally.trailer())
}

const lineOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

/** Reads the whole file and checks each document as a store would: a manipulated file can have a valid checksum. @throws BackupError */
async function checkFile(file: FileHandle, storage: Storage, onDocument: OnDocument | undefined): Promise<BackupSummary> {
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
      await onDocument?.(tally.documents, null)
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

/** @throws BackupError for a document that is nested too deeply */
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

/** Yields lines with their line feeds. `readline` is not used because it also ends lines at U+2028. @throws BackupError for a file that gzip cannot read */
async function* readLines(file: FileHandle): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const reading = pipeline(Readable.from(bytesOf(file)), gunzip)
  // The loop throws the same error.
  reading.catch(() => undefined)
  let chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...chunks, chunk.subarray(from, at + 1)])
        chunks = []
        length = 0
        from = at + 1
      }
      chunks.push(chunk.subarray(from))
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

/** Yields the bytes of the file from its beginning. It can be called several times. */
async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** Counts documents and hashes lines. */
class Tally {
  readonly #hash = createHash('sha256')
  readonly #collections = new Map<string, number>()
  #documents = 0

  add(line: Buffer): Buffer {
    this.#hash.update(line)
    return line
  }

  get documents(): number {
    return this.#documents
  }

  /** Counts a document. @returns the number of documents of the collection so far */
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

/** @throws BackupError for a collection that was not prepared */
function checkCollection(storage: Storage, name: string): void {
  try {
    openAny(storage, name)
  } catch (cause) {
    throw new BackupError('collection_unknown', { collection: name }, { cause })
  }
}

/** Opens any collection, also one of organizations: a backup has the documents of all of them. */
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
