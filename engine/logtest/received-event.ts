/** An event as the reference engine receives it, and the stages before the rules in its format. */
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { KeptCaptures } from '../decoders/match.js'
import type { Session } from '../match/session.js'
import type { Event } from '../event/event.js'
import { DEFAULT_LOCATION, type Origin, readLocation } from '../predecoding/location.js'
import { predecode } from '../predecoding/predecode.js'
import type { LogtestInput } from '../records/records.js'
import { toByteString } from '../source/byte-string.js'
import type { TraceRecorder } from '../trace/trace-recorder.js'
import { type RunFormat, runFormat } from './detect-format.js'
import { decodeEventchannel, EVENTCHANNEL_DECODER, toAgentForm } from './eventchannel-event.js'

/** The reference engine receives 65,536 bytes with the final NUL; queue, location and two colons are part of them (BEHAVIOUR.md#received-message). */
const MESSAGE_LIMIT = 65_535
const MESSAGE_FRAME = '1::'.length
/** Bytes of a location before each of which the message has a bar: this one and the colon. */
const BAR = 0x7c
const COLON = 0x3a

/** An event as a manager receives it. */
export interface ReceivedEvent {
  /** The bytes, cut to the size of one message. */
  readonly text: string
  readonly origin: Origin
  readonly format: RunFormat
  /** Length before it was cut, and the limit. */
  readonly length: number
  readonly limit: number
}

/** Returns an event as a manager receives it. Null: the reference engine refuses the location. */
export function receiveEvent(input: LogtestInput): ReceivedEvent | null {
  const location = toByteString(input.location ?? DEFAULT_LOCATION)
  const origin = readLocation(location)
  if (origin === null) return null
  const format = runFormat(input)
  const text = toByteString(format === 'eventchannel' ? toAgentForm(input.event) : input.event)
  const { length } = text
  const limit = limitOf(location)
  return { text: length > limit ? text.slice(0, limit) : text, origin, format, length, limit }
}

/** Bytes of an event that the reference engine receives at most. @param location as received, with that of an agent before it; a byte string */
export function limitOf(location: string): number {
  let limit = MESSAGE_LIMIT - MESSAGE_FRAME - location.length
  for (let at = 0; at < location.length; at++) {
    const byte = location.charCodeAt(at)
    if (byte === BAR || byte === COLON) limit--
  }
  return limit
}

/** Decodes an event after pre-decoding. @param captures those of earlier events; null: none. Returns false if the reference engine drops it. */
export function decodeAs(format: RunFormat, event: Event, runner: EventRunner, captures: KeptCaptures | null, recorder: TraceRecorder | null): boolean {
  if (format !== 'eventchannel') runner.decoders.run(event, captures, recorder)
  else {
    if (!decodeEventchannel(event, runner)) return false
    recorder?.builtIn(EVENTCHANNEL_DECODER)
  }
  return true
}

/**
 * Runs an event in its format, for callers that want nothing but the outcome. Null: the reference engine drops the event.
 * @param session as in `EventRunner.run`
 */
export function runReceived(
  runner: EventRunner,
  { text, origin, format }: Pick<ReceivedEvent, 'text' | 'origin' | 'format'>,
  moment: Moment,
  session: Session | null,
): Outcome | null {
  const event = predecode(text, origin, moment.seconds)
  return decodeAs(format, event, runner, session, null) ? runner.runRules(event, moment, session, null) : null
}
