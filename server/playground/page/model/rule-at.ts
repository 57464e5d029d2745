/** The rule at a place of a file of rules. It reads half-typed text as well, so it is no parser. */

/** @returns its id; null: the place is in no rule */
export function ruleIdAt(content: string, offset: number): string | null {
  // Comments become blanks, so that offsets stay.
  const before = content.slice(0, offset).replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => ' '.repeat(comment.length))
  const start = before.lastIndexOf('<rule')
  if (start < 0 || before.includes('</rule>', start)) return null
  // The opening tag may go on behind the place.
  return /^<rule\b[^>]*?\bid\s*=\s*["'](\d+)["']/.exec(content.slice(start, content.indexOf('>', start) + 1))?.[1] ?? null
}
