/** Reads Zstandard: by Node where it can, else by a library, in pieces so small that what they decompress to stays bounded. */
import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'

/** Bytes that are decompressed at once. A block of 4 bytes makes up to 128 KB. */
const PIECE = 1024
/** Bytes of output that wait to be read. */
const OUTPUT = 1024 * 1024
/** The largest window of a frame, in powers of two: that of the program `zstd` without `--long`. A file that needs more is refused. */
const WINDOW_LOG = 27
const MAGIC = 0xfd2fb528
/** Bytes up to the size of the content in the header of a frame. */
const HEADER = 18

/** What a file is that is none, or one that would take too much memory. */
class ZstdFault extends Error {
  readonly code: 'Z_DATA_ERROR' | 'Z_MEM_ERROR' | 'Z_BUF_ERROR'

  constructor(code: ZstdFault['code']) {
    super(code)
    this.code = code
  }
}

/** Newer versions of Node have it. */
interface NodeZstd {
  readonly createZstdDecompress?: (options: { readonly params: Readonly<Record<number, number>> }) => NodeJS.ReadWriteStream & Readable
  readonly constants: { readonly ZSTD_d_windowLogMax?: number }
}

/** @param file is destroyed with the stream that is returned */
export function unzstd(file: Readable): Readable {
  const { createZstdDecompress: create, constants } = zlib as NodeZstd
  if (create === undefined || constants.ZSTD_d_windowLogMax === undefined) return Readable.from(decompressed(file), { objectMode: false, highWaterMark: OUTPUT })
  const decoder = create({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } })
  file.on('error', (fault) => decoder.destroy(fault))
  decoder.on('close', () => file.destroy())
  return file.pipe(decoder)
}

/** Exported for tests: the path without Node's own. */
export async function* decompressed(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  // Few calls need it.
  const { Decompress } = await import('fzstd')
  let ready: Uint8Array[] = []
  let size = 0
  const decoder = new Decompress((data) => {
    ready.push(data)
    size += data.length
  })
  const push = (piece: Uint8Array, isLast: boolean): void => {
    try {
      decoder.push(piece, isLast)
    } catch {
      throw new ZstdFault(isLast ? 'Z_BUF_ERROR' : 'Z_DATA_ERROR')
    }
  }
  const take = (): Buffer => {
    const all = Buffer.concat(ready)
    ready = []
    size = 0
    return all
  }
  let header: Buffer | null = Buffer.alloc(0)
  for await (const part of file) {
    let chunk = part
    if (header !== null) {
      chunk = Buffer.concat([header, chunk])
      header = chunk.length < HEADER ? chunk : null
      if (header !== null) continue
      checkWindow(chunk)
    }
    for (let at = 0; at < chunk.length; at += PIECE) {
      // The decoder keeps pieces, and the stream may use the memory again.
      push(Uint8Array.prototype.slice.call(chunk, at, at + PIECE), false)
      if (size >= OUTPUT) yield take()
    }
  }
  if (header !== null) checkWindow(header)
  push(header ?? new Uint8Array(0), true)
  if (size > 0) yield take()
}

/** Checks the window of the first frame: a program that writes several frames gives all of them the same window. @throws ZstdFault if it is too large */
function checkWindow(beginning: Buffer): void {
  const bytes = Buffer.concat([beginning.subarray(0, HEADER), Buffer.alloc(HEADER)])
  if (bytes.readUInt32LE(0) !== MAGIC) return
  const isSingle = (bytes[4] & 0x20) !== 0
  const sizeBytes = bytes[4] >> 6
  const log = isSingle ? 0 : 10 + (bytes[5] >> 3)
  // A frame of one segment has a window of its size.
  const at = 5 + [0, 1, 2, 4][bytes[4] & 3]
  const single = !isSingle ? 0 : sizeBytes === 3 ? Number(bytes.readBigUInt64LE(at)) : sizeBytes === 2 ? bytes.readUInt32LE(at) : 0
  if (log > WINDOW_LOG || single > 2 ** WINDOW_LOG) throw new ZstdFault('Z_MEM_ERROR')
}
