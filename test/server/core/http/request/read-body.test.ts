/** Bodies in many chunks: their memory, and their content. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Connection, SharedPace } from '../../../../../server/core/http/connection/connection.js'
import { readBody } from '../../../../../server/core/http/request/read-body.js'

const MB = 1024 * 1024
const LIMITS = { maxBytes: 8 * MB, idleMs: 60_000, totalMs: 60_000 }

/** A request whose chunks the test emits, on a connection without a client. */
function request(): IncomingMessage {
  const socket = Object.assign(new EventEmitter(), { pause: () => {}, resume: () => {} }) as unknown as Socket
  socket.on('data', () => {})
  Connection.attach(socket, new SharedPace())
  return Object.assign(new EventEmitter(), { headers: { 'transfer-encoding': 'chunked' }, socket, pause: () => {} }) as unknown as IncomingMessage
}
const read = (req: IncomingMessage) => readBody(req, {} as ServerResponse, LIMITS)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function memory(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('a body in the smallest permitted chunks needs little more memory than its bytes', async () => {
  const req = request()
  const body = read(req)
  const before = memory()
  for (let count = 0; count < MB / 32; count++) req.emit('data', Buffer.alloc(32, count))
  const held = memory() - before
  req.emit('end')
  assert.ok(held < 8 * MB, `${held} bytes are held for one megabyte`)
  assert.deepEqual(await body, Buffer.concat(Array.from({ length: MB / 32 }, (_, count) => Buffer.alloc(32, count))))
})

test('chunks of all sizes are returned in order', async () => {
  const sizes = [3, 1, 1023, 1024, 1, 1, 5000, 1, 70_000, ...new Array(300).fill(700), 1024, 1, 0, 2]
  const pieces = sizes.map((size, index) => Buffer.alloc(size, index))
  const req = request()
  const body = read(req)
  const whole = Buffer.concat(pieces)
  for (const piece of pieces) req.emit('data', piece)
  req.emit('end')
  assert.deepEqual(await body, whole)
})

test('a body that is sent too fast is paused for the returned time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const calls: string[] = []
  const req = Object.assign(request(), { pause: () => calls.push('pause'), resume: () => calls.push('resume') }) as unknown as IncomingMessage
  const asked: number[] = []
  const body = readBody(req, {} as ServerResponse, LIMITS, null, (bytes) => {
    asked.push(bytes)
    return asked.length === 2 ? 7 : 0
  })
  req.emit('data', Buffer.alloc(100_000))
  assert.deepEqual(calls, [])
  req.emit('data', Buffer.alloc(50_000))
  assert.deepEqual(calls, ['pause'])
  t.mock.timers.tick(6)
  assert.deepEqual(calls, ['pause'])
  t.mock.timers.tick(1)
  assert.deepEqual(calls, ['pause', 'resume'])
  req.emit('data', Buffer.alloc(1))
  req.emit('end')
  assert.equal((await body).byteLength, 150_001)
  assert.deepEqual(asked, [100_000, 50_000, 1])
})
