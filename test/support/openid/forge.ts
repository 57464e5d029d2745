/** The forge as an OpenID provider: its OAuth2 applications, and its own pages. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Forge } from '../git/forge.js'
import type { OpenidAccount, OpenidProvider } from './provider.js'
import { formTo } from './user-agent.js'

const PASSWORD = 'a passphrase at the forge 1'

interface ForgeAccount extends OpenidAccount {
  readonly login: string
}

interface ForgeApplication {
  readonly id: number
  readonly client_id: string
  readonly client_secret: string
}

/** What a person types at the forge. */
interface ForgeProvider extends OpenidProvider {
  readonly password: string
  loginOf(account: OpenidAccount): string
}

export function forgeAsProvider(forge: Forge): ForgeProvider {
  const applications = '/user/applications/oauth2'
  return {
    name: 'forge',
    issuer: forge.url,
    password: PASSWORD,
    loginOf: (account) => (account as ForgeAccount).login,
    async register() {
      const name = `application-${randomBytes(6).toString('hex')}`
      const fields = { name, confidential_client: true }
      const created = await forge.api<ForgeApplication>('POST', applications, { ...fields, redirect_uris: ['http://127.0.0.1:1/unset'] })
      let secret = created.client_secret
      return {
        clientId: created.client_id,
        get clientSecret() {
          return secret
        },
        async redirectTo(...uris) {
          // An update gives the application a new secret.
          secret = (await forge.api<ForgeApplication>('PATCH', `${applications}/${created.id}`, { ...fields, redirect_uris: uris })).client_secret
        },
      }
    },
    async addAccount(email): Promise<ForgeAccount> {
      const login = `person-${randomBytes(6).toString('hex')}`
      const { id } = await forge.api<{ id: number }>('POST', '/admin/users', { username: login, email, password: PASSWORD, must_change_password: false })
      return { subject: String(id), email, login }
    },
    async signIn(agent, authorizationUrl, account) {
      const { redirect_uri } = Object.fromEntries(new URL(authorizationUrl).searchParams)
      const isCallback = callbackTest(redirect_uri)
      let page = await agent.open(authorizationUrl, { until: isCallback })
      for (let step = 0; page.redirect === null; step++) {
        assert.ok(step < 3, `the forge shows one page after the other, the last at ${page.url}`)
        assert.equal(page.status, 200, page.text.slice(0, 2_000))
        if (page.url.pathname === '/user/login') {
          page = await agent.submit(page, formTo(page, /^\/user\/login$/), { user_name: (account as ForgeAccount).login, password: PASSWORD }, isCallback)
        } else page = await agent.submit(page, formTo(page, /^\/login\/oauth\/grant$/), { granted: 'true' }, isCallback)
      }
      return page.redirect
    },
  }
}

/** Whether an address is the redirect URI, with any query. */
export function callbackTest(redirectUri: string): (url: URL) => boolean {
  const expected = new URL(redirectUri)
  return ({ origin, pathname }) => origin === expected.origin && pathname === expected.pathname
}
