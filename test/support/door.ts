/**
 * One address for several services in this process, as a service of several processes has: its requests go to each of them in turn, on any connection. What a
 * service keeps in its memory and should keep in the store is found so, by the tests that exist.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener, Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OwnProcess } from '../../server/cluster/own-process.js'

/** Events of a server by which it gets a request. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const

export interface Door {
  /** For the service of that number, from 1. */
  ownProcess(number: number): OwnProcess
  /** Takes no further connections, and gives what comes on the open ones to the first service only. */
  close(): Promise<void>
}

/** @param count of the services behind it; all must be started before the first request */
export async function openDoor(count: number): Promise<Door> {
  const folder = await mkdtemp(join(tmpdir(), 'door-'))
  const servers: Server[] = []
  let next = 0
  const net = createServer({ noDelay: true }, (socket) => void servers[0].emit('connection', socket))
  net.listen(0, '127.0.0.1')
  await once(net, 'listening')
  const address = `http://127.0.0.1:${(net.address() as AddressInfo).port}`
  /** The first server has the connections; each has a listener of requests. */
  const share = (): void => {
    for (const event of REQUEST_EVENTS) {
      const listeners = servers.map((server) => server.listeners(event)[0] as RequestListener)
      servers[0].removeAllListeners(event).on(event, (...request: Parameters<RequestListener>) => listeners[next++ % servers.length](...request))
    }
  }
  return {
    ownProcess: (number) => ({
      number,
      address,
      areAllReady: true,
      sessionFile: join(folder, `${number}.sessions`),
      processes: count,
      socketFolder: folder,
      ready: () => {},
      serve(server) {
        servers.push(server)
        if (number === 1) server.emit('listening')
        if (servers.length === count) share()
      },
    }),
    async close() {
      net.close()
      servers.length = Math.min(1, servers.length)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
