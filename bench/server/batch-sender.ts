/** Sends logtest batches, at the lowest cost for the sender: it shares the machine with the service. */
import net from 'node:net'
import { referenceData } from '../engine/data.js'

/** Size of a batch. Requests are limited to 8 MB. */
const BATCH_BYTES = 7 * 1024 * 1024
const READ_BYTES = 256 * 1024
/** Bytes at the end of a response that are kept, which include its last line. */
const LAST_BYTES = 500

export interface BatchBody {
  readonly body: Buffer
  /** Number of events. */
  readonly lines: number
  /** The different events, in their order. */
  readonly events: readonly string[]
}

/** A batch of 7 MB with the events of the reference ruleset, without trace. */
export function batchBody(): BatchBody {
  const events = referenceData().lines.get('all') ?? []
  const lines: string[] = []
  for (let bytes = 0, i = 0; bytes < BATCH_BYTES; i++) {
    const line = `${JSON.stringify({ event: events[i % events.length] })}\n`
    bytes += Buffer.byteLength(line)
    lines.push(line)
  }
  return { body: Buffer.from(`${JSON.stringify({ files: [] })}\n${lines.join('')}`), lines: lines.length, events }
}

/**
 * Sends one batch on a new connection, and reads the response into one buffer repeatedly. Rejects when the last line is not that of a complete batch.
 * @param target address of the service, and an API key
 * @param onBytes is called with the number of bytes of each piece of the response
 */
export function sendBatch({ url, key }: { readonly url: string; readonly key: string }, body: Buffer, onBytes: (bytes: number) => void = () => {}): Promise<void> {
  const { hostname, port, host } = new URL(url)
  const head = `POST /api/v1/analysis/logtest-batch HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${body.byteLength}\r\n\r\n`
  return new Promise((resolve, reject) => {
    let last = ''
    const socket = net.connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback: (bytes, buffer) => {
          onBytes(bytes)
          last = (last + Buffer.from(buffer.buffer, buffer.byteOffset + Math.max(0, bytes - LAST_BYTES), Math.min(bytes, LAST_BYTES)).toString('latin1')).slice(-LAST_BYTES)
          if (!last.endsWith('\r\n0\r\n\r\n')) return true
          socket.destroy()
          if (last.includes('"done":true')) resolve()
          else reject(new Error(last))
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.write(head)
    socket.write(body)
  })
}
