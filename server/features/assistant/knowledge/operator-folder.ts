/**
 * Reads the Markdown of the operator. The folder is content and not code: it may be mounted, shared or wrong. Invariants:
 *  1. only regular files below the folder are read; links are not followed
 *  2. a file is used whole or not at all, and a file that is not used has a line in the log, without its content
 *  3. files, bytes, depth and records are limited
 */
import { constants } from 'node:fs'
import { type FileHandle, open, opendir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Log } from '../../../core/observability/log.js'
import { AI_CONTEXT_TYPES, type KnowledgeRecord } from './knowledge.js'
import { SectionSlugs, splitMarkdown } from './markdown.js'
import { Pauses } from './pauses.js'
import { recordsOf } from './record.js'

export interface OperatorLimits {
  readonly files: number
  readonly fileBytes: number
  readonly totalBytes: number
  readonly records: number
  readonly depth: number
  /** Entries of folders that are looked at, of any kind. */
  readonly entries: number
}

/** A handbook of a thousand pages fits. The index takes about six times the bytes of the files as memory. */
export const OPERATOR_LIMITS: OperatorLimits = { files: 500, fileBytes: 1024 * 1024, totalBytes: 8 * 1024 * 1024, records: 5000, depth: 8, entries: 20_000 }
/** Files that are named in the log; the others are counted. */
const LOGGED_FILES = 20
/** A file that grows by more while it is read is not used. */
const GROWTH_BYTES = 64 * 1024
/** Part of zero bytes above which a file is no text: UTF-16 has half of them, a text with a stray one is a text. */
const BINARY_ZEROS = 0.01
const MARKDOWN = /\.(?:md|markdown)$/i

type Refusal = 'not_utf8' | 'binary' | 'too_large' | 'too_many_files' | 'too_many_bytes' | 'too_many_records' | 'unreadable'

/** Yields the records of a folder. A folder that cannot be read has none. */
export async function* operatorRecords(folder: string, log: Pick<Log, 'warn'>, limits: OperatorLimits = OPERATOR_LIMITS): AsyncGenerator<KnowledgeRecord> {
  let refused = 0
  let bytes = 0
  let files = 0
  let records = 0
  const refuse = (file: string, reason: Refusal): void => {
    refused += 1
    if (refused <= LOGGED_FILES) log.warn({ file, reason }, 'a file of the knowledge base is not used')
  }
  const listing = await listMarkdown(folder, limits).catch((error: unknown) => {
    log.warn({ err: error }, 'the folder of the knowledge base cannot be read')
    return { root: folder, files: [], isCut: false }
  })
  if (listing.isCut) log.warn({ entries: limits.entries, depth: limits.depth }, 'the folder of the knowledge base has too many entries or levels: only a part is used')
  for (const path of listing.files) {
    const name = relative(listing.root, path).split(sep).join('/')
    if (files >= limits.files) {
      refuse(name, 'too_many_files')
      continue
    }
    const content = await readUtf8(path, limits.fileBytes)
    if ('refusal' in content) {
      refuse(name, content.refusal)
      continue
    }
    if (bytes + content.bytes > limits.totalBytes) {
      refuse(name, 'too_many_bytes')
      continue
    }
    const made = await recordsOfFile(name, content.text, limits.records - records)
    if (made === null) {
      refuse(name, 'too_many_records')
      continue
    }
    files += 1
    bytes += content.bytes
    records += made.length
    yield* made
  }
  if (refused > LOGGED_FILES) log.warn({ files: refused - LOGGED_FILES }, 'more files of the knowledge base are not used')
}

/** Null: there are more than the limit. */
async function recordsOfFile(name: string, text: string, limit: number): Promise<KnowledgeRecord[] | null> {
  const slugs = new SectionSlugs()
  const made: KnowledgeRecord[] = []
  const pauses = new Pauses()
  for (const section of splitMarkdown(text)) {
    made.push(
      ...recordsOf(
        {
          uid: `operator:${name}:${slugs.of(section.path)}`,
          kind: 'operator',
          title: section.path.length === 0 ? name : section.path.join(' › '),
          locale: null,
          contextTypes: AI_CONTEXT_TYPES,
          trust: 'operator',
        },
        section.text,
      ),
    )
    if (made.length > limit) return null
    await pauses.ifDue()
  }
  return made
}

/** Markdown files in the order of their paths. @throws if the folder cannot be read */
async function listMarkdown(folder: string, limits: OperatorLimits): Promise<{ root: string; files: string[]; isCut: boolean }> {
  // The folder itself may be a link: the setting names it.
  const root = await realpath(folder)
  const files: string[] = []
  let entries = 0
  let isCut = false
  const walk = async (directory: string, depth: number): Promise<void> => {
    // A folder may have more entries than are looked at: it is not listed as a whole.
    const folders: string[] = []
    const own: string[] = []
    for await (const entry of await opendir(directory)) {
      entries += 1
      if (entries > limits.entries) {
        isCut = true
        break
      }
      if (entry.isDirectory()) folders.push(entry.name)
      else if (entry.isFile() && MARKDOWN.test(entry.name)) own.push(entry.name)
    }
    files.push(...own.map((name) => join(directory, name)))
    for (const name of folders.sort()) {
      if (entries > limits.entries) return
      if (depth < limits.depth) await walk(join(directory, name), depth + 1).catch(() => undefined)
      else isCut = true
    }
  }
  await walk(root, 1)
  return { root, files: files.sort(), isCut }
}

async function readUtf8(path: string, limit: number): Promise<{ readonly text: string; readonly bytes: number } | { readonly refusal: Refusal }> {
  let file: FileHandle | null = null
  try {
    // The file may have been replaced by a link or a pipe since it was listed: a pipe must not block.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const status = await file.stat()
    // A folder on the way may have become a link.
    if (!status.isFile() || (await realpath(path)) !== path) return { refusal: 'unreadable' }
    if (status.size > limit) return { refusal: 'too_large' }
    // It may grow while it is read.
    const buffer = Buffer.alloc(Math.min(limit, status.size + GROWTH_BYTES) + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
      length += bytesRead
      if (length === buffer.length) return { refusal: 'too_large' }
      if (bytesRead === 0) break
    }
    const content = buffer.subarray(0, length)
    if (content.reduce((zeros, byte) => zeros + (byte === 0 ? 1 : 0), 0) > length * BINARY_ZEROS) return { refusal: 'binary' }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(content), bytes: length }
  } catch (error) {
    return { refusal: error instanceof TypeError ? 'not_utf8' : 'unreadable' }
  } finally {
    await file?.close()
  }
}
