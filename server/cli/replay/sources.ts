/** The sources of a replay: files, folders with their files, and standard input, read as streams of bytes from an offset on. */
import { createReadStream, type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, pipeline } from 'node:stream'
import * as zlib from 'node:zlib'
import { STDIN_NAME } from '../input/lines.js'
import { UsageError } from '../usage-error.js'
import { isInstalled, programFor, unpack } from './unpack.js'
import { unzstd } from './zstd.js'

const CHUNK = 1024 * 1024
/** The last bytes of a gzip file: the size of its last member, modulo 2^32. */
const GZIP_SIZE_BYTES = 4
/** Archives of several files, by the end of their names, which are not read. */
const ARCHIVES = ['.zip', '.tar']

export interface Source {
  /** The path, or `-`. */
  readonly name: string
  /** Bytes of the file; null: not known, as of standard input. */
  readonly size: number | null
}

/** A source while it is read. */
export interface OpenSource {
  /** The bytes of the source, without their compression. */
  readonly stream: Readable
  /** Bytes of the file that were read so far. */
  readonly bytesRead: () => number
  /** Called at the end of the stream: whether a file was whole, also if it was cut off meanwhile. @param size bytes that the stream had, from the beginning of the source on */
  readonly isWhole: (size: number) => Promise<boolean>
}

/** Lists the files of a call, those of a folder by their names. @throws UsageError when one does not exist, or has a compression that cannot be read */
export function listSources(operands: readonly string[]): readonly Source[] {
  return operands.flatMap((operand): Source[] => {
    if (operand === STDIN_NAME) return [{ name: STDIN_NAME, size: null }]
    const stats = statSync(operand, { throwIfNoEntry: false })
    if (stats === undefined) throw new UsageError('file_not_found', { file: operand })
    if (!stats.isDirectory()) return [sourceOf(operand, stats)]
    const files = readdirSync(operand, { recursive: true, withFileTypes: true })
      .filter(isVisibleFile)
      .map((entry) => join(entry.parentPath, entry.name))
    return files.sort().map((path) => sourceOf(path, statSync(path)))
  })
}

function isVisibleFile(entry: Dirent): boolean {
  return entry.isFile() && !entry.name.startsWith('.')
}

function sourceOf(name: string, stats: Stats): Source {
  const program = programFor(name)
  const ending = program !== undefined && !isInstalled(program) ? program.ending : ARCHIVES.find((one) => name.endsWith(one))
  if (ending !== undefined) throw new UsageError('compression_unknown', { file: name, ending })
  // What the system makes while it is read, as in `/proc`, has no size.
  return { name, size: stats.isFile() && stats.size > 0 ? stats.size : null }
}

export function openSource(source: Source, stdin: Readable): OpenSource {
  return source.name === STDIN_NAME ? { stream: stdin, bytesRead: () => 0, isWhole: async () => true } : openFile(source)
}

/** Opens a file. One that grows is read up to the size that it had when it was listed. */
export function openFile({ name, size }: Source): OpenSource {
  const file = createReadStream(name, { highWaterMark: CHUNK, ...(size === null ? {} : { end: size - 1 }) })
  const bytesRead = (): number => file.bytesRead
  const program = programFor(name)
  if (program !== undefined) return { stream: unpack(program, file), bytesRead, isWhole: async () => true }
  if (name.endsWith('.zst')) return { stream: unzstd(file), bytesRead, isWhole: async () => true }
  if (!name.endsWith('.gz')) return { stream: file, bytesRead, isWhole: async (length) => size === null || length >= size }
  // A stream that is cut off gives what there is, and ends without an error.
  const stream = zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: CHUNK })
  // Its error is that of the stream, which the reader gets.
  pipeline(file, stream, () => {})
  return { stream, bytesRead, isWhole: (length) => isWholeFile(name, size, length) }
}

/** Whether a gzip file has its end. The size at its end is compared first; a file of several members has that of the last, and is then read again. */
async function isWholeFile(name: string, size: number | null, length: number): Promise<boolean> {
  if (size === null) return true
  const handle = await open(name)
  try {
    const last = Buffer.alloc(GZIP_SIZE_BYTES)
    await handle.read(last, 0, GZIP_SIZE_BYTES, Math.max(0, size - GZIP_SIZE_BYTES))
    if (last.readUInt32LE(0) === length % 2 ** 32) return true
  } finally {
    await handle.close()
  }
  try {
    const strict = zlib.createGunzip({ chunkSize: CHUNK })
    pipeline(createReadStream(name, { end: size - 1 }), strict, () => {})
    for await (const _ of strict) {
      // Only whether it ends in order is of interest.
    }
    return true
  } catch {
    return false
  }
}
