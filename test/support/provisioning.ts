/** Identity providers that provision an organization of a service under test. */
import assert from 'node:assert/strict'
import { type Actor, anonymous } from './actors.js'
import type { Answer, Client } from './client.js'
import { ERROR_URN, named } from './scim-messages.js'

export { GROUP_URN, PATCH_URN, USER_URN } from './scim-messages.js'

export const SCIM = '/scim/v2'
export const USERS = `${SCIM}/Users`
export const GROUPS = `${SCIM}/Groups`

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
  assert.deepEqual([refusal.schemas, refusal.status, refusal.scimType], [[ERROR_URN], String(status), scimType])
  assert.ok(refusal.detail.length > 10, refusal.detail)
  return refusal
}

export interface User {
  readonly schemas: readonly string[]
  readonly id: string
  readonly externalId?: string
  readonly userName: string
  readonly displayName?: string
  readonly nickName?: string
  readonly title?: string
  readonly active: boolean
  readonly emails?: readonly { readonly value: string; readonly type?: string; readonly primary?: boolean }[]
  readonly groups?: readonly { readonly value: string; readonly display: string }[]
  readonly meta: { readonly resourceType: string; readonly location: string; readonly version: string; readonly created: string; readonly lastModified: string }
}

export interface Group {
  readonly schemas: readonly string[]
  readonly id: string
  readonly externalId?: string
  readonly displayName: string
  readonly members?: readonly { readonly value: string; readonly $ref: string; readonly display: string; readonly type: string }[]
  readonly meta: { readonly resourceType: string; readonly location: string; readonly version: string }
}

export interface List<Resource> {
  readonly schemas: readonly string[]
  readonly totalResults: number
  readonly itemsPerPage: number
  readonly startIndex: number
  readonly Resources: readonly Resource[]
}

export type GroupList = List<Group>

/** The body of a response that must be 200. */
export function ok<T>(answer: Answer<T>): T {
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Creates a user or a group. @param path `USERS` or `GROUPS` */
export async function createResource<Resource = User>(client: Client, path: string, body: object): Promise<Resource> {
  const answer = await client.post<Resource>(path, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** Provisions a user. @returns the id */
export async function provision(client: Client, name: string): Promise<string> {
  const userName = `${name}@example.test`
  return (await createResource(client, USERS, named(userName, { displayName: name, emails: [{ value: userName, primary: true }] }))).id
}
