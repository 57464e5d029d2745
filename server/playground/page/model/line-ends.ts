/** Line ends of files. The editor knows `\n` alone; a file keeps its own, and every byte of what was not edited. */
const LINE_END = /\r\n?/g

/** Returns a text as the editor has it. */
export function withPlainLineEnds(text: string): string {
  return text.replace(LINE_END, '\n')
}

/** Puts an edit into the text of a file. @param written the text of the file @param edited with plain line ends */
export function withOwnLineEnds(written: string, edited: string): string {
  if (!written.includes('\r')) return edited
  const plain = withPlainLineEnds(written)
  const shorter = Math.min(plain.length, edited.length)
  let start = 0
  while (start < shorter && plain.charCodeAt(start) === edited.charCodeAt(start)) start++
  let end = 0
  while (end < shorter - start && plain.charCodeAt(plain.length - 1 - end) === edited.charCodeAt(edited.length - 1 - end)) end++
  const inserted = edited.slice(start, edited.length - end)
  const hasWindowsEnds = written.includes('\r\n')
  return written.slice(0, offsetIn(written, start)) + (hasWindowsEnds ? inserted.replaceAll('\n', '\r\n') : inserted) + written.slice(offsetIn(written, plain.length - end))
}

/** Returns the offset of a character of the plain text. */
function offsetIn(written: string, plainOffset: number): number {
  let at = 0
  for (let passed = 0; passed < plainOffset; passed++) at += written.charCodeAt(at) === 13 && written.charCodeAt(at + 1) === 10 ? 2 : 1
  return at
}
