/** Tokens for provisioning: shown once, listed, limited, revoked on every instance. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SCIM_TOKENS_LIMIT } from '../../server/features/scim/scim-tokens/service.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { createScimToken, SCIM, scimRefused } from '../support/provisioning.js'
import { ALL_STORES, refused, SIGNUP, stored, waitFor, withApp } from './steps.js'

interface Token {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly prefix: string
  readonly default_role: string
  readonly base_url: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly token?: string
}

const tokensOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/scim-tokens`

async function withAdmin(store: (typeof ALL_STORES)[number], run: (app: TestApp, admin: Actor) => Promise<void>, clock?: () => number): Promise<void> {
  await withApp({ store, env: SIGNUP, ...(clock === undefined ? {} : { clock }) }, async (app) => run(app, await bootstrap(app.client)))
}

for (const store of ALL_STORES) {
  describe(`tokens for provisioning, ${store.name}`, { skip: store.skip }, () => {
    test('a token is shown once, with the address to enter at the identity provider', () =>
      withAdmin(store, async (app, admin) => {
        const { status, body, text } = await admin.client.post<Token>(tokensOf(admin), { name: ' Okta ', default_role: 'engineer' })
        assert.equal(status, 200, text)
        const secret = body.token ?? ''
        assert.match(secret, /^scim_[0-9A-Za-z]{40}$/)
        assert.deepEqual([body.name, body.prefix, body.default_role, body.expires_at, body.last_used_at], ['Okta', secret.slice(0, 13), 'engineer', null, null])
        assert.equal((await admin.client.get(`${body.base_url}/Schemas`, { token: secret })).status, 200)
        const listed = await admin.client.get<Token[]>(tokensOf(admin))
        assert.ok(!listed.text.includes(secret) && !('token' in listed.body[0]))
        await waitFor(async () => (await admin.client.get<Token[]>(tokensOf(admin))).body[0].last_used_at ?? undefined)
        assert.ok(!(await stored(app)).includes(secret.slice(13)))
        assert.ok(!app.log.join('').includes(secret.slice(13)))
        assert.equal((await admin.client.post<Token>(tokensOf(admin), { name: 'Entra ID' })).body.default_role, 'read_only')
      }))

    test('a revoked token is refused at once, and the audit names who created and revoked it', () =>
      withAdmin(store, async (_, admin) => {
        const { id, client } = await createScimToken(admin)
        assert.equal((await client.get(`${SCIM}/Schemas`)).status, 200)
        assert.equal((await admin.client.delete(`${tokensOf(admin)}/${id}`)).status, 204)
        scimRefused(await client.get(`${SCIM}/Schemas`), 401)
        refused(await admin.client.delete(`${tokensOf(admin)}/${id}`), 404, 'not_found')
        const { body } = await admin.client.get<{ action: string; actor_id: string }[]>(`/platform/audit?resource_id=${id}&order=asc`)
        assert.deepEqual(
          body.map(({ action, actor_id }) => [action, actor_id]),
          [
            ['scim_token.created', admin.userId],
            ['scim_token.revoked', admin.userId],
          ],
        )
      }))

    test('a token expires', () => {
      let away = 0
      return withAdmin(
        store,
        async (_, admin) => {
          const { client } = await createScimToken(admin, { expires_at: new Date(Date.now() + 60_000).toISOString() })
          assert.equal((await client.get(`${SCIM}/Schemas`)).status, 200)
          away = 61_000
          scimRefused(await client.get(`${SCIM}/Schemas`), 401)
          refused(await admin.client.post(tokensOf(admin), { name: 'x', expires_at: '2020-01-01T00:00:00Z' }), 422, 'request_validation_failed')
        },
        () => Date.now() + away,
      )
    })

    test('concurrent creations stop exactly at the limit', () =>
      withAdmin(store, async (_, admin) => {
        const answers = await Promise.all(Array.from({ length: SCIM_TOKENS_LIMIT + 3 }, (_, at) => admin.client.post<Token>(tokensOf(admin), { name: `token ${at}` })))
        assert.equal(answers.filter(({ status }) => status === 200).length, SCIM_TOKENS_LIMIT)
        for (const answer of answers.filter(({ status }) => status !== 200)) refused(answer, 409, 'conflict')
        // A revoked one makes room.
        const { body } = await admin.client.get<Token[]>(`${tokensOf(admin)}?limit=1`)
        assert.equal((await admin.client.delete(`${tokensOf(admin)}/${body[0].id}`)).status, 204)
        await createScimToken(admin)
      }))

    test('only callers who manage identity providers create tokens, and none that outlives their own key', () =>
      withAdmin(store, async (app, admin) => {
        const lead = await addMember(admin, 'security_content_lead')
        const other = await register(app.client, 'other')
        const { id } = await createScimToken(admin)
        refused(await lead.client.post(tokensOf(admin), { name: 'x' }), 403, 'forbidden')
        refused(await lead.client.delete(`${tokensOf(admin)}/${id}`), 403, 'forbidden')
        refused(await other.client.get(tokensOf(admin)), 404, 'not_found')
        refused(await other.client.delete(`${tokensOf(other)}/${id}`), 404, 'not_found')
        const { client: key } = await createKey(admin, ['admin:*'])
        assert.equal((await key.post(tokensOf(admin), { name: 'by a key' })).status, 200)
        const expiring = await admin.client.post<{ api_key: string }>(`/platform/organizations/${admin.organizationId}/api-keys`, {
          name: 'expiring',
          scopes: ['admin:*'],
          expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        })
        const client = key.as({ key: expiring.body.api_key })
        refused(await client.post(tokensOf(admin), { name: 'x' }), 422, 'request_validation_failed')
        assert.equal((await client.post(tokensOf(admin), { name: 'x', expires_at: new Date(Date.now() + 60_000).toISOString() })).status, 200)
      }))
  })
}
