/** Providers that repeat the credential which they were sent, in each form and place that an error shows. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { ApiError } from '../../../../../server/core/errors.js'
import type { ProviderCredentials } from '../../../../../server/features/connections/gateways/connection.js'
import { openCi } from '../../../../../server/features/connections/gateways/ci/index.js'
import { openGit } from '../../../../../server/features/connections/gateways/git/index.js'
import type { HttpClient, OutboundRequest } from '../../../../../server/core/egress/client.js'
import { READER } from '../../../../support/reader.js'

// With characters that encodings change.
const SECRET = 'tok-en~"/+é%'.normalize()
const SENDABLE = 'ghp_tok/en+1~%"x'
const never = new AbortController().signal
const baseUrl = 'https://forge.example.com'
type Answer = Awaited<ReturnType<HttpClient['send']>>

function formsOf(secret: string, isPassword: boolean): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  const inBasic = Buffer.from(`user:${secret}`).toString('base64').replace(/=+$/, '')
  return [secret, encodeURIComponent(secret), base64, ...(isPassword ? [inBasic] : [])]
}

/** A text in JSON with all of its characters escaped. */
function escaped(text: string): string {
  return [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

async function rejection(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof ApiError, `${error}`)
    return JSON.stringify([error.details, error.params, error.headers, error.message])
  }
  return assert.fail('it was not refused')
}

describe('a provider that repeats the credential', () => {
  const echo = (forms: readonly string[], status: number): Answer => {
    const text = forms.join(' ')
    const json = `{"message":"${escaped(`required=[${forms[0]}] ${text}`)}","error":"${escaped(text)}","error_description":"${escaped(text)}","scope":"${escaped(text)}"}`
    const words = forms.join(', ')
    const headers = { 'content-type': 'application/json', 'x-accepted-oauth-scopes': words, 'x-accepted-github-permissions': words, 'x-required-permission': words }
    return { status, headers, body: Buffer.from(json) }
  }
  for (const status of [400, 401, 403, 404, 409, 422, 429, 500]) {
    for (const provider of ['github', 'gitlab', 'gitea', 'git', 'jenkins'] as const) {
      test(`is not repeated: ${provider}, ${status}`, async () => {
        const isPassword = provider === 'git' || provider === 'jenkins'
        const secret = isPassword ? SECRET : SENDABLE
        const forms = formsOf(secret, isPassword)
        const parts = { http: { send: async () => echo(forms, status) }, reader: READER, clock: Date.now }
        const credentials: ProviderCredentials = isPassword ? { kind: 'password', username: 'user', password: secret } : { kind: 'token', token: secret }
        const connection = { baseUrl, organization: null, credentials }
        const work =
          provider === 'jenkins'
            ? (await openCi(provider, { ...connection, project: 'job', workflow: null }, parts)).test(never)
            : (await openGit(provider, connection, parts)).getBranch('owner/name', 'main', never)
        const shown = await rejection(work)
        for (const form of forms) assert.ok(!shown.includes(JSON.stringify(form).slice(1, -1)), `${form} in ${shown}`)
      })
    }
  }

  test('that is an App: neither its key, nor its signed token, nor the token of its installation', async () => {
    const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const installed = 'ghs_token-of-the-installation'
    for (const refusesAt of [1, 2]) {
      const sent: string[] = []
      const send = async ({ headers = {} }: OutboundRequest): Promise<Answer> => {
        const token = headers.authorization.replace(/^\S+ /, '')
        sent.push(token)
        if (sent.length === refusesAt)
          return { status: 422, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ message: `${token} ${encodeURIComponent(token)}` })) }
        return { status: 201, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify({ token: installed, expires_at: '2999-01-01T00:00:00Z' })) }
      }
      const credentials = { kind: 'app', appId: '1', privateKey, installationId: '2' } as const
      const gateway = await openGit('github', { baseUrl, organization: null, credentials }, { http: { send }, reader: READER, clock: Date.now })
      const shown = await rejection(gateway.getBranch('owner/name', 'main', never))
      for (const token of sent) assert.ok(!shown.includes(token), shown)
      assert.equal(sent.length, refusesAt)
      // GitHub refuses a token of the future: a minute for a clock that is ahead.
      const { iat, exp } = JSON.parse(Buffer.from(sent[0].split('.')[1], 'base64url').toString('utf8')) as { iat: number; exp: number }
      assert.ok(iat <= Date.now() / 1000 - 60 && exp > Date.now() / 1000 + 60 && exp - iat <= 600)
    }
  })
})
