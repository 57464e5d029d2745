/** A clock for tests: a moment that is advanced. */
import type { Moment } from '../match/run-event.js'

const DAY = 86_400
const WEEK = 7

/** Returns the moment some seconds later. Local time advances evenly: tests have no change to daylight saving. */
export function later(moment: Moment, seconds: number): Moment {
  if (seconds === 0) return moment
  const whole = Math.trunc(seconds)
  return {
    seconds: moment.seconds + whole,
    local: () => {
      const { timeOfDay, weekday } = moment.local()
      const [hours, minutes] = timeOfDay.split(':').map(Number)
      // Time zones differ by whole minutes, so the seconds of the minute are those of the epoch.
      const total = (hours * 60 + minutes) * 60 + (((moment.seconds % 60) + 60) % 60) + whole
      const days = Math.floor(total / DAY)
      const ofDay = total - days * DAY
      const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
      return { timeOfDay: `${two(ofDay / 3600)}:${two((ofDay % 3600) / 60)}`, weekday: (((weekday + days) % WEEK) + WEEK) % WEEK }
    },
  }
}
