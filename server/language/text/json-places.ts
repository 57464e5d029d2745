/** Finds positions in a JSON text, which `JSON.parse` does not report. The text must be valid JSON. */

/** The elements of a list. */
export interface ListPlaces {
  /** Offset behind the bracket with which the list begins. */
  readonly start: number
  readonly elements: readonly ElementPlace[]
}

export interface ElementPlace {
  /** Where it begins, from 1. */
  readonly line: number
  readonly start: number
  /** Offset behind it. */
  readonly end: number
}

/**
 * The elements of a list, which is a member of the outermost object. Null: there is no such list.
 *
 *     {"cases": [ {…}, {…} ]}
 *                 ^    ^
 */
export function listPlaces(text: string, member: string): ListPlaces | null {
  const elements: ElementPlace[] = []
  let start: number | null = null
  let line = 1
  let depth = 0
  let inList = false
  let expectsElement = false
  let lastText: string | null = null
  let begun: Omit<ElementPlace, 'end'> | null = null
  /** Behind the last character that is no white space. */
  let behind = 0
  const close = (): void => {
    if (begun !== null) elements.push({ ...begun, end: behind })
    begun = null
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '\n') line++
    if (/\s/.test(char)) continue
    if (inList && expectsElement && depth === 2 && char !== ']') {
      begun = { line, start: at }
      expectsElement = false
    }
    if (char === '"') {
      const end = endOfText(text, at)
      if (depth === 1) lastText = text.slice(at + 1, end)
      at = end
    } else if (char === '{' || char === '[') {
      depth++
      if (depth === 2 && char === '[' && lastText === member && start === null) {
        inList = true
        expectsElement = true
        start = at + 1
      }
    } else if (char === '}' || char === ']') {
      depth--
      if (depth === 1) {
        close()
        inList = false
      }
    } else if (char === ',' && depth === 2) {
      close()
      expectsElement = inList
    }
    behind = at + 1
  }
  return start === null ? null : { start, elements }
}

/** Position of the closing quote of the string that begins at `at`. */
function endOfText(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end
}
