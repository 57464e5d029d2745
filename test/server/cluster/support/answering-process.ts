/** A process under the supervisor that says hello to each connection. */
import type { Socket } from 'node:net'
import type { FromProcess, FromSupervisor } from '../../../../server/cluster/messages.js'

const tell = (message: FromProcess): void => void process.send?.(message)

process.on('message', (message: FromSupervisor, socket: Socket | undefined) => {
  if (message.kind === 'stop') process.exit(0)
  if (message.kind !== 'connection' || socket === undefined) return
  tell({ kind: 'taken', connection: message.connection })
  socket.once('close', () => tell({ kind: 'closed' }))
  socket.end('hello')
})
tell({ kind: 'serving' })
