/** A text of content in Markdown: as a code span on one line, from which no mention, link, HTML, heading or table cell can come. */
import { toUSVString } from 'node:util'

/** Characters of a text that comes from content. */
const TEXT_CHARACTERS = 160

/** @param characters beyond which the text is cut */
export function codeSpan(text: string, characters = TEXT_CHARACTERS): string {
  // Escapes of a code span do not exist, so a backtick is replaced. A pipe would end a cell of a table.
  const line = toUSVString(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[`|]/g, "'")
    .replace(/ +/g, ' ')
    .trim()
  const shown = line.length > characters ? toUSVString(`${line.slice(0, characters)}…`) : line
  return `\`${shown === '' ? '-' : shown}\``
}
