/** Suggests the known name that is most similar to an unknown one. */

/** Longer names are not compared, so that the table below stays small. */
const NAME_LIMIT = 64

/** Share of letters that may differ. With a third, three letters allow one error and `match` never becomes `action`. */
const LETTERS_PER_ERROR = 3

/** Maximum distance: with four errors it is another word. */
const ERROR_LIMIT = 3

/** Ids are so dense that two wrong digits usually match another existing rule. */
const NUMBER = /^\d+$/

/**
 * Returns the known name with the smallest Damerau-Levenshtein distance (letters changed, missing, extra, or two neighbours swapped), ignoring case; the first
 * of equally near ones. Null if none is near enough.
 */
export function suggest(name: string, known: Iterable<string>): string | null {
  const wanted = name.trim().toLowerCase()
  if (wanted === '' || wanted.length > NAME_LIMIT) return null
  let bound = NUMBER.test(wanted) ? 1 : Math.min(ERROR_LIMIT, Math.max(1, Math.floor(wanted.length / LETTERS_PER_ERROR)))
  let best: string | null = null
  for (const candidate of known) {
    if (candidate === name || candidate === '') continue
    if (Math.abs(candidate.length - wanted.length) > bound) continue
    const folded = candidate.toLowerCase()
    if (folded.length > NAME_LIMIT) continue
    const errors = distance(wanted, folded, bound)
    if (errors > bound || errors >= Math.max(wanted.length, folded.length)) continue
    best = candidate
    if (errors === 0) break
    bound = errors - 1
  }
  return best
}

/** Longer patterns are not shown in full. */
const PATTERN_LIMIT = 120

/** Returns a corrected pattern as a suggestion; null: nothing was corrected, or it is too long for a message. */
export function suggestPattern(written: string, corrected: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
  return corrected === written || corrected.length > PATTERN_LIMIT || /[\x00-\x1f\x7f]/.test(corrected) ? null : corrected
}

/** Beginnings that people put before the name of a condition: `if_program_name`. */
const INVENTED_PREFIX = /^(?:if|when|match|rule|event)_/

/** Returns what each invented name means. @param table the names, separated by blanks, by their meaning */
export function inventedNames(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).flatMap(([meant, names]) => names.split(' ').map((name) => [name, meant] as const)))
}

/** Like `suggest`, for names that people may also have invented. */
export function suggestMeant(name: string, known: readonly string[], invented: ReadonlyMap<string, string>): string | null {
  const lower = name.toLowerCase()
  const found = invented.get(lower) ?? suggest(name, known)
  if (found !== null) return found
  const rest = lower.replace(INVENTED_PREFIX, '')
  if (rest === lower) return null
  return known.includes(rest) ? rest : (invented.get(rest) ?? null)
}

/** Three rows are reused: names are compared by the thousand, one after the other. */
const rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(NAME_LIMIT + 2), new Uint8Array(NAME_LIMIT + 2), new Uint8Array(NAME_LIMIT + 2)]

/** Returns the distance, or any number above `bound` as soon as it must exceed that. */
function distance(a: string, b: string, bound: number): number {
  let [beforeLast, last, row] = rows
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    row[0] = i
    let lowest = i
    const letter = a.charCodeAt(i - 1)
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1)
      let cost = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter === other ? 0 : 1))
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) cost = Math.min(cost, beforeLast[j - 2] + 1)
      row[j] = cost
      if (cost < lowest) lowest = cost
    }
    if (lowest > bound + 1) return bound + 1
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return last[b.length]
}
