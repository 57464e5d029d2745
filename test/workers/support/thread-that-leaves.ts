/** A thread entry for tests: the thread reports ready and exits at once. */
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', () => {})
parentPort?.postMessage({ isReady: true })
setTimeout(() => process.exit(3), 1)
