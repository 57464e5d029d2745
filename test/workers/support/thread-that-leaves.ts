/** A thread entry for tests: the thread says that it is there, and is gone at once. */
import { type MessagePort, threadId } from 'node:worker_threads'

export function run({ port }: { readonly port: MessagePort }): Promise<never> {
  port.on('message', () => {})
  port.postMessage({ threadId })
  setTimeout(() => process.exit(3), 1)
  return new Promise(() => {})
}
