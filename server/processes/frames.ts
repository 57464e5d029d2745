/** Values on a stream between processes: the length of each in four bytes, then the bytes of `v8.serialize`. */
import { deserialize, serialize } from 'node:v8'

const LENGTH_BYTES = 4

export function frameOf(value: unknown): Buffer {
  const bytes = serialize(value)
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes.length)
  frame.writeUInt32LE(bytes.length)
  frame.set(bytes, LENGTH_BYTES)
  return frame
}

/** Yields each value when it is complete. Throws when the stream is cut off, which may be between two values. */
export async function* readFrames<T>(chunks: AsyncIterable<Buffer>): AsyncGenerator<T, void, undefined> {
  let waiting: Buffer[] = []
  let bytes = 0
  let needed = LENGTH_BYTES
  for await (const chunk of chunks) {
    waiting.push(chunk)
    bytes += chunk.length
    while (bytes >= needed) {
      const all = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting, bytes)
      const end = LENGTH_BYTES + all.readUInt32LE()
      waiting = [all]
      needed = end
      if (bytes < end) break
      yield deserialize(all.subarray(LENGTH_BYTES, end)) as T
      waiting = [all.subarray(end)]
      bytes -= end
      needed = LENGTH_BYTES
    }
  }
}
