/**
 * Connections between processes. Those of one instance meet at socket files in a folder that only the service's user can enter. Those of several instances meet
 * at TCP addresses, with TLS 1.3 and a key from the service's secret instead of certificates: a side without the key can neither connect, nor answer, nor read.
 */
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, createServer as createTlsServer, type SecureVersion, type TLSSocket } from 'node:tls'
import type { HostAndPort } from '../core/config.js'

/** Name of the key in the handshake. */
const IDENTITY = 'detection-content'
const TLS = { ciphers: 'TLS_AES_128_GCM_SHA256', minVersion: 'TLSv1.3' as SecureVersion }
/** Time for a handshake, on either side. */
const HANDSHAKE_MS = 3_000
/** A connection without traffic is checked after this time, so that one to a machine that is gone ends. */
const KEEP_ALIVE_MS = 5_000
/** Connections of other instances at once. Each process has one to each other, and one more for each batch in a session elsewhere. */
const CONNECTIONS_LIMIT = 4_096

/** The address of the process of that number, from 1. Its name for its peers. */
export function nameAt({ host, port }: HostAndPort, number: number): string {
  return `${host}:${port + number - 1}`
}

/** @param name of `nameAt`. The port is behind the last colon: the host may be an IPv6 address */
export function addressOf(name: string): HostAndPort {
  const colon = name.lastIndexOf(':')
  return { host: name.slice(0, colon), port: Number(name.slice(colon + 1)) }
}

export function socketFile(folder: string, number: number): string {
  return join(folder, `${number}.sock`)
}

/** Listens at a socket file. A process that was killed has left it. */
export async function listenAtFile(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  await rm(path, { force: true })
  const server = createServer(onConnection).listen(path)
  await once(server, 'listening')
  return server
}

/** Listens at the address, on no other interface. @param key 32 bytes @param onRefused called with the reason when a handshake fails */
export async function listenAtAddress(address: HostAndPort, key: Buffer, onConnection: (socket: Socket) => void, onRefused: (error: Error) => void): Promise<Server> {
  const pskCallback = (_: TLSSocket, identity: string): Buffer | null => (identity === IDENTITY ? key : null)
  const server = createTlsServer({ ...TLS, pskCallback, handshakeTimeout: HANDSHAKE_MS }, (socket) => {
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
    onConnection(socket)
  })
  server.maxConnections = CONNECTIONS_LIMIT
  server.on('tlsClientError', (error, socket) => {
    onRefused(error)
    // Node leaves the connection open when the handshake takes too long.
    socket.destroy()
  })
  server.listen(address.port, address.host)
  await once(server, 'listening')
  return server
}

export function connectToFile(path: string): Socket {
  return createConnection(path)
}

/** Whether nobody listens where a connection was tried: the process has ended. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' || code === 'ENOENT'
}

/** What is written before the handshake is sent after it. @param key 32 bytes */
export function connectToAddress(address: HostAndPort, key: Buffer): Socket {
  // The key is what both sides check; there is no certificate with a name in it.
  const socket = connectTls({ ...TLS, ...address, pskCallback: () => ({ psk: key, identity: IDENTITY }), checkServerIdentity: () => undefined })
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
  const late = setTimeout(() => socket.destroy(new Error('the handshake takes too long')), HANDSHAKE_MS)
  const settle = (): void => clearTimeout(late)
  socket.once('secureConnect', settle).once('close', settle)
  return socket
}
