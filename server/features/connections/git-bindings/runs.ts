/** The history of a binding: what was read from and written to its repository, and how it ended. */
import { ApiError } from '../../../core/errors.js'
import { errorTexts } from '../../../core/i18n/translate.js'
import { newOrderedId } from '../../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Scope, Unbound } from '../../../core/tenancy/scope.js'
import type { RunListQuery } from './run-schema.js'
import { GIT_RUNS, type GitBindingDocument, type GitRunDocument, type RunTrigger, type RunType } from './store.js'

/** Paths, names and warnings that a run keeps of each kind. The counts cover all. */
export const SHOWN_NAMES = 100

/** What caused a run. */
export interface RunCause {
  readonly trigger: RunTrigger
  /** Subject of the caller; the name of the job for others. */
  readonly startedBy: string
}

type RunFields = Partial<Pick<GitRunDocument, 'commit_sha' | 'review_number' | 'workspace_id' | 'diff_summary'>>

/** Returns a run that has ended. @param status `running` for a run whose end is written later */
export function newRun(
  { _id, project_id }: Pick<GitBindingDocument, '_id' | 'project_id'>,
  run_type: RunType,
  status: GitRunDocument['status'],
  { trigger, startedBy }: RunCause,
  now: Date,
  fields: RunFields = {},
): Unbound<GitRunDocument> {
  return {
    _id: newOrderedId(now.getTime()),
    binding_id: _id,
    project_id,
    run_type,
    status,
    trigger,
    commit_sha: null,
    review_number: null,
    workspace_id: null,
    diff_summary: {},
    ...fields,
    error: null,
    started_by: startedBy,
    created_at: now,
    finished_at: status === 'running' ? null : now,
  }
}

/** What a failure is recorded for. */
export interface RecordedWork {
  readonly scope: Scope
  readonly binding: Pick<GitBindingDocument, '_id' | 'project_id'>
  readonly type: RunType
  readonly cause: RunCause
  readonly clock: () => number
  readonly signal: AbortSignal
}

/** Does work that calls the provider, and stores a failed run if it throws. @throws what the work throws */
export async function recordingFailure<T>({ scope, binding, type, cause, clock, signal }: RecordedWork, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const run = { ...newRun(binding, type, 'failed', cause, new Date(clock())), error: runErrorOf(error) }
    // A caller that has disconnected gets no answer, and nothing has happened. If the run cannot be stored, its cause is still the more useful error.
    if (!signal.aborted)
      await scope
        .collection(GIT_RUNS)
        .insert(run)
        .catch(() => undefined)
    throw error
  }
}

/**
 * Returns an error as a run stores it: the code and the text in English. The details are not stored, because they contain texts of the provider. An error that
 * is no `ApiError` is a fault of the service, and its text is for the log alone.
 */
export function runErrorOf(error: unknown): NonNullable<GitRunDocument['error']> {
  const { reason, code, params } = error instanceof ApiError ? error : new ApiError('internal_error')
  return { code, message: errorTexts(reason, 'en-US', params).message }
}

/** Returns the beginning of a list of names, and their number. */
export function shownNames<T>(names: readonly T[]): { readonly count: number; readonly items: readonly T[] } {
  return { count: names.length, items: names.slice(0, SHOWN_NAMES) }
}

/** Lists the runs of a binding, the newest first by default. */
export function listRuns(scope: Scope, bindingId: string, query: RunListQuery): Promise<Page<GitRunDocument>> {
  const { run_type, status } = query
  const filter = { binding_id: bindingId, ...(run_type === undefined ? {} : { run_type }), ...(status === undefined ? {} : { status }) }
  return findPage(scope.collection(GIT_RUNS), filter, findOptions(query))
}
