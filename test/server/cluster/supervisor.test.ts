/** The supervisor gives every connection to a process, also one that comes with the first instant in which its port is open. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../../server/core/observability/log.js'
import { supervise } from '../../../server/cluster/supervisor.js'
import { recordingLog } from '../../support/recording-log.js'

const MAIN = fileURLToPath(new URL('./support/answering-process.js', import.meta.url))
const HOST = '127.0.0.1'

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, HOST)
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Connects again and again until the port is open. @returns what the first connection gets */
async function firstAnswer(port: number): Promise<string> {
  for (;;) {
    const socket = net.connect(port, HOST)
    try {
      await once(socket, 'connect')
      const [data] = await once(socket, 'data')
      return String(data)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED')
    } finally {
      socket.destroy()
    }
  }
}

test('a connection that comes before any process is started is answered', async () => {
  // The instant in which nobody listened for connections was short.
  for (let time = 0; time < 3; time++) {
    const port = await freePort()
    let stop: (reason: string) => void = () => {}
    const stopped = new Promise<string>((resolve) => {
      stop = resolve
    })
    const log = { ...recordingLog([]), passOn: () => {} } as unknown as Log
    const ended = supervise({ config: { processes: 1, host: HOST, port }, log, main: MAIN, args: [], stopped })
    assert.equal(await firstAnswer(port), 'hello')
    stop('end of the test')
    assert.equal(await ended, 0)
  }
})
