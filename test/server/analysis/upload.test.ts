import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import { ApiError } from '../../../server/core/errors.js'
import { Upload } from '../../../server/analysis/upload.js'

/** Counts bytes up to a limit. */
class Held {
  bytes = 0
  constructor(readonly limit: number) {}
  grow(bytes: number): void {
    if (this.bytes + bytes > this.limit) throw new ApiError('limit_reached')
    this.bytes += bytes
  }
  release(): void {
    this.bytes = 0
  }
}

function begin(limit = 100): { body: PassThrough; held: Held; upload: Upload } {
  const body = new PassThrough()
  const held = new Held(limit)
  return { body, held, upload: new Upload(body, held, { change: () => {}, isFull: false }) }
}

async function sent(body: PassThrough, text: string | Buffer): Promise<void> {
  body.write(text)
  await tick()
}

describe('Upload', () => {
  it('counts the bytes of the incomplete line only', async () => {
    const { body, held, upload } = begin()
    await sent(body, 'one\ntw')
    assert.equal(held.bytes, 2)
    await sent(body, 'o'.repeat(50))
    assert.equal(held.bytes, 52)
    await sent(body, '\nthree')
    assert.equal(held.bytes, 5)
    assert.equal(String(await upload.first()), 'one')
    body.end()
    assert.equal(String(await upload.next()), `tw${'o'.repeat(50)}\n`)
    assert.equal(String(await upload.next()), 'three')
    assert.equal(await upload.next(), null)
    assert.equal(held.bytes, 0)
    assert.equal(upload.failure, null)
  })

  it('ends when the incomplete line exceeds the limit, after the lines before it', async () => {
    const { body, held, upload } = begin()
    await sent(body, 'one\n')
    await sent(body, 'x'.repeat(101))
    assert.equal(String(await upload.first()), 'one')
    assert.equal(await upload.next(), null)
    assert.equal((upload.failure as ApiError).reason, 'limit_reached')
    assert.equal(held.bytes, 0)
  })

  it('releases the bytes of the incomplete line when it is closed', async () => {
    const { body, held, upload } = begin()
    await sent(body, 'one\ntwo')
    assert.equal(held.bytes, 3)
    upload.close()
    await tick()
    assert.equal(held.bytes, 0)
    assert.equal(await upload.next(), null)
    assert.equal(upload.failure, null)
  })

  it('joins lines in memory that is given back', async () => {
    const { body, upload } = begin()
    await sent(body, 'head\none\ntw')
    assert.equal(String(await upload.first()), 'head')
    const first = (await upload.next()) as Uint8Array
    assert.equal(String(first), 'one\n')
    await sent(body, 'o\nthr')
    const second = (await upload.next()) as Uint8Array
    assert.equal(String(second), 'two\n')
    await sent(body, 'ee\nfo')
    const third = (await upload.next()) as Uint8Array
    assert.equal(String(third), 'three\n')
    assert.notEqual(third.buffer, second.buffer)
    // A read of the connection is not memory of the upload.
    upload.reuse(first)
    upload.reuse(second.subarray(0, 1))
    await sent(body, 'ur\n')
    const fourth = (await upload.next()) as Uint8Array
    assert.equal(String(fourth), 'four\n')
    assert.equal(fourth.buffer, second.buffer)
    assert.equal(String(third), 'three\n')
  })

  it('frees each chunk when its last bytes are joined', async () => {
    const { body, upload } = begin(1_000_000)
    const chunks = [`head\n${'a'.repeat(40_000)}\nbb`, `b\n${'c'.repeat(40_000)}\n`, `${'d'.repeat(300_000)}`, `d\n${'e'.repeat(40_000)}`].map((text) => Buffer.from(text))
    for (const chunk of chunks) await sent(body, chunk)
    body.end()
    const lines: string[] = []
    assert.equal(String(await upload.first()), 'head')
    for (let some = await upload.next(); some !== null; some = await upload.next()) {
      lines.push(String(some))
      upload.reuse(some)
    }
    assert.equal(lines.join(''), [`${'a'.repeat(40_000)}\nbbb\n`, `${'c'.repeat(40_000)}\n`, `${'d'.repeat(300_001)}\n`, 'e'.repeat(40_000)].join(''))
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [0, 0, 0, 0],
    )
  })
})
