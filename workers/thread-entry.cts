/**
 * What Piscina loads in a thread: it imports the thread's module, the asynchronous way. Piscina itself calls `require`, and Node 20 aborts the whole
 * process (`v8::Module::IsGraphAsync must be used on an instantiated module`) when a thread is ended while `require` links an ES module.
 */
import type { ThreadData, run } from './thread.js' with { 'resolution-mode': 'import' }

const { workerData } = require('node:worker_threads') as typeof import('node:worker_threads')

/** A promise of the thread's `run`: Piscina waits for it before it calls the thread ready. */
exports.run = import((workerData as ThreadData).moduleUrl).then((module: { run: typeof run }) => module.run)
