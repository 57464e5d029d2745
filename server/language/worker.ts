/** The language server in a worker of a page. Only bundles for browsers load this file: Node has no `vscode-jsonrpc/browser`. */
import { BrowserMessageReader, BrowserMessageWriter, createMessageConnection } from 'vscode-jsonrpc/browser'
import { connect } from './connect.js'
import type { LanguageServer, LanguageServerOptions } from './server.js'

/** @param port the worker's own scope, or a port; a message is an object of JSON-RPC, not its text */
export function serveWorker(port: ConstructorParameters<typeof BrowserMessageReader>[0], options: LanguageServerOptions): LanguageServer {
  return connect(createMessageConnection(new BrowserMessageReader(port), new BrowserMessageWriter(port)), options)
}
