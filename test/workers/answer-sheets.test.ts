/** Memory of answers that is used again: never while someone looks at it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AnswerPlace, AnswerSheets, SHEET_BYTES, SHEETS } from '../../workers/answer-sheets.js'

/** The two sides, as they see the same memory. */
function sides(): { thread: AnswerSheets; main: AnswerSheets } {
  const main = new AnswerSheets()
  return { thread: new AnswerSheets(main.buffer), main }
}

function written(place: AnswerPlace | null): AnswerPlace {
  if (place === null) assert.fail('there is room')
  return place
}

describe('AnswerSheets', () => {
  it('gives UTF-8 of any text to the other side', () => {
    const { thread, main } = sides()
    const texts = ['{"a":1}', 'ção', '日本語', '🐙', 'half \ud800 alone', '', 'x'.repeat(100_000)]
    const places = texts.map((text) => written(thread.write([text])))
    assert.equal(main.lent, texts.length)
    places.forEach((place, i) => assert.ok(main.at(place).equals(Buffer.from(texts[i], 'utf8')), `text ${i}`))
    for (const place of places) main.giveBack(place)
    assert.equal(main.lent, 0)
    assert.equal(thread.lent, 0)
  })

  it('copies bytes', () => {
    const { thread, main } = sides()
    const bytes = Buffer.from([0, 255, 128, 10])
    assert.deepEqual([...main.at(written(thread.copy(bytes)))], [...bytes])
  })

  it('begins a sheet anew as soon as nothing in it is lent', () => {
    const { thread, main } = sides()
    const first = written(thread.write(['first']))
    main.giveBack(first)
    assert.equal(written(thread.write(['other'])).at, first.at)
  })

  it('has no room while everything is lent, and has it again afterwards', () => {
    const { thread, main } = sides()
    const whole = Buffer.alloc(SHEET_BYTES, 'x')
    const places = Array.from({ length: SHEETS }, () => written(thread.copy(whole)))
    assert.equal(new Set(places.map(({ sheet }) => sheet)).size, SHEETS)
    assert.equal(thread.write(['one more']), null)
    assert.equal(thread.copy(Buffer.from('y')), null)
    main.giveBack(places[3])
    assert.equal(written(thread.write(['one more'])).sheet, places[3].sheet)
  })

  it('takes nothing that is longer than a sheet, and keeps within its end whatever the script', () => {
    const { thread, main } = sides()
    assert.equal(thread.write(['x'.repeat(SHEET_BYTES + 1)]), null)
    assert.equal(thread.copy(Buffer.alloc(SHEET_BYTES + 1)), null)
    const texts = Array.from({ length: 40 }, (_, i) => String.fromCodePoint(0x4e00 + i).repeat(Math.floor(SHEET_BYTES / 7)))
    const places = texts.map((text) => thread.write([text])).filter((place) => place !== null)
    assert.ok(places.length > 1)
    for (const { sheet, at, bytes } of places) {
      assert.equal(Math.floor(at / SHEET_BYTES), sheet)
      assert.equal(Math.floor((at + bytes - 1) / SHEET_BYTES), sheet)
    }
    places.forEach((place, i) => assert.equal(main.at(place).toString(), texts[i]))
  })

  it('never writes over what is lent, in whatever order it is given back', () => {
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
        main.giveBack(place)
      } else {
        const pieces = Array.from({ length: 1 + random(3) }, (_, i) => `${step}${['.', 'é', '🐙'][i]}`.repeat(1 + random(20_000)))
        const text = pieces.join('')
        const place = thread.write(pieces)
        if (place === null) refused++
        else {
          lent.push({ place, text })
          if (place.at % SHEET_BYTES === 0) rounds++
        }
      }
    }
    for (const { place, text } of lent) assert.equal(main.at(place).toString(), text)
    assert.ok(rounds > SHEETS, 'sheets were used again')
    assert.ok(refused > 0, 'all sheets were lent at times')
  })
})
