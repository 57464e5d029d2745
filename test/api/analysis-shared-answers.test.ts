/** Answers in shared memory, over real connections: each caller gets its own answer, however slowly others read, or whenever they disconnect. */
import assert from 'node:assert/strict'
import net, { type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AnalysisPool } from '#workers'
import { type AnalysisApp, startAnalysis } from '../server/analysis/support/service.js'
import { nothingLent } from '../support/lent.js'
import { BASE, KNOCKS } from '../workers/support/rulesets.js'

const HEAD = { include_disk_defaults: false, files: [...BASE, KNOCKS] }
/** Length of an event: its answer contains it several times. */
const LONG = 50_000

let pool: AnalysisPool
let app: AnalysisApp

before(async () => {
  pool = new AnalysisPool({ workers: 2, taskTimeoutMs: 60_000, defaultRulesetDir: null })
  await pool.ready()
  app = await startAnalysis({ pool })
})

after(async () => {
  await app.close()
  await nothingLent(pool)
  await pool.close()
})

function request(event: string): string {
  const body = JSON.stringify({ ...HEAD, input: { event } })
  return `POST /api/v1/analysis/logtest-native HTTP/1.1\r\nHost: x\r\nX-API-Key: svk_o_k\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** A connection on which requests are sent without waiting for their answers. */
function connect(): Socket {
  const { hostname, port } = new URL(app.url)
  const socket = net.connect(Number(port), hostname)
  socket.on('error', () => {})
  return socket
}

/** Returns the events in a connection's answers, as soon as there are that many. */
async function eventsOf(socket: Socket, count: number): Promise<string[]> {
  const events: string[] = []
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    for (;;) {
      const head = bytes.indexOf('\r\n\r\n')
      const length = /^content-length: (\d+)/im.exec(bytes.subarray(0, head).toString())
      if (head < 0 || length === null) break
      const end = head + 4 + Number(length[1])
      if (bytes.length < end) break
      const answer = JSON.parse(bytes.subarray(head + 4, end).toString()) as { predecoded: { raw_message: string }; trace: readonly { phase: string; details: { log?: string } }[] }
      assert.equal(answer.trace[0].details.log?.slice(0, 8), answer.predecoded.raw_message.slice(0, 8))
      events.push(answer.predecoded.raw_message)
      bytes = bytes.subarray(end)
    }
    if (events.length === count) return events
  }
  assert.fail(`the connection ended after ${events.length} of ${count} answers`)
}

const eventOf = (who: number, which: number): string => `knock ${who}/${which} `.padEnd((who * 37 + which * 101) % 900, `${who}é`)

describe('shared answers', () => {
  it('reach their own callers, on many connections with many requests each', async () => {
    const callers = Array.from({ length: 12 }, (_, who) => {
      const events = Array.from({ length: 30 }, (_, which) => eventOf(who, which))
      const socket = connect()
      socket.write(events.map(request).join(''))
      return { events, told: eventsOf(socket, events.length).finally(() => socket.destroy()) }
    })
    for (const { events, told } of callers) assert.deepEqual(await told, events)
    await nothingLent(pool)
  })

  it('do not change while their reader is slow, and others continue', async () => {
    const slow = Array.from({ length: 2 }, (_, who) => {
      const events = Array.from({ length: 200 }, (_, which) => `knock slow ${who}/${which} `.padEnd(LONG, `${who}`))
      const socket = connect()
      // More than the system's own buffers hold.
      socket.pause()
      socket.write(events.map(request).join(''))
      return { events, socket }
    })
    for (let round = 0; round < 30; round++) {
      const socket = connect()
      const events = Array.from({ length: 20 }, (_, which) => eventOf(round, which))
      socket.write(events.map(request).join(''))
      assert.deepEqual(await eventsOf(socket, events.length), events)
      socket.destroy()
    }
    // Nobody reads from them, so the buffers in between become full.
    for (let look = 0; look < 2400 && pool.metrics().unreleasedAnswers === 0; look++) await sleep(25)
    assert.ok(pool.metrics().unreleasedAnswers > 0, 'the slow readers are read to, or theirs were not lent: the test shows nothing')
    for (const { events, socket } of slow) {
      assert.deepEqual(await eventsOf(socket, events.length), events)
      socket.destroy()
    }
    await nothingLent(pool)
  })

  it('are released by callers who disconnect before, during and after the answer', async () => {
    for (let round = 0; round < 40; round++) {
      const socket = connect()
      socket.pause()
      socket.write(Array.from({ length: 10 }, (_, which) => request(`knock ${which}`.padEnd(LONG, 'x'))).join(''))
      await sleep(round % 8)
      if (round % 2 === 0) socket.destroy()
      else socket.resetAndDestroy()
    }
    await nothingLent(pool)
    const socket = connect()
    socket.write(request('knock after all'))
    assert.deepEqual(await eventsOf(socket, 1), ['knock after all'])
    socket.destroy()
  })
})
