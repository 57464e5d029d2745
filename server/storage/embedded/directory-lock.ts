/**
 * Keeps a directory for one process. LMDB would let several in, whose writes our queue knows nothing of. Node has no file locks, and a number of
 * a process says nothing in a container, where each is process 1. So whoever opens the directory listens on a socket in it: the kernel ends that
 * with the process, however it ends, and answers for it across containers that share the directory.
 *
 * Everybody has a socket of their own, made ready under another name first; after that everybody looks for others. Of two that come at the same time
 * at least one sees the other and gives way, so there are never two. Sockets that nobody listens on are left from the dead, and are removed.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { StoreError } from '../errors.js'

const SOCKET = /^lock-[0-9a-f]{8}\.sock$/
const UNREADY = /^lock-[0-9a-f]{8}\.new$/
/** Between a socket's making and its proper name lie milliseconds. One as old as this was left by a process that died there. */
const UNREADY_MS = 60_000
/** Two processes that start at the same time may both give way; the next try finds them apart. */
const TRIES = 3
const TRY_AGAIN_MS = 50
/** Bytes that the path of a socket may have, less our name. Directories that lie deeper are reached through their handle (Linux only). */
const DIRECTORY_PATH_BYTES = 80

/** Another process has the directory. */
export class DirectoryInUseError extends StoreError<'in_use'> {
  override readonly name = 'DirectoryInUseError'
  constructor(directory: string) {
    super('in_use', { directory })
  }
}

export class DirectoryLock {
  readonly #server: Server
  readonly #path: string
  readonly #handle: FileHandle

  private constructor(server: Server, path: string, handle: FileHandle) {
    this.#server = server
    this.#path = path
    this.#handle = handle
  }

  /** @throws DirectoryInUseError, and what the system says of a directory in which nobody can listen */
  static async take(directory: string): Promise<DirectoryLock> {
    for (let tries = 1; ; tries++) {
      const lock = await DirectoryLock.#announce(directory)
      const taken = await isTaken(lock.#path).catch(async (fault: unknown) => {
        await lock.release()
        throw fault
      })
      if (!taken) return lock
      await lock.release()
      if (tries === TRIES) throw new DirectoryInUseError(directory)
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS * (1 + Math.random())))
    }
  }

  static async #announce(directory: string): Promise<DirectoryLock> {
    const handle = await open(directory, 'r')
    const reached = Buffer.byteLength(directory) <= DIRECTORY_PATH_BYTES ? directory : `/proc/self/fd/${handle.fd}`
    const name = join(reached, `lock-${randomBytes(4).toString('hex')}`)
    const server = createServer((socket) => socket.destroy())
    try {
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(`${name}.new`, resolve))
      server.unref()
      await rename(`${name}.new`, `${name}.sock`)
    } catch (fault) {
      server.close()
      await handle.close()
      throw fault
    }
    return new DirectoryLock(server, `${name}.sock`, handle)
  }

  async release(): Promise<void> {
    await rm(this.#path, { force: true })
    await new Promise((resolve) => this.#server.close(resolve))
    await this.#handle.close()
  }
}

async function isTaken(own: string): Promise<boolean> {
  const directory = dirname(own)
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    if (UNREADY.test(name)) await removeOld(path)
    else if (SOCKET.test(name) && path !== own) {
      if (await isAlive(path)) return true
      await rm(path, { force: true })
    }
  }
  return false
}

/** Only a refusal says that nobody is there; whatever else goes wrong is taken for somebody. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}

async function removeOld(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found !== null && Date.now() - found.mtimeMs > UNREADY_MS) await rm(path, { force: true })
}
