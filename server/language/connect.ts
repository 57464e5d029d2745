/** Joins a server to a connection. */
import { type Disposable, type MessageConnection, ResponseError } from 'vscode-jsonrpc'
import { NotRenamed } from './features/navigation.js'
import { LanguageServer, type LanguageServerOptions } from './server.js'

/** `RequestFailed` of the protocol: the request is valid, and there is no answer. Clients show the message. */
const REQUEST_FAILED = -32803

/** @param connection of `vscode-jsonrpc`, for streams or for a worker; it must not listen yet */
export function connect(connection: MessageConnection, options: LanguageServerOptions): LanguageServer {
  const server = new LanguageServer(
    {
      notify: (method, params) => void connection.sendNotification(method, params).catch(() => {}),
      request: (method, params) => connection.sendRequest(method, params),
    },
    options,
  )
  const joined: Disposable[] = []
  for (const [method, handle] of Object.entries(server.requests)) {
    joined.push(
      connection.onRequest(method, (params: unknown): unknown => {
        try {
          return handle(params as never)
        } catch (error) {
          if (error instanceof NotRenamed) return new ResponseError(REQUEST_FAILED, error.message)
          throw error
        }
      }),
    )
  }
  for (const [method, handle] of Object.entries(server.notifications)) joined.push(connection.onNotification(method, (params: unknown) => handle(params as never)))
  connection.onClose(() => {
    for (const one of joined) one.dispose()
  })
  connection.listen()
  return server
}
