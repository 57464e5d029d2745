/**
 * The test runner of Node 20 follows every promise with an async hook, so as to know where a test is declared and whose an uncaught error is. That is a seventh
 * of the processor time of the HTTP suite. The first import of a process, before anything loads `node:test`.
 */
import asyncHooks from 'node:async_hooks'

const hooks: asyncHooks.AsyncHook[] = []
const { createHook } = asyncHooks

asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  hooks.push(hook)
  return hook
}

/** Ends it when all tests are declared. An uncaught error ends the process from then on, as the runner cannot say whose it is, and the test would wait for ever. */
export function endTracking(): void {
  for (const hook of hooks) hook.disable()
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      process.stderr.write(`${event}: ${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    })
  }
}
