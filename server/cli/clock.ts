/** When events are received. */
import type { Moment } from '#engine'

/** A moment of the wall clock. */
export function momentOf(milliseconds: number): Moment {
  return {
    seconds: Math.floor(milliseconds / 1000),
    local: () => {
      const date = new Date(milliseconds)
      return { timeOfDay: `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`, weekday: date.getDay() }
    },
  }
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
