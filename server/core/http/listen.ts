/** Listening on an address. Apart from `server.ts`, so that the supervisor of several processes does not load the service. */
import type { Server } from 'node:net'

/** Length of the queue of connections that are not accepted yet. */
const BACKLOG = 1024

/** Resolves with the address, `http://host:port`. Rejects when the port is in use. */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string') return reject(new Error('the server has no address'))
      resolve(`http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`)
    })
  })
}
