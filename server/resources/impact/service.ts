/**
 * Compares a workspace with its project: measures both contents with the same cases, and compares them by meaning. Read-only; consumes no units of the
 * plan.
 */
import type { AnalysisPool, ContentSemantics, DiagnosticRecord, ItemChanges, Listed, ListComparison, SemanticItem } from '#workers'
import { ApiError } from '../../errors.js'
import { okOf, stopOf } from '../../pool-outcome.js'
import { type RulesetContent, rulesetOf } from '../../projects/content.js'
import { loadOfProject, loadProject, loadSnapshot } from '../../projects/load.js'
import type { MeasureCaller, MeasuredProject, Measurement, ProjectMeasure } from '../../projects/measure.js'
import { presentProject } from '../projects/service.js'
import { presentWorkspace } from '../workspaces/service.js'
import { type WorkspaceDocument, WORKSPACES } from '../../projects/workspace.js'
import { compareCases, countCases } from './compare-cases.js'
import { type ImpactDiagnostic, LISTED, type ProjectImpactResponse } from './schema.js'

/** Attempts when cases change between the two measurements, which must use the same cases. */
const ATTEMPTS = 5

/** A content and its measurement. */
interface Side {
  readonly content: RulesetContent
  readonly measured: Measurement
}

export class ImpactService {
  readonly #measure: ProjectMeasure
  readonly #pool: AnalysisPool

  constructor(measure: ProjectMeasure, pool: AnalysisPool) {
    this.#measure = measure
    this.#pool = pool
  }

  /** @throws ApiError resource_missing (project or workspace), edit_conflict, overloaded, internal_error */
  async impact(projectId: string, workspaceId: string, caller: MeasureCaller): Promise<ProjectImpactResponse> {
    const { scope } = caller
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const current = await this.#measure.measureCurrent(projectId, caller)
      const { project } = current
      const { owner: workspace, content } = await loadSnapshot(scope, () => loadOfProject(scope, WORKSPACES, projectId, workspaceId))
      const candidate = { ...content, ...includes(workspace) }
      const measured = await this.#measure.measure(candidate, project, caller)
      const { cases_revision } = await loadProject(scope, projectId)
      if (cases_revision !== project.cases_revision) continue
      const compared = await this.#compare({ content: { ...current.content, ...includes(project) }, measured: current.measured }, { content: candidate, measured }, caller)
      return present(current, presentWorkspace(workspace, content), compared)
    }
    throw new ApiError('edit_conflict')
  }

  async #compare(current: Side, candidate: Side, caller: MeasureCaller): Promise<Omit<ProjectImpactResponse, 'project' | 'workspace'>> {
    const { scope, locale, signal } = caller
    const [before, after] = await Promise.all([this.#semantics(current.content, caller), this.#semantics(candidate.content, caller)])
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
      rules: presentChanges(rules, ({ name, label, line }) => ({ rule_id: name, description: label, line })),
      decoders: presentChanges(decoders, ({ name, label, line }) => ({ name, parent: label === '' ? null : label, line })),
      lists: presentLists(lists),
      ...countCases(cases),
      cases,
    }
  }

  /** Returns the meaning of the content's parts; only a diagnostic if the content could not be compiled in time. */
  async #semantics(content: RulesetContent, { scope, locale, signal }: MeasureCaller): Promise<Uint8Array> {
    const outcome = await this.#pool.semantics(rulesetOf(content), { organization: scope.organizationId, locale, signal })
    const stop = stopOf(outcome)
    return stop === null ? okOf(outcome, signal) : Buffer.from(JSON.stringify({ diagnostics: [stop.diagnostic], rules: [], decoders: [], lists: [] } satisfies ContentSemantics))
  }
}

function includes({ include_disk_defaults, include_disk_custom }: Pick<WorkspaceDocument, 'include_disk_defaults' | 'include_disk_custom'>) {
  return { include_disk_defaults, include_disk_custom }
}

function present(
  { project, content }: MeasuredProject,
  workspace: ProjectImpactResponse['workspace'],
  compared: Omit<ProjectImpactResponse, 'project' | 'workspace'>,
): ProjectImpactResponse {
  return { project: presentProject(project, content), workspace, ...compared }
}

function presentDiagnostics({ items }: Listed<DiagnosticRecord>): ImpactDiagnostic[] {
  return items.map(({ severity, code, filename, line, message }) => ({ severity, code, filename, line, message }))
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
