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

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export interface Group {
  readonly schemas: readonly string[]
  readonly id: string
  readonly externalId?: string
  readonly displayName: string
  readonly members?: readonly { readonly value: string; readonly $ref: string; readonly display: string; readonly type: string }[]
  readonly meta: { readonly resourceType: string; readonly location: string; readonly version: string }
}

export interface GroupList {
  readonly totalResults: number
  readonly itemsPerPage: number
  readonly startIndex: number
  readonly Resources: readonly Group[]
}

/** Provisions a user. @returns the id */
export async function provision(client: Client, name: string): Promise<string> {
  const userName = `${name}@example.test`
  const { status, body, text } = await client.post<{ id: string }>(`${SCIM}/Users`, {
    schemas: [USER_URN],
    userName,
    displayName: name,
    emails: [{ value: userName, primary: true }],
  })
  assert.equal(status, 201, text)
  return body.id
}
