/** Reads a stream of server-sent events as a browser would. */
import assert from 'node:assert/strict'
import type { Client } from './client.js'

/** How long a test waits for what it says will come, on a machine that is busy. */
const PATIENCE_MS = 60_000

export interface EventReader {
  readonly status: number
  readonly headers: Headers
  /** The next block, without the blank line at its end; null: the stream ended in order. */
  next(): Promise<string | null>
  /** The count of the next `unread` event; comments are passed over. */
  unread(): Promise<number>
  /** Holds that the stream ends, whatever comes before. */
  ended(): Promise<void>
  close(): Promise<void>
}

/** Opens `/notifications/stream`; a refusal is read by nobody. */
export async function openStream({ origin, standing }: Client, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const gone = new AbortController()
  const { token, organization } = standing
  const response = await fetch(`${origin}/api/v1/notifications/stream`, {
    signal: gone.signal,
    headers: {
      Accept: 'text/event-stream',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(organization === undefined ? {} : { 'X-Org-Id': organization }),
      ...standing.headers,
      ...headers,
    },
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<string | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        return block
      }
      const { done, value } = await patiently(reader.read())
      if (done) return null
      text += value
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    next,
    async unread() {
      for (;;) {
        const block = await next()
        assert.notEqual(block, null, 'the stream ended')
        if (block!.startsWith(':')) continue
        const [, count] = /^event: unread\ndata: \{"unread":(\d+)\}$/.exec(block!) ?? assert.fail(`no unread event: ${block}`)
        return Number(count)
      }
    },
    async ended() {
      while ((await next()) !== null);
    },
    async close() {
      gone.abort()
      await reader.cancel().catch(() => undefined)
    },
  }
}

async function patiently<T>(coming: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('nothing comes')), PATIENCE_MS)
  })
  try {
    return await Promise.race([coming, late])
  } finally {
    clearTimeout(timer)
  }
}
