/** A minimal HTTP client: the bench shares the machine with the service that it measures. */
import { type Agent, request } from 'node:http'

/** Sends a request below `/api/v1`, reads the whole response, and returns its status. */
export type Caller = (method: string, path: string, body?: object) => Promise<number>

export function callerOf(url: string, agent: Agent, token?: string): { readonly call: Caller; json<T>(method: string, path: string, body?: object): Promise<T> } {
  const { hostname, port } = new URL(url)
  const send = (method: string, path: string, body: object | undefined, take: (chunk: Buffer) => void): Promise<number> =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? null : JSON.stringify(body)
      const sent = request({
        agent,
        hostname,
        port,
        method,
        path: `/api/v1${path}`,
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(content === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }),
        },
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        response.on('data', take)
        response.on('error', reject)
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      sent.end(content ?? undefined)
    })
  return {
    call: (method, path, body) => send(method, path, body, () => {}),
    async json<T>(method: string, path: string, body?: object): Promise<T> {
      const chunks: Buffer[] = []
      const status = await send(method, path, body, (chunk) => void chunks.push(chunk))
      const text = Buffer.concat(chunks).toString()
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
      return JSON.parse(text) as T
    },
  }
}
