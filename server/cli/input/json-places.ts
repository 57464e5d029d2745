/** Finds positions in a JSON text, which `JSON.parse` does not report. The text must be valid JSON. */

/**
 * Line numbers at which the elements of a list begin. The list is a member of the outermost object.
 *
 *     {"cases": [ {…}, {…} ]}
 *                 ^    ^
 */
export function listElementLines(text: string, member: string): number[] {
  const lines: number[] = []
  let line = 1
  let depth = 0
  let inList = false
  let expectsElement = false
  let lastText: string | null = null
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '\n') line++
    if (/\s/.test(char)) continue
    if (inList && expectsElement && depth === 2 && char !== ']') {
      lines.push(line)
      expectsElement = false
    }
    if (char === '"') {
      const end = endOfText(text, at)
      if (depth === 1) lastText = text.slice(at + 1, end)
      at = end
    } else if (char === '{' || char === '[') {
      depth++
      if (depth === 2 && char === '[' && lastText === member && lines.length === 0) {
        inList = true
        expectsElement = true
      }
    } else if (char === '}' || char === ']') {
      depth--
      if (depth === 1) inList = false
    } else if (char === ',' && depth === 2) expectsElement = true
  }
  return lines
}

/** Position of the closing quote of the string that begins at `at`. */
function endOfText(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end
}
