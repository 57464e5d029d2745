/** A thread entry for tests: events with certain words make the thread misbehave in the rule stage. */
import { EventRunner } from '#engine'

export { runBatch } from '../../../workers/thread/thread.js'

/** It waits for ever without processor time. */
const HANG = 'please-hang'
/** It computes for ever, as hostile content does. */
const SPIN = 'please-spin'
const EXIT = 'please-exit'
const THROW = 'please-throw'
const WAIT = 'please-wait'
/** Duration of an event that waits. */
const WAIT_MS = 5

const NEVER = new Int32Array(new SharedArrayBuffer(4))

const { runRules } = EventRunner.prototype

EventRunner.prototype.runRules = function (event, moment, session, recorder) {
  const { fullLog } = event
  if (fullLog.includes(HANG)) Atomics.wait(NEVER, 0, 0)
  if (fullLog.includes(SPIN)) for (;;);
  if (fullLog.includes(WAIT)) for (const until = performance.now() + WAIT_MS; performance.now() < until; );
  if (fullLog.includes(EXIT)) process.exit(3)
  if (fullLog.includes(THROW)) throw new TypeError(`a fault with ${fullLog}`)
  return runRules.call(this, event, moment, session, recorder)
}
