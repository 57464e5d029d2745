/** The clock, which the engine does not have: the time at which an event is received, and durations. */
import type { Moment } from '#engine'

/** Kept, because Node's global is a getter that each reading would call. */
const clock = globalThis.performance

/** Milliseconds, for durations. */
export const now = (): number => clock.now()

/** Kept, because reading it takes half as long as reading the clock. */
const ORIGIN = clock.timeOrigin

/** Returns the time as milliseconds since the epoch, on which all threads of a process agree. @param time by `now` */
export const toShared = (time: number): number => ORIGIN + time

/** Milliseconds since the epoch. All threads of a process agree on them, and they never decrease. */
export const sharedNow = (): number => toShared(now())

/** @param seconds since the epoch */
export function momentAt(seconds: number): Moment {
  return {
    seconds,
    local: () => {
      const date = new Date(seconds * 1000)
      return { timeOfDay: `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`, weekday: date.getDay() }
    },
  }
}

/** The current moment by the wall clock. */
export const momentNow = (): Moment => momentAt(Math.floor(Date.now() / 1000))

/** Rounds milliseconds to three decimals, which is precise enough and keeps answers short. */
export const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}
