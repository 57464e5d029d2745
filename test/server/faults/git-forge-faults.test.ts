/**
 * Forges that fail, hang and attack, over HTTP, on every provider: an import, a publication and the import of a push end with the same code, in both languages,
 * leave a run that says so, write nothing, and succeed when the forge does. `test/contracts/git-gateway.ts` has each fault for each call of a gateway.
 */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Static } from 'typebox'
import { CALL_TIMEOUT_MS, FETCH_BYTES, FILE_BYTES } from '../../../server/features/connections/gateways/git/gateway.js'
import type { GitProjectSyncRunRecord } from '../../../server/features/connections/git-bindings/run-schema.js'
import { refused, stored, waitFor } from '../../api/steps.js'
import type { GitUnderTest } from '../../contracts/git-gateway.js'
import { type Actor, bootstrap } from '../../support/actors.js'
import { startTestApp, type TestApp } from '../../support/app.js'
import { type BindingRecord, bindingsOf, createBinding, createGitIntegration } from '../../support/git/bindings.js'
import { deliverPush } from '../../support/git/deliveries.js'
import { type ForgeCall, type ForgeProxy, startForgeProxy } from '../../support/git/forge-proxy.js'
import { giteaUnderTest } from '../../support/git/gitea-under-test.js'
import { githubUnderTest } from '../../support/git/github-under-test.js'
import { gitlabUnderTest } from '../../support/git/gitlab-under-test.js'
import { plainUnderTest } from '../../support/git/plain-under-test.js'
import { createProject, DECODERS_XML, RULES_XML } from '../../support/projects.js'
import { EMBEDDED } from '../../support/stores.js'

const FILES = { 'decoders/vpn.xml': DECODERS_XML, 'rules/base.xml': RULES_XML }
const RULE = '<group name="vpn,">\n  <rule id="100200" level="4">\n    <if_sid>100100</if_sid>\n    <description>VPN: more</description>\n  </rule>\n</group>\n'
const RETRY_AFTER_SECONDS = 40
const HOUR_MS = 3_600_000
const GIGABYTES = 2 * 1024 ** 3
const CHUNK = Buffer.alloc(64 * 1024, 'A')
/** Bytes that are on their way in buffers of both ends when a connection is closed. */
const ON_THE_WAY = 16 * 1024 * 1024
/** How long a call that hangs lasts here. */
const SHORT_MS = 200

type Run = Static<typeof GitProjectSyncRunRecord>

interface Fault {
  readonly name: string
  readonly answer: (response: ServerResponse) => void
  readonly status: number
  readonly code: string
}

const answering =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)

const FAULTS: readonly Fault[] = [
  { name: '500', answer: answering(500, '<html>broken</html>'), status: 502, code: 'provider_unavailable' },
  {
    name: '429 with Retry-After',
    answer: answering(429, '{"message":"slow down"}', { 'retry-after': String(RETRY_AFTER_SECONDS) }),
    status: 503,
    code: 'provider_rate_limited',
  },
  { name: 'no answer in time', answer: () => undefined, status: 502, code: 'provider_unavailable' },
  {
    name: 'half a body',
    answer: (response) => void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"name":"ma', () => response.destroy()),
    status: 502,
    code: 'provider_unavailable',
  },
  {
    name: 'a redirect to a private address',
    answer: answering(302, '', { location: 'http://169.254.169.254/latest/meta-data' }),
    status: 400,
    code: 'provider_redirect_refused',
  },
]

const wait = globalThis.setTimeout

for (const provider of [githubUnderTest(), gitlabUnderTest(), plainUnderTest(), giteaUnderTest()]) {
  describe(`faults of a forge, ${provider.name}`, { skip: provider.skip ?? false }, () => {
    const never = new AbortController().signal
    let app: TestApp
    let admin: Actor
    let forge: GitUnderTest
    let proxy: ForgeProxy
    let integration: string
    let ahead = 0

    interface Bound {
      readonly repository: string
      readonly binding: BindingRecord
      readonly path: string
    }
    const bind = async (files: Readonly<Record<string, string>> = FILES): Promise<Bound> => {
      const repository = await forge.createRepository()
      await forge.push(repository, 'main', { files })
      const project_id = (await createProject(admin, { rules_xml: RULES_XML + RULE })).id
      const binding = await createBinding(admin, repository, { integration_id: integration, project_id, sync_on_webhook: true })
      return { repository, binding, path: `${bindingsOf(admin)}/${binding.id}` }
    }
    const isIn =
      ({ repository }: Bound, also: (call: ForgeCall) => boolean = () => true) =>
      (call: ForgeCall): boolean =>
        (call.url.includes(`/${repository}/`) || call.url.includes(`/${repository}.git/`)) && also(call)
    const runsOf = async ({ path }: Bound) => (await admin.client.get<Run[]>(`${path}/runs`)).body
    const headOf = async ({ repository }: Bound) => (await forge.gateway.getBranch(repository, 'main', never)).commitSha
    const inPortuguese = { headers: { 'x-locale': 'pt-BR' } }

    before(async () => {
      forge = await provider.start()
      proxy = await startForgeProxy(forge.overHttp!.baseUrl)
      app = await startTestApp({ store: EMBEDDED, env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' }, clock: () => Date.now() + ahead })
      admin = await bootstrap(app.client)
      integration = await createGitIntegration(admin, { provider: provider.name, settings: { base_url: proxy.url }, credentials: { token: forge.overHttp!.secret } })
    })
    after(async () => {
      globalThis.setTimeout = wait
      await app?.close()
      await proxy?.close()
      await forge?.close()
    })

    for (const { name, answer, status, code } of FAULTS)
      test(`${name}: ${code}`, async () => {
        const bound = await bind()
        const head = await headOf(bound)
        if (name === 'no answer in time')
          globalThis.setTimeout = Object.assign((work: () => void, ms = 0, ...rest: []) => wait(work, ms === CALL_TIMEOUT_MS ? SHORT_MS : ms, ...rest), wait) as typeof wait
        const fault = proxy.interfere(isIn(bound), answer)
        const answers = [
          await admin.client.post(`${bound.path}/import`),
          await admin.client.post(`${bound.path}/publish`),
          await admin.client.post(`${bound.path}/import`, undefined, inPortuguese),
        ]
        for (const each of answers) {
          const { details } = refused(each, status, code)
          if (code !== 'provider_rate_limited') continue
          assert.ok(Number(each.headers.get('retry-after')) > RETRY_AFTER_SECONDS / 2, each.text)
          assert.ok(Date.parse(String(details.retry_at)) > Date.now() + ahead, each.text)
        }
        const [english, , portuguese] = answers.map(({ body }) => body as { message: string; hint: string })
        assert.ok(english.hint !== '' && portuguese.hint !== english.hint && portuguese.message !== english.message, portuguese.message)
        const expected = [
          ['import', 'failed', code],
          ['import', 'failed', code],
          ['publish', 'failed', code],
        ]
        const told = async () => (await runsOf(bound)).map(({ run_type, status: end, error }) => [run_type, end, error?.code]).sort()
        assert.deepEqual(await told(), expected)
        if (provider.capabilities.supports_webhook_sync) {
          assert.equal((await deliverPush(app.client.origin, bound.binding, bound.repository, head)).body.status, 'accepted')
          await waitFor(async () => ((await runsOf(bound)).length === 4 ? true : undefined))
          const run = (await runsOf(bound)).find(({ trigger }) => trigger === 'webhook')
          assert.deepEqual([run?.status, run?.error?.code], ['failed', code])
        }
        globalThis.setTimeout = wait
        fault.end()
        assert.equal(await headOf(bound), head)
        // What may pass is tried again, later.
        const isPassing = code === 'provider_unavailable' || code === 'provider_rate_limited'
        if (provider.capabilities.supports_webhook_sync && isPassing) {
          ahead += HOUR_MS
          const run = await waitFor(async () => (await runsOf(bound)).find(({ trigger, status: end }) => trigger === 'webhook' && end === 'succeeded'))
          assert.equal(run.commit_sha, head)
        }
        assert.equal((await admin.client.post(`${bound.path}/publish`)).status, 200)
        assert.notEqual(await headOf(bound), head)
      })

    for (const isDeclared of [true, false])
      test(`a file of two gigabytes, ${isDeclared ? 'declared' : 'without an end that is known'}, is not read to its end`, async () => {
        const bound = await bind()
        let sent = 0
        const isContent = ({ url }: ForgeCall): boolean => url.includes('/blobs/') || url.endsWith('/git-upload-pack')
        const fault = proxy.interfere(isIn(bound, isContent), (response) => {
          response.writeHead(200, { 'content-type': 'application/octet-stream', ...(isDeclared ? { 'content-length': String(GIGABYTES) } : {}) })
          const send = (): void => {
            while (!response.destroyed && sent < GIGABYTES) {
              sent += CHUNK.length
              if (!response.write(CHUNK)) return void response.once('drain', send)
            }
          }
          send()
        })
        const answer = await admin.client.post<{ warnings?: { code: string; path: string }[] }>(`${bound.path}/import`)
        // Plain Git has one pack for all files.
        if (provider.name === 'git') refused(answer, 400, 'provider_too_large')
        else
          assert.deepEqual(
            answer.body.warnings?.map(({ code, path }) => `${code} ${path}`),
            Object.keys(FILES).map((path) => `file_too_large ${path}`),
            answer.text,
          )
        const limit = provider.name === 'git' ? FETCH_BYTES : 4 * FILE_BYTES
        assert.ok(sent < limit + ON_THE_WAY, `${sent} bytes were taken`)
        fault.end()
      })

    test('no credential is in an answer, the log or the store', async () => {
      const { secret } = forge.overHttp!
      for (const text of [await stored(app), app.log.join(''), (await admin.client.get('/platform/audit?limit=200')).text]) assert.ok(!text.includes(secret))
    })
  })
}
