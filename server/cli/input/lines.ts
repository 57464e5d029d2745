/** Reads lines from streams. At most a chunk and its incomplete line are in memory; reading waits for the consumer. */
import { createReadStream, fstatSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { UsageError } from '../usage-error.js'

/** An event has at most 8 MB, and its JSON text at most twice that; longer lines are refused. */
export const LINE_LIMIT = 16 * 1024 * 1024

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = '\r'

/** A line, or null for one that exceeds the limit. */
export type Line = string | null

/** The lines of one chunk, so that the consumer can answer them with one write. */
export interface LineBatch {
  readonly source: string
  /** Number of the first line, from 1. */
  readonly first: number
  readonly lines: readonly Line[]
  /** Bytes that were read since the batch before. */
  readonly bytes: number
}

/** The name of standard input. */
export const STDIN_NAME = '-'

/** Reads the lines of the files, or of standard input if no file is given. @throws UsageError when a file does not exist */
export async function* readLines(files: readonly string[], stdin: Readable): AsyncGenerator<LineBatch, void, undefined> {
  for (const file of files) if (file !== STDIN_NAME) await requireFile(file)
  for (const file of files.length === 0 ? [STDIN_NAME] : files) {
    yield* readStream(file, file === STDIN_NAME ? stdin : createReadStream(file, { highWaterMark: 256 * 1024 }))
  }
}

/** Bytes of the files, or of a file that is standard input; null: not known, as of a pipe or in `/proc`. */
export function bytesToRead(files: readonly string[], stdin: Readable): number | null {
  const sizes = (files.length === 0 ? [STDIN_NAME] : files).map((file) => {
    const { fd } = stdin as Readable & { fd?: unknown }
    const stats = file !== STDIN_NAME ? statSync(file, { throwIfNoEntry: false }) : typeof fd === 'number' ? fstatSync(fd) : undefined
    return stats?.isFile() === true ? stats.size : null
  })
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  return sizes.includes(null) || total === 0 ? null : total
}

async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found === null) throw new UsageError('file_not_found', { file })
  if (found.isDirectory()) throw new UsageError('file_is_folder', { file })
}

async function* readStream(source: string, stream: Readable): AsyncGenerator<LineBatch, void, undefined> {
  let first = 1
  let kept: Buffer[] = []
  let keptBytes = 0
  let tooLong = false
  let bytes = 0
  for await (const part of stream) {
    const chunk = typeof part === 'string' ? Buffer.from(part) : (part as Buffer)
    bytes += chunk.length
    const end = chunk.lastIndexOf(LINE_FEED)
    if (end < 0) {
      // One more byte is allowed: it may be the carriage return of a line of maximum length.
      tooLong ||= keptBytes + chunk.length > LINE_LIMIT + 1
      if (tooLong) kept = []
      else kept.push(chunk)
      keptBytes = tooLong ? 0 : keptBytes + chunk.length
      continue
    }
    const lines: Line[] = []
    let begin = 0
    if (tooLong) {
      begin = chunk.indexOf(LINE_FEED) + 1
      lines.push(null)
      kept = []
    }
    if (begin <= end) {
      const whole = kept.length === 0 ? chunk.subarray(begin, end) : Buffer.concat([...kept, chunk.subarray(begin, end)])
      for (const line of linesIn(whole)) lines.push(line)
    }
    kept = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : []
    keptBytes = chunk.length - end - 1
    tooLong = false
    yield { source, first, lines, bytes }
    bytes = 0
    first += lines.length
  }
  if (tooLong) yield { source, first, lines: [null], bytes }
  else if (keptBytes > 0) yield { source, first, lines: [lineOf(Buffer.concat(kept))], bytes }
}

/** Splits bytes that end with a complete line. */
function linesIn(bytes: Buffer): Line[] {
  // A line feed byte never occurs within another UTF-8 character.
  if (bytes.length <= LINE_LIMIT) return bytes.toString('utf8').split('\n').map(withoutReturn)
  const lines: Line[] = []
  for (let from = 0; from <= bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, from)
    const end = feed < 0 ? bytes.length : feed
    lines.push(lineOf(bytes.subarray(from, end)))
    from = end + 1
  }
  return lines
}

/** A line without its line end, which does not count for the limit. */
function lineOf(bytes: Buffer): Line {
  const length = bytes.length - (bytes.at(-1) === CARRIAGE_RETURN.charCodeAt(0) ? 1 : 0)
  return length > LINE_LIMIT ? null : bytes.toString('utf8', 0, length)
}

function withoutReturn(line: string): string {
  return line.endsWith(CARRIAGE_RETURN) ? line.slice(0, -1) : line
}
