/** Text from events and files for a terminal. Control characters are replaced by visible symbols, so that log lines cannot control the terminal. */

/** C0 and C1 control characters and DEL; also line breaks and tabs, because the text is shown on one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g

export function printable(text: string): string {
  return text.replace(CONTROL, (char) => {
    const code = char.charCodeAt(0)
    return code === 9 ? ' ' : code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
  })
}

/** Shortens a text to the limit, with an ellipsis. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${Array.from(text)
    .slice(0, limit - 1)
    .join('')}…`
}
