/**
 * Addresses that tenants name, over real names and real connections: no request reaches the network of the service, whatever a name resolves to, whenever it
 * changes, and wherever an answer redirects. Each kind of target is here, and each provider of its table.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { networkResolve } from '../../server/core/egress/resolve.js'
import { type IntegrationKind, type Provider, PROVIDERS } from '../../server/features/connections/gateways/providers.js'
import { PROVIDER_FIELDS } from '../../server/features/connections/integrations/providers.js'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { providersOf } from '../support/identity-providers.js'
import { A, AAAA, addressRecord, answerTo, NAME_ERROR, NO_ERROR, type NameServer, questionOf, startNameServer } from '../support/name-server.js'
import { type Receiver, startReceiver } from '../support/receiver.js'
import { refused, waitFor } from './steps.js'

/** Names with an address that is not public, by what they are. */
const PRIVATE_NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'unspecified.example': ['0.0.0.0'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'link-local.example': ['fe80::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'both.example': ['8.8.8.8', '127.0.0.1'],
  'crossed.example': ['8.8.8.8', '::1'],
}
/** Notations of addresses that no name server is asked for. */
const PRIVATE_HOSTS = ['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '[::ffff:127.0.0.1]', 'localhost', 'localhost.', 'a.localhost']

interface Target {
  readonly name: string
  /** Stores the address. */
  create(actor: Actor, origin: string): Promise<Answer<{ readonly id: string }>>
  /** Causes a request to it; resolves when it has ended. */
  use(actor: Actor, id: string): Promise<unknown>
}

const webhooksOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/webhooks`
const integrationsOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/integrations`

function integration(kind: IntegrationKind, provider: Provider): Target {
  const { settings, credentials } = PROVIDER_FIELDS[provider]
  const forms = { none: {}, token: { token: 't' }, password: { username: 'u', password: 'p' }, webhook: {}, app: {} } as const
  const form = credentials.find((one) => one === 'token') ?? credentials[0]
  return {
    name: provider,
    create: ({ client, ...actor }, origin) =>
      client.post(integrationsOf({ client, ...actor }), {
        name: provider,
        kind,
        provider,
        settings: form === 'webhook' ? { events: ['version.published'] } : { base_url: origin, ...('project' in settings ? { project: 'a/b' } : {}) },
        credentials: form === 'webhook' ? { webhook_url: `${origin}/hook` } : forms[form],
      }),
    use: (actor, id) => actor.client.post(`${integrationsOf(actor)}/${id}/test`),
  }
}

const TARGETS: readonly Target[] = [
  ...(Object.entries(PROVIDERS) as [IntegrationKind, readonly Provider[]][]).flatMap(([kind, providers]) => providers.map((provider) => integration(kind, provider))),
  {
    name: 'webhook',
    create: (actor, origin) => actor.client.post(webhooksOf(actor), { url: `${origin}/hook`, events: ['api_key.created'] }),
    async use(actor, id) {
      await actor.client.post(`${webhooksOf(actor)}/${id}/test`)
      await waitFor(async () => {
        const { body } = await actor.client.get<{ status: string; attempt_count: number }[]>(`${webhooksOf(actor)}/${id}/deliveries`)
        return body.some(({ attempt_count }) => attempt_count > 0) ? true : undefined
      })
    },
  },
  {
    name: 'identity provider',
    create: (actor, origin) => actor.client.post(providersOf(actor), { name: `At ${origin}`, kind: 'oidc', issuer: origin, client_id: 'c' }),
    use: (actor, id) => actor.client.post(`${providersOf(actor)}/${id}/validate`),
  },
  {
    name: 'assistant',
    create: ({ client }, origin) => client.call('PUT', '/platform/admin/ai/config', { body: { enabled: true, model: 'm', base_url: `${origin}/v1`, api_key: 'k' } }),
    use: ({ client }) => client.post('/platform/admin/ai/test'),
  },
]

describe('targets of tenants', () => {
  /** A server of the own network, and how often something connected to it. */
  let inside: Server
  let port: number
  let connections = 0
  let names: NameServer
  let isRebound = false

  before(async () => {
    inside = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    port = (inside.address() as { readonly port: number }).port
    names = await startNameServer((query) => {
      const { name, type } = questionOf(query)
      const addresses = PRIVATE_NAMES[name] ?? (name === 'rebinding.example' ? [isRebound ? '127.0.0.1' : '8.8.8.8'] : null)
      if (addresses === null) return answerTo(query, NAME_ERROR, [])
      return answerTo(query, NO_ERROR, addresses.filter((address) => (address.includes(':') ? AAAA : A) === type).map(addressRecord))
    })
  })
  after(async () => {
    names.close()
    await new Promise((resolve) => inside.close(resolve))
  })

  describe('whose names lead inside', () => {
    let app: TestApp
    let admin: Actor
    before(async () => {
      app = await startTestApp({ resolve: networkResolve([names.address]), env: { NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false' } })
      admin = await bootstrap(app.client)
    })
    after(() => app.close())

    for (const target of TARGETS) {
      test(`are refused when they are stored, and when the name changes afterwards: ${target.name}`, async () => {
        // Identity providers are asked over TLS alone.
        for (const host of [...Object.keys(PRIVATE_NAMES), 'LOOPBACK.example.', ...PRIVATE_HOSTS]) {
          const asked = names.asked()
          const { details } = refused(await target.create(admin, `https://${host}:${port}`), 400, 'bad_request')
          assert.equal('issues' in details, false, host)
          assert.equal(names.asked() > asked, host.toLowerCase().includes('.example'), host)
        }
        isRebound = false
        const { status, body, text } = await target.create(admin, `https://rebinding.example:${port}`)
        assert.equal(status, 200, text)
        isRebound = true
        const asked = names.asked()
        await target.use(admin, body.id)
        assert.ok(names.asked() > asked, 'the name is asked for again')
        assert.equal(connections, 0)
      })
    }
  })

  describe('that redirect inside', () => {
    let app: TestApp
    let admin: Actor
    let front: Receiver
    before(async () => {
      front = await startReceiver()
      // Loopback stands for the Internet here.
      app = await startTestApp({ env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true', NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false' } })
      admin = await bootstrap(app.client)
    })
    after(async () => {
      await app.close()
      await front.close()
    })

    for (const target of TARGETS) {
      test(`are not followed: ${target.name}`, async () => {
        const { status, body, text } = await target.create(admin, front.origin)
        assert.equal(status, 200, text)
        for (const redirect of [301, 302, 303, 307, 308]) {
          front.answers(({ path }, response) => void response.writeHead(redirect, { Location: `http://127.0.0.1:${port}${path}` }).end())
          const before = front.received.length
          await target.use(admin, body.id)
          assert.ok(front.received.length > before, 'the target was asked')
        }
        assert.equal(connections, 0)
      })
    }
  })
})
