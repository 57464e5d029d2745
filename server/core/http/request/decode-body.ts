/** Decompresses a streamed body while it is received. The decompressed bytes have the limit of a body, for any compressed input. */
import { pipeline, type Readable, Transform } from 'node:stream'
import { ApiError } from '../../errors.js'
import { type ContentEncoding, createDecoder, ENCODING_NAMES } from '../content-encoding.js'
import { tooLarge } from './body-limit.js'

/**
 * @param encoding the `Content-Encoding`, which was checked before
 * @param maxBytes of the decompressed body
 * @returns the decompressed body, which fails with payload_too_large, body_encoding_broken and the errors of the body itself
 */
export function decoded(body: Readable, encoding: string | undefined, maxBytes: number): Readable {
  const name = encoding?.toLowerCase() as ContentEncoding | undefined
  if (name === undefined || !ENCODING_NAMES.includes(name)) return body
  let bytes = 0
  const limited = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  const decoder = createDecoder(name)
  // Before the pipeline passes on the error of the library.
  decoder.once('error', (error) =>
    limited.destroy(error instanceof ApiError ? error : new ApiError('body_encoding_broken', { params: { encoding: name }, details: { encoding: name } })),
  )
  // The reader gets the error, and may have left before it.
  limited.on('error', () => {})
  pipeline(body, decoder, limited, () => {})
  return limited
}
