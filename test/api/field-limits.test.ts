/** Lengths and numbers of entries, as in the contract's table of limits: a value at the limit is accepted, and one beyond is refused and named. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Actor, anonymous, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject } from '../support/projects.js'
import { PROXIED, refused, SIGNUP } from './steps.js'

const EVENT = 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122'
const FILE = { filename: 'local_rules.xml', kind: 'rules', scope: 'adhoc', content: '<group name="x,"></group>' }
const of = (length: number): string => 'x'.repeat(length)
const entries = (count: number, key = 1, value = 1): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at).padEnd(key, 'k'), of(value)]))
const lists = (count: number, length = 0): object[] => Array.from({ length: count }, (_, at) => ({ name: `etc/lists/${at}`, content: of(length) }))
const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => String(100_000 + at))
/** With a local part of 64 characters, the maximum. */
const email = (length: number): string => {
  const labels = of(length - 65 - '.test'.length).replace(/x{60}/g, (label) => `${label.slice(1)}.`)
  return `${of(64)}@${labels}.test`.replaceAll('..', 'x.')
}
const signup = (fields: object) => ({
  organization_name: 'o',
  organization_description: '',
  email: `${Math.random()}@example.test`,
  display_name: 'd',
  password: of(10),
  ...fields,
})

interface Limit {
  readonly path: string
  /** The path in the refusal. */
  readonly at: string
  readonly within: readonly object[]
  readonly beyond: readonly object[]
}

const LIMITS: Readonly<Record<string, Limit>> = {
  'name of a project': { path: '/platform/projects', at: '/name', within: [{ name: 'x' }, { name: of(120) }], beyond: [{ name: '' }, { name: of(121) }] },
  'description of a project': {
    path: '/platform/projects',
    at: '/description',
    within: [
      { name: 'x', description: '' },
      { name: 'x', description: of(2000) },
    ],
    beyond: [{ name: 'x', description: of(2001) }],
  },
  'name of a list': {
    path: '/platform/projects',
    at: '/lists/0/name',
    within: [
      { name: 'x', lists: [{ name: 'x', content: '' }] },
      { name: 'x', lists: [{ name: of(255), content: '' }] },
    ],
    beyond: [
      { name: 'x', lists: [{ name: '', content: '' }] },
      { name: 'x', lists: [{ name: of(256), content: '' }] },
    ],
  },
  'number of lists': {
    path: '/platform/projects',
    at: '/lists',
    within: [
      { name: 'x', lists: lists(0) },
      { name: 'x', lists: lists(100) },
    ],
    beyond: [{ name: 'x', lists: lists(101) }],
  },
  'lists together': {
    path: '/platform/projects',
    at: '/lists',
    within: [{ name: 'x', lists: lists(2, 1024 * 1024) }],
    beyond: [{ name: 'x', lists: [...lists(2, 1024 * 1024), { name: 'one more', content: 'x' }] }],
  },
  'bytes of rules': {
    path: '/platform/projects',
    at: '/rules_xml',
    within: [{ name: 'x', rules_xml: 'é'.repeat(1024 * 1024) }],
    beyond: [{ name: 'x', rules_xml: `${'é'.repeat(1024 * 1024)}x` }],
  },
  'bytes of decoders of a workspace': {
    path: 'workspaces',
    at: '/decoders_xml',
    within: [{ name: 'x', decoders_xml: 'é'.repeat(1024 * 1024) }],
    beyond: [{ name: 'x', decoders_xml: 'é'.repeat(1024 * 1024 + 1) }],
  },
  'number of expected fields': {
    path: 'cases',
    at: '/expected_fields',
    within: [{ name: 'x', event_text: EVENT, expected_fields: entries(100) }],
    beyond: [{ name: 'x', event_text: EVENT, expected_fields: entries(101) }],
  },
  'expected field': {
    path: 'cases',
    at: '/expected_fields',
    within: [{ name: 'x', event_text: EVENT, expected_fields: entries(1, 255, 1024) }],
    beyond: [
      { name: 'x', event_text: EVENT, expected_fields: entries(1, 256) },
      { name: 'x', event_text: EVENT, expected_fields: entries(1, 1, 1025) },
    ],
  },
  'expected rule ids': {
    path: 'cases',
    at: '/expected_rule_ids',
    within: [{ name: 'x', event_text: EVENT, expected_rule_ids: ids(200) }],
    beyond: [{ name: 'x', event_text: EVENT, expected_rule_ids: ids(201) }],
  },
  'event of a case': { path: 'cases', at: '/event_text', within: [{ name: 'x', event_text: 'x' }], beyond: [{ name: 'x', event_text: '' }] },
  'event of a logtest': { path: '/analysis/logtest-native', at: '/input/event', within: [{ input: { event: 'x' } }], beyond: [{ input: { event: '' } }] },
  filename: {
    path: '/analysis/validate',
    at: '/files/0/filename',
    within: [{ files: [{ ...FILE, filename: 'x' }] }, { files: [{ ...FILE, filename: of(255) }] }],
    beyond: [{ files: [{ ...FILE, filename: '' }] }, { files: [{ ...FILE, filename: of(256) }] }],
  },
  location: {
    path: '/analysis/logtest-native',
    at: '/input/location',
    within: [{ input: { event: EVENT, location: '' } }, { input: { event: EVENT, location: of(512) } }],
    beyond: [{ input: { event: EVENT, location: of(513) } }],
  },
  'session id': {
    path: '/analysis/logtest-native',
    at: '/input/session_id',
    within: [{ input: { event: EVENT, session_id: '' } }, { input: { event: EVENT, session_id: of(128) } }],
    beyond: [{ input: { event: EVENT, session_id: of(129) } }],
  },
  'organization name': {
    path: '/auth/register-organization',
    at: '/organization_name',
    within: [signup({ organization_name: of(120) })],
    beyond: [signup({ organization_name: '' }), signup({ organization_name: of(121) })],
  },
  'display name': {
    path: '/auth/register-organization',
    at: '/display_name',
    within: [signup({ display_name: of(120) })],
    beyond: [signup({ display_name: '' }), signup({ display_name: of(121) })],
  },
  'e-mail': {
    path: '/auth/register-organization',
    at: '/email',
    within: [signup({ email: 'a@b' }), signup({ email: email(254) })],
    beyond: [signup({ email: 'ab' }), signup({ email: email(255) })],
  },
  'new password': { path: '/auth/password-reset/confirm', at: '/new_password', within: [], beyond: [{ token: 'x', new_password: of(9) }] },
  'reset token': {
    path: '/auth/password-reset/confirm',
    at: '/token',
    within: [],
    beyond: [
      { token: '', new_password: of(10) },
      { token: of(257), new_password: of(10) },
    ],
  },
}

describe('the limits of fields', () => {
  let app: TestApp
  let admin: Actor
  let project: string

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, ...PROXIED } })
    admin = await bootstrap(app.client)
    project = (await createProject(admin)).id
  })
  after(() => app?.close())

  let address = 0
  const post = (path: string, body: object) => {
    const client = path.startsWith('/auth/') ? anonymous(app.client) : admin.client
    // Registrations are throttled by address.
    const headers = { 'X-Forwarded-For': `192.0.2.${++address % 250}` }
    return client.post(path.startsWith('/') ? path : `/platform/projects/${project}/${path}`, body, { headers })
  }

  for (const [name, { path, at, within, beyond }] of Object.entries(LIMITS)) {
    test(name, async () => {
      for (const body of within) assert.equal((await post(path, body)).status, 200, JSON.stringify(body).slice(0, 200))
      for (const body of beyond) {
        const { details } = refused(await post(path, body), 422, path.startsWith('/analysis/') ? 'validation_failed' : 'request_validation_failed')
        const paths = (details.errors as { path: string }[]).map((error) => error.path)
        assert.ok(
          paths.some((named) => named.startsWith(at)),
          `${paths} for ${at}`,
        )
      }
    })
  }

  test('pages of lists', async () => {
    for (const path of ['/notifications', '/platform/projects', `/platform/projects/${project}/cases`, '/platform/audit']) {
      for (const limit of [1, 200]) assert.equal((await admin.client.get(`${path}?limit=${limit}`)).status, 200, path)
      for (const limit of [0, 201]) refused(await admin.client.get(`${path}?limit=${limit}`), 422, 'request_validation_failed')
    }
  })
})
