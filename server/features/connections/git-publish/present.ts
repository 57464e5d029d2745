/** Publications as the API and the history of runs show them. */
import { toUSVString } from 'node:util'
import type { MergeChange, MergeConflict } from '#workers'
import type { GitReview } from '../gateways/git/gateway.js'
import { alertCountsOf } from '../../../content/impact/service.js'
import { repositoryFiles } from '../../../content/shared/git-base.js'
import { shownNames } from '../git-bindings/service.js'
import { contentsByPath } from './file-sets.js'
import type { Plan } from './plan.js'
import type { Conflicts, PublicationChanges, ReviewRecord } from './schema.js'
import { textDifferences } from './text-diff.js'

/** Conflicts of an answer. A person has to decide each of them. */
export const CONFLICTS_LISTED = 100
/** Characters of each text of a conflict. A rule has some hundred. */
const CONFLICT_CHARACTERS = 8000
/** Changed items of an answer. */
export const ITEMS_LISTED = 1000
/** Changed files of an answer. */
export const FILES_LISTED = 500

export function presentConflicts(conflicts: readonly MergeConflict[]): Conflicts {
  return {
    conflict_count: conflicts.length,
    conflicts: conflicts
      .slice(0, CONFLICTS_LISTED)
      .map(({ kind, name, path, base, ours, theirs }) => ({ kind, name, path, base: cut(base), ours: cut(ours), theirs: cut(theirs) })),
  }
}

function cut(text: string | null): string | null {
  return text === null || text.length <= CONFLICT_CHARACTERS ? text : toUSVString(`${text.slice(0, CONFLICT_CHARACTERS)}…`)
}

/** @param paths those that the publication changes */
export async function presentChanges({ theirs, merged, compared, gate, head }: Plan, paths: readonly string[]): Promise<PublicationChanges> {
  const [before, after] = [contentsByPath(repositoryFiles(theirs.files)), contentsByPath(merged.files)]
  const shown = paths.slice(0, FILES_LISTED)
  return {
    head_sha: head.commitSha,
    no_change: paths.length === 0,
    file_count: paths.length,
    files: await textDifferences(shown.map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))),
    change_count: merged.changes.length,
    changes: merged.changes.slice(0, ITEMS_LISTED).map(({ kind, name, change, path }) => ({ kind, name, change, path })),
    impact: compared?.impact ?? null,
    quality_gate_result: gate,
  }
}

/** Returns the part of a plan that a run stores. */
export function summaryOf({ merged, compared }: Plan): Readonly<Record<string, unknown>> {
  const files = shownNames(merged.changedPaths)
  return {
    no_change: merged.changedPaths.length === 0,
    rules: countsOf(merged.changes, 'rule'),
    decoders: countsOf(merged.changes, 'decoder'),
    lists: countsOf(merged.changes, 'list'),
    files: { count: files.count, items: [...files.items] },
    conflicts: merged.conflicts.length,
    ...(compared === null
      ? {}
      : {
          quality_score: { before: compared.before.quality.score, after: compared.after.quality.score },
          cases: { improved: compared.impact.improved_cases, regressed: compared.impact.regressed_cases },
          ...(compared.behaviour === null ? {} : { alerts: alertCountsOf(compared.behaviour) }),
        }),
  }
}

function countsOf(changes: readonly MergeChange[], kind: MergeChange['kind']): Readonly<Record<MergeChange['change'], number>> {
  const count = (change: MergeChange['change']): number => changes.filter((each) => each.kind === kind && each.change === change).length
  return { added: count('added'), removed: count('removed'), changed: count('changed') }
}

export function presentReview({ number, url, state, title, sourceBranch, targetBranch, headSha, mergeSha, isMergeable }: GitReview): ReviewRecord {
  return {
    number,
    url,
    state,
    title,
    branch: sourceBranch,
    target_branch: targetBranch,
    head_sha: headSha,
    merge_sha: mergeSha,
    mergeable: isMergeable,
  }
}
