/** The lines of Git's protocols: four hexadecimal digits with the length, themselves included, and the content. `0000` ends a section. */

const LENGTH_DIGITS = 4

/** Ends a section. */
export const FLUSH = Buffer.from('0000')

/** The bytes are not what the protocol says. */
export class MalformedGitError extends Error {
  override readonly name = 'MalformedGitError'
}

export function pktLine(text: string): Buffer {
  const content = Buffer.from(text)
  return Buffer.concat([Buffer.from((content.length + LENGTH_DIGITS).toString(16).padStart(LENGTH_DIGITS, '0')), content])
}

/** Reads lines; null: the end of a section. The contents share memory with `bytes`. @throws MalformedGitError */
export function* readPktLines(bytes: Buffer): Generator<Buffer | null> {
  let offset = 0
  while (offset < bytes.length) {
    const digits = bytes.toString('latin1', offset, offset + LENGTH_DIGITS)
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new MalformedGitError('a line without a length')
    const length = Number.parseInt(digits, 16)
    if (length === 0) {
      yield null
      offset += LENGTH_DIGITS
      continue
    }
    if (length < LENGTH_DIGITS || offset + length > bytes.length) throw new MalformedGitError('a line is cut')
    yield bytes.subarray(offset + LENGTH_DIGITS, offset + length)
    offset += length
  }
}

/** Text of a line, without the line end that some senders add. */
export function textOf(line: Buffer): string {
  return line.toString('utf8').replace(/\n$/, '')
}
