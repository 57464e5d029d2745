/** What the page and tests use of this folder. */
export { EnginePort } from './client.js'
export { PlaygroundEngine } from './engine.js'
export * from './limits.js'
export type * from './protocol.js'
export { RefusedError } from './protocol.js'
export { serve } from './serve.js'
