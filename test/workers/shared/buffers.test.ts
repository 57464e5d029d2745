/** Shared memory of answers is reused, but never while an answer in it is read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AnswerPlace, SharedBuffers, BUFFER_BYTES, BUFFERS } from '../../../workers/shared/buffers.js'

/** The two sides of the same memory. */
function sides(): { thread: SharedBuffers; main: SharedBuffers } {
  const main = new SharedBuffers()
  return { thread: new SharedBuffers(main.buffer), main }
}

function written(place: AnswerPlace | null): AnswerPlace {
  if (place === null) assert.fail('there is room')
  return place
}

describe('SharedBuffers', () => {
  it('transports UTF-8 of any text to the other side', () => {
    const { thread, main } = sides()
    const texts = ['{"a":1}', 'ção', '日本語', '🐙', 'half \ud800 alone', '', 'x'.repeat(100_000)]
    const places = texts.map((text) => written(thread.copy(Buffer.from(text))))
    assert.equal(main.unreleased, texts.length)
    places.forEach((place, i) => assert.ok(main.at(place).equals(Buffer.from(texts[i], 'utf8')), `text ${i}`))
    for (const place of places) main.release(place)
    assert.equal(main.unreleased, 0)
    assert.equal(thread.unreleased, 0)
  })

  it('copies bytes', () => {
    const { thread, main } = sides()
    const bytes = Buffer.from([0, 255, 128, 10])
    assert.deepEqual([...main.at(written(thread.copy(bytes)))], [...bytes])
  })

  it('transports lines in the other direction, if they fit', () => {
    const { thread, main } = sides()
    const answer = written(thread.copy(Buffer.from('answer')))
    for (const text of ['a\nb\n', '', 'x'.repeat(100_000)]) {
      assert.equal(main.writeLines(Buffer.from(text)), true)
      assert.equal(thread.lines(text.length).toString(), text)
    }
    assert.equal(main.writeLines(Buffer.alloc(BUFFER_BYTES)), false)
    assert.equal(main.at(answer).toString(), 'answer')
  })

  it('fills a buffer again as soon as everything in it is released', () => {
    const { thread, main } = sides()
    const first = written(thread.copy(Buffer.from('first')))
    main.release(first)
    assert.equal(written(thread.copy(Buffer.from('other'))).at, first.at)
  })

  it('has no room while everything is acquired, and has it again after release', () => {
    const { thread, main } = sides()
    const whole = Buffer.alloc(BUFFER_BYTES, 'x')
    const places = Array.from({ length: BUFFERS }, () => written(thread.copy(whole)))
    assert.equal(new Set(places.map(({ buffer }) => buffer)).size, BUFFERS)
    assert.equal(thread.copy(Buffer.from('one more')), null)
    assert.equal(thread.copy(Buffer.from('y')), null)
    main.release(places[3])
    assert.equal(written(thread.copy(Buffer.from('one more'))).buffer, places[3].buffer)
  })

  it('accepts nothing longer than a buffer, and stays within its end in any script', () => {
    const { thread, main } = sides()
    assert.equal(thread.copy(Buffer.alloc(BUFFER_BYTES + 1)), null)
    const texts = Array.from({ length: 40 }, (_, i) => String.fromCodePoint(0x4e00 + i).repeat(Math.floor(BUFFER_BYTES / 7)))
    const places = texts.map((text) => thread.copy(Buffer.from(text))).filter((place) => place !== null)
    assert.ok(places.length > 1)
    for (const { buffer, at, bytes } of places) {
      assert.equal(Math.floor(at / BUFFER_BYTES), buffer)
      assert.equal(Math.floor((at + bytes - 1) / BUFFER_BYTES), buffer)
    }
    places.forEach((place, i) => assert.equal(main.at(place).toString(), texts[i]))
  })

  it('never overwrites acquired memory, in whatever order it is released', () => {
    const { thread, main } = sides()
    let seed = 42
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const lent: { readonly place: AnswerPlace; readonly text: string }[] = []
    let refused = 0
    let rounds = 0
    for (let step = 0; step < 6000; step++) {
      if (lent.length > 0 && random(100) < 49) {
        const [{ place, text }] = lent.splice(random(lent.length), 1)
        assert.equal(main.at(place).toString(), text)
        main.release(place)
      } else {
        const pieces = Array.from({ length: 1 + random(3) }, (_, i) => `${step}${['.', 'é', '🐙'][i]}`.repeat(1 + random(BUFFER_BYTES / 20)))
        const text = pieces.join('')
        const place = thread.copy(Buffer.from(text))
        if (place === null) refused++
        else {
          lent.push({ place, text })
          if (place.at % BUFFER_BYTES === 0) rounds++
        }
      }
    }
    for (const { place, text } of lent) assert.equal(main.at(place).toString(), text)
    assert.ok(rounds > BUFFERS, 'buffers were used again')
    assert.ok(refused > 0, 'all buffers were lent at times')
  })
})
