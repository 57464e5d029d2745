/**
 * What a test process shares, such as a pool of threads, is closed once, after all of its tests. A module that several test files import can't register
 * that itself: its `after` would belong to the first file that imports it. Invariant: the first import of this module is outside of every suite.
 */
import { after } from 'node:test'

/** From the last test to the end of the process. What a failed test left open would keep the process until the limit of the run. */
const END_MS = 60_000

const steps: (() => Promise<void>)[] = []

after(async () => {
  setTimeout(() => {
    process.stderr.write(`open after all tests: ${process.getActiveResourcesInfo().join(', ')}\n`)
    process.exit(1)
  }, END_MS).unref()
  for (const step of steps.reverse()) await step()
})

/** Runs `step` after all tests of this process; the last one registered runs first. */
export function atEnd(step: () => Promise<void>): void {
  steps.push(step)
}
