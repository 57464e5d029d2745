/** Bytes of answers count for their organization until a thread has read them; what a thread can't read is malformed. */
import assert from 'node:assert/strict'
import test from 'node:test'
import Type from 'typebox'
import { SMALL_JSON_BYTES } from '#requests'
import type { AnalysisPool } from '#workers'
import { ApiError } from '../../../../server/core/errors.js'
import { OutboundError } from '../../../../server/core/egress/client.js'
import { answerReader } from '../../../../server/core/egress/reader.js'
import { Limits } from '../../../../server/core/limits/limits.js'
import { limitTable } from '../../../../server/core/limits/table.js'
import { IN_PLACE } from '../../../support/reader.js'

const Answer = Type.Object({ id: Type.Integer() })
const large = Buffer.from(`{"id":1,"more":"${'x'.repeat(SMALL_JSON_BYTES)}"}`)
const TABLE = limitTable({ workers: 1, maxRequestBytes: 1024 })
const limitedTo = (organization: number): Limits => new Limits({ ...TABLE, provider_bytes: { ...TABLE.provider_bytes, organization } })
const isFull = (error: unknown): boolean => error instanceof ApiError && error.reason === 'limit_reached' && error.details.resource === 'provider_bytes'

test('large answers count while a thread reads them, each for its organization', async () => {
  let finish = (): void => undefined
  const waiting: Pick<AnalysisPool, 'read'> = { read: (...given) => new Promise((resolve) => (finish = () => resolve(IN_PLACE.read(...given)))) }
  const limits = limitedTo(large.length)
  const reader = answerReader(waiting, limits, 'o-1')
  const first = reader.json(Answer, large)
  const [finishFirst, other] = [finish, answerReader(waiting, limits, 'o-2').json(Answer, large)]
  await assert.rejects(reader.json(Answer, large), isFull)
  assert.deepEqual(await reader.json(Answer, Buffer.from('{"id":2}')), { kind: 'valid', value: { id: 2 } }, 'a small one is read at once')
  finishFirst()
  assert.deepEqual(await first, { kind: 'valid', value: { id: 1 }, file: null })
  finish()
  await other
  const again = reader.json(Answer, large)
  finish()
  await again
})

test('a pack counts until it is released', () => {
  const reader = answerReader(IN_PLACE, limitedTo(1000), 'o')
  const pack = reader.hold(900)
  assert.throws(() => reader.hold(101), isFull)
  pack.release()
  reader.hold(1000).release()
})

test('an answer over a limit of JSON, and one that takes all the time of a task, are told apart from a fault', async () => {
  const reader = answerReader(IN_PLACE, limitedTo(large.length), 'o')
  assert.deepEqual(await reader.json(Answer, Buffer.from(`[${'['.repeat(100)}`)), { kind: 'over', limit: 64 })
  assert.deepEqual(await reader.json(Answer, large.subarray(0, -1)), { kind: 'malformed' })
  const ending = (outcome: object) => answerReader({ read: async () => outcome as never }, limitedTo(large.length), 'o')
  assert.deepEqual(await ending({ outcome: 'timeout' }).json(Answer, large), { kind: 'malformed' })
  assert.deepEqual(await ending({ outcome: 'failed', reason: 'memory' }).git({ of: 'references', bytes: large, branch: null }), { kind: 'malformed' })
  await assert.rejects(ending({ outcome: 'busy' }).json(Answer, large), (error) => error instanceof ApiError && error.reason === 'overloaded')
  await assert.rejects(
    ending({ outcome: 'aborted' }).json(Answer, large, { signal: AbortSignal.abort() }),
    (error) => error instanceof OutboundError && error.failure === 'aborted',
  )
})
