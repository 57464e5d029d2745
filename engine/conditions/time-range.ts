/** `<time>` (BEHAVIOUR.md#time-and-weekday): `6 pm - 8:30 am`, compared as `HH:MM` text with the local time of day. */
export interface TimeRange {
  /** `HH:MM`. */
  readonly from: string
  readonly to: string
  /** Only kept for ranges inside one day: over midnight a leading `!` is lost. */
  readonly negated: boolean
}

/** The minutes may have one digit before a blank, and either time may be missing. */
const CLOCK = '(?:([0-9]{1,2})(?::([0-9][0-9 ]))? ?([aApP][mM])?)?'
const TIME = new RegExp(`^ ?(!?) ?${CLOCK} ?- ?${CLOCK} ?$`)

/**
 * Returns the parts of a range: `!`, then hour, minutes and am or pm of each time. Runs of blanks are reduced to one first; otherwise hostile ones take cubic
 * time.
 */
function piecesOf(text: string): RegExpExecArray | null {
  return TIME.exec(text.replace(/ +/g, ' '))
}

/** Returns null if the reference engine refuses the text. */
export function parseTimeRange(text: string): TimeRange | null {
  const match = piecesOf(text)
  if (match === null) return null
  const from = clock(match[2], match[3], match[4])
  const to = clock(match[5], match[6], match[7])
  return from === null || to === null ? null : { from, to, negated: match[1] === '!' && from <= to }
}

/** Whether the range may have an unintended meaning: a missing time is read as 00:00, and `06:5` as 06:05. */
export function isIncompleteTime(text: string): boolean {
  const match = piecesOf(text)
  return match !== null && (match[2] === undefined || match[5] === undefined || [match[3], match[6]].some((minutes) => minutes?.endsWith(' ') === true))
}

function clock(hourText = '0', minutes = '00', half?: string): string | null {
  let hour = Number(hourText)
  if (hour > 23) return null
  const word = half?.toLowerCase()
  if (word === 'am' && hour === 12) hour = 0
  else if (word === 'pm' && hour > 12) return null
  else if (word === 'pm' && hour < 12) hour += 12
  return `${String(hour).padStart(2, '0')}:${minutes.trimEnd().padStart(2, '0')}`
}

/** @param now `HH:MM` */
export function inTimeRange(now: string, { from, to, negated }: TimeRange): boolean {
  if (from <= to) return (from <= now && now <= to) !== negated
  // Over midnight: the complement of the daytime, so both boundary minutes are outside.
  return !(to <= now && now <= from)
}
