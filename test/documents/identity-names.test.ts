/** server/IDENTITY.md names only settings, calls, fields and errors that exist, and every error of an OpenID provider. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONFIG_VARIABLES } from '../../server/core/config.js'
import { ERRORS, type ErrorReason } from '../../server/core/errors.js'
import type { Route } from '../../server/core/http/route.js'
import { validatorFor } from '#requests'
import { errorTexts } from '../../server/core/i18n/translate.js'
import { type CheckedSettings, settingsIssues } from '../../server/features/sso/identity-providers/check.js'
import { IdentityProviderCreateRequest } from '../../server/features/sso/identity-providers/schema.js'
import { MEMBERS_LIMIT } from '../../server/core/tenancy/memberships.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { readPage } from './pages.js'

const PAGE = readPage('server/IDENTITY.md')
const TABLE = PAGE.slice(PAGE.indexOf('\n## Troubleshooting\n'))
/** Names of others: claims of providers, actions of the audit log, the name of a permission. */
const FOREIGN = new Set('leads preferred_username xms_edov groups email_verified hd userName openid org_admin true identity_provider:manage session.refused'.split(' '))
const REASONS = Object.keys(ERRORS) as ErrorReason[]
const CODES: ReadonlySet<string> = new Set(REASONS.map((reason) => ERRORS[reason].code))

/** Texts in backquotes outside of fences and commands. */
function quoted(): string[] {
  const prose = PAGE.replace(/```[\s\S]*?```/g, '').replace(/^ {4}.*$/gm, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text)
}

const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47'

/** The settings in the table of a section, of each column. */
function settingsOf(section: string): Record<string, unknown>[] {
  const text = PAGE.slice(PAGE.indexOf(`\n## ${section}\n`)).split('\n## ')[1]
  const [head, , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
  return head.slice(1).map((_, column) =>
    Object.fromEntries(
      rows.flatMap(([name, ...cells]) => {
        const field = name.replaceAll('`', '').trim()
        if (field === 'tenant_ids') return [[field, [TENANT]]]
        const shown = /`([^`]+)`/
          .exec(cells[column])?.[1]
          .replace('<tenant id>', TENANT)
          .replace(/<[a-z ]+>/, 'example')
        if (shown === undefined) return []
        return [[field, /^(?:\[|true$)/.test(shown) ? (JSON.parse(shown) as unknown) : shown]]
      }),
    ),
  )
}

describe('the page on sign-in', () => {
  let app: TestApp
  let routes: readonly Route[]
  /** Names of fields of all requests and answers, and of their values in lists. */
  const fields = new Set<string>()

  before(async () => {
    app = await startTestApp()
    routes = app.service.routes
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      for (const [key, value] of Object.entries(node)) {
        if (key === 'properties') for (const name of Object.keys(value as object)) fields.add(name)
        walk(value)
      }
    }
    for (const { params, query, body, responses } of routes) walk([params, query, body, responses])
    for (const name of ['code', 'message', 'hint', 'details', 'debug_id']) fields.add(name)
  })
  after(() => app?.close())

  test('names calls that exist', () => {
    const calls = quoted().flatMap((text) => /^(GET|POST|PATCH|PUT|DELETE) (…?\/\S+)$/.exec(text) ?? [])
    assert.ok(calls.length >= 20)
    const wrong = quoted().filter((text) => {
      const [, method, path] = /^(GET|POST|PATCH|PUT|DELETE) (…?\/\S+)$/.exec(text) ?? []
      if (method === undefined) return false
      return !routes.some((route) => route.method === method && (path.startsWith('…') ? route.path.endsWith(path.slice(1)) : route.path === path))
    })
    assert.deepEqual(wrong, [])
  })

  test('names settings that exist', () => {
    const known = new Set(CONFIG_VARIABLES.map(({ name }) => name))
    const named = quoted().filter((text) => /^NATIVE_SERVICE_/.test(text))
    assert.ok(named.length >= 5)
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    )
  })

  test('names fields that exist', () => {
    const names = quoted()
      .flatMap((text) => (/^\{(.*)\}$/.exec(text)?.[1] ?? text).split(', '))
      .filter((text) => /^[a-z][a-zA-Z_:.]*$/.test(text))
      .flatMap((text) => (text.startsWith('details.') ? [] : [text]))
    assert.ok(names.length >= 60)
    const unknown = names.filter((name) => !fields.has(name) && !FOREIGN.has(name) && !CODES.has(name))
    assert.deepEqual([...new Set(unknown)], [])
  })

  test('says what to do about errors that exist, with their messages', () => {
    const rows = TABLE.split('\n').filter((line) => /^\| `/.test(line))
    const wrong = rows
      .map((row) => row.split(' | ')[0].slice(2))
      .filter((answer) => {
        const [, code, message] = /^`(\w+)`: (.+)$/.exec(answer) ?? []
        if (code !== undefined) return !REASONS.some((reason) => ERRORS[reason].code === code && errorTexts(reason, 'en-US', {}).message === message)
        return [...answer.matchAll(/`(\w+)`/g)].some(([, name]) => !CODES.has(name))
      })
    assert.deepEqual(wrong, [])
  })

  test('says what to do about every error of an OpenID provider and of a login through one', () => {
    const expected = REASONS.filter((reason) => /^(?:oidc|sso)_/.test(reason))
    assert.ok(expected.length > 15)
    const absent = expected.filter((reason) => {
      const { code } = ERRORS[reason]
      return code === reason ? !TABLE.includes(`\`${code}\``) : !TABLE.includes(`\`${code}\`: ${errorTexts(reason, 'en-US', {}).message} |`)
    })
    assert.deepEqual(absent, [])
  })

  test('has settings of providers that the service accepts', () => {
    const issuesOf = (settings: Readonly<Record<string, unknown>>) => [
      ...validatorFor(IdentityProviderCreateRequest).check({ name: 'Login', kind: 'oidc', client_id: 'a', ...settings }),
      ...settingsIssues({ discovery_url: null, tenant_ids: [], required_claims: [], ...settings } as unknown as CheckedSettings, false),
    ]
    for (const name of ['Entra ID', 'Okta', 'Google', 'Keycloak', 'Auth0']) {
      const variants = settingsOf(name)
      assert.equal(variants.length, name === 'Entra ID' ? 2 : 1)
      for (const settings of variants) {
        assert.ok(settings.issuer !== undefined)
        assert.deepEqual(issuesOf(settings), [], name)
      }
    }
    // Without the condition of the page anyone could join.
    assert.equal(issuesOf({ issuer: settingsOf('Google')[0].issuer }).length, 1)
  })

  test('has the limit of members', () => {
    assert.ok(PAGE.includes(`An organization has at most ${MEMBERS_LIMIT.toLocaleString('en-US')} members.`))
  })
})
