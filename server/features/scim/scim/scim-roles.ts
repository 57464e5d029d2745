/**
 * Roles follow the groups of SCIM. A commit that changes the groups of a user, or the name of such a group, stores a note about the user. The request or job that
 * applies the roles reads the notes before the groups, and deletes them in the commit that changes roles. One commit changes the roles of many users. Invariants:
 *  1. after the last note about a user is deleted, the roles are those of the current groups and mappings
 *  2. of two that apply roles for one user at once, the one that read older groups fails and reads again
 */
import type { Identities } from '../../../core/auth/identities.js'
import type { ScimPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { JobKind, JobOutcome } from '../../../core/jobs/runner.js'
import { type TenantDocument, tenantCollection, type Write } from '../../../core/storage/contract.js'
import { newOrderedId } from '../../../core/storage/id.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditContext, auditContext } from '../../../core/audit/service.js'
import type { GroupsOfUsers, MembersService } from '../../accounts/index.js'
import { inParts } from './group-store.js'
import type { OnMembersChanged } from './groups.js'

/** Users whose roles a request applies itself; for more a job does, which begins at once. */
const AT_ONCE_LIMIT = 20
/** When a job looks for notes that a request should have handled, but did not because its instance ended. */
const LATER_MS = 10_000
const JOB_KIND = 'scim.roles'
/** Notes that a job reads at once. */
const BATCH = 200
const LEASE_MS = 60_000
/** Users whose roles are applied before the time is checked. */
const APPLIED_TOGETHER = 100
/** Users in one note: a commit that changes a large group has few notes, and one that replaces such a note is small. */
const NOTED_TOGETHER = 500
/** Time after which a job lets others run. */
const RUN_MS = 20_000

/** A note that roles may have changed: those of a user, or of several users. */
export interface ScimRoleNoteDocument extends TenantDocument {
  /** Null: of several users. */
  readonly user_id: string | null
  /** Null: the members of all groups, after a change of the mappings. Empty with a user. */
  readonly user_ids: readonly string[] | null
  /** Role if no mapping names a group: that of the token that made the change. Null: it does not change. */
  readonly role: EnterpriseRole | null
}

export const SCIM_ROLE_NOTES = tenantCollection<ScimRoleNoteDocument>('scim_role_notes', [{ keys: { user_id: 1, _id: 1 } }, { keys: { _id: 1 } }])

export interface ScimRolesParts {
  readonly members: Pick<MembersService, 'followGroups'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
  readonly identities: Pick<Identities, 'clock'>
  /** Names of the groups of users; of each user of the question. */
  readonly namesOf: (scope: Scope, userIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  /** Members of each group of the organization. */
  readonly membersOf: (scope: Scope) => AsyncIterable<readonly string[]>
  /** Whether the organization has groups. */
  readonly hasGroups: (scope: Scope) => Promise<boolean>
  /** Role of a provisioned user without a mapped group. @param tokenId of the client; null: of the newest token */
  readonly roleOf: (scope: Scope, tokenId: string | null) => Promise<EnterpriseRole>
}

/** The part of a note that is the same for all users of a change. */
interface NoteOf {
  readonly now: Date
  readonly role: EnterpriseRole | null
}

type ScimActor = Actor<ScimPrincipal>

export class ScimRoles implements OnMembersChanged {
  readonly #parts: ScimRolesParts

  constructor(parts: ScimRolesParts) {
    this.#parts = parts
  }

  async marking(scope: Scope, userIds: readonly string[], now: Date, { principal }: Pick<ScimActor, 'principal'>): Promise<readonly Write[]> {
    if (userIds.length === 0) return []
    const note = { now, role: await this.#parts.roleOf(scope, principal.tokenId) }
    if (userIds.length > AT_ONCE_LIMIT) return [...parts(userIds).map((part) => notingSeveral(scope, part, note)), this.#enqueuing(scope, now)]
    return [...userIds.map((userId) => noting(scope, userId, note)), this.#enqueuing(scope, later(now))]
  }

  /** Writes of the commit that admits a user with the role of the token, which remains unless a mapping names a group. */
  admitting(scope: Scope, userId: string, now: Date): readonly Write[] {
    return [noting(scope, userId, { now, role: null }), this.#enqueuing(scope, later(now))]
  }

  /** Writes of the commit that changes the mappings: the roles of the members of all groups follow in a job. None if the organization has no groups. */
  async markingAll(scope: Scope): Promise<readonly Write[]> {
    if (!(await this.#parts.hasGroups(scope))) return []
    const now = new Date(this.#parts.identities.clock())
    return [notingSeveral(scope, null, { now, role: await this.#parts.roleOf(scope, null) }), this.#enqueuing(scope, now)]
  }

  async changed(scope: Scope, userIds: readonly string[], actor: Pick<ScimActor, 'principal' | 'requestId' | 'address'>): Promise<void> {
    if (userIds.length <= AT_ONCE_LIMIT) await this.#apply(scope, userIds, null, auditContext(actor))
  }

  job(): JobKind {
    return { kind: JOB_KIND, concurrency: 2, perOrganization: 1, leaseMs: LEASE_MS, run: (_job, scope, signal) => this.#run(scope, signal) }
  }

  async #run(scope: Scope, signal: AbortSignal): Promise<JobOutcome> {
    const { clock } = this.#parts.identities
    const end = clock() + RUN_MS
    const context: AuditContext = { actor: { kind: 'system', name: 'SCIM' }, requestId: null, address: null }
    for (;;) {
      const notes = await scope.collection(SCIM_ROLE_NOTES).find({}, { sort: { _id: 1 }, limit: BATCH })
      const [first] = notes
      if (first === undefined) return 'done'
      if (first.user_id === null && first.user_ids === null) {
        await this.#expand(scope, first)
        continue
      }
      const several = first.user_id === null ? first : null
      const userIds = several?.user_ids ?? [...new Set(notes.flatMap(({ user_id }) => user_id ?? []))]
      for (let begin = 0; begin < userIds.length; begin += APPLIED_TOGETHER) {
        if (signal.aborted || clock() >= end) return { again: new Date(clock()) }
        await this.#apply(scope, userIds.slice(begin, begin + APPLIED_TOGETHER), several, context)
      }
      if (several !== null) await deleteNotes(scope, [several._id])
    }
  }

  /** Replaces a note about the members of all groups by notes about those of each group. */
  async #expand(scope: Scope, { _id, role }: ScimRoleNoteDocument): Promise<void> {
    const note = { now: new Date(this.#parts.identities.clock()), role }
    for await (const members of this.#parts.membersOf(scope)) if (members.length > 0) await scope.commit(parts(members).map((part) => notingSeveral(scope, part, note)))
    await deleteNotes(scope, [_id])
  }

  /**
   * Applies the roles of users, and deletes the notes about each of them. The commit that deletes a note has a place in the order of changes of members, also
   * if it changes no role: another one that has read older groups fails.
   * @param several a note about all of them, which remains; null: users without a note are left out
   */
  #apply(scope: Scope, userIds: readonly string[], several: ScimRoleNoteDocument | null, context: AuditContext): Promise<void> {
    const { members, namesOf } = this.#parts
    const notes = scope.collection(SCIM_ROLE_NOTES)
    const read = async (part: readonly string[]): Promise<GroupsOfUsers> => {
      const [ofAll, found] = await Promise.all([several === null ? null : notes.findOne({ _id: several._id }), notes.find({ user_id: { in: part } }, { sort: { _id: 1 } })])
      const latest = new Map<string | null, ScimRoleNoteDocument>(ofAll === null ? [] : part.map((userId) => [userId, ofAll]))
      for (const note of found) if (note._id > (latest.get(note.user_id)?._id ?? '')) latest.set(note.user_id, note)
      const noted = part.filter((userId) => latest.has(userId))
      const names = await namesOf(scope, noted)
      return {
        users: new Map(noted.map((userId) => [userId, { groups: names.get(userId) ?? [], otherwise: latest.get(userId)!.role }])),
        writes: inParts(found.map(({ _id }) => _id)).map((ids) => notes.deletingMany({ _id: { in: ids } })),
        // Fails if the job of another instance has applied the note since, with newer groups.
        guards: ofAll === null ? [] : [notes.updating({ _id: ofAll._id }, { set: { role: ofAll.role } })],
      }
    }
    return members.followGroups(scope, userIds, read, context)
  }

  /** A job for each commit: one that waits already may begin before the notes are stored. */
  #enqueuing(scope: Scope, dueAt: Date): Write {
    return this.#parts.jobs.enqueuing(scope, { kind: JOB_KIND, subject: scope.organizationId, dueAt })
  }
}

const later = (now: Date): Date => new Date(now.getTime() + LATER_MS)

function noting(scope: Scope, userId: string, { now, role }: NoteOf): Write {
  return scope.collection(SCIM_ROLE_NOTES).inserting({ _id: newOrderedId(now.getTime()), user_id: userId, user_ids: [], role })
}

async function deleteNotes(scope: Scope, ids: readonly string[]): Promise<void> {
  for (const part of inParts(ids)) await scope.collection(SCIM_ROLE_NOTES).deleteMany({ _id: { in: part } })
}

function notingSeveral(scope: Scope, userIds: readonly string[] | null, { now, role }: NoteOf): Write {
  return scope.collection(SCIM_ROLE_NOTES).inserting({ _id: newOrderedId(now.getTime()), user_id: null, user_ids: userIds, role })
}

function parts(userIds: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(userIds.length / NOTED_TOGETHER) }, (_, part) => userIds.slice(part * NOTED_TOGETHER, (part + 1) * NOTED_TOGETHER))
}
