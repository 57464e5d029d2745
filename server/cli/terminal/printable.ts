/** Text from events and files for a terminal: control characters as their pictures, so that no log line can command a terminal. */

/** C0 and C1 control characters and DEL; line breaks and tabs too, as what is shown stands on one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g

export function printable(text: string): string {
  return text.replace(CONTROL, (char) => {
    const code = char.charCodeAt(0)
    return code === 9 ? ' ' : code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
  })
}

/** At most so many characters, with an ellipsis where something is left out. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${Array.from(text)
    .slice(0, limit - 1)
    .join('')}…`
}
