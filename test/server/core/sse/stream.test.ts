/** The format of server-sent events, and streams whose reader is slow. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import { commentText, EventStream, eventText } from '../../../../server/core/sse/stream.js'

test('an event has a line with its name, a line with its data, and a blank line', () => {
  assert.equal(eventText('unread', { unread: 3 }), 'event: unread\ndata: {"unread":3}\n\n')
  assert.equal(eventText(null, { text: 'two\nlines\r\n\u2028' }), 'data: {"text":"two\\nlines\\r\\n\u2028"}\n\n')
  assert.equal(commentText('keep-alive'), ': keep-alive\n\n')
})

test('a stream sends what was offered and then ends', async () => {
  const stream = new EventStream()
  assert.ok(stream.offer('a'))
  assert.ok(stream.offer('b'))
  stream.end()
  stream.end()
  assert.equal(stream.offer('c'), false)
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  assert.equal(text, 'ab')
})

test('events for a slow reader are refused until it has read', async () => {
  const stream = new EventStream()
  const event = eventText('unread', { unread: 1 })
  let taken = 0
  while (stream.offer(event)) taken++
  assert.ok(taken > 10 && taken < 1000, `${taken}`)
  assert.ok(stream.readableLength <= 5000, `${stream.readableLength}`)
  for (let i = 0; i < 1000; i++) assert.equal(stream.offer(event), false)
  assert.ok(stream.readableLength <= 5000)
  stream.read()
  await tick()
  assert.ok(stream.offer(event))
})

test('a closed stream refuses events', async () => {
  const stream = new EventStream()
  stream.destroy()
  await once(stream, 'close')
  assert.equal(stream.offer('a'), false)
  stream.end()
})
