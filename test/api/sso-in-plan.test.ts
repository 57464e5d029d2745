/** Single sign-on as a feature of plans: what an organization without it cannot set up, and that losing it locks nobody out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addMember, anonymous, bootstrap, login, PASSWORD, register } from '../support/actors.js'
import type { Answer } from '../support/client.js'
import { createProvider, providersOf } from '../support/identity-providers.js'
import { BILLED } from '../support/plans.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

const DOMAIN = 'example.test'

for (const store of ALL_STORES) {
  describe(`single sign-on in plans, ${store.name}`, { skip: store.skip }, () => {
    test('is set up, required and discovered only where the plan includes it, and a plan that loses it locks nobody out', () =>
      withApp({ store, env: { ...SIGNUP, ...BILLED } }, async ({ client }) => {
        const operator = await bootstrap(client)
        const admin = await register(client, 'tenant')
        const member = await addMember(admin, 'engineer', `member@${DOMAIN}`)
        const policy = `/platform/organizations/${admin.organizationId}/identity-policy`
        const plan = `/platform/admin/organizations/${admin.organizationId}/plan`
        const required = { sso_required: true, break_glass_user_ids: [admin.userId] }
        const discover = async () => (await anonymous(client).post<{ provider_id: string | null }>('/sso/discovery', { email: member.email })).body.provider_id
        const notIncluded = (answer: Answer<unknown>) => assert.deepEqual(refused(answer, 403, 'plan_quota_exceeded').details, { feature: 'sso', plan: 'free' })
        /** Changes of plans reach cached identities within a second. */
        const answers = (status: number) => waitFor(async () => ((await member.client.get('/platform/dashboard')).status === status ? true : undefined))
        const invite = async (email: string) => {
          const { body } = await admin.client.post<{ token: string }>(`/auth/organizations/${admin.organizationId}/invitations`, { email, role: 'engineer' })
          return anonymous(client).post(`/auth/invitations/${body.token}/accept`, { display_name: 'New', password: PASSWORD })
        }

        notIncluded(await admin.client.post(providersOf(admin), { name: 'Company login', kind: 'oidc', issuer: 'https://9.9.9.9', client_id: 'a' }))
        notIncluded(await admin.client.patch(policy, required))
        assert.equal((await admin.client.patch(policy, { group_mappings: [{ group: 'soc', role: 'engineer' }] })).status, 200)

        assert.equal((await operator.client.call('PUT', plan, { body: { plan: 'enterprise' } })).status, 200)
        const provider = await createProvider(admin, { domains: [DOMAIN] })
        assert.equal(await discover(), provider.id)
        assert.equal((await admin.client.patch(policy, required)).status, 200)
        refused(await member.client.get('/platform/dashboard'), 403, 'forbidden')
        refused(await anonymous(client).post('/auth/login', { email: member.email, password: PASSWORD }), 403, 'forbidden')
        refused(await invite(`early@${DOMAIN}`), 403, 'forbidden')

        assert.equal((await operator.client.delete(plan)).status, 204)
        await answers(200)
        await login(client, member.email)
        assert.equal((await invite(`late@${DOMAIN}`)).status, 200)
        assert.equal(await discover(), null)
        notIncluded(await anonymous(client).get(`/sso/oidc/${provider.id}/login`))
        notIncluded(await admin.client.post(`${providersOf(admin)}/${provider.id}/test`))
        // What is stored stays, can be read and tidied up, and holds again with the plan.
        assert.equal((await admin.client.get<{ sso_required: boolean }>(policy)).body.sso_required, true)
        assert.equal((await admin.client.patch(`${providersOf(admin)}/${provider.id}`, { name: 'Old login' })).status, 200)
        assert.equal((await admin.client.patch(policy, { group_mappings: [] })).status, 200)
        assert.equal((await operator.client.call('PUT', plan, { body: { plan: 'enterprise' } })).status, 200)
        await answers(403)
        assert.equal(await discover(), provider.id)

        assert.equal((await operator.client.delete(plan)).status, 204)
        await answers(200)
        assert.equal((await admin.client.patch(policy, { sso_required: false })).status, 200)
        assert.equal((await admin.client.delete(`${providersOf(admin)}/${provider.id}`)).status, 204)
      }))
  })
}
