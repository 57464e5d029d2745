/** `<time>` (engine-rules.md 2.6): `6 pm - 8:30 am`, compared as `HH:MM` text with the local time of day. */
export interface TimeRange {
  readonly from: string
  readonly to: string
  /** Only kept for ranges inside one day: over midnight a leading `!` is lost. */
  readonly negated: boolean
}

const TIME = /^ *(!?) *([0-9]{1,2})(?::([0-9]{2}))? *([aApP][mM])? *- *([0-9]{1,2})(?::([0-9]{2}))? *([aApP][mM])? *$/

/** Null when the engine refuses the text. */
export function parseTimeRange(text: string): TimeRange | null {
  const match = TIME.exec(text)
  if (match === null) return null
  const from = clock(match[2], match[3], match[4])
  const to = clock(match[5], match[6], match[7])
  return from === null || to === null ? null : { from, to, negated: match[1] === '!' && from <= to }
}

function clock(hourText: string, minutes = '00', half?: string): string | null {
  let hour = Number(hourText)
  if (hour > 23) return null
  const word = half?.toLowerCase()
  if (word === 'am' && hour === 12) hour = 0
  else if (word === 'pm' && hour > 12) return null
  else if (word === 'pm' && hour < 12) hour += 12
  return `${String(hour).padStart(2, '0')}:${minutes}`
}

/** @param now `HH:MM` */
export function inTimeRange(now: string, { from, to, negated }: TimeRange): boolean {
  if (from <= to) return (from <= now && now <= to) !== negated
  // Over midnight: the complement of the daytime, so both named minutes are outside.
  return !(to <= now && now <= from)
}
