/** Sessions looked at again: who would still be let in, found with a handful of questions, however many there are. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { liveHolders, type SessionHolder } from '../../../../server/core/auth/live-sessions.js'
import { DEFAULT_IDENTITY_POLICY, type IdentityPolicy, newOrganization, type OrganizationDocument } from '../../../../server/core/auth/organizations.js'
import type { SessionDocument } from '../../../../server/core/auth/sessions.js'
import { newUserDocument, type UserDocument } from '../../../../server/core/auth/users.js'
import { newMembership } from '../../../../server/core/tenancy/memberships.js'

const START = Date.parse('2026-01-02T03:04:05Z')
const HOUR = 3_600_000

/** Users `u0`, `u1`…, each with a session of its own and a membership in the organization `a`. */
function setUp(size: number) {
  const at = new Date(START)
  const ids = Array.from({ length: size }, (_, i) => `u${i}`)
  const users = new Map<string, UserDocument>(
    ids.map((id) => [id, newUserDocument({ _id: id, email: `${id}@x.test`, display_name: id, password_hash: null, default_organization_id: 'a' }, at)]),
  )
  const sessions = new Map<string, SessionDocument>(
    ids.map((id) => [`s ${id}`, { _id: `s ${id}`, user_id: id, organization_id: 'a', epoch: 1, created_at: at, expires_at: new Date(START + HOUR) }]),
  )
  const organizations = new Map<string, OrganizationDocument>(['a', 'b'].map((id) => [id, newOrganization(id, id, id, '', at)]))
  const memberships = new Map(ids.map((id) => [id, newMembership(`m ${id}`, 'a', id, 'engineer', at)]))
  const world = { users, sessions, organizations, memberships, now: START, questions: 0, admin: '', includesSso: true }
  const pick =
    <D>(from: ReadonlyMap<string, D>) =>
    async (asked: readonly string[]): Promise<ReadonlyMap<string, D>> => {
      world.questions++
      return new Map(asked.flatMap((id) => (from.has(id) ? [[id, from.get(id)!] as const] : [])))
    }
  const identities = {
    users: { byIds: pick(users), isPlatformAdmin: ({ email_key }: UserDocument) => email_key === world.admin },
    sessions: { byIds: pick(sessions) },
    organizations: { byIds: pick(organizations) },
    memberships: {
      async ofUsers(organizationId: string, asked: readonly string[]) {
        return [...(await pick(memberships)(asked)).values()].filter(({ organization_id }) => organization_id === organizationId)
      },
    },
    clock: () => world.now,
  } as unknown as Parameters<typeof liveHolders>[0]
  const holders = ids.map((userId): SessionHolder => ({ userId, sessionId: `s ${userId}`, organizationId: 'a' }))
  const live = async (asked: readonly SessionHolder[] = holders): Promise<string[]> =>
    [...(await liveHolders(identities, asked, () => world.includesSso))].map(({ userId }) => userId)
  return { world, holders, live }
}

test('whose session was revoked, has expired, or is of another user or epoch is out', async () => {
  const { world, live } = setUp(5)
  assert.deepEqual(await live(), ['u0', 'u1', 'u2', 'u3', 'u4'])
  world.sessions.delete('s u0')
  world.sessions.set('s u1', { ...world.sessions.get('s u1')!, expires_at: new Date(START) })
  world.sessions.set('s u2', { ...world.sessions.get('s u2')!, user_id: 'u3' })
  world.users.set('u3', { ...world.users.get('u3')!, session_epoch: 2 })
  assert.deepEqual(await live(), ['u4'])
  world.now = START + HOUR
  assert.deepEqual(await live(), [])
})

test('who is gone, deactivated, or no member any more is out', async () => {
  const { world, live } = setUp(4)
  world.users.delete('u0')
  world.users.set('u1', { ...world.users.get('u1')!, is_active: false })
  world.memberships.delete('u2')
  assert.deepEqual(await live(), ['u3'])
})

test('an organization that is gone or suspended is left to platform admins, or to nobody', async () => {
  const { world, holders, live } = setUp(2)
  world.admin = 'u0@x.test'
  const elsewhere = holders.map((holder) => ({ ...holder, organizationId: 'b' }))
  assert.deepEqual(await live(elsewhere), ['u0'])
  world.organizations.set('a', { ...world.organizations.get('a')!, is_active: false })
  assert.deepEqual(await live(), ['u0'])
  world.organizations.delete('a')
  assert.deepEqual(await live(), [])
})

test('a session of a provider is out elsewhere, and a session that the policy of the organization refuses is out', async () => {
  const { world, holders, live } = setUp(4)
  world.admin = 'u0@x.test'
  for (const id of ['u0', 'u1']) world.sessions.set(`s ${id}`, { ...world.sessions.get(`s ${id}`)!, provider_id: 'p' })
  assert.deepEqual(await live(holders.map((holder) => ({ ...holder, organizationId: 'b' }))), [])
  world.sessions.set('s u2', { ...world.sessions.get('s u2')!, has_second_factor: true })
  const policy = (fields: Partial<IdentityPolicy>): void =>
    void world.organizations.set('a', { ...world.organizations.get('a')!, identity_policy: { ...DEFAULT_IDENTITY_POLICY, ...fields } })
  policy({ require_two_factor: true })
  assert.deepEqual(await live(), ['u0', 'u1', 'u2'])
  policy({ sso_required: true, break_glass_user_ids: ['u3'] })
  assert.deepEqual(await live(), ['u0', 'u1', 'u3'])
  world.includesSso = false
  assert.deepEqual(await live(), ['u0', 'u1', 'u2', 'u3'])
})

test('a thousand sessions take a handful of questions, none takes any', async () => {
  const { world, live } = setUp(1000)
  world.users.delete('u999')
  assert.equal((await live()).length, 999)
  assert.ok(world.questions <= 8, `${world.questions}`)
  world.questions = 0
  assert.deepEqual(await live([]), [])
  assert.equal(world.questions, 0)
})
