/** The entry of the Web Worker. */
import { PlaygroundEngine } from './engine.js'
import type { Request } from './protocol.js'
import { serve } from './serve.js'

/** Nobody waits for this answer: ids of a page begin at 1. It compiles the base while the page is still loading. */
const FIRST: Request<'open'> = { id: 0, method: 'open', request: { files: [] } }

serve(self, new PlaygroundEngine())
self.onmessage?.(new MessageEvent('message', { data: FIRST }))
