/** The smallest replacement that makes one text of another, so that an editor keeps its marks and its history. */
export interface TextChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

export function changeBetween(before: string, after: string): TextChange | null {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (end < shorter - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

/** Applies replacements that do not overlap. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  let result = text
  for (const { from, to, insert } of [...changes].sort((a, b) => b.from - a.from)) result = result.slice(0, from) + insert + result.slice(to)
  return result
}
