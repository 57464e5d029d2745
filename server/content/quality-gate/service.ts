/** The quality gate of a project: its policy, and the evaluation of content. */
import type { Actor } from '../../core/auth/request-context.js'
import { type IfMatch, requireCurrent } from '../../core/etag.js'
import { approvalOf } from '../shared/approval.js'
import { evaluateGate, type Measured, shareOf } from '../shared/gate.js'
import type { QualityGatePolicy } from '../shared/gate-policy.js'
import { loadChangeable } from '../shared/load.js'
import type { Measurement } from '../shared/measure.js'
import { type ProjectDocument, PROJECTS } from '../shared/project.js'
import type { ReviewDocument } from '../shared/review.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../core/audit/service.js'
import { projectResource } from '../projects/service.js'
import type { CaseStrengthService } from '../case-strength/service.js'
import { type PublishedContent, type FileSet, rulesetOf } from '../shared/content.js'
import { type Strength, withCauses } from './causes.js'
import type { LostAlerts } from './lost-alerts.js'
import { mutantsOf, presentMutation } from './mutation.js'
import { QualityGatePolicyRecord, QualityGateResult, type QualityGateUpdateRequest } from './schema.js'

export { type LostAlerts, lostAlertsOf, NOTHING_LOST } from './lost-alerts.js'
export { gateMarkdown } from './markdown.js'
export { presentPolicy } from './present.js'
export { QualityGatePolicyRecord, QualityGateResult }

/** Attempts of a change that conflicts with concurrent changes of the project. */
const ATTEMPTS = 10

export interface GateEvaluation {
  readonly result: QualityGateResult
  /** The review that approves the content; null: none, or a later one refuses it. */
  readonly approval: ReviewDocument | null
}

/** Content that a gate evaluates. */
export interface GateSubject {
  readonly scope: Scope
  readonly project: ProjectDocument
  /** Hash of the content, to which approvals are bound; null: of none that can be approved. */
  readonly contentHash: string | null
  readonly files: FileSet
  readonly measured: Measurement
  /** What it loses of the content that is active; `NOTHING_LOST` of that content itself. */
  readonly lost: LostAlerts
}

type GateStrength = Pick<CaseStrengthService, 'negatives' | 'mutation' | 'settled'>

/** How long a job waits for what is measured in the background. It is repeated after it. */
const SETTLE_MS = 60_000

export class QualityGateService {
  readonly #strength: GateStrength
  readonly #clock: () => number

  constructor(strength: GateStrength, clock: () => number) {
    this.#strength = strength
    this.#clock = clock
  }

  /** Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, edit_conflict */
  async update(scope: Scope, projectId: string, request: QualityGateUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<ProjectDocument> {
    return retryStale(ATTEMPTS, async () => {
      const project = await loadChangeable(scope, projectId)
      requireCurrent(project.revision, ifMatch)
      const policy: QualityGatePolicy = { ...project.quality_gate, ...request }
      const diff = diffOf(project.quality_gate, policy, Object.keys(policy) as (keyof QualityGatePolicy)[])
      if (Object.keys(diff).length === 0) return project
      const now = new Date(this.#clock())
      const [updated] = await scope.commit([
        scope.collection(PROJECTS).updating({ _id: projectId, revision: project.revision }, { set: { quality_gate: policy, updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'quality_gate.updated', resource: projectResource(project), projectId, diff }, now),
      ])
      return updated as ProjectDocument
    })
  }

  /** Evaluates measured content with the project's policy. What is measured in the background is `pending` until it is there. */
  async evaluate(subject: GateSubject): Promise<GateEvaluation> {
    const { scope, project, contentHash, measured, lost } = subject
    const [approval, strength] = await Promise.all([contentHash === null ? null : approvalOf(scope, project._id, contentHash), this.#strengthOf(subject)])
    const { error: errors, warning: warnings, info: infos } = measured.bySeverity
    const { negatives, mutation } = strength
    const testedRules = measured.writtenRules - measured.untestedRules.length
    const { passed, state, failed_rules } = evaluateGate(project.quality_gate, {
      qualityScore: measured.quality.score,
      errors,
      warnings,
      infos,
      cases: measured.results.length,
      failedCases: measured.failedCases,
      isApproved: approval !== null,
      lostAlerts: lost.rules.length,
      isLossProven: lost.isProven,
      ownRules: measured.writtenRules,
      testedRules,
      lackNegative: negatives.state === 'known' ? { state: 'known', value: negatives.value.lacking_count } : negatives,
      mutants: mutation.state === 'known' ? mutantsOf(mutation.value) : mutation,
    })
    const result = {
      passed,
      state,
      failed_rules: failed_rules.map((rule) => withCauses(rule, measured, lost.rules, strength)),
      quality_score: measured.quality.score,
      diagnostics_by_severity: { ...measured.bySeverity },
      case_count: measured.results.length,
      failed_cases: measured.failedCases,
      clock_dependent_cases: measured.clockDependentCases,
      rule_coverage: shareOf(testedRules, measured.writtenRules),
      rules_without_negative_case: negatives.state === 'known' ? negatives.value.lacking_count : null,
      mutation: mutation.state === 'known' ? presentMutation(mutation.value) : null,
    }
    return { result, approval }
  }

  /** As `evaluate`, for jobs: waits for some time for what is measured in the background. */
  async evaluateSettled(subject: GateSubject, signal: AbortSignal): Promise<GateEvaluation> {
    const evaluation = await this.evaluate(subject)
    if (!evaluation.result.failed_rules.some(({ state }) => state === 'pending')) return evaluation
    await this.#strength.settled(AbortSignal.any([signal, AbortSignal.timeout(SETTLE_MS)]))
    signal.throwIfAborted()
    return this.evaluate(subject)
  }

  /** What the policy needs of the worth of the cases; `not_proven` where it needs nothing. */
  async #strengthOf({ scope, project, files, measured }: GateSubject): Promise<Strength> {
    const { require_negative_cases = false, min_mutation_score = null } = project.quality_gate
    const needs = async <T>(isNeeded: boolean, find: () => Promise<Measured<T>>): Promise<Measured<T>> => (isNeeded && measured.loads ? find() : { state: 'not_proven' })
    const [negatives, mutation] = await Promise.all([
      needs(require_negative_cases, () => this.#strength.negatives(scope, { project, files })),
      needs(min_mutation_score !== null, () => this.#strength.mutation(scope, { project, files })),
    ])
    return { negatives, mutation }
  }
}

/** The files of the content that is active. */
export function activeFiles({ include_disk_defaults, include_disk_custom }: ProjectDocument, content: PublishedContent): FileSet {
  return rulesetOf({ ...content, include_disk_defaults, include_disk_custom })
}
