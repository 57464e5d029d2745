/** The configuration of the assistant by platform admins: on both stores, and seen by another instance. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AI_CONFIG } from '../../server/features/assistant/platform-ai/store.js'
import { addMember } from '../support/actors.js'
import { type AiProvider, refuses, says, startAiProvider } from '../support/ai-provider.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, refused } from './steps.js'

const CONFIG = '/platform/admin/ai/config'
const KEY = 'sk-THE-KEY-OF-THE-PROVIDER'

for (const store of ALL_STORES) {
  describe(`configuration of the assistant, ${store.name}`, { skip: store.skip }, () => {
    let provider: AiProvider
    before(async () => {
      provider = await startAiProvider()
    })
    after(() => provider.close())

    test('is stored with a sealed key, audited, and tested with the provider', async () => {
      await withInstances(store, { env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } }, async ({ app, admin, at }) => {
        const put = (body: object, headers: Readonly<Record<string, string>> = {}) => admin.client.call<{ has_api_key: boolean }>('PUT', CONFIG, { body, headers })
        const first = await admin.client.get<{ enabled: boolean; base_url: null }>(CONFIG)
        assert.deepEqual([first.body.enabled, first.body.base_url, first.headers.get('etag')], [false, null, '"0"'])
        refused(await put({ enabled: true, base_url: provider.baseUrl }), 422, 'request_validation_failed')
        const settings = { enabled: true, base_url: `${provider.baseUrl}/`, api_key: KEY, model: 'model', embedding_model: 'vectors', max_context_docs: 4 }
        const stored = await put(settings)
        assert.equal(stored.status, 200, stored.text)
        assert.equal(stored.body.has_api_key, true)
        assert.ok(!stored.text.includes(KEY))
        const document = await app.service.storage.open(AI_CONFIG).findOne({ _id: 'ai' })
        assert.ok(document?.api_key != null && !document.api_key.includes(KEY))
        assert.equal(document.base_url, provider.baseUrl)
        refused(await put({ enabled: false }, { 'If-Match': '"0"' }), 412, 'precondition_failed')
        // Another instance calls the provider with the key.
        const tested = await at(1).post<object>('/platform/admin/ai/test')
        assert.equal(tested.status, 200, tested.text)
        assert.deepEqual({ ...tested.body, answer_ms: 0 }, { ok: true, checked: 'provider', model: 'model', answer_ms: 0, embedding_dimensions: 3 })
        const [chat, vectors] = provider.calls.slice(-2)
        assert.deepEqual([chat.path, chat.body.model, vectors.path, vectors.body.model], ['/v1/chat/completions', 'model', '/v1/embeddings', 'vectors'])
        assert.equal(chat.headers.authorization, `Bearer ${KEY}`)
        assert.deepEqual(
          Object.keys(chat.headers).filter((name) => !['authorization', 'content-type', 'accept', 'user-agent', 'content-length', 'host', 'connection'].includes(name)),
          [],
        )
        provider.script(refuses(401, {}, `{"error": {"message": "wrong key ${KEY}"}}`))
        const wrong = refused(await admin.client.post('/platform/admin/ai/test'), 502, 'ai_provider_failed')
        assert.deepEqual(wrong.details, { failure: 'credentials_refused', status: 401 })
        provider.script(says('ok'))
        // The key is not sent to another address.
        refused(await put({ base_url: 'http://127.0.0.1:9/v1' }), 422, 'request_validation_failed')
        assert.equal((await put({ base_url: 'http://127.0.0.1:9/v1', api_key: null })).body.has_api_key, false)
        assert.equal(refused(await admin.client.post('/platform/admin/ai/test'), 502, 'ai_provider_failed').details.failure, 'connection_refused')
        const trail = await admin.client.get<{ action: string; diff: object }[]>('/platform/admin/audit?resource_id=ai')
        assert.deepEqual(trail.body.map(({ action }) => action).sort(), ['ai_config.tested', 'ai_config.tested', 'ai_config.tested', 'ai_config.updated', 'ai_config.updated'])
        assert.ok(!trail.text.includes(KEY) && !trail.text.includes(document.api_key))
        assert.ok(!app.log.join('').includes(KEY))
        const member = await addMember(admin, 'org_admin')
        refused(await member.client.get(CONFIG), 403, 'forbidden')
      })
    })

    test('refuses addresses in private networks, and addresses with credentials', async () => {
      await withInstances(store, {}, async ({ admin }) => {
        const put = (base_url: string) => admin.client.call('PUT', CONFIG, { body: { enabled: true, model: 'm', base_url } })
        for (const address of [provider.baseUrl, 'http://169.254.169.254/latest', 'http://[::1]/v1', 'http://2130706433/v1']) refused(await put(address), 400, 'bad_request')
        for (const address of ['https://user:pass@example.test/v1', 'https://example.test/v1?key=1', 'file:///etc/passwd', 'example.test'])
          refused(await put(address), 422, 'request_validation_failed')
        // A name may change its address after the check: the request is refused too.
        assert.equal((await admin.client.call('PUT', CONFIG, { body: { enabled: true, base_url: null } })).status, 200)
        assert.equal((await admin.client.post<{ checked: string }>('/platform/admin/ai/test')).body.checked, 'engine')
      })
    })
  })
}
