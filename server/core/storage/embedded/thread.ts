/** The entry of a thread, with its own connection to a database file. It answers messages in sequence. */
import { parentPort, workerData } from 'node:worker_threads'
import { Connection, type ConnectionOptions } from './connection.js'
import { type PlainFault, plainFault } from './plain-fault.js'
import { type Page, type Read, read } from './reads.js'
import { type Outcome, type Task, writeTasks } from './writes.js'

export interface ThreadOptions extends ConnectionOptions {
  /** Whether all reads use the snapshot of the first read. */
  readonly snapshot: boolean
}

export type Request = { readonly kind: 'write'; readonly tasks: readonly Task[] } | { readonly kind: 'read'; readonly read: Read } | { readonly kind: 'close' }

export type ThreadReply = { readonly value: readonly Outcome[] | readonly string[] | number | Page | null } | { readonly fault: PlainFault }

const { snapshot, ...options } = workerData as ThreadOptions
const connection = new Connection(options)
if (snapshot) connection.exec('BEGIN')

parentPort?.on('message', (request: Request) => {
  parentPort?.postMessage(answer(request))
  if (request.kind === 'close') parentPort?.close()
})

function answer(request: Request): ThreadReply {
  try {
    switch (request.kind) {
      case 'write':
        return { value: writeTasks(connection, request.tasks) }
      case 'read':
        return { value: read(connection, request.read) }
      case 'close':
        connection.close()
        return { value: null }
    }
  } catch (fault) {
    return { fault: plainFault(fault) }
  }
}
