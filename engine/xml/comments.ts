/** Comments of the ruleset dialect (BEHAVIOUR.md#xml-dialect). */

type Range = readonly [start: number, end: number]

/** Comments begin at `<!` and end at the first `!>` or `-->`. */
export function commentsOf(bytes: string): Range[] {
  const found: Range[] = []
  let bang = -2
  let dash = -2
  for (let at = bytes.indexOf('<!'); at >= 0; at = bytes.indexOf('<!', at)) {
    if (bang !== -1 && bang < at + 2) bang = bytes.indexOf('!>', at + 2)
    if (dash !== -1 && dash < at + 2) dash = bytes.indexOf('-->', at + 2)
    const end = Math.min(bang < 0 ? bytes.length : bang + 2, dash < 0 ? bytes.length : dash + 3)
    found.push([at, end])
    at = end
  }
  return found
}

/** A text with its comments replaced by blanks. */
export function blankComments(text: string): string {
  let blanked = ''
  let at = 0
  for (const [start, end] of commentsOf(text)) {
    blanked += text.slice(at, start) + ' '.repeat(end - start)
    at = end
  }
  return blanked + text.slice(at)
}
