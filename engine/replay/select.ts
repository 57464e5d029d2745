/** Reads the names of fields that a caller selects: of alerts of a replay, and of events of a batch. */

/** Names, as `rule.id,level,srcip`. */
const SEPARATOR = ','

/** Reads names that are separated by commas. @returns the names in their order; null: one of them is empty */
export function readSelect(text: string): readonly string[] | null {
  const names = text.split(SEPARATOR).map((name) => name.trim())
  return names.includes('') ? null : names
}
