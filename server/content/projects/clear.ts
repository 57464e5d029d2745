/** What is left of a deleted project: what it had, which a job deletes, and its versions, which stay as long as the plan keeps audit entries. */
import type { JobKind } from '../../core/jobs/runner.js'
import { CASE_STRENGTHS } from '../shared/case-strength.js'
import { CONTENTS } from '../shared/content.js'
import { ARCHIVED_COUNTS, DELETED_PROJECTS } from '../shared/project.js'
import { PROJECT_MEMBERS } from '../shared/project-roles.js'
import { REFUSALS, REVIEW_COMMENTS, REVIEWS } from '../shared/review.js'
import { CASES } from '../shared/test-case.js'
import { VERSIONS } from '../shared/version.js'
import { WORKSPACES } from '../shared/workspace.js'
import type { TenantCollection, TenantDocument, Write } from '../../core/storage/contract.js'
import type { Scope, ScopedCollection } from '../../core/tenancy/scope.js'

/** Kind of the job. Its subject is the deleted project. */
export const PROJECT_CLEARING = 'project.clear'

const CONCURRENCY = 2
const PER_ORGANIZATION = 1
const LEASE_MS = 5 * 60 * 1000
/** Documents that are deleted at once: a hundred thousand comments in one commit keep all other writers waiting for ten seconds, and exceed what MongoDB takes. */
const AT_ONCE = 200
/** Contents that are read at once: a content can have several megabytes. */
const CONTENTS_AT_ONCE = 4
/** Versions that are deleted at once, with their contents. */
const VERSIONS_AT_ONCE = 20
/** Deleted projects that are looked at together. */
const PROJECTS_AT_ONCE = 100

interface OfProject extends TenantDocument {
  readonly project_id: string
}

export function clearingJob(): JobKind {
  return {
    kind: PROJECT_CLEARING,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run({ subject }, scope, signal) {
      const clear = <T extends OfProject>(collection: TenantCollection<T>, counted?: (some: readonly T[]) => Counted) => clearAll(scope, collection, subject, signal, counted)
      await clear(CASES, ({ length }) => ({ case_count: 0 - length }))
      await clear(WORKSPACES, (some) => ({ workspace_count: 0 - some.filter(({ status }) => status === 'open').length }))
      await clear(REVIEWS)
      await clear(REFUSALS)
      await clear(REVIEW_COMMENTS)
      await clear(CASE_STRENGTHS)
      // Those that followed a group of an identity provider while the project was deleted.
      await clear(PROJECT_MEMBERS)
      await clearContents(scope, subject, signal)
      return 'done'
    },
  }
}

type Counted = Readonly<Partial<Record<'case_count' | 'workspace_count', number>>>

/** Deletes the documents of a deleted project. Nothing is added to them any more. @param counted what the counts of the archive lose with some of them */
async function clearAll<T extends OfProject>(
  scope: Scope,
  definition: TenantCollection<T>,
  projectId: string,
  signal: AbortSignal,
  counted?: (some: readonly T[]) => Counted,
): Promise<void> {
  const documents = scope.collection(definition) as unknown as ScopedCollection<OfProject>
  for (;;) {
    signal.throwIfAborted()
    const some = await documents.find({ project_id: projectId }, { limit: AT_ONCE })
    if (some.length === 0) return
    const counting: Write[] = counted === undefined ? [] : [scope.collection(ARCHIVED_COUNTS).updating({ _id: scope.organizationId }, { increment: counted(some as T[]) })]
    await scope.commit([documents.deletingMany({ _id: { in: some.map(({ _id }) => _id) } }), ...counting])
  }
}

/** Deletes the contents of a deleted project that belong to no version. */
async function clearContents(scope: Scope, projectId: string, signal: AbortSignal): Promise<void> {
  const contents = scope.collection(CONTENTS)
  for (let last = ''; ; ) {
    signal.throwIfAborted()
    const some = await contents.find({ project_id: projectId, _id: { gt: last } }, { sort: { _id: 1 }, limit: CONTENTS_AT_ONCE })
    if (some.length === 0) return
    const ids = some.map(({ _id }) => _id)
    const kept = new Set((await scope.collection(VERSIONS).find({ _id: { in: ids } })).map(({ _id }) => _id))
    const left = ids.filter((id) => !kept.has(id))
    if (left.length > 0) await contents.deleteMany({ _id: { in: left } })
    last = ids[ids.length - 1]
  }
}

/** Deletes what is left of the projects that were deleted before a time: their versions, with the contents. */
export async function deleteRemains(scope: Scope, before: Date, signal: AbortSignal): Promise<void> {
  const deleted = scope.collection(DELETED_PROJECTS)
  for (;;) {
    const projects = await deleted.find({ deleted_at: { lt: before } }, { sort: { deleted_at: 1, _id: 1 }, limit: PROJECTS_AT_ONCE })
    for (const { _id } of projects) {
      await deleteVersions(scope, _id, signal)
      await deleted.delete({ _id })
    }
    if (projects.length < PROJECTS_AT_ONCE) return
  }
}

async function deleteVersions(scope: Scope, projectId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const some = await scope.collection(VERSIONS).find({ project_id: projectId }, { sort: { created_at: -1, _id: -1 }, limit: VERSIONS_AT_ONCE })
    if (some.length === 0) return
    const ids = { in: some.map(({ _id }) => _id) }
    await scope.collection(CONTENTS).deleteMany({ _id: ids })
    await scope.collection(VERSIONS).deleteMany({ _id: ids })
  }
}
