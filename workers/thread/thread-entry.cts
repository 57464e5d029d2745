/**
 * The module that Piscina loads in each thread; it loads `entry.js`, or what tests name instead. It is CommonJS because Piscina loads it with `require`: if that
 * loaded ES modules, Node would abort the process when the thread is ended meanwhile.
 */
import threads = require('node:worker_threads')
import type { ThreadData } from './thread.js' with { 'resolution-mode': 'import' }

const { url, notBefore } = threads.workerData as ThreadData
const pause = new Promise<void>((resolve) => setTimeout(resolve, notBefore - Date.now()))

/** A promise: Piscina waits for it, and the thread is ready when it is fulfilled. */
const runBatch = pause.then(() => import(url)).then((module: { readonly runBatch: unknown }) => module.runBatch)

export = { runBatch }
