/** The contract of what is measured of cases in the background. */
import type { AnalysisPool } from '#workers'
import type { Scope } from '../../core/tenancy/scope.js'
import type { FileSet } from '../shared/content.js'
import type { ProjectDocument } from '../shared/project.js'

/** Content with the cases of a project. */
export interface StrengthSubject {
  readonly project: Pick<ProjectDocument, '_id' | 'cases_revision'>
  readonly files: FileSet
}

/** A measurement; its result is plain data. Null: a limit stopped it, or Wazuh would not start with the content. @throws ApiError overloaded, internal_error, shutting_down */
export type Measuring<T> = (pool: AnalysisPool, scope: Scope, subject: StrengthSubject, signal: AbortSignal) => Promise<T | null>
