/** Users as platform admins see them. */
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { presentUser } from '../../../core/auth/records.js'
import { versionTag } from '../../../core/etag.js'
import type { PlatformUserDetailRecord, PlatformUserRecord } from './schema.js'
import type { ShownUser, UserDetail } from './service.js'

/** Characters of the hash in a tag; they are enough to tell two states of one user apart. */
const TAG_CHARACTERS = 16

export function presentPlatformUser({ user, isPlatformAdmin }: ShownUser): Static<typeof PlatformUserRecord> {
  return {
    ...presentUser(user, isPlatformAdmin),
    has_password: user.password_hash !== null,
    has_second_factor: user.has_second_factor === true,
    last_login_at: user.last_login_at?.toISOString() ?? null,
  }
}

export function presentUserDetail({ openSessions, memberships, ...shown }: UserDetail): Static<typeof PlatformUserDetailRecord> {
  return {
    ...presentPlatformUser(shown),
    open_sessions: openSessions,
    memberships: memberships.map(({ membership, organization }) => ({
      organization_id: organization._id,
      organization_name: organization.name,
      organization_is_active: organization.is_active,
      role: membership.role,
      created_at: membership.created_at.toISOString(),
    })),
  }
}

/** The revision decides about edits; the hash covers logins, sessions and memberships, which change without them. */
export function tagOf(detail: UserDetail): string {
  return versionTag(detail.user.revision, hash('sha256', JSON.stringify(presentUserDetail(detail)), 'base64url').slice(0, TAG_CHARACTERS))
}
