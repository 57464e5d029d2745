/** The module with which a pooled thread starts. The build bundles it (`.build/bundle-processes.mjs`); `thread.ts` is for those who change what it imports, as tests do. */
export { runBatch } from './thread.js'
