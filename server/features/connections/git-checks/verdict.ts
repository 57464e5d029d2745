/**
 * Decides whether the check of a pull or merge request fails. Faults that the bound branch has already do not count: a change fails for errors that it
 * introduces, for files that it makes unreadable, for cases that pass on the branch and fail on it, and for rules of the quality gate that the branch meets
 * and it does not. An approved review is not required, because the forge has its own; one of the service accepts lost alerts (`acceptance.ts`).
 */
import type { FailedRule } from '../../../content/shared/gate.js'
import type { PolicyField } from '../../../content/shared/gate-policy.js'
import { type FilesComparison, placeOf } from '../../../content/impact/service.js'
import { type RepositoryContent, shownPath, type SkippedFile } from '../git-bindings/service.js'

const NOT_CHECKED: PolicyField = 'require_approved_review'
const ACCEPTED = ' (an approved review of the service accepts it)'

export interface Verdict {
  readonly passes: boolean
  /** One line. */
  readonly description: string
}

/** Returns the files below the binding's paths that a change makes unreadable, so that they are not checked. A file without rules and decoders is none of them. */
export function unreadFiles(before: Pick<RepositoryContent, 'skipped'>, after: Pick<RepositoryContent, 'skipped'>): readonly SkippedFile[] {
  const known = new Set(before.skipped.map(({ path }) => path))
  return after.skipped.filter(({ path, code }) => code !== 'kind_unknown' && !known.has(path))
}

/** @param unread files that the change makes unreadable @param failedBefore rules of the gate that the branch does not meet @param failedAfter those that the change does not meet @param isApprovable whether a review can accept what it loses */
export function verdictOf(
  { before, after, impact }: FilesComparison,
  unread: readonly SkippedFile[],
  failedBefore: readonly FailedRule[],
  failedAfter: readonly FailedRule[],
  isApprovable: boolean,
): Verdict {
  // First, because errors can follow from it.
  if (unread.length > 0) return { passes: false, description: `${counted(unread.length, 'file')} cannot be read: ${unread[0].path} ${unread[0].code}` }
  const errors = impact.candidate_diagnostics.introduced.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) {
    const [{ filename, line, code }] = errors
    return { passes: false, description: `${counted(errors.length, 'error')}: ${shownPath(placeOf(filename, line))} ${code}` }
  }
  const scores = `score ${before.quality.score} -> ${after.quality.score}`
  if (impact.regressed_cases > 0) return { passes: false, description: `${counted(impact.regressed_cases, 'case')} of ${after.results.length} regressed, ${scores}` }
  // What is not known of the branch excuses no change.
  const known = new Set<PolicyField>(failedBefore.filter(({ state }) => state === undefined).map(({ rule }) => rule))
  const violated = failedAfter.filter(({ rule }) => rule !== NOT_CHECKED && !known.has(rule))
  // A known value says more than an unknown one.
  const [shown] = [...violated.filter(({ state }) => state === undefined), ...violated]
  if (shown !== undefined)
    return {
      passes: false,
      description: `quality gate: ${shown.rule} requires ${shown.expected}, ${saidOf(shown)}${isApprovable && shown.rule === 'max_lost_alerts' ? ACCEPTED : ''}`,
    }
  const cases = after.results.length === 0 ? 'no cases' : `${after.passedCases} of ${counted(after.results.length, 'case')} pass`
  return { passes: true, description: `${cases}, ${scores}` }
}

function saidOf({ actual, state }: FailedRule): string {
  if (state === 'not_proven') return 'is not proven'
  return state === 'pending' ? 'is not measured yet' : `is ${actual}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
