/**
 * The text of an item: how two are compared, and how one is written at another place. White space between the tags of an item has no effect, so it is not
 * compared and follows the place; white space in the text of a tag has an effect and is never changed.
 *
 *     <rule id="1" level="3">
 *     ····<description>two\n··lines</description>     · between tags: not compared     ·· in a text: compared
 *     ··</rule>
 */
import type { XmlElement } from '../xml/node.js'

const BLANK = /^\s*$/

/** Returns the offset after the opening tag. */
export function openingEnd(bytes: string, { attributes, nameEnd }: XmlElement): number {
  return bytes.indexOf('>', attributes.at(-1)?.valueEnd ?? nameEnd) + 1
}

/** Returns the text of an element in which line ends and white space between its tags are normalized. Comments in it are compared line by line. */
export function comparisonText(bytes: string, element: XmlElement): string {
  return withGaps(bytes, element, (gap) =>
    BLANK.test(gap)
      ? ''
      : gap
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .join('\n'),
  ).replaceAll('\r\n', '\n')
}

/** Returns the element for a place with another indentation. @param bytes a text with `\n` as line end */
export function reindented(bytes: string, element: XmlElement, indentation: string): string {
  const before = indentationOf(bytes, element.start)
  if (before === null || before === indentation) return bytes.slice(element.start, element.end)
  return withGaps(bytes, element, (gap) => reindentedGap(gap, before, indentation))
}

/** Changes the indentation of all lines after the first. */
export function reindentedGap(gap: string, before: string, after: string): string {
  return gap
    .split('\n')
    .map((line, index) => (index > 0 && line.startsWith(before) ? after + line.slice(before.length) : line))
    .join('\n')
}

/** Returns the blanks between the beginning of the line and an offset; null: there is something else. */
export function indentationOf(bytes: string, at: number): string | null {
  let start = at
  while (start > 0 && isBlank(bytes.charCodeAt(start - 1))) start--
  return start === 0 || bytes.charCodeAt(start - 1) === LINE_FEED ? bytes.slice(start, at) : null
}

const LINE_FEED = 0x0a

/** Whether the byte is white space inside a line. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09
}

/** Rebuilds an element, with the texts between its tags replaced. Only white space is replaced inside of an option. */
function withGaps(bytes: string, element: XmlElement, replace: (gap: string) => string): string {
  const pieces: string[] = []
  const visit = (parent: XmlElement, isOption: boolean): void => {
    if (parent.children.length === 0) {
      pieces.push(bytes.slice(parent.start, parent.end))
      return
    }
    const addGap = (start: number, end: number): void => {
      const gap = bytes.slice(start, end)
      pieces.push(isOption && !BLANK.test(gap) ? gap : replace(gap))
    }
    let at = openingEnd(bytes, parent)
    pieces.push(bytes.slice(parent.start, at))
    for (const child of parent.children) {
      addGap(at, child.start)
      visit(child, true)
      at = child.end
    }
    addGap(at, parent.contentEnd)
    pieces.push(bytes.slice(parent.contentEnd, parent.end))
  }
  visit(element, false)
  return pieces.join('')
}
