/** The clock, which the engine does not have: the time at which an event is received, and durations. */
import type { Moment } from '#engine'

/** Milliseconds, for durations. */
export const now = (): number => performance.now()

/** Kept, because reading it takes half as long as reading the clock. */
const ORIGIN = performance.timeOrigin

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

/** Texts of durations under a millisecond, by microseconds: printing a fraction takes as long as predecoding an event. */
const SHORT_MS: readonly string[] = Array.from({ length: 1000 }, (_, us) => String(us / 1000))

/** Returns the text of `roundMs`. */
export function msText(ms: number): string {
  const us = Math.round(ms * 1000)
  return SHORT_MS[us] ?? String(us / 1000)
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}
