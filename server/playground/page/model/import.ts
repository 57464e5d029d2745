/** Files that somebody drops: a folder or a zip of content, a ruleset, single files. Only what can be content is read. */
import type { FileKind } from '#engine'
import { isInLists, kindOfContent, kindOfFolder, looksLikeContent, nameInRuleset } from '../../../language/content/file-kind.js'
import { BASE_CHARACTERS, BASE_FILES } from '../../worker/limits.js'
import type { ContentFile } from '../../worker/protocol.js'
import { TooLargeError } from './bytes.js'
import type { EditedCase } from './state.js'
import { readCases, readIniCases } from './written-work.js'
import { readZip, ZipError } from './zip.js'

/** A file with its path in what was dropped. */
export interface DroppedFile {
  readonly path: string
  readonly file: Blob
}

export interface Imported {
  /** What was dropped, by its name. */
  readonly name: string
  readonly files: readonly ContentFile[]
  readonly cases: readonly EditedCase[]
  /** The text of `events.log`, which exports have; empty: there is none. */
  readonly events: string
  /** Files that are neither content nor cases. */
  readonly skipped: number
  /** Lines and sections of `.ini` suites that are no case. */
  readonly unread: number
  /** Whether it looks like the ruleset of a manager, on which content is written. */
  readonly isRuleset: boolean
}

export type ImportFault = 'empty' | 'too_many_files' | 'too_large' | 'not_a_zip' | 'unsupported_zip'

export class ImportError extends Error {
  constructor(readonly fault: ImportFault) {
    super(fault)
  }
}

/** A ruleset has more rule files than content of one's own. */
const RULESET_FILES = 40
/** A zip archive that is larger is not opened. */
const ARCHIVE_BYTES = 64 * 1024 * 1024
/** The file of an export with its events. */
export const EVENTS_FILE = 'events.log'
/** A folder inside a folder, and so on. */
const FOLDER_DEPTH = 8

/** @throws ImportError */
export async function importFiles(name: string, dropped: readonly DroppedFile[]): Promise<Imported> {
  const files: ContentFile[] = []
  const cases: EditedCase[] = []
  let skipped = 0
  let unread = 0
  let events = ''
  let left = BASE_CHARACTERS
  for (const { path, text } of await unpack(dropped)) {
    left -= text.length
    if (left < 0) throw new ImportError('too_large')
    if (isEvents(path)) {
      events = text
      continue
    }
    const suite = /\.ini$/i.test(path) ? readIniCases(text) : null
    unread += suite?.unread ?? 0
    const found = suite?.cases ?? (/\.json$/i.test(path) ? readCases(text) : null)
    const kind = found === null ? kindOf(path, text) : null
    if (found !== null) cases.push(...found)
    else if (kind === null) skipped++
    else files.push({ kind, filename: nameInRuleset(path, kind), content: text })
    if (files.length > BASE_FILES) throw new ImportError('too_many_files')
  }
  if (files.length === 0 && cases.length === 0 && events === '') throw new ImportError('empty')
  const isRuleset = dropped.some(({ path }) => /(?:^|\/)ruleset\//.test(path)) || files.filter(({ kind }) => kind === 'rules').length >= RULESET_FILES
  return { name, files: distinct(files), cases, events, skipped, unread, isRuleset }
}

async function unpack(dropped: readonly DroppedFile[]): Promise<{ path: string; text: string }[]> {
  const texts: { path: string; text: string }[] = []
  for (const { path, file } of dropped) {
    if (/\.zip$/i.test(path)) {
      if (file.size > ARCHIVE_BYTES) throw new ImportError('too_large')
      for (const { path: inside, bytes } of await unzip(file)) texts.push({ path: inside, text: decode(bytes) })
    } else if (isWanted(path)) {
      if (file.size > BASE_CHARACTERS) throw new ImportError('too_large')
      texts.push({ path, text: await file.text() })
    }
  }
  return texts.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function unzip(file: Blob): ReturnType<typeof readZip> {
  try {
    return await readZip(new Uint8Array(await file.arrayBuffer()), { files: BASE_FILES, bytes: BASE_CHARACTERS }, isWanted)
  } catch (error) {
    if (error instanceof TooLargeError) throw new ImportError('too_large')
    if (error instanceof ZipError) throw new ImportError(error.reason === 'invalid' ? 'not_a_zip' : error.reason === 'unsupported' ? 'unsupported_zip' : 'too_many_files')
    throw error
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Rules, decoders, cases, and all files in a folder of lists. */
function isWanted(path: string): boolean {
  if (path.split('/').some((step) => step.startsWith('.') || step === '__MACOSX' || step === 'node_modules')) return false
  return /\.(?:xml|json|ini)$/i.test(path) || isEvents(path) || (isInLists(path) && !/\.cdb$/i.test(path)) || !path.includes('/')
}

function isEvents(path: string): boolean {
  return path.split('/').at(-1) === EVENTS_FILE
}

/** By its folder, its tags or its lines. Null: it is no content. */
function kindOf(path: string, text: string): FileKind | null {
  const kind = isInLists(path) ? 'lists' : kindOfFolder(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  if (kind !== null) return kind
  // Other XML, such as a manager's settings, may have such tags inside.
  if (/\.(?:json|ini)$/i.test(path) || (/\.xml$/i.test(path) && !looksLikeContent(text))) return null
  return kindOfContent(path, text)
}

/** The last of several files with one name and kind. */
function distinct(files: readonly ContentFile[]): ContentFile[] {
  return [...new Map(files.map((file) => [`${file.kind} ${file.filename}`, file])).values()]
}

/** The files of a drop, with those inside of folders. It must be called before the event ends. */
export async function readDrop(transfer: DataTransfer): Promise<{ name: string; files: DroppedFile[] }> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const files: DroppedFile[] = []
  for (const entry of entries) await walk(entry, '', 0, files)
  return { name: entries[0]?.name ?? '', files }
}

async function walk(entry: FileSystemEntry, folder: string, depth: number, found: DroppedFile[]): Promise<void> {
  const path = folder + entry.name
  if (entry instanceof FileSystemFileEntry || entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ path, file })
    return
  }
  if (depth === FOLDER_DEPTH || found.length > BASE_FILES) return
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  // A reader returns some entries at a time, and none at the end.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return
    for (const inner of entries) await walk(inner, `${path}/`, depth + 1, found)
  }
}
