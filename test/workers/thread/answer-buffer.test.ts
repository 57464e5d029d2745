/** Answers collected as bytes: the same bytes as their texts, and taken ones belong to their caller. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { BUFFER_BYTES, SharedBuffers } from '../../../workers/shared/buffers.js'
import { AnswerBuffer } from '../../../workers/thread/tasks/answer-buffer.js'

/** Takes what is in separate memory. */
function taken(answers: AnswerBuffer, buffers: SharedBuffers | null = null): Uint8Array {
  const { place, bytes } = answers.take(buffers)
  assert.equal(place, null)
  assert.ok(bytes !== null)
  return bytes
}

test('the bytes equal those of the texts, in any script and of any length', () => {
  const answers = new AnswerBuffer()
  const texts = ['plain', 'ção', '日本語', '🐙', '\ud800 alone', 'x'.repeat(3 * 1024 * 1024), 'é'.repeat(1024 * 1024), 'end\n']
  for (let round = 0; round < 2; round++) {
    for (const text of texts) answers.text(text)
    const all = Buffer.from(texts.join(''), 'utf8')
    assert.equal(answers.length, all.length)
    assert.ok(all.equals(taken(answers)), `round ${round}`)
    assert.equal(answers.length, 0)
  }
})

test('taken bytes belong to their caller: later answers do not overwrite them', () => {
  const answers = new AnswerBuffer()
  answers.text('first')
  const first = taken(answers)
  answers.text('other')
  const other = taken(answers)
  assert.equal(Buffer.from(first).toString(), 'first')
  assert.notEqual(first.buffer, other.buffer)
  assert.equal(first.buffer.byteLength, 5, 'more memory would be handed over than is needed')
})

test('bytes left by an error are not part of the next answer', () => {
  const answers = new AnswerBuffer()
  answers.text('half')
  answers.clear()
  answers.text('whole')
  assert.equal(Buffer.from(taken(answers)).toString(), 'whole')
})

test('an answer is moved into shared memory, unless it does not fit', () => {
  const answers = new AnswerBuffer()
  const buffers = new SharedBuffers()
  answers.text('shared')
  const { place, bytes } = answers.take(buffers)
  assert.ok(place !== null && bytes === null)
  assert.equal(buffers.at(place).toString(), 'shared')
  assert.equal(answers.length, 0)
  answers.text('x'.repeat(BUFFER_BYTES + 1))
  assert.equal(taken(answers, buffers).length, BUFFER_BYTES + 1)
})
