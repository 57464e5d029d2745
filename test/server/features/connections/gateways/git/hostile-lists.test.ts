/** Lists of hostile forges: links to other servers, pages that are no lists, pages with too many entries, and entries that would take the memory of the process. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type from 'typebox'
import { ApiError } from '../../../../../../server/core/errors.js'
import { BRANCHES_LIMIT, type GitGateway } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { openGit } from '../../../../../../server/features/connections/gateways/git/index.js'
import { GitHubClient } from '../../../../../../server/features/connections/gateways/github/client.js'
import type { HttpClient, OutboundRequest } from '../../../../../../server/core/egress/client.js'
import { READER } from '../../../../../support/reader.js'

const PROVIDERS = ['github', 'gitlab', 'gitea'] as const
type Api = (typeof PROVIDERS)[number]
const never = new AbortController().signal
const SHA = 'a'.repeat(40)
const BASE_URL = 'https://git.example.com'
/** Calls after which a test ends: none of them needs as many. */
const CALLS = 60

const branch = (name: string) => ({ name, protected: false, commit: { sha: SHA, id: SHA } })

/** A gateway whose forge answers every call with that. */
function answering(provider: Api, answerOf: (call: number, url: URL) => unknown): Promise<GitGateway> {
  let calls = 0
  const send = async ({ url }: OutboundRequest): ReturnType<HttpClient['send']> => {
    assert.ok(++calls <= CALLS, 'the list does not end')
    const next = new URL(url)
    next.searchParams.set('page', String(calls + 1))
    return { status: 200, headers: { 'content-type': 'application/json', link: `<${next}>; rel="next"` }, body: Buffer.from(JSON.stringify(answerOf(calls, url))) }
  }
  return openGit(provider, { baseUrl: BASE_URL, organization: null, credentials: { kind: 'token', token: 'token' } }, { http: { send }, reader: READER, clock: Date.now })
}

function refusal(...reasons: readonly string[]): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ApiError, `${error}`)
    assert.ok(reasons.includes(error.reason), error.reason)
    return true
  }
}

it('keeps no fields of entries that it does not read', async () => {
  const Entry = Type.Object({ name: Type.String(), commit: Type.Object({ sha: Type.String() }) })
  const page = () => [{ name: 'main', other: [[]], commit: { sha: SHA, other: [[]] } }]
  const kept = [{ name: 'main', commit: { sha: SHA } }]
  const send = async (): ReturnType<HttpClient['send']> => ({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(page())) })
  const connection = { baseUrl: BASE_URL, organization: null, credentials: { kind: 'none' } } as const
  const call = { parameters: { owner: 'owner', repo: 'name' }, signal: never, what: 'repository' }
  assert.deepEqual(
    await new GitHubClient('github', connection, { http: { send }, reader: READER, clock: Date.now }).list(
      'GET /repos/{owner}/{repo}/branches',
      Type.Array(Entry),
      (entries) => entries,
      100,
      call,
    ),
    kept,
  )
})

describe('a link to the next page', () => {
  for (const provider of PROVIDERS) {
    it(`never names where the credential is sent (${provider})`, async () => {
      for (const link of [
        'https://evil.example/api/v4/x?page=2',
        'http://git.example.com/x?page=2',
        'https://git.example.com:8443/x?page=2',
        '//evil.example/x?page=2',
        'x?page=2&private_token=a',
      ]) {
        const asked: URL[] = []
        const send = async ({ url }: OutboundRequest): ReturnType<HttpClient['send']> => {
          asked.push(url)
          const headers = { 'x-total-count': '2', ...(asked.length === 1 ? { link: `<${link}>; rel="next"` } : {}) }
          return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(JSON.stringify([branch(`branch-${asked.length}`)])) }
        }
        const gateway = await openGit(
          provider,
          { baseUrl: BASE_URL, organization: null, credentials: { kind: 'token', token: 'token' } },
          { http: { send }, reader: READER, clock: Date.now },
        )
        assert.equal((await gateway.listBranches('owner/name', never)).length, 2)
        assert.deepEqual(
          asked.map(({ origin, pathname }) => origin + pathname),
          [asked[0].origin + asked[0].pathname, asked[0].origin + asked[0].pathname],
        )
        assert.equal(asked[0].origin, BASE_URL)
      }
    })

    it(`whose page is no list is refused (${provider})`, async () => {
      for (const second of [{}, null, 'text', 7, [null]]) {
        const answers = [[branch('main')], second]
        const send = async (): ReturnType<HttpClient['send']> => {
          const headers = { 'content-type': 'application/json', link: '<https://git.example.com/x?page=2>; rel="next"', 'x-total-count': '2' }
          return { status: 200, headers, body: Buffer.from(JSON.stringify(answers.shift())) }
        }
        const gateway = await openGit(
          provider,
          { baseUrl: BASE_URL, organization: null, credentials: { kind: 'token', token: 'token' } },
          { http: { send }, reader: READER, clock: Date.now },
        )
        await assert.rejects(gateway.listBranches('owner/name', never), refusal('provider_unavailable'))
      }
    })
  }
})

describe('a list of a hostile forge', () => {
  for (const provider of PROVIDERS) {
    it(`with a page of more entries than a call may have arguments is refused (${provider})`, async () => {
      const page = Array.from({ length: 15 * BRANCHES_LIMIT }, (_, index) => branch(String(index)))
      await assert.rejects((await answering(provider, () => page)).listBranches('owner/name', never), refusal('provider_unavailable', 'provider_too_large'))
    })

    it(`with entries of megabytes is refused before it ends (${provider})`, async () => {
      const long = 'x'.repeat(3_500_000)
      const gateway = await answering(provider, (call) => [branch(`${call}${long}`)])
      await assert.rejects(gateway.listBranches('owner/name', never), refusal('provider_too_large'))
    })

    it(`of files with paths of megabytes is refused before it ends (${provider})`, async () => {
      const long = 'x'.repeat(3_500_000)
      const gateway = await answering(provider, (call, url) => {
        const entry = { path: `${call}${long}`, mode: '040000', type: 'tree', sha: SHA, id: SHA }
        if (provider === 'gitlab') return [entry]
        if (provider === 'gitea') return { tree: [entry], truncated: true, total_count: 100 * CALLS }
        return { tree: [entry], truncated: url.searchParams.has('recursive') }
      })
      await assert.rejects(gateway.listFiles('owner/name', SHA, never), refusal('provider_too_large'))
    })
  }
})
