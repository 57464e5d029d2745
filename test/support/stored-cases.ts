/** Cases put into the store as they would lie there, for tests of what is told about them: of any age, and in numbers. */
import { PROJECTS } from '../../server/content/shared/project.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { type CaseDocument, CASES } from '../../server/content/shared/test-case.js'
import { newId } from '../../server/core/storage/id.js'
import { type Scope, Tenancy } from '../../server/core/tenancy/scope.js'
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
  await scope.commit([scope.collection(PROJECTS).updating({ _id: id }, { increment: { cases_revision: 1, case_count: 1 } }), scope.collection(CASES).inserting(document)])
  return document._id
}
