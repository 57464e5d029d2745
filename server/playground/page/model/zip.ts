/**
 * Reads and writes zip archives of some hundred text files. Browsers have the codec, so only the headers are here; a package would be larger, and has no limit on
 * what it unpacks. ZIP64, encryption and other codecs than deflate are refused: nobody needs them for content.
 *
 *     local header + data … | central directory entry … | end of central directory
 */
import { deflate, inflate, TooLargeError } from './bytes.js'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
const END_BYTES = 22
/** A comment behind the end has at most this many bytes. */
const COMMENT_BYTES = 0xffff
const STORED = 0
const DEFLATED = 8
/** Names are UTF-8. */
const UTF8_FLAG = 0x0800
const ENCRYPTED_FLAG = 1
const VERSION = 20
/** 1980-01-01: equal content makes equal archives. */
const DATE = 0x21

export interface ZipFile {
  readonly path: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface ZipLimits {
  readonly files: number
  /** Bytes of all files together, unpacked. */
  readonly bytes: number
}

/** The archive cannot be read, or exceeds a limit. */
export class ZipError extends Error {
  constructor(readonly reason: 'invalid' | 'too_many_files' | 'unsupported') {
    super(reason)
  }
}

export async function writeZip(files: readonly ZipFile[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const central: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const { path, bytes } of files) {
    const name = new TextEncoder().encode(path)
    const data = await deflate(bytes)
    // Version, flags, codec, time, date, checksum, both sizes, lengths of the name and of further members: alike in both headers.
    const common = (view: DataView, at: number): void => {
      view.setUint16(at, VERSION, true)
      view.setUint16(at + 2, UTF8_FLAG, true)
      view.setUint16(at + 4, DEFLATED, true)
      view.setUint16(at + 8, DATE, true)
      view.setUint32(at + 10, crc32(bytes), true)
      view.setUint32(at + 14, data.length, true)
      view.setUint32(at + 18, bytes.length, true)
      view.setUint16(at + 22, name.length, true)
    }
    parts.push(
      header(LOCAL, LOCAL_BYTES, (view) => common(view, 4)),
      name,
      data,
    )
    central.push(
      header(CENTRAL, CENTRAL_BYTES, (view) => {
        view.setUint16(4, VERSION, true)
        common(view, 6)
        view.setUint32(42, offset, true)
      }),
      name,
    )
    offset += LOCAL_BYTES + name.length + data.length
  }
  const size = central.reduce((sum, { length }) => sum + length, 0)
  const end = header(END, END_BYTES, (view) => {
    view.setUint16(8, files.length, true)
    view.setUint16(10, files.length, true)
    view.setUint32(12, size, true)
    view.setUint32(16, offset, true)
  })
  return new Uint8Array(await new Blob([...parts, ...central, end]).arrayBuffer())
}

function header(signature: number, bytes: number, fill: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(bytes))
  view.setUint32(0, signature, true)
  fill(view)
  return new Uint8Array(view.buffer)
}

/** @param wants whether a file is read, by its path @throws ZipError @throws TooLargeError */
export async function readZip(archive: Uint8Array<ArrayBuffer>, limits: ZipLimits, wants: (path: string) => boolean): Promise<ZipFile[]> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  try {
    return await readEntries(view, archive, limits, wants)
  } catch (error) {
    // Offsets beyond the end, and data that is not compressed.
    if (error instanceof RangeError || error instanceof TypeError) throw new ZipError('invalid')
    throw error
  }
}

async function readEntries(view: DataView, archive: Uint8Array<ArrayBuffer>, limits: ZipLimits, wants: (path: string) => boolean): Promise<ZipFile[]> {
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  const files: ZipFile[] = []
  let left = limits.bytes
  let at = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index++) {
    if (view.getUint32(at, true) !== CENTRAL) throw new ZipError('invalid')
    const flags = view.getUint16(at + 8, true)
    const codec = view.getUint16(at + 10, true)
    const packed = view.getUint32(at + 20, true)
    const nameLength = view.getUint16(at + 28, true)
    const local = view.getUint32(at + 42, true)
    const path = new TextDecoder().decode(archive.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength)).replaceAll('\\', '/')
    at += CENTRAL_BYTES + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (path.endsWith('/') || !wants(path)) continue
    if ((flags & ENCRYPTED_FLAG) !== 0 || (codec !== STORED && codec !== DEFLATED)) throw new ZipError('unsupported')
    if (files.length === limits.files) throw new ZipError('too_many_files')
    if (view.getUint32(local, true) !== LOCAL) throw new ZipError('invalid')
    const start = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    if (start + packed > archive.length) throw new ZipError('invalid')
    const data = archive.slice(start, start + packed)
    const bytes = await inflateWithin(codec, data, left)
    left -= bytes.length
    files.push({ path, bytes })
  }
  return files
}

async function inflateWithin(codec: number, data: Uint8Array<ArrayBuffer>, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (codec === DEFLATED) return inflate(data, limit)
  if (data.length > limit) throw new TooLargeError(limit)
  return data
}

function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - COMMENT_BYTES)
  for (let at = view.byteLength - END_BYTES; at >= first; at--) if (view.getUint32(at, true) === END) return at
  throw new ZipError('invalid')
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 0xff] ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
