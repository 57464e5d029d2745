/** The platform of Node, with the runtime's own buffers and digests. */
// Imported, because the global is a getter that each call would call as well.
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Bytes, Platform } from './bytes.js'

export const bytesOver: Platform['bytesOver'] = (memory, offset, length) => withLatin1(Buffer.from(memory, offset, length))

export const latin1Bytes: Platform['latin1Bytes'] = (text) => withLatin1(Buffer.from(text, 'latin1'))

export const utf8Bytes: Platform['utf8Bytes'] = (text) => withLatin1(Buffer.from(text))

export const utf8Length: Platform['utf8Length'] = (text) => Buffer.byteLength(text)

export const decodeUtf8: Platform['decodeUtf8'] = (bytes) => Buffer.from(bytes, 'latin1').toString()

export const sha256: Platform['sha256'] = (text, encoding) => createHash('sha256').update(text).digest(encoding)

/** The functions that `write` and `toString` of a buffer call for latin1. They are undocumented, and take half the time for a short text. */
function withLatin1(buffer: Buffer): Bytes {
  const bytes = buffer as Buffer & Bytes
  if (typeof bytes.latin1Write !== 'function') bytes.latin1Write = (text, offset, length) => buffer.write(text, offset, length, 'latin1')
  if (typeof bytes.latin1Slice !== 'function') bytes.latin1Slice = (start, end) => buffer.toString('latin1', start, end)
  return bytes
}
