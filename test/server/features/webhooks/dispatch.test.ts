/** The deliveries of an event are created once, whatever happens to the job. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OUTBOX, Outbox, SUBSCRIPTIONS } from '../../../../server/core/events/outbox.js'
import { JOB_FAILURES } from '../../../../server/core/jobs/failures.js'
import { JobQueue, JOBS } from '../../../../server/core/jobs/queue.js'
import { dispatchJob } from '../../../../server/features/webhooks/dispatch.js'
import { DELIVERIES, type DeliveryDocument, WEBHOOKS } from '../../../../server/features/webhooks/store.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { StaleWriteError } from '../../../../server/core/storage/errors.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

const EVENT = { name: 'api_key.revoked', payload: { id: 'k', name: 'n' } } as const
const LEASE_MS = 1000

describe('the dispatch of events', () => {
  let opened: TestStorage
  let storage: Storage
  let now = Date.parse('2100-01-01T00:00:00Z')
  const clock = () => now

  before(async () => {
    opened = await openTestStorage([OUTBOX, SUBSCRIPTIONS, JOBS, JOB_FAILURES, DELIVERIES])
    storage = opened.storage
  })
  after(() => opened.close())

  /** An organization with that many webhooks. */
  const organization = async (id: string, webhooks: number): Promise<Scope> => {
    const scope = new Tenancy(storage).of(id)
    const rest = { url: 'https://a.example/', description: '', disabled_reason: null, disabled_at: null, failing_since: null, secret: '', previous_secret: null }
    const at = new Date(now)
    for (let i = 0; i < webhooks; i++)
      await scope
        .collection(WEBHOOKS)
        .insert({ _id: `${id} ${i}`, events: [EVENT.name], is_active: true, ...rest, previous_secret_expires_at: null, created_at: at, updated_at: at, revision: 1 })
    return scope
  }
  const deliveriesOf = (scope: Scope): Promise<DeliveryDocument[]> => scope.collection(DELIVERIES).find({})
  const signal = new AbortController().signal

  test('creates one delivery with a job for each webhook', async () => {
    const scope = await organization('plain', 3)
    const jobs = new JobQueue(storage, clock)
    await new Outbox(jobs, clock).emit(scope, EVENT)
    const [due] = await jobs.due('event.dispatch', [], 1)
    const job = (await jobs.claim(due, LEASE_MS))!
    now += 100
    assert.equal(await dispatchJob({ jobs, clock }).run(job, scope, signal), 'settled')
    const made = await deliveriesOf(scope)
    assert.deepEqual(made.map(({ webhook_id }) => webhook_id).sort(), ['plain 0', 'plain 1', 'plain 2'])
    assert.deepEqual(new Set(made.map(({ body }) => body)), new Set([`{"type":"api_key.revoked","timestamp":"2100-01-01T00:00:00.000Z","data":{"id":"k","name":"n"}}`]))
    for (const { _id } of made) assert.match(_id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.deepEqual((await jobs.due('webhook.deliver', [], 10)).map(({ subject }) => subject).sort(), made.map(({ _id }) => _id).sort())
    assert.deepEqual([await scope.collection(OUTBOX).count({}), await storage.open(JOBS).count({ kind: 'event.dispatch' })], [0, 0])
  })

  test('creates no second delivery if two instances run the job', async () => {
    const scope = await organization('twice', 2)
    const jobs = new JobQueue(storage, clock)
    await new Outbox(jobs, clock).emit(scope, EVENT)
    const [due] = await jobs.due('event.dispatch', [], 1)
    const lost = (await jobs.claim(due, LEASE_MS))!
    now += LEASE_MS
    const [again] = await jobs.due('event.dispatch', [], 1)
    const held = (await jobs.claim(again, LEASE_MS))!
    const dispatch = dispatchJob({ jobs, clock })
    assert.equal(await dispatch.run(lost, scope, signal), 'settled')
    assert.equal((await deliveriesOf(scope)).length, 0, 'an instance without the lease creates nothing')
    await Promise.all([dispatch.run(held, scope, signal), dispatch.run(held, scope, signal), dispatch.run(lost, scope, signal)])
    assert.equal((await deliveriesOf(scope)).length, 2)
    assert.equal(await dispatch.run(held, scope, signal), 'done')
    assert.equal((await deliveriesOf(scope)).length, 2)
  })

  test('finds no event if the commit of its change was refused', async () => {
    const scope = await organization('refused', 1)
    const jobs = new JobQueue(storage, clock)
    const outbox = new Outbox(jobs, clock)
    const impossible = scope.collection(WEBHOOKS).updating({ _id: 'nothing' }, { set: { description: 'x' } })
    await assert.rejects(scope.commit([...(await outbox.emitting(scope, EVENT)), impossible]), StaleWriteError)
    assert.deepEqual([await scope.collection(OUTBOX).count({}), await storage.open(JOBS).count({ organization_id: 'refused' })], [0, 0])
  })
})
