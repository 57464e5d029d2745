/** Compression by zstd, which newer versions of Node have. */
import * as zlib from 'node:zlib'

interface Zstd {
  readonly zstdCompressSync?: (bytes: Buffer) => Buffer
  readonly zstdDecompressSync?: (bytes: Buffer) => Buffer
}
const { zstdCompressSync, zstdDecompressSync } = zlib as unknown as Zstd

export function hasZstd(): boolean {
  return zstdCompressSync !== undefined
}

/** @throws TypeError where Node has it not */
export function createZstd(): { compress(bytes: Buffer): Buffer; decompress(bytes: Buffer): Buffer } {
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined) throw new TypeError('this Node has no zstd')
  return { compress: zstdCompressSync, decompress: zstdDecompressSync }
}
