/** Starts the engine in a worker. */
import { PlaygroundEngine } from './engine.js'
import type { Port, Request } from './protocol.js'
import { serve } from './serve.js'

/** Nobody waits for this answer: ids of a page begin at 1. It compiles the base while the page is still loading. */
const FIRST: Request<'open'> = { id: 0, method: 'open', request: { files: [] } }

/** @param early messages that have arrived already */
export function start(port: Port, early: readonly MessageEvent[]): void {
  serve(port, new PlaygroundEngine())
  for (const message of [new MessageEvent('message', { data: FIRST }), ...early]) port.onmessage?.(message)
}
