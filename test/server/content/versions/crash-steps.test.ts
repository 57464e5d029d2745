/**
 * A publish whose process dies after each of its writes, on MongoDB, where others can look in between: all of it is there afterwards, or nothing.
 * Project, content, both versions, review, audit entry, event with its job, and notice with its job.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { COLLECTIONS } from '../../../../server/features.js'
import type { Principal } from '../../../../server/core/auth/principal.js'
import { Notices, NOTICES } from '../../../../server/core/events/notices.js'
import { OUTBOX, Outbox, SUBSCRIPTIONS } from '../../../../server/core/events/outbox.js'
import { JOBS, JobQueue } from '../../../../server/core/jobs/queue.js'
import { CONTENTS, contentBytes, contentHash } from '../../../../server/content/shared/content.js'
import { DEFAULT_POLICY } from '../../../../server/content/shared/gate-policy.js'
import type { Measurement, ProjectMeasure } from '../../../../server/content/shared/measure.js'
import { PROJECTS, type ProjectDocument } from '../../../../server/content/shared/project.js'
import { REVIEWS } from '../../../../server/content/shared/review.js'
import { type VersionDocument, VERSIONS } from '../../../../server/content/shared/version.js'
import { AUDIT } from '../../../../server/core/audit/store.js'
import { QualityGateService } from '../../../../server/content/quality-gate/service.js'
import { type VersionActor, VersionsService } from '../../../../server/content/versions/service.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { newId } from '../../../../server/core/storage/id.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { crashing, openWatched } from '../../../support/mongo-writes.js'
import { mongodForTests, type TestMongod } from '../../../support/mongod.js'

const ORGANIZATION = 'organization'
const NOW = new Date('2100-01-01T00:00:00Z')
const OLD = '<group name="old,"></group>'
const NEW = '<group name="new,"></group>'
const INCLUDE = { include_disk_defaults: true, include_disk_custom: true } as const
/** Crashes that are looked at side by side. */
const AT_ONCE = 4

const hashOf = (rules_xml: string): string => contentHash({ decoders_xml: '', rules_xml, lists: [], ...INCLUDE })
const STAMPS = { organization_id: ORGANIZATION, created_at: NOW, updated_at: NOW, revision: 1 } as const

const { skip, server } = mongodForTests()

describe('a crash at any step of a publish', { skip }, () => {
  let mongod: TestMongod

  before(async () => {
    mongod = await server()
  })

  test('leaves all of it, or nothing', async () => {
    const outcomes: string[] = []
    for (let first = 1, finished = false; !finished; first += AT_ONCE) {
      const several = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => afterCrash(first + i)))
      outcomes.push(...several.map(({ outcome }) => outcome))
      finished = several.some((one) => one.finished)
    }
    assert.equal(outcomes.at(-1), 'all')
    assert.equal(outcomes[0], 'nothing')
    assert.deepEqual(outcomes, [...outcomes].sort().reverse(), 'nothing until the decision, all from then on')
  })

  async function afterCrash(writes: number): Promise<{ readonly outcome: string; readonly finished: boolean }> {
    const database = `test_${newId().replaceAll('-', '')}`
    const { storage } = await openWatched(mongod.url(database))
    try {
      await storage.prepare(COLLECTIONS)
      await fill(new Tenancy(storage).of(ORGANIZATION))
      const finished = await crashing(mongod.url(database), writes, async (doomed) => {
        await doomed.prepare(COLLECTIONS)
        const scope = new Tenancy(doomed).of(ORGANIZATION)
        await service(doomed).publish(scope, 'project', 'new', actor())
      })
      return { outcome: await stateOf(storage), finished }
    } finally {
      await storage.close()
      await mongod.drop(database)
    }
  }
})

/** A project with a published version, a draft of a reviewed workspace, and someone who listens. */
async function fill(scope: Scope): Promise<void> {
  const project: Omit<ProjectDocument, keyof typeof STAMPS> = {
    _id: 'project',
    slug: 'project',
    name: 'Project',
    description: '',
    default_log_format: 'auto',
    ...INCLUDE,
    active_baseline_id: 'old',
    active_baseline_name: 'old',
    quality_gate: { ...DEFAULT_POLICY, require_approved_review: true },
    case_count: 0,
    case_bytes: 0,
    cases_revision: 0,
    decisions_revision: 0,
    workspace_count: 1,
    version_count: 1,
    latest_version_id: 'new',
    content_hash: hashOf(OLD),
    content_bytes: contentBytes({ decoders_xml: '', rules_xml: OLD, lists: [], event_text: '', source_files: [] }),
    created_by: 'user:lead',
  }
  await scope.collection(PROJECTS).insert({ ...project, ...STAMPS })
  const version = (name: string, rules: string): Omit<VersionDocument, keyof typeof STAMPS> => ({
    _id: name,
    project_id: 'project',
    source_workspace_id: name === 'new' ? 'workspace' : null,
    source_review_id: null,
    name,
    notes: '',
    status: name === 'new' ? 'draft' : 'published',
    ...INCLUDE,
    content_hash: hashOf(rules),
    quality_score: 50,
    regression_passed: true,
    total_rules: 0,
    total_decoders: 0,
    created_by: 'user:engineer',
    published_at: name === 'new' ? null : NOW,
  })
  for (const [name, rules] of [
    ['old', OLD],
    ['new', NEW],
  ]) {
    await scope.collection(VERSIONS).insert({ ...version(name, rules), ...STAMPS })
    await scope.collection(CONTENTS).insert({ _id: name, project_id: 'project', decoders_xml: '', rules_xml: rules, event_text: '', source_files: [] })
  }
  await scope.collection(CONTENTS).insert({ _id: 'project', project_id: 'project', decoders_xml: '', rules_xml: OLD, event_text: '', source_files: [] })
  await scope.collection(REVIEWS).insert({
    _id: 'review',
    project_id: 'project',
    workspace_id: 'workspace',
    status: 'approved',
    decided_content_hash: hashOf(NEW),
    decision_sequence: 1,
    settled_at: null,
    ...STAMPS,
  } as never)
  await scope.collection(SUBSCRIPTIONS).insert({ _id: 'webhook', events: ['version.published'], is_active: true })
}

function service(storage: Storage): VersionsService {
  const unasked = (): Promise<never> => Promise.reject(new Error('the policy asks for nothing that is measured in the background'))
  const jobs = new JobQueue(storage)
  const quality = { score: 100, terms: [], is_capped: false }
  const measured = {
    quality,
    bySeverity: { error: 0, warning: 0, info: 0, success: 0 },
    results: [],
    failedCases: 0,
    writtenRules: 7,
    untestedRules: [],
    semantic: { total_rules: 7, total_decoders: 3 },
  } as unknown as Measurement
  const measure = { measure: async () => measured } as unknown as ProjectMeasure
  return new VersionsService({
    measure,
    diffs: { compareFiles: async () => null },
    gate: new QualityGateService({ negatives: unasked, mutation: unasked, settled: unasked }, Date.now),
    outbox: new Outbox(jobs),
    notices: new Notices(jobs),
    clock: Date.now,
  })
}

function actor(): VersionActor {
  const principal = { kind: 'user', userId: 'lead', email: 'lead@example.test' } as unknown as Principal
  return { principal, requestId: 'request', address: '127.0.0.1', locale: 'en-US', signal: new AbortController().signal } as VersionActor
}

/** `all` or `nothing`; anything between fails. The first look at the project is what a reader right after the crash would see. */
async function stateOf(storage: Storage): Promise<string> {
  const scope = new Tenancy(storage).of(ORGANIZATION)
  const project = await scope.collection(PROJECTS).findOne({ _id: 'project' })
  const isDone = project?.active_baseline_id === 'new'
  const versions = new Map((await scope.collection(VERSIONS).find({})).map(({ _id, status, quality_score }) => [_id, `${status} ${quality_score}`]))
  assert.deepEqual([versions.get('new'), versions.get('old')], isDone ? ['published 100', 'archived 50'] : ['draft 50', 'published 50'])
  assert.equal((await scope.collection(CONTENTS).findOne({ _id: 'project' }))?.rules_xml, isDone ? NEW : OLD)
  assert.equal(project?.content_hash, hashOf(isDone ? NEW : OLD))
  assert.equal((await scope.collection(REVIEWS).findOne({ _id: 'review' }))?.settled_at instanceof Date, isDone)
  const counts = await Promise.all([AUDIT, OUTBOX, NOTICES].map((collection) => scope.collection(collection as typeof AUDIT).count({})))
  assert.deepEqual([...counts, await storage.open(JOBS).count({ kind: { not: '' } })], isDone ? [1, 1, 1, 2] : [0, 0, 0, 0])
  return isDone ? 'all' : 'nothing'
}
