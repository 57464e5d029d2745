/**
 * Compares two contents of a project: a workspace with the project, or files of a repository with those of another commit. Measures both with the same cases,
 * and compares them by meaning. Read-only; consumes no units of the plan.
 */
import type { Static } from 'typebox'
import type { AnalysisPool, BehaviourDiff, ContentSemantics, DiagnosticRecord, ItemChanges, Listed, ListComparison, SemanticItem } from '#workers'
import { ApiError } from '../../core/errors.js'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import { type FileSet, rulesetOf } from '../shared/content.js'
import { loadOfProject, loadProject, loadSnapshot } from '../shared/load.js'
import type { MeasureCaller, Measurement, ProjectMeasure } from '../shared/measure.js'
import type { ProjectDocument } from '../shared/project.js'
import type { OverLimit } from '../../core/tenancy/over-limit.js'
import { presentProject } from '../projects/service.js'
import { presentWorkspace } from '../workspaces/service.js'
import { type SemanticDiffService, summaryOf } from '../semantic-diff/service.js'
import { WORKSPACES } from '../shared/workspace.js'
import { compareCases, countCases } from './compare-cases.js'
import { type DroppedRule, newlyDropped } from './dropped-rules.js'
import { ContentImpactRecord, type ImpactDiagnostic, LISTED, type ProjectImpactResponse } from './schema.js'

export { codeSpan } from './code-span.js'
export { impactMarkdown, placeOf } from './markdown.js'
export { alertCountsOf } from '../semantic-diff/service.js'
export { ContentImpactRecord }

/** Attempts when cases change between the two measurements, which must use the same cases. */
const ATTEMPTS = 5

/** The difference between two contents: the fields that all comparisons answer. */
export type ContentImpact = Static<typeof ContentImpactRecord>

/** Two compared file sets. */
export interface FilesComparison {
  /** The project whose cases ran. */
  readonly project: ProjectDocument
  readonly before: Measurement
  readonly after: Measurement
  readonly beforeFiles: FileSet
  readonly afterFiles: FileSet
  readonly impact: ContentImpact
  /** Null: not compared. */
  readonly behaviour: BehaviourDiff | null
}

/** A file set and its measurement. */
interface Side {
  readonly files: FileSet
  readonly measured: Measurement
}

export class ImpactService {
  readonly #measure: ProjectMeasure
  readonly #pool: AnalysisPool
  readonly #diffs: Pick<SemanticDiffService, 'compareFiles'>
  readonly #overLimit: Pick<OverLimit, 'readOnly'>

  constructor(measure: ProjectMeasure, pool: AnalysisPool, overLimit: Pick<OverLimit, 'readOnly'>, diffs: Pick<SemanticDiffService, 'compareFiles'>) {
    this.#measure = measure
    this.#pool = pool
    this.#diffs = diffs
    this.#overLimit = overLimit
  }

  /** Compares a workspace with its project. @throws ApiError resource_missing (project or workspace), edit_conflict, overloaded, internal_error */
  async impact(projectId: string, workspaceId: string, caller: MeasureCaller): Promise<ProjectImpactResponse> {
    const { scope } = caller
    return retryCases(async () => {
      const { owner: project, content: current } = await loadSnapshot(scope, () => loadProject(scope, projectId))
      const { owner: workspace, content } = await loadSnapshot(scope, () => loadOfProject(scope, WORKSPACES, projectId, workspaceId))
      const compared = await this.#compareOnce(project, rulesetOf({ ...current, ...includesOf(project) }), rulesetOf({ ...content, ...includesOf(workspace) }), caller)
      if (compared === null) return null
      const isReadOnly = await this.#overLimit.readOnly(scope, 'projects')
      return { project: presentProject(project, current, isReadOnly(project)), workspace: presentWorkspace(workspace, content), ...compared.impact }
    })
  }

  /** Compares two file sets with the cases of a project. @throws ApiError resource_missing (project), edit_conflict, overloaded, internal_error */
  async compareFiles(projectId: string, before: FileSet, after: FileSet, caller: MeasureCaller): Promise<FilesComparison> {
    return retryCases(async () => this.#compareOnce(await loadProject(caller.scope, projectId), before, after, caller))
  }

  /** Null: the cases changed meanwhile. */
  async #compareOnce(project: ProjectDocument, before: FileSet, after: FileSet, caller: MeasureCaller): Promise<FilesComparison | null> {
    const measured = await Promise.all([before, after].map((files) => this.#measure.measureFiles(files, project, caller)))
    const [current, candidate] = [before, after].map((files, side) => ({ files, measured: measured[side] }))
    const { cases_revision } = await loadProject(caller.scope, project._id)
    if (cases_revision !== project.cases_revision) return null
    const isCompared = current.measured.loads && candidate.measured.loads
    const [impact, behaviour] = await Promise.all([this.#compare(current, candidate, caller), isCompared ? this.#diffs.compareFiles(project, before, after, caller) : null])
    return {
      project,
      before: current.measured,
      after: candidate.measured,
      beforeFiles: before,
      afterFiles: after,
      impact: { ...impact, behaviour: behaviour === null ? null : summaryOf(behaviour) },
      behaviour,
    }
  }

  async #compare(current: Side, candidate: Side, caller: MeasureCaller): Promise<ContentImpact> {
    const { scope, locale, signal } = caller
    const [before, after] = await Promise.all([this.#semantics(current.files, caller), this.#semantics(candidate.files, caller)])
    const outcome = await this.#pool.compare(before, after, LISTED, { organization: scope.organizationId, locale, signal })
    const { rules, decoders, lists, introduced, resolved, shadowed } = okOf(outcome, signal)
    const cases = compareCases(current.measured.results, candidate.measured.results)
    return {
      current_quality_score: current.measured.quality.score,
      candidate_quality_score: candidate.measured.quality.score,
      current_loads: current.measured.loads,
      candidate_loads: candidate.measured.loads,
      current_diagnostics_by_severity: { ...current.measured.bySeverity },
      candidate_diagnostics_by_severity: { ...candidate.measured.bySeverity },
      candidate_diagnostics: {
        introduced_count: introduced.count,
        resolved_count: resolved.count,
        introduced: presentDiagnostics(introduced),
        resolved: presentDiagnostics(resolved),
      },
      shadowing_introduced: presentDiagnostics(shadowed),
      rules: {
        ...presentChanges(rules, ({ name, label, line }) => ({ rule_id: name, description: label, line })),
        ...presentDropped(newlyDropped(current.measured, candidate.measured)),
      },
      decoders: presentChanges(decoders, ({ name, label, line }) => ({ name, parent: label === '' ? null : label, line })),
      lists: presentLists(lists),
      ...countCases(cases),
      cases,
    }
  }

  /** Returns the meaning of the files' parts; only a diagnostic if they could not be compiled in time. */
  async #semantics(files: FileSet, { scope, locale, signal }: MeasureCaller): Promise<Uint8Array> {
    const outcome = await this.#pool.semantics(files, { organization: scope.organizationId, locale, signal })
    const stop = stopOf(outcome)
    return stop === null ? okOf(outcome, signal) : Buffer.from(JSON.stringify({ diagnostics: [stop.diagnostic], rules: [], decoders: [], lists: [] } satisfies ContentSemantics))
  }
}

/** Repeats a comparison while cases change. @param compare null: they changed meanwhile @throws ApiError edit_conflict */
async function retryCases<T>(compare: () => Promise<T | null>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const compared = await compare()
    if (compared !== null) return compared
  }
  throw new ApiError('edit_conflict')
}

function includesOf({ include_disk_defaults, include_disk_custom }: Pick<ProjectDocument, 'include_disk_defaults' | 'include_disk_custom'>) {
  return { include_disk_defaults, include_disk_custom }
}

function presentDiagnostics({ items }: Listed<DiagnosticRecord>): ImpactDiagnostic[] {
  return items.map(({ severity, code, filename, line, message }) => ({ severity, code, filename, line, message }))
}

function presentDropped(rules: readonly DroppedRule[]): Pick<ProjectImpactResponse['rules'], 'dropped_count' | 'dropped'> {
  const dropped = rules.slice(0, LISTED).map(({ reason, ...rule }) => ({ ...rule, code: reason?.code ?? null, message: reason?.message ?? null }))
  return { dropped_count: rules.length, dropped }
}

function presentLists({ added, removed, changed }: ListComparison): ProjectImpactResponse['lists'] {
  return {
    added_count: added.length,
    removed_count: removed.length,
    changed_count: changed.length,
    added: added.map(({ name, entries }) => ({ name, entry_count: entries })),
    removed: removed.map(({ name, entries }) => ({ name, entry_count: entries })),
    changed: changed.map((list) => ({ name: list.name, added_entries: list.added, removed_entries: list.removed, changed_entries: list.changed })),
  }
}

function presentChanges<T>({ added, removed, changed }: ItemChanges, present: (item: SemanticItem) => T) {
  return {
    added_count: added.count,
    removed_count: removed.count,
    changed_count: changed.count,
    added: added.items.map(present),
    removed: removed.items.map(present),
    changed: changed.items.map(({ item, changes }) => ({ ...present(item), changes: [...changes] })),
  }
}
