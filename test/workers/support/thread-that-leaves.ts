/** A thread entry for tests: the thread reports ready and exits at once. */
import { parentPort } from 'node:worker_threads'
import { Progress } from '../../../workers/shared/progress.js'
import { SharedBuffers } from '../../../workers/shared/buffers.js'

const port = parentPort as NonNullable<typeof parentPort>
port.postMessage({ progress: new Progress().buffer, answers: new SharedBuffers().buffer })
const { postMessage } = port
// The next message is that of Piscina. After it the thread waits for a task, and runs nothing.
port.postMessage = (...message: Parameters<typeof postMessage>) => {
  postMessage.apply(port, message)
  process.exit(3)
}

export function runBatch(): void {}
