/** Users as resources of SCIM, and what of a resource concerns the account. */
import { createHash } from 'node:crypto'
import { isEmailAddress } from '#basics'
import { NAME_CHARACTERS } from '../../../core/auth/records.js'
import type { UserDocument } from '../../../core/auth/users.js'
import { etagOf, versionTag } from '../../../core/etag.js'
import { weakEtag } from '../protocol/etag.js'
import { isPrimary } from '../protocol/read-value.js'
import { USER_TYPE } from '../protocol/resource-types.js'
import { type ScimObject, valuesOf } from '../protocol/resource.js'
import type { ScimUserDocument } from './user-store.js'

/** The resource. @param groups values of `groups` @param base address of SCIM */
export function presentUser(user: ScimUserDocument, groups: readonly ScimObject[], base: string): ScimObject {
  const own = JSON.parse(user.resource) as ScimObject
  return {
    ...own,
    schemas: [USER_TYPE.schema.id, ...USER_TYPE.extensions.flatMap(({ id }) => (own[id] === undefined ? [] : [id]))],
    id: user.user_id,
    active: user.active,
    ...(groups.length === 0 ? {} : { groups }),
    meta: {
      resourceType: USER_TYPE.name,
      created: user.created_at.toISOString(),
      lastModified: user.updated_at.toISOString(),
      location: `${base}${USER_TYPE.endpoint}/${user.user_id}`,
      version: weakEtag(versionOf(user, groups)),
    },
  }
}

/** The version of the user, and of the groups, which change without it. A condition on a change is about the former alone (`requireCurrent`). */
function versionOf(user: ScimUserDocument, groups: readonly ScimObject[]): string {
  return groups.length === 0 ? etagOf(user) : versionTag(user.revision, createHash('sha256').update(JSON.stringify(groups)).digest('base64url').slice(0, HASH_CHARACTERS))
}

/** Characters of a hash of groups: 60 bits. */
const HASH_CHARACTERS = 10

/** The resource of a member whom no client has provisioned. */
export function resourceOfMember({ email, display_name }: Pick<UserDocument, 'email' | 'display_name'>): ScimObject {
  return { userName: email, displayName: display_name, emails: [{ value: email, type: 'work', primary: true }] }
}

/** The e-mail of the account: the primary one, else the first, else `userName` if it is an address; null: none is an address. */
export function emailOf({ emails, userName }: ScimObject): string | null {
  const values = valuesOf(emails) as readonly ScimObject[]
  const candidates = [values.find(isPrimary)?.value, values[0]?.value, userName]
  return candidates.find((one): one is string => typeof one === 'string' && isEmailAddress(one)) ?? null
}

/** The name of the account in one line: `displayName`, else the components of the name, else the e-mail up to its domain. */
export function displayNameOf({ displayName, name }: ScimObject, email: string): string {
  const { formatted, givenName, familyName } = (name ?? {}) as ScimObject
  const components = [givenName, familyName].filter((part) => typeof part === 'string').join(' ')
  const named = [displayName, formatted, components].map(oneLine).find((text) => text !== '')
  return named ?? email.slice(0, email.lastIndexOf('@')).slice(0, NAME_CHARACTERS)
}

function oneLine(text: unknown): string {
  const line = typeof text === 'string' ? text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim() : ''
  return [...line].slice(0, NAME_CHARACTERS).join('').trim()
}
