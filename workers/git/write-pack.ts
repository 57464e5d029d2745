/** Writes packs without deltas. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { NamedObject, ObjectType } from './objects.js'
import { HEADER_BYTES, VERSION } from './pack.js'

const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }
/** In libuv's threads: 4 MB take 10 to 100 ms. */
const deflated = promisify(deflate)

export async function writePack(objects: readonly NamedObject[]): Promise<Buffer> {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(VERSION, 4)
  header.writeUInt32BE(objects.length, 8)
  const parts: Uint8Array[] = [header]
  for (const { type, bytes } of objects) parts.push(entryHeader(type, bytes.length), await deflated(bytes))
  const content = Buffer.concat(parts)
  return Buffer.concat([content, createHash('sha1').update(content).digest()])
}

function entryHeader(type: ObjectType, size: number): Buffer {
  const bytes = [(TYPE_NUMBERS[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
