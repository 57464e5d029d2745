/** Cases, workspaces and reviews put into the store as they would lie there, for tests of what is told about them. */
import { CONTENTS, contentBytes, contentHash } from '../../server/projects/content.js'
import { PROJECTS } from '../../server/projects/project.js'
import type { ProjectRecord } from '../../server/projects/records.js'
import { type ReviewDocument, REVIEWS } from '../../server/projects/review.js'
import { type CaseDocument, CASES } from '../../server/projects/test-case.js'
import { type WorkspaceDocument, WORKSPACES } from '../../server/projects/workspace.js'
import { newId } from '../../server/storage/id.js'
import { type Scope, Tenancy } from '../../server/tenancy/scope.js'
import type { Actor } from './actors.js'
import type { TestApp } from './app.js'

export function scopeOf({ service }: TestApp, { organizationId }: Pick<Actor, 'organizationId'>): Scope {
  return new Tenancy(service.storage).of(organizationId)
}

/** A case of the project. @param seconds later than the others it was made */
export async function storeCase(scope: Scope, { id }: Pick<ProjectRecord, 'id'>, fields: Partial<CaseDocument> & { readonly event_text: string }, seconds = 0): Promise<string> {
  const at = new Date(Date.UTC(2026, 0, 1) + seconds * 1000)
  const document: CaseDocument = {
    _id: newId(),
    organization_id: scope.organizationId,
    project_id: id,
    name: 'case',
    description: '',
    events: [],
    log_format: 'syslog',
    location: null,
    session_id: '',
    expected_decoder: null,
    expected_rule: null,
    expected_level: null,
    expected_fields: [],
    expected_rule_ids: [],
    forbidden_rule_ids: [],
    expect_no_rule: false,
    bytes: 100,
    created_by: 'user:test',
    created_at: at,
    updated_at: at,
    revision: 1,
    ...fields,
  }
  await scope.commit([scope.collection(PROJECTS).updating({ _id: id }, { $inc: { cases_revision: 1, case_count: 1 } }), scope.collection(CASES).inserting(document)])
  return document._id
}

/** An open workspace with that content. */
export async function storeWorkspace(
  scope: Scope,
  project: Pick<ProjectRecord, 'id' | 'decoders_xml' | 'rules_xml'>,
  content: { readonly decoders_xml?: string; readonly rules_xml?: string },
  fields: Partial<WorkspaceDocument> = {},
): Promise<string> {
  const now = new Date()
  const { decoders_xml = project.decoders_xml, rules_xml = project.rules_xml } = content
  const include = { include_disk_defaults: fields.include_disk_defaults ?? true, include_disk_custom: fields.include_disk_custom ?? false }
  const texts = { decoders_xml, rules_xml, event_text: '', source_files: [] }
  const _id = newId()
  await scope.commit([
    scope.collection(WORKSPACES).inserting({
      _id,
      project_id: project.id,
      name: 'workspace',
      description: '',
      log_format: 'auto',
      session_id: null,
      ...include,
      content_hash: contentHash({ ...texts, ...include }),
      content_bytes: contentBytes(texts),
      git_binding_id: null,
      git_repo: null,
      git_branch: null,
      git_commit_sha: null,
      status: 'open',
      created_by: 'user:test',
      created_at: now,
      updated_at: now,
      revision: 1,
      ...fields,
    }),
    scope.collection(CONTENTS).inserting({ _id, project_id: project.id, ...texts }),
  ])
  return _id
}

export async function storeReview(scope: Scope, { id }: Pick<ProjectRecord, 'id'>, workspaceId: string, fields: Partial<ReviewDocument> = {}): Promise<string> {
  const now = new Date()
  const _id = newId()
  await scope.collection(REVIEWS).insert({
    _id,
    project_id: id,
    workspace_id: workspaceId,
    title: 'review',
    notes: '',
    reviewer_ids: [],
    status: 'open',
    opened_by: 'user:test',
    opened_by_name: 'test',
    decided_by: null,
    decided_by_name: null,
    decided_at: null,
    decided_content_hash: null,
    settled_at: null,
    comment_count: 0,
    created_at: now,
    updated_at: now,
    revision: 1,
    ...fields,
  })
  return _id
}
