/** A server between a service and its forge, for tests of what the service does when the forge is slow, wrong or hostile, or when the service dies meanwhile. */
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ForgeCall {
  readonly method: string
  /** With the query, decoded. */
  readonly url: string
  /** As UTF-8, whatever it is. */
  readonly body: string
}

/**
 * `hold`: the call does not reach the forge, and has no answer. `lose`: the forge does what the call says, and its answer is held back. A function answers in
 * place of the forge.
 */
export type Interference = 'hold' | 'lose' | ((response: ServerResponse, call: ForgeCall) => void)

export interface Interfering {
  /** Resolves when the first such call has come, and with `lose` when the forge has answered it. */
  readonly reached: Promise<void>
  count(): number
  end(): void
}

export interface ForgeProxy {
  /** `http://127.0.0.1:port`; the `base_url` of an integration. */
  readonly url: string
  /** Calls that have come, in order. */
  readonly calls: readonly ForgeCall[]
  interfere(matches: (call: ForgeCall) => boolean, how: Interference): Interfering
  close(): Promise<void>
}

interface Rule {
  readonly matches: (call: ForgeCall) => boolean
  readonly how: Interference
  readonly reach: () => void
  count: number
}

/** @param target address of the forge, without a path */
export async function startForgeProxy(target: string): Promise<ForgeProxy> {
  const calls: ForgeCall[] = []
  const rules = new Set<Rule>()
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    void (async () => {
      const body = await bytesOf(request)
      const call = { method: request.method ?? '', url: decodeURIComponent(request.url ?? ''), body: body.toString('utf8') }
      calls.push(call)
      const rule = [...rules].find(({ matches }) => matches(call))
      if (rule !== undefined) rule.count++
      if (rule === undefined || rule.how === 'lose') await forward(target, request, body, rule === undefined ? response : null)
      if (typeof rule?.how === 'function') rule.how(response, call)
      rule?.reach()
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    interfere(matches, how) {
      let reach = (): void => undefined
      const reached = new Promise<void>((resolve) => {
        reach = resolve
      })
      const rule = { matches, how, reach, count: 0 }
      rules.add(rule)
      return { reached, count: () => rule.count, end: () => void rules.delete(rule) }
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** @param response null: the answer of the forge is dropped */
async function forward(target: string, { method, url = '/', headers }: IncomingMessage, body: Buffer, response: ServerResponse | null): Promise<void> {
  const { host } = new URL(target)
  const { 'transfer-encoding': _, ...kept } = headers
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpRequest(`${target}${url}`, { method, headers: { ...kept, host, 'content-length': body.length } }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
  const bytes = await bytesOf(answer)
  const { 'transfer-encoding': _coding, connection: _connection, 'content-length': _length, ...own } = answer.headers
  response?.writeHead(answer.statusCode ?? 502, { ...own, 'content-length': bytes.length }).end(bytes)
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
