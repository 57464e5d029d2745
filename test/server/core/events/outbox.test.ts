/** The outbox stores events that have a subscriber, in the commit of their cause. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { EVENTS } from '../../../../server/core/events/catalogue.js'
import { EVENT_DISPATCH, OUTBOX, Outbox, SUBSCRIPTIONS } from '../../../../server/core/events/outbox.js'
import { JOB_FAILURES } from '../../../../server/core/jobs/failures.js'
import { JobQueue, JOBS } from '../../../../server/core/jobs/queue.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

const COMPLETED = { name: 'validation.completed', payload: { ok: true, diagnostic_count: 0, total_rules: 1, total_decoders: 0 } } as const
const REVOKED = { name: 'api_key.revoked', payload: { id: 'k', name: 'n' } } as const

describe('the outbox', () => {
  let opened: TestStorage
  let tenancy: Tenancy
  let now = 1_000_000

  before(async () => {
    opened = await openTestStorage([OUTBOX, SUBSCRIPTIONS, JOBS, JOB_FAILURES])
    tenancy = new Tenancy(opened.storage)
  })
  after(() => opened.close())

  const makeOutbox = () => new Outbox(new JobQueue(opened.storage, () => now), () => now)
  const subscribe = (organization: string, events: readonly string[], is_active = true) =>
    tenancy
      .of(organization)
      .collection(SUBSCRIPTIONS)
      .insert({ _id: `${organization} ${events.join()} ${is_active}`, events, is_active })

  test('stores an event that a webhook of the organization selects', async () => {
    await subscribe('listening', ['validation.completed'])
    const scope = tenancy.of('listening')
    const outbox = makeOutbox()
    await outbox.emit(scope, COMPLETED)
    const writes = await outbox.emitting(scope, REVOKED, COMPLETED)
    await scope.commit(writes)
    const stored = await scope.collection(OUTBOX).find({})
    assert.equal(stored.length, 2)
    for (const { name, payload, created_at } of stored) {
      assert.equal(name, 'validation.completed')
      assert.deepEqual(payload, COMPLETED.payload)
      assert.equal(created_at.getTime(), now)
    }
    const jobs = await opened.storage.open(JOBS).find({ organization_id: 'listening', kind: EVENT_DISPATCH })
    assert.deepEqual(jobs.map(({ subject }) => subject).sort(), stored.map(({ _id }) => _id).sort())
  })

  test('stores nothing without an active subscriber', async () => {
    await subscribe('deaf', ['validation.completed'], false)
    const scope = tenancy.of('deaf')
    const outbox = makeOutbox()
    assert.deepEqual(await outbox.emitting(scope, COMPLETED), [])
    await outbox.emit(tenancy.of('nobody'), COMPLETED)
    assert.equal(await scope.collection(OUTBOX).count({}), 0)
    assert.equal(await opened.storage.open(JOBS).count({ organization_id: 'deaf' }), 0)
  })

  test('uses a new subscription within a second, and at once on the instance that created it', async () => {
    const scope = tenancy.of('late')
    const [here, there] = [makeOutbox(), makeOutbox()]
    assert.equal((await here.emitting(scope, COMPLETED)).length + (await there.emitting(scope, COMPLETED)).length, 0)
    await subscribe('late', ['validation.completed'])
    here.forget(scope)
    assert.equal((await here.emitting(scope, COMPLETED)).length, 2)
    now += 1000
    assert.equal((await there.emitting(scope, COMPLETED)).length, 2)
  })

  test('does not cache subscriptions that were read before this instance created one', async () => {
    const scope = tenancy.of('at work')
    const outbox = makeOutbox()
    // This read returns its result after the subscription is stored.
    let arrive = (): void => undefined
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const slow = Object.create(scope, {
      collection: { value: () => ({ find: () => arrived.then(() => []) }) },
      organizationId: { value: scope.organizationId },
    }) as Scope
    const before = outbox.emitting(slow, COMPLETED)
    await subscribe('at work', ['validation.completed'])
    outbox.forget(scope)
    arrive()
    assert.deepEqual(await before, [])
    assert.equal((await outbox.emitting(scope, COMPLETED)).length, 2)
  })

  test('uses a new subscription of another instance within a second after a slow read began', async () => {
    const scope = tenancy.of('slow')
    const outbox = makeOutbox()
    const takingLong = async (): Promise<[]> => {
      now += 1000
      return []
    }
    const slow = Object.create(scope, {
      collection: { value: () => ({ find: takingLong }) },
      organizationId: { value: scope.organizationId },
    }) as Scope
    assert.deepEqual(await outbox.emitting(slow, COMPLETED), [])
    await subscribe('slow', ['validation.completed'])
    assert.equal((await outbox.emitting(scope, COMPLETED)).length, 2)
  })

  test('uses a new subscription of another instance after the clock was set back', async () => {
    const scope = tenancy.of('set back')
    const outbox = makeOutbox()
    assert.deepEqual(await outbox.emitting(scope, COMPLETED), [])
    await subscribe('set back', ['validation.completed'])
    now -= 60_000
    assert.equal((await outbox.emitting(scope, COMPLETED)).length, 2)
  })

  test('checks payloads with the schemas of the catalogue', () => {
    assert.ok(Value.Check(EVENTS['validation.completed'], COMPLETED.payload))
    assert.ok(!Value.Check(EVENTS['validation.completed'], { ...COMPLETED.payload, ok: 1 }))
    for (const [name, schema] of Object.entries(EVENTS)) assert.ok(Type.IsObject(schema), name)
  })
})
