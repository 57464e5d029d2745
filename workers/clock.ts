/** The clock, which the engine doesn't have: when an event is received, and how long things take. */
import type { Moment } from '#engine'

/** Milliseconds, for measuring. */
export const now = (): number => performance.now()

/** Milliseconds since the epoch that agree between the threads of a process, and never go back. */
export const sharedNow = (): number => performance.timeOrigin + performance.now()

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

/** The moment that it is, on the wall clock. */
export const momentNow = (): Moment => momentAt(Math.floor(Date.now() / 1000))

/** Milliseconds for people: three decimals are enough, and keep answers short. */
export const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}
