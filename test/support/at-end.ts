/**
 * What a test process shares, such as a pool of threads, is closed once, after all of its tests. A module that several test files import can't register
 * that itself: its `after` would belong to the first file that imports it. Invariant: the first import of this module is outside of every suite.
 */
import { after } from 'node:test'

const steps: (() => Promise<void>)[] = []

after(async () => {
  for (const step of steps.reverse()) await step()
})

/** Runs `step` after all tests of this process; the last one registered runs first. */
export function atEnd(step: () => Promise<void>): void {
  steps.push(step)
}
