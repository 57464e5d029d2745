/** Domains of organizations: claimed, proven by a TXT record, and moved to another organization when its record is gone. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { DnsError, type ReadTxt } from '../../server/features/accounts/dns/txt.js'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { ALL_STORES, refused, SIGNUP, withApp } from './steps.js'

interface Domain {
  readonly id: string
  readonly domain: string
  readonly status: string
  readonly txt_record: { readonly name: string; readonly value: string }
  readonly verified_at: string | null
}

/** Name servers of a test. */
class TestDns {
  readonly records = new Map<string, string[]>()
  lookups: string[] = []
  answers = true

  readonly read: ReadTxt = async (name) => {
    this.lookups.push(name)
    if (!this.answers) throw new DnsError('no name server answered')
    return this.records.get(name) ?? []
  }

  set({ txt_record }: Domain): void {
    this.records.set(txt_record.name, [...(this.records.get(txt_record.name) ?? ['v=spf1 -all']), txt_record.value])
  }
}

const domainsOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/domains`
async function claim(actor: Actor, domain: string): Promise<Domain> {
  const { status, body, text } = await actor.client.post<Domain>(domainsOf(actor), { domain })
  assert.equal(status, 200, text)
  return body
}
const verify = (actor: Actor, { id }: Domain) => actor.client.post<Domain>(`${domainsOf(actor)}/${id}/verify`)
const statusOf = async (actor: Actor, { id }: Domain) => (await actor.client.get<Domain>(`${domainsOf(actor)}/${id}`)).body.status

describe('domains', () => {
  const dns = new TestDns()
  let app: TestApp
  let admin: Actor
  let other: Actor

  before(async () => {
    app = await startTestApp({ env: SIGNUP, readTxt: dns.read })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  beforeEach(() => {
    dns.answers = true
    dns.lookups = []
  })
  after(() => app?.close())

  test('a claim is proven by the record that its answer has', async () => {
    const made = await claim(admin, 'Example.COM.')
    assert.deepEqual([made.domain, made.status, made.verified_at, made.txt_record.name], ['example.com', 'pending', null, 'example.com'])
    assert.match(made.txt_record.value, /^detection-content-verification=[\w-]{24}$/)
    assert.deepEqual(dns.lookups, [])
    dns.records.set('example.com', ['v=spf1 -all', `${made.txt_record.value}x`])
    const missing = refused(await verify(admin, made), 409, 'conflict')
    assert.deepEqual(missing.details, { name: 'example.com', expected: made.txt_record.value, found: ['v=spf1 -all', `${made.txt_record.value}x`] })
    dns.set(made)
    const proven = await verify(admin, made)
    assert.equal(proven.status, 200, proven.text)
    assert.equal(proven.body.status, 'verified')
    assert.notEqual(proven.body.verified_at, null)
    // A proven claim is not looked up again: a name server that fails takes nothing away.
    dns.records.delete('example.com')
    dns.lookups = []
    assert.deepEqual((await verify(admin, made)).body, proven.body)
    assert.deepEqual(dns.lookups, [])
    assert.deepEqual(
      (await admin.client.get<Domain[]>(domainsOf(admin))).body.map(({ domain }) => domain),
      ['example.com'],
    )
    assert.deepEqual((await other.client.get<Domain[]>(domainsOf(other))).body, [])
  })

  test('texts that are no domain, domains of public mailboxes, and second claims are refused', async () => {
    for (const domain of [
      '',
      'example',
      'a b.com',
      '127.0.0.1',
      '-a.com',
      'a..com',
      `${'a'.repeat(64)}.com`,
      'exa_mple.com',
      'https://example.com',
      '*.example.com',
      '@example.com',
      ...['/x', ':80', '?x', '#x', '\\x', '%2f', '\u0000', '\tx'].map((rest) => `example.com${rest}`),
      'exa\tmple.com',
      'ex%61mple.com',
    ]) {
      refused(await admin.client.post(domainsOf(admin), { domain }), 422, 'request_validation_failed')
    }
    for (const domain of ['gmail.com', 'GMAIL.com', 'uol.com.br']) refused(await admin.client.post(domainsOf(admin), { domain }), 400, 'bad_request')
    const made = await claim(admin, 'bücher.example')
    assert.equal(made.domain, 'xn--bcher-kva.example')
    refused(await admin.client.post(domainsOf(admin), { domain: 'xn--bcher-kva.example' }), 409, 'conflict')
  })

  test('a proven domain belongs to one organization; a proven claim displaces an unproven one', async () => {
    const first = await claim(admin, 'moving.example')
    const second = await claim(other, 'moving.example')
    dns.set(second)
    assert.equal((await verify(other, second)).body.status, 'verified')
    dns.set(first)
    refused(await verify(admin, first), 409, 'conflict')
    assert.equal(await statusOf(admin, first), 'pending')
    const third = await register(app.client, 'third')
    refused(await third.client.post(domainsOf(third), { domain: 'moving.example' }), 409, 'conflict')
  })

  test('a domain moves to another organization once the record of the first one is gone', async () => {
    const old = await claim(other, 'sold.example')
    dns.set(old)
    await verify(other, old)
    dns.records.delete('sold.example')
    const fresh = await claim(admin, 'sold.example')
    assert.equal(await statusOf(other, old), 'verified')
    dns.set(fresh)
    assert.equal((await verify(admin, fresh)).body.status, 'verified')
    assert.equal(await statusOf(other, old), 'pending')
    const [entry] = (await other.client.get<{ action: string; actor_type: string; actor_name: string }[]>(`/platform/audit?resource_id=${old.id}`)).body
    assert.deepEqual([entry.action, entry.actor_type, entry.actor_name], ['domain.displaced', 'system', 'domains'])
  })

  test('name servers that do not answer change nothing', async () => {
    const held = await claim(other, 'silent.example')
    dns.set(held)
    await verify(other, held)
    dns.answers = false
    refused(await admin.client.post(domainsOf(admin), { domain: 'silent.example' }), 503, 'service_unavailable')
    const own = await claim(admin, 'own.example')
    refused(await verify(admin, own), 503, 'service_unavailable')
    assert.equal(await statusOf(other, held), 'verified')
  })

  test('a deleted claim ends its proof', async () => {
    const held = await claim(other, 'left.example')
    dns.set(held)
    await verify(other, held)
    refused(await admin.client.delete(`${domainsOf(admin)}/${held.id}`), 404, 'not_found')
    assert.equal((await other.client.delete(`${domainsOf(other)}/${held.id}`)).status, 204)
    const fresh = await claim(admin, 'left.example')
    dns.set(fresh)
    assert.equal((await verify(admin, fresh)).body.status, 'verified')
    refused(await other.client.delete(`${domainsOf(other)}/${held.id}`), 404, 'not_found')
  })

  test('the lookups of an organization are limited', async () => {
    const eager = await register(app.client, 'eager')
    const made = await claim(eager, 'eager.example')
    dns.lookups = []
    for (let at = 0; at < 60; at++) refused(await verify(eager, made), 409, 'conflict')
    assert.equal(refused(await verify(eager, made), 429, 'rate_limited').details.route, 'domains.lookup')
    assert.equal(dns.lookups.length, 60)
  })

  test('an organization has 100 domains at most', async () => {
    const large = await register(app.client, 'large')
    for (let at = 0; at < 100; at++) await claim(large, `d${at}.example`)
    refused(await large.client.post(domainsOf(large), { domain: 'd100.example' }), 409, 'conflict')
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('of organizations that prove one domain concurrently, one has it', () => {
      const dns = new TestDns()
      return withApp({ store, env: SIGNUP, readTxt: dns.read }, async ({ client }) => {
        await bootstrap(client)
        const actors = await Promise.all(['a', 'b', 'c', 'd'].map((name) => register(client, name)))
        const claims = await Promise.all(actors.map((actor) => claim(actor, 'wanted.example')))
        for (const one of claims) dns.set(one)
        const answers = await Promise.all(actors.map((actor, at) => verify(actor, claims[at])))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
        const states = await Promise.all(actors.map((actor, at) => statusOf(actor, claims[at])))
        assert.deepEqual(states.sort(), ['pending', 'pending', 'pending', 'verified'])
      })
    })
  })
}
