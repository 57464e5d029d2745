/** A client of the language server, over the standard streams of a process, as editors start it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createMessageConnection, type MessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import type { Diagnostic, Position } from 'vscode-languageserver-types'
import type { Requests } from '../../../server/language/protocol.js'

const MAIN = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))

/** What an editor such as VS Code can do, except that it does not pull diagnostics. */
const CAPABILITIES = {
  textDocument: { completion: { completionItem: { snippetSupport: true } } },
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] }, didChangeWatchedFiles: { dynamicRegistration: true } },
} as const

export class EditorSession {
  readonly #process: ChildProcess
  readonly #connection: MessageConnection
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>()
  /** What the server has told the user. */
  readonly messages: string[] = []
  #waiting: (() => void)[] = []

  private constructor(child: ChildProcess, connection: MessageConnection) {
    this.#process = child
    this.#connection = connection
    connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
      this.#diagnostics.set(uri, diagnostics)
      const waiting = this.#waiting
      this.#waiting = []
      for (const go of waiting) go()
    })
    connection.onNotification('window/showMessage', ({ message }: { message: string }) => void this.messages.push(message))
    connection.onRequest('client/registerCapability', () => null)
    connection.listen()
  }

  /** @param program default: the command line @param initializationOptions settings of the editor */
  static async start(folder: string, argv: readonly string[], program: readonly string[] = [MAIN, 'lsp'], initializationOptions: object = {}): Promise<EditorSession> {
    const child = spawn(process.execPath, [...program, '--stdio', ...argv], { stdio: ['pipe', 'pipe', 'inherit'], cwd: folder })
    const session = new EditorSession(child, createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin)))
    const rootUri = pathToFileURL(folder).href
    await session.request('initialize', {
      processId: process.pid,
      rootUri,
      capabilities: CAPABILITIES,
      initializationOptions,
      workspaceFolders: [{ uri: rootUri, name: 'content' }],
    } as never)
    session.notify('initialized', {})
    return session
  }

  request<Method extends keyof Requests>(method: Method, params: Requests[Method][0]): Promise<Requests[Method][1]> {
    return this.#connection.sendRequest(method, params)
  }

  notify(method: string, params: unknown): void {
    void this.#connection.sendNotification(method, params)
  }

  open(uri: string, text: string, languageId = 'wazuh-rules'): void {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } })
  }

  change(uri: string, text: string): void {
    this.notify('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: [{ text }] })
  }

  /** The codes of a document as soon as they are as expected; the test's time limit ends a wait in vain. */
  async diagnosticsOf(uri: string, isExpected: (diagnostics: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]> {
    for (;;) {
      const found = this.#diagnostics.get(uri) ?? []
      if (isExpected(found)) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Ends the session as editors do. @returns the exit code */
  async end(): Promise<number | null> {
    await this.request('shutdown', undefined)
    const ended = new Promise<number | null>((resolve) => this.#process.once('exit', resolve))
    this.notify('exit', undefined)
    const code = await ended
    this.#connection.dispose()
    return code
  }
}

/** A text with its cursor, which is written as `‸`. */
export function withCursor(marked: string): { readonly text: string; readonly offset: number; readonly position: Position } {
  const offset = marked.indexOf('‸')
  const before = marked.slice(0, offset).split('\n')
  return { text: marked.replace('‸', ''), offset, position: { line: before.length - 1, character: before[before.length - 1].length } }
}
