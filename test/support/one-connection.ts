/** A connection that stays open, so that all its requests are served by one process of a service of several. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface OneConnection {
  /** As `fetch`, one request after the other, without what no test of it needs: streams and redirects. */
  readonly send: typeof fetch
  close(): void
}

export function oneConnection(): OneConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    send: (url, { method, headers, body } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(String(url), { agent, method, headers: Object.fromEntries(new Headers(headers)) }, (response) => {
          const { statusCode: status = 0, headersDistinct } = response
          const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]))
          text(response).then((content) => resolve(new Response(content === '' ? null : content, { status, headers: pairs })), reject)
        })
        sent.once('error', reject)
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}
