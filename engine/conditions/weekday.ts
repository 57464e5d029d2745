/** `<weekday>` (BEHAVIOUR.md#time-and-weekday): names of days, separated by commas or blanks. A `!` is never accepted. */
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

export const WEEKDAY_WORDS: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>([
  ...DAYS.flatMap((day, index): [string, number[]][] => [
    [day, [index]],
    [day.slice(0, 3), [index]],
  ]),
  ['weekdays', [1, 2, 3, 4, 5]],
  ['weekends', [0, 6]],
])

/** Returns the days (0 = Sunday), or null if the reference engine refuses the text. */
export function parseWeekdays(text: string): ReadonlySet<number> | null {
  const words = text.split(/[, ]+/).filter((word) => word !== '')
  const days = new Set<number>()
  for (const word of words) {
    const known = WEEKDAY_WORDS.get(word.toLowerCase())
    if (known === undefined) return null
    for (const day of known) days.add(day)
  }
  return days.size === 0 ? null : days
}
