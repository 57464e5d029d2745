/** Organizations as platform admins see them: suspension with a reason, counts, and plans that are set by hand. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addMember, anonymous, bootstrap, createKey, PASSWORD, register } from '../support/actors.js'
import type { Client } from '../support/client.js'
import { withInstances } from '../support/instances.js'
import { BILLED, subscribe } from '../support/plans.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

interface Organization {
  readonly id: string
  readonly name: string
  readonly is_active: boolean
  readonly suspension_reason: string | null
  readonly suspended_at: string | null
  readonly plan: string
}
interface Detail extends Organization {
  readonly plan_grant: { readonly plan: string; readonly expires_at: string | null; readonly set_by: string; readonly set_by_name: string } | null
  readonly api_keys: number
  readonly usage: readonly { readonly metric: string; readonly consumed: number; readonly limit: number | null }[]
}

const PATH = '/platform/admin/organizations'
const DAY_MS = 24 * 60 * 60 * 1000
const put = <B>(client: Client, path: string, body: object) => client.call<B>('PUT', path, { body })

for (const store of ALL_STORES) {
  describe(`organizations of the instance, ${store.name}`, { skip: store.skip }, () => {
    test('are suspended with a reason, which their members read', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        const admin = await bootstrap(client)
        const owner = await register(client, 'tenant')
        const { client: key } = await createKey(owner, ['projects:read'])
        const path = `${PATH}/${owner.organizationId}`
        const off = await admin.client.patch<Detail>(path, { is_active: false, reason: ' Unpaid since August. ' })
        assert.equal(off.status, 200, off.text)
        assert.deepEqual([off.body.is_active, off.body.suspension_reason, off.body.suspended_at === null], [false, 'Unpaid since August.', false])
        const details = { organization_id: owner.organizationId, reason: 'Unpaid since August.' }
        for (const answer of [
          await owner.client.get('/platform/projects'),
          await key.get('/platform/projects'),
          await anonymous(client).post('/auth/login', { email: owner.email, password: PASSWORD }),
        ])
          assert.deepEqual(refused(answer, 403, 'forbidden').details, details)
        assert.deepEqual(
          (await admin.client.get<Organization[]>(`${PATH}?is_active=false`)).body.map(({ suspension_reason }) => suspension_reason),
          ['Unpaid since August.'],
        )
        // A wrong password learns nothing.
        assert.deepEqual(refused(await anonymous(client).post('/auth/login', { email: owner.email, password: 'wrong passphrase' }), 401, 'unauthorized').details, {})

        const changed = await admin.client.patch<Detail>(path, { reason: 'Abuse.' })
        assert.deepEqual([changed.body.suspension_reason, changed.body.suspended_at], ['Abuse.', off.body.suspended_at])
        const on = await admin.client.patch<Detail>(path, { is_active: true })
        assert.deepEqual([on.body.is_active, on.body.suspension_reason, on.body.suspended_at], [true, null, null])
        refused(await admin.client.patch(path, { reason: 'For nothing.' }), 422, 'request_validation_failed')
        refused(await admin.client.patch(path, { is_active: true, reason: 'For nothing.' }), 422, 'request_validation_failed')
        const trail = (await owner.client.get<{ diff: object; acting_as_platform_admin: boolean }[]>('/platform/audit?action=organization.updated&order=asc')).body
        assert.deepEqual(
          trail.map(({ diff, acting_as_platform_admin }) => [diff, acting_as_platform_admin]),
          [
            [{ is_active: { before: true, after: false }, suspension_reason: { before: null, after: 'Unpaid since August.' } }, true],
            [{ suspension_reason: { before: 'Unpaid since August.', after: 'Abuse.' } }, true],
            [{ is_active: { before: false, after: true }, suspension_reason: { before: 'Abuse.', after: null } }, true],
          ],
        )
      }))

    test('show their counts and their usage', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        const admin = await bootstrap(client)
        const owner = await register(client, 'tenant')
        await addMember(owner, 'engineer', 'engineer@tenant.test')
        await createKey(owner, ['projects:read'])
        await owner.client.post('/platform/projects', { name: 'VPN' })
        const { body, headers } = await admin.client.get<Detail>(`${PATH}/${owner.organizationId}`)
        const usage = Object.fromEntries(body.usage.map(({ metric, consumed }) => [metric, consumed]))
        assert.deepEqual([body.api_keys, usage.members, usage.projects, usage.analysis_runs, body.plan, body.plan_grant], [1, 2, 1, 0, 'self_hosted', null])
        await owner.client.post('/platform/projects', { name: 'Proxy' })
        const again = await admin.client.get(`${PATH}/${owner.organizationId}`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
        assert.equal(again.status, 200)
        // What is used in the meantime disturbs no edit.
        const edited = await admin.client.patch(`${PATH}/${owner.organizationId}`, { is_active: false }, { headers: { 'If-Match': headers.get('etag') ?? '' } })
        assert.equal(edited.status, 200, edited.text)
      }))

    test('have no plan to set without billing', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        const admin = await bootstrap(client)
        const path = `${PATH}/${admin.organizationId}/plan`
        refused(await put(admin.client, path, { plan: 'team' }), 402, 'billing_gateway_disabled')
        refused(await admin.client.delete(path), 402, 'billing_gateway_disabled')
        assert.equal((await admin.client.get<Organization[]>(`${PATH}?plan=self_hosted`)).body.length, 1)
        assert.deepEqual((await admin.client.get<Organization[]>(`${PATH}?plan=free`)).body, [])
      }))

    test('are on the plan that is set by hand until it ends, on every instance', () => {
      let now = Date.now()
      return withInstances(store, { env: { ...SIGNUP, ...BILLED, NATIVE_SERVICE_SESSION_TTL_SECONDS: '1000000' }, clock: () => now }, async ({ app, apps, admin, at }) => {
        const owner = await register(app.client, 'tenant')
        const path = `${PATH}/${owner.organizationId}`
        const shown = async (): Promise<Detail> => (await admin.client.get<Detail>(path)).body
        const onPlan = async (plan: string): Promise<string[]> => (await admin.client.get<Organization[]>(`${PATH}?plan=${plan}`)).body.map(({ name }) => name).sort()
        const projectLimit = async (index: number): Promise<number | null | undefined> =>
          (await at(index).get<Detail>(path)).body.usage.find(({ metric }) => metric === 'projects')?.limit
        const becomes = (limit: number | null) =>
          waitFor(async () => ((await Promise.all(apps.map((_, index) => projectLimit(index)))).every((found) => found === limit) ? true : undefined))
        assert.deepEqual([(await shown()).plan, await projectLimit(0)], ['free', 5])
        await subscribe(app.service.storage, owner.organizationId, 'team')
        await becomes(100)

        const end = new Date(now + 3 * DAY_MS).toISOString()
        const set = await put<Detail>(admin.client, `${path}/plan`, { plan: 'enterprise', expires_at: end })
        assert.equal(set.status, 200, set.text)
        const { plan, expires_at, set_by, set_by_name } = set.body.plan_grant ?? assert.fail(set.text)
        assert.deepEqual([set.body.plan, plan, expires_at, set_by, set_by_name], ['enterprise', 'enterprise', end, admin.userId, admin.email])
        await becomes(null)
        assert.deepEqual([await onPlan('enterprise'), await onPlan('team'), await onPlan('free')], [['tenant'], [], ['First Organization']])
        refused(await put(admin.client, `${path}/plan`, { plan: 'team', expires_at: new Date(now).toISOString() }), 422, 'request_validation_failed')
        refused(await put(admin.client, `${path}/plan`, { plan: 'unlimited' }), 422, 'request_validation_failed')
        refused(await put(owner.client, `${path}/plan`, { plan: 'enterprise' }), 403, 'forbidden')

        // Its end counts from the moment of the clock; the job then corrects the list, and says so in the trail.
        now += DAY_MS
        await becomes(null)
        now += 2 * DAY_MS
        await becomes(100)
        assert.deepEqual([(await shown()).plan, (await shown()).plan_grant], ['team', null])
        await waitFor(async () => ((await onPlan('team')).length === 1 ? true : undefined))
        const actions = async () =>
          (await admin.client.get<{ action: string }[]>(`/platform/admin/audit?organization_id=${owner.organizationId}`)).body
            .flatMap(({ action }) => (action.startsWith('organization.plan') ? [action] : []))
            .sort()
        assert.deepEqual(await actions(), ['organization.plan_expired', 'organization.plan_set'])
        const ended = await waitFor(async () =>
          (await owner.client.get<{ items: { kind: string; title: string; body: string }[] }>('/notifications')).body.items.find(({ kind }) => kind === 'billing.plan_ended'),
        )
        assert.deepEqual([ended.title, ended.body.includes('on the plan Team now')], ['The plan Enterprise has ended', true])

        assert.equal((await put(admin.client, `${path}/plan`, { plan: 'free' })).status, 200)
        await becomes(5)
        assert.deepEqual(await onPlan('free'), ['First Organization', 'tenant'])
        assert.equal((await admin.client.delete(`${path}/plan`)).status, 204)
        await becomes(100)
        assert.deepEqual(await onPlan('team'), ['tenant'])
        refused(await admin.client.delete(`${path}/plan`), 404, 'not_found')
        assert.deepEqual(await actions(), ['organization.plan_expired', 'organization.plan_removed', 'organization.plan_set', 'organization.plan_set'])
      })
    })

    test('keep one plan of several that are set at once', () =>
      withInstances(store, { env: { ...SIGNUP, ...BILLED } }, async ({ admin, at }) => {
        const set = (index: number, plan: string) => put<Detail>(at(index), `${PATH}/${admin.organizationId}/plan`, { plan })
        const answers = await Promise.all(['team', 'enterprise', 'team', 'enterprise', 'free'].map((plan, index) => set(index, plan)))
        for (const { status, text } of answers) assert.equal(status, 200, text)
        const last = await waitFor(async () => {
          const { plan, plan_grant } = (await admin.client.get<Detail>(`${PATH}/${admin.organizationId}`)).body
          return plan === plan_grant?.plan ? plan : undefined
        })
        assert.deepEqual(
          (await admin.client.get<Organization[]>(`${PATH}?plan=${last}`)).body.map(({ id }) => id),
          [admin.organizationId],
        )
      }))
  })
}
