/** People and programs who call a service under test. */
import assert from 'node:assert/strict'
import type { EnterpriseRole, KeyScope } from '../../server/core/tenancy/permissions.js'
import { Client } from './client.js'

export const PASSWORD = 'correct horse battery'

/** What of an AuthSessionResponse tests look at. */
export interface Session {
  readonly access_token: string
  readonly user: { readonly id: string; readonly email: string }
  readonly current_organization: { readonly id: string }
}

export interface Actor {
  readonly client: Client
  readonly token: string
  readonly userId: string
  readonly email: string
  readonly organizationId: string
}

/** The first admin of an instance. */
export async function bootstrap(client: Client, email = 'admin@example.test'): Promise<Actor> {
  const { status, body, text } = await client.post<Session>('/auth/bootstrap', {
    organization_name: 'First Organization',
    organization_description: 'of the tests',
    email,
    display_name: 'First Admin',
    password: PASSWORD,
  })
  assert.equal(status, 200, text)
  return actorOf(client, body)
}

/** Another organization with an admin of its own. The service must be started with self-signup. */
export async function register(client: Client, name: string, email = `${name}@example.test`): Promise<Actor> {
  const { status, body, text } = await client.post<Session>('/auth/register-organization', {
    organization_name: name,
    organization_description: '',
    email,
    display_name: name,
    password: PASSWORD,
  })
  assert.equal(status, 200, text)
  return actorOf(client, body)
}

/** A new member of the admin's organization, logged in. */
export async function addMember(admin: Actor, role: EnterpriseRole, email = `${role}@example.test`): Promise<Actor> {
  const added = await admin.client.post(`/auth/organizations/${admin.organizationId}/members`, { email, display_name: role, password: PASSWORD, role })
  assert.equal(added.status, 200, added.text)
  return login(admin.client, email)
}

export async function login(client: Client, email: string, password = PASSWORD): Promise<Actor> {
  const { status, body, text } = await anonymous(client).post<Session>('/auth/login', { email, password })
  assert.equal(status, 200, text)
  return actorOf(client, body)
}

/** An API key of the admin's organization. */
export async function createKey(admin: Actor, scopes: readonly KeyScope[], name = scopes.join(' ')): Promise<{ id: string; key: string; client: Client }> {
  const { status, body, text } = await admin.client.post<{ id: string; api_key: string }>(`/platform/organizations/${admin.organizationId}/api-keys`, {
    name,
    scopes,
    expires_at: null,
  })
  assert.equal(status, 200, text)
  return { id: body.id, key: body.api_key, client: anonymous(admin.client).as({ key: body.api_key }) }
}

/** The same service, without a credential. */
export function anonymous(client: Client): Client {
  return new Client(client.origin)
}

function actorOf(client: Client, session: Session): Actor {
  const { access_token: token, user, current_organization } = session
  return { client: anonymous(client).as({ token }), token, userId: user.id, email: user.email, organizationId: current_organization.id }
}
