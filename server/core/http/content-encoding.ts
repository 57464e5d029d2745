/**
 * Compression of streamed bodies and responses: gzip, and zstd where this Node has it. All of it runs in Node's own threads. What a compressed body may have is
 * limited by what comes out of it (`request/decode-body.ts`), so its ratio does not matter.
 */
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

export type ContentEncoding = 'gzip' | 'zstd'

/** Bytes that a decoder emits at once. */
const CHUNK_BYTES = 64 * 1024
/** The fastest level: lines of a batch get six times shorter, and higher levels take more time than the analysis. */
const GZIP_LEVEL = 1
/** A frame of zstd may ask for a window of 2 GB; this is 8 MB, which all levels but the highest keep. */
const ZSTD_WINDOW_LOG = 23

/** A stream of `zlib`. */
export type Coder = Transform & { flush(done: () => void): void }

/** What Node has of zstd since 22.15. */
interface Zstd {
  readonly createZstdCompress?: () => Coder
  readonly createZstdDecompress?: (options: object) => Coder
  readonly constants: { readonly ZSTD_d_windowLogMax?: number }
}

const { createZstdCompress, createZstdDecompress, constants } = zlib as unknown as Zstd

/** The encodings of this Node, the preferred one first. */
export const ENCODING_NAMES: readonly ContentEncoding[] = createZstdCompress === undefined ? ['gzip'] : ['zstd', 'gzip']

const SIGNATURES: Readonly<Record<ContentEncoding, Uint8Array>> = { gzip: Uint8Array.of(0x1f, 0x8b), zstd: Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd) }

export function createEncoder(encoding: ContentEncoding): Coder {
  return encoding === 'zstd' && createZstdCompress !== undefined ? createZstdCompress() : zlib.createGzip({ level: GZIP_LEVEL })
}

export function createDecoder(encoding: ContentEncoding): Coder {
  if (encoding === 'zstd' && createZstdDecompress !== undefined)
    return createZstdDecompress({ chunkSize: CHUNK_BYTES, params: { [constants.ZSTD_d_windowLogMax as number]: ZSTD_WINDOW_LOG } })
  return zlib.createGunzip({ chunkSize: CHUNK_BYTES })
}

/** The first of the encodings that `Accept-Encoding` names; null: none. */
export function acceptedEncoding<Name extends string>(header: string | undefined, names: readonly Name[]): Name | null {
  if (header === undefined) return null
  const accepted = new Set(
    header
      .toLowerCase()
      .split(',')
      .flatMap((entry) => {
        const [coding, ...parameters] = entry.split(';').map((part) => part.trim())
        return parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter)) ? [] : [coding]
      }),
  )
  return names.find((name) => accepted.has(name)) ?? null
}

/** The encoding that bytes begin like; null: they begin like none. */
export function encodingBySignature(bytes: Uint8Array): ContentEncoding | null {
  return (Object.keys(SIGNATURES) as ContentEncoding[]).find((name) => SIGNATURES[name].every((byte, at) => bytes[at] === byte)) ?? null
}
