/** Values on a connection between processes: the length of each in four bytes, then the bytes of `v8.serialize`. */
import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

const LENGTH_BYTES = 4
/** Longer than every value: the largest are a request body with its files (256 MB), and a session (64 MB). */
const FRAME_LIMIT = 512 * 1024 * 1024

export function frameOf(value: unknown): Buffer {
  const bytes = serialize(value)
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes.length)
  frame.writeUInt32LE(bytes.length)
  frame.set(bytes, LENGTH_BYTES)
  return frame
}

/** Sends a value. Those of one turn of the event loop leave in one call of the system. */
export function send(socket: Socket, value: unknown): void {
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  socket.write(frameOf(value))
}

/** Yields each value when it is complete. Ends with the connection, which a process that is killed closes, too. Throws at a length that no value has. */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown, void, undefined> {
  let waiting: Buffer[] = []
  let bytes = 0
  let needed = LENGTH_BYTES
  for await (const chunk of chunks) {
    waiting.push(chunk)
    bytes += chunk.length
    while (bytes >= needed) {
      const all = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting, bytes)
      needed = LENGTH_BYTES + all.readUInt32LE()
      if (needed > FRAME_LIMIT) throw new RangeError(`a frame of ${needed} bytes`)
      waiting = [all]
      if (bytes < needed) break
      yield deserialize(all.subarray(LENGTH_BYTES, needed))
      waiting = [all.subarray(needed)]
      bytes -= needed
      needed = LENGTH_BYTES
    }
  }
}
