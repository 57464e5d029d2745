/** A thread entry for tests: events with certain words make the thread misbehave in the rule stage. */
import { EventRunner } from '#engine'

export { runBatch } from '../../../workers/thread/thread.js'

const HANG = 'please-hang'
const EXIT = 'please-exit'
const THROW = 'please-throw'
const WAIT = 'please-wait'
/** Duration of an event that waits. */
const WAIT_MS = 5

const { runRules } = EventRunner.prototype

EventRunner.prototype.runRules = function (event, moment, session, recorder) {
  const { fullLog } = event
  if (fullLog.includes(HANG)) for (;;);
  if (fullLog.includes(WAIT)) for (const until = performance.now() + WAIT_MS; performance.now() < until; );
  if (fullLog.includes(EXIT)) process.exit(3)
  if (fullLog.includes(THROW)) throw new TypeError(`a fault with ${fullLog}`)
  return runRules.call(this, event, moment, session, recorder)
}
