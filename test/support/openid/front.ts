/**
 * An HTTP server in front of a real OpenID provider, which can change single answers: a test of a wrong or hostile provider begins with what a real one
 * answers, and changes one thing.
 */
import { createServer, type IncomingMessage, request as httpRequest, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { SELF_SIGNED } from '../self-signed.js'

export interface FrontCall {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer | string
}

/** What is sent in place of an answer. `never`: the connection stays open without one. */
export type Fault = (reply: Reply, call: FrontCall) => Reply | 'never' | Promise<Reply | 'never'>

export interface Altering {
  /** Answers that were changed. */
  count(): number
  end(): void
}

export interface Front {
  /** `http://localhost:port`, or with `https`. */
  readonly url: string
  /** In order. */
  readonly calls: readonly FrontCall[]
  callsTo(path: string): readonly FrontCall[]
  /** Changes the answers to requests of a path. The last fault that was added decides. */
  alter(path: string, fault: Fault): Altering
  close(): Promise<void>
}

interface Rule {
  readonly path: string
  readonly fault: Fault
  count: number
}

/** An answer with JSON. */
export function jsonReply(value: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: JSON.stringify(value) }
}

/** Changes the JSON of an answer. */
export function editJson<T>(edit: (value: T) => unknown): Fault {
  return (reply) => ({ ...reply, body: JSON.stringify(edit(JSON.parse(String(reply.body)) as T)) })
}

/** @param handler of the provider, which gets the headers `Host` and `X-Forwarded-Proto` of the front */
export async function startFront(handler: RequestListener, { isSecure = false } = {}): Promise<Front> {
  const inner = createServer(handler)
  const innerPort = await listen(inner)
  const calls: FrontCall[] = []
  const rules: Rule[] = []
  const protocol = isSecure ? 'https' : 'http'
  const answer: RequestListener = (request, response) => {
    response.on('error', () => undefined)
    void serve(request, response).catch(() => response.destroy())
  }
  const server = isSecure ? createSecureServer(SELF_SIGNED, answer) : createServer(answer)
  const port = await listen(server)
  const url = `${protocol}://localhost:${port}`
  return {
    url,
    calls,
    callsTo: (path) => calls.filter((call) => call.url.pathname === path),
    alter(path, fault) {
      const rule: Rule = { path, fault, count: 0 }
      rules.push(rule)
      return { count: () => rule.count, end: () => void rules.splice(rules.indexOf(rule), 1) }
    },
    async close() {
      for (const each of [server, inner]) {
        each.closeAllConnections()
        await new Promise((resolve) => each.close(resolve))
      }
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request)
    const call = { method: request.method ?? '', url: new URL(request.url ?? '/', url), headers: request.headers, body: body.toString('utf8') }
    calls.push(call)
    const reply = await forward(request, body)
    const rule = rules.findLast(({ path }) => path === call.url.pathname)
    if (rule !== undefined) rule.count++
    const sent = rule === undefined ? reply : await rule.fault(reply, call)
    if (sent === 'never') return
    const content = Buffer.from(sent.body as Buffer)
    response.writeHead(sent.status, { ...(sent.headers as Record<string, string | string[]>), 'content-length': content.length }).end(content)
  }

  async function forward({ method, url: path = '/', headers }: IncomingMessage, body: Buffer): Promise<Reply> {
    const { 'transfer-encoding': _, ...kept } = headers
    const sent = { ...kept, 'x-forwarded-proto': protocol, 'content-length': String(body.length) }
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const out = httpRequest({ host: '127.0.0.1', port: innerPort, path, method, headers: sent }, resolve)
      out.on('error', reject)
      out.end(body)
    })
    const { 'transfer-encoding': _coding, connection: _connection, 'keep-alive': _alive, 'content-length': _length, ...own } = message.headers
    return { status: message.statusCode ?? 502, headers: own as Reply['headers'], body: await bytesOf(message) }
  }
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
