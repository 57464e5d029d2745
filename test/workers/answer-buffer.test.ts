/** Answers collected as bytes: the same bytes as their texts, in separate memory. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { AnswerBuffer } from '../../workers/tasks/answer-buffer.js'

test('the bytes equal those of the texts, in any script and of any length', () => {
  const bytes = new AnswerBuffer()
  const texts = ['plain', 'ção', '日本語', '🐙', '\ud800 alone', 'x'.repeat(3 * 1024 * 1024), 'é'.repeat(1024 * 1024), 'end\n']
  for (let round = 0; round < 2; round++) {
    for (const text of texts) bytes.add(text)
    const all = Buffer.from(texts.join(''), 'utf8')
    assert.equal(bytes.length, all.length)
    assert.ok(all.equals(bytes.take()), `round ${round}`)
    assert.equal(bytes.length, 0)
  }
})

test('taken bytes belong to their caller: later answers do not overwrite them', () => {
  const bytes = new AnswerBuffer()
  bytes.add('first')
  const first = bytes.take()
  bytes.add('other')
  const other = bytes.take()
  assert.equal(Buffer.from(first).toString(), 'first')
  assert.notEqual(first.buffer, other.buffer)
  assert.equal(first.buffer.byteLength, 5, 'more memory would be handed over than is needed')
})

test('bytes left by an error are not part of the next answer', () => {
  const bytes = new AnswerBuffer()
  bytes.add('half')
  bytes.clear()
  bytes.add('whole')
  assert.equal(Buffer.from(bytes.take()).toString(), 'whole')
})
