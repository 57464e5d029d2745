/**
 * Reads the lines that a person types or pastes at a terminal, with Node's line editor: the terminal's own one drops what a line has beyond 4,095 bytes, which is
 * less than many events of Windows and lines of alerts.json.
 */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type LineBatch, LINE_LIMIT, STDIN_NAME } from './lines.js'

/** Lines that can be called up again. */
const HISTORY_SIZE = 200

/** Whether a stream is a terminal whose keys can be read one by one. */
export function hasKeys(stdin: Readable): boolean {
  return (stdin as { readonly isTTY?: boolean }).isTTY === true && typeof (stdin as { readonly setRawMode?: unknown }).setRawMode === 'function'
}

/** @param terminal where the keys are echoed */
export async function* readTypedLines(stdin: Readable, terminal: Writable): AsyncGenerator<LineBatch, void, undefined> {
  const editor = createInterface({ input: stdin, output: terminal, terminal: true, historySize: HISTORY_SIZE, prompt: '' })
  // The terminal no longer makes a signal of Ctrl-C.
  editor.on('SIGINT', () => {
    editor.close()
    process.kill(process.pid, 'SIGINT')
  })
  try {
    let first = 1
    for await (const line of editor) yield { source: STDIN_NAME, first: first++, lines: [Buffer.byteLength(line) > LINE_LIMIT ? null : line], bytes: Buffer.byteLength(line) }
  } finally {
    editor.close()
  }
}
