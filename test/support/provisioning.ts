/** Identity providers that provision an organization of a service under test. */
import assert from 'node:assert/strict'
import { type Actor, anonymous } from './actors.js'
import type { Answer, Client } from './client.js'

export const SCIM = '/scim/v2'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

export interface ScimToken {
  readonly id: string
  readonly token: string
  readonly client: Client
}

/** The body of a refusal (RFC 7644, 3.12). */
export interface ScimRefusal {
  readonly schemas: readonly string[]
  readonly status: string
  readonly scimType?: string
  readonly detail: string
}

/** A token for the organization of an admin, and a client with it. */
export async function createScimToken(admin: Actor, settings: object = {}): Promise<ScimToken> {
  const { status, body, text } = await admin.client.post<{ id: string; token: string }>(`/platform/organizations/${admin.organizationId}/scim-tokens`, {
    name: 'directory',
    ...settings,
  })
  assert.equal(status, 200, text)
  return { ...body, client: anonymous(admin.client).as({ token: body.token }) }
}

/** Asserts a refusal in the form of the RFC. */
export function scimRefused(answer: Answer<unknown>, status: number, scimType?: string): ScimRefusal {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/scim+json')
  const refusal = answer.body as ScimRefusal
  assert.deepEqual([refusal.schemas, refusal.status, refusal.scimType], [[ERROR], String(status), scimType])
  assert.ok(refusal.detail.length > 10, refusal.detail)
  return refusal
}
