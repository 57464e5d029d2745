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

/** RFC 3339; seconds can be omitted. Wazuh reads whole seconds, so a fraction is ignored. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|([+-])(\d\d):(\d\d))$/
const MINUTE = 60
const HOUR = 3600

/**
 * Reads the `now` of a case. The written zone is that of the manager, so `<time>` and `<weekday>` have the same result on every machine. Returns null if the text is
 * no ISO time with a zone.
 */
export function readNow(text: string): Moment | null {
  const parts = TIME.exec(text)
  if (parts === null) return null
  const [year, month, day, hour, minute, second, zoneHour, zoneMinute] = [1, 2, 3, 4, 5, 6, 8, 9].map((index) => Number(parts[index] ?? 0))
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return null
  // Fields of the local time, kept in a date in UTC.
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // A date such as February 30 moves to the next month.
  if (local.getUTCFullYear() !== year || local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return null
  const offset = (parts[7] === '-' ? -1 : 1) * (zoneHour * HOUR + zoneMinute * MINUTE)
  return { seconds: local.getTime() / 1000 - offset, local: () => ({ timeOfDay: `${parts[4]}:${parts[5]}`, weekday: local.getUTCDay() }) }
}

/** A second of the epoch, with the local time of a zone: nothing depends on the zone of the machine. */
export function utcMoment(seconds: number, zoneHours = 0): Moment {
  return {
    seconds,
    local: () => {
      const date = new Date((seconds + zoneHours * HOUR) * 1000)
      return { timeOfDay: date.toISOString().slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM'.length), weekday: date.getUTCDay() }
    },
  }
}

const HOURS_PER_DAY = 24
const MINUTES_PER_WEEK = WEEK * HOURS_PER_DAY * 60

/** Returns the text that `readNow` reads as this moment. Its zone is the difference of the local time to UTC. */
export function writeNow(moment: Moment): string {
  const { timeOfDay, weekday } = moment.local()
  const [hours, minutes] = timeOfDay.split(':').map(Number)
  const utc = new Date(moment.seconds * 1000)
  const difference = (weekday - utc.getUTCDay()) * HOURS_PER_DAY * 60 + hours * 60 + minutes - (utc.getUTCHours() * 60 + utc.getUTCMinutes())
  // Saturday and Sunday are next to each other.
  const offset = ((((difference + MINUTES_PER_WEEK / 2) % MINUTES_PER_WEEK) + MINUTES_PER_WEEK) % MINUTES_PER_WEEK) - MINUTES_PER_WEEK / 2
  const local = new Date((moment.seconds + offset * MINUTE) * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
}
