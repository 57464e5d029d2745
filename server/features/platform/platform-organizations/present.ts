/** Organizations as platform admins see them. */
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { presentOrganization } from '../../../core/auth/records.js'
import { versionTag } from '../../../core/etag.js'
import type { PlatformOrganizationDetailRecord, PlatformOrganizationRecord } from './schema.js'
import type { OrganizationDetail, ShownOrganization } from './service.js'

/** Characters of the hash in a tag; they are enough to tell two states of one organization apart. */
const TAG_CHARACTERS = 16

export function presentPlatformOrganization({ organization, role, plan }: ShownOrganization): Static<typeof PlatformOrganizationRecord> {
  const { suspension_reason, suspended_at } = organization
  return { ...presentOrganization(organization, role), suspension_reason: suspension_reason ?? null, suspended_at: suspended_at?.toISOString() ?? null, plan }
}

export function presentOrganizationDetail({ grant, apiKeys, usage, ...shown }: OrganizationDetail): Static<typeof PlatformOrganizationDetailRecord> {
  const plan_grant =
    grant === null
      ? null
      : { plan: grant.plan, expires_at: grant.expires_at?.toISOString() ?? null, set_by: grant.set_by, set_by_name: grant.set_by_name, set_at: grant.set_at.toISOString() }
  return { ...presentPlatformOrganization(shown), plan_grant, api_keys: apiKeys, usage: [...usage] }
}

/** The revision decides about edits; the hash covers counts and usage, which change without them. */
export function tagOf(detail: OrganizationDetail): string {
  return versionTag(detail.organization.revision, hash('sha256', JSON.stringify(presentOrganizationDetail(detail)), 'base64url').slice(0, TAG_CHARACTERS))
}
