/** Compressed data, with a limit on what comes out: some bytes can become gigabytes. */

/** More came out than the limit allows. */
export class TooLargeError extends Error {
  constructor(readonly limit: number) {
    super(`more than ${limit} bytes`)
  }
}

export async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return readAll(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw')), Number.POSITIVE_INFINITY)
}

/** @throws TooLargeError @throws TypeError when the data is no compressed data */
export async function inflate(bytes: Uint8Array<ArrayBuffer>, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  return readAll(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')), limit)
}

async function readAll(stream: ReadableStream<Uint8Array<ArrayBuffer>>, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = stream.getReader()
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const part = value as Uint8Array<ArrayBuffer>
    length += part.length
    if (length > limit) {
      await reader.cancel()
      throw new TooLargeError(limit)
    }
    parts.push(part)
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
