/** The language server as a browser loads it: bundled for one, on a port. */
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { after, describe, it } from 'node:test'
import { build } from 'esbuild'
import type { Diagnostic } from 'vscode-languageserver-types'
import type * as WorkerModule from '../../../server/language/worker.js'
import { BASE } from '../../support/case-folders.js'
import { MemoryFolder } from './memory.js'

const ENTRY = fileURLToPath(new URL('../../../server/language/worker.js', import.meta.url))

describe('the language server in a worker', { timeout: 60_000 }, () => {
  const { port1, port2 } = new MessageChannel()
  after(() => port1.close())

  it('needs nothing of Node, and answers on a port', async () => {
    // `sax` looks for a stream, and does without.
    const { outputFiles, metafile } = await build({
      entryPoints: [ENTRY],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      minify: true,
      external: ['stream'],
      logLevel: 'silent',
    })
    const outside = Object.values(metafile.inputs).flatMap(({ imports }) => imports.flatMap(({ path, external }) => (external === true ? [path] : [])))
    assert.deepEqual([...new Set(outside)], ['stream'])
    const { serveWorker } = (await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)) as typeof WorkerModule
    serveWorker(port2 as never, {
      version: '0.0.0',
      locale: null,
      openFolder: () => new MemoryFolder(BASE),
      moment: () => ({ seconds: 0, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }),
      helpOf: () => null,
      onExit: () => {},
    })
    const received: { readonly id?: number; readonly method?: string; readonly result?: unknown; readonly params?: unknown }[] = []
    let go = (): void => {}
    port1.on('message', (message) => {
      received.push(message)
      go()
    })
    const wait = async <T>(find: () => T | undefined): Promise<T> => {
      for (let found = find(); ; found = find()) {
        if (found !== undefined) return found
        await new Promise<void>((resolve) => (go = resolve))
      }
    }
    const send = (message: object): void => port1.postMessage({ jsonrpc: '2.0', ...message })
    send({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, locale: 'pt-br', capabilities: {} } })
    await wait(() => received.find(({ id }) => id === 1))
    const uri = 'memory:///rules/typed.xml'
    const text = '<group name="a,"><rule id="100100" level="5"><if_sid>999999</if_sid><description>🚪</description></rule></group>'
    send({ method: 'initialized', params: {} })
    send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'wazuh-rules', version: 1, text } } })
    const published = await wait(() => received.find(({ method }) => method === 'textDocument/publishDiagnostics'))
    const { diagnostics } = published.params as { diagnostics: readonly Diagnostic[] }
    assert.match(String(diagnostics[0].message), /^A regra 100100 /)
    send({ id: 2, method: 'textDocument/hover', params: { textDocument: { uri }, position: { line: 0, character: 30 } } })
    await wait(() => received.find(({ id }) => id === 2))
  })
})
