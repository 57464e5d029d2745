/**
 * The job that checks the head of a pull or merge request. Nothing of the repository is executed: rules and decoders are compiled and run as those of a project.
 * Invariants:
 *  1. the pending status is set at once; the check begins after a pause, so that of many pushes only the last one is checked
 *  2. before each step the check must still be current. The job of a canceled one ends the pending status that it may have set
 *  3. the check of an archived project is canceled
 *  4. what is checked is the head that the forge names now, so the order of webhooks does not matter
 *  5. a check that the service cannot finish has the status `error`, never `failure`
 *  6. an approval of the service counts only for exactly the content of the head. The hash is stored before approvals are read, so that no decision is missed
 *  7. a forge that does not answer is asked again for hours, so that no status stays pending after an outage
 */
import { type AnalysisPool, listPathOf } from '#workers'
import { ApiError, required } from '../../../core/errors.js'
import type { CommitStatus, GitReview, ReviewGateway } from '../gateways/git/gateway.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import type { ClaimedJob } from '../../../core/jobs/queue.js'
import type { JobKind, JobOutcome } from '../../../core/jobs/runner.js'
import type { ContentList, FileSet } from '../../../content/shared/content.js'
import { repositoryFiles } from '../../../content/shared/git-base.js'
import { isArchived, loadContent, loadProject } from '../../../content/shared/load.js'
import type { MeasureCaller } from '../../../content/shared/measure.js'
import type { PublicAddress } from '../../../core/public-address.js'
import { ignoreStale, StaleWriteError } from '../../../core/storage/errors.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import {
  GIT_BINDINGS,
  GIT_RUNS,
  type GitRunDocument,
  mergePlaces,
  type OpenBinding,
  openBinding,
  readRepository,
  type RepositoryContent,
  runErrorOf,
  shownNames,
} from '../git-bindings/service.js'
import { fileSetOf } from '../git-publish/service.js'
import { alertCountsOf, codeSpan, type FilesComparison, impactMarkdown, type ImpactService } from '../../../content/impact/service.js'
import type { IntegrationsService } from '../integrations/service.js'
import {
  type GateEvaluation,
  gateMarkdown,
  type LostAlerts,
  lostAlertsOf,
  NOTHING_LOST,
  type QualityGateResult,
  type QualityGateService,
} from '../../../content/quality-gate/service.js'
import { acceptanceMarkdown, approvableHash, needsApproval } from './acceptance.js'
import { canceling, GIT_CHECK } from './service.js'
import { checkId, GIT_CHECK_REPORTS, GIT_CHECKS, type GitCheckDocument, type GitCheckReportDocument } from './store.js'
import { unreadFiles, type Verdict, verdictOf } from './verdict.js'

/** Pause before a check begins. A push of several commits, or a rebase of a stack, is reported within it. */
export const CHECK_DELAY_MS = 3000
/** Maximum concurrent checks of an instance. Each waits for its forge, compiles two rulesets, runs all cases twice, and holds their results. */
const CONCURRENCY = 4
const PER_ORGANIZATION = 1
/** Also how long a check of an instance that died stays pending. */
export const CHECK_LEASE_MS = 5 * 60_000
/** Attempts when this service fails, its process ends, or the lease does. The pauses between them double from a second. */
const ATTEMPTS = 5
/** How long a forge is asked again that does not answer or limits the rate. A limit of GitHub lasts up to an hour, an outage some hours. */
const PATIENCE_MS = 6 * 60 * 60_000
/** A pause is this part of the run's age, within these bounds. */
const PAUSE_OF_AGE = 1 / 10
const PAUSE_MS = 1000
const PAUSE_LIMIT_MS = 2 * 60_000
/** Pause of a check whose gate still measures something in the background. */
const PENDING_PAUSE_MS = 5000
/** Longest wait that a forge can ask for. */
const WAIT_LIMIT_MS = 60 * 60_000

export interface CheckParts {
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly impacts: Pick<ImpactService, 'compareFiles'>
  readonly gate: Pick<QualityGateService, 'evaluateSettled'>
  readonly pool: AnalysisPool
  readonly address: Pick<PublicAddress, 'api'>
  readonly clock: () => number
}

type Run = GitRunDocument & { readonly review_number: number }

export function checkJob(parts: CheckParts): JobKind {
  return {
    kind: GIT_CHECK,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: CHECK_LEASE_MS,
    async run(job, scope, signal) {
      const run = await scope.collection(GIT_RUNS).findOne({ _id: job.subject })
      if (run === null || run.review_number === null) return 'done'
      return new Check(parts, scope, run as Run, signal).run(job)
    },
  }
}

/** A newer head, the end of the review, or the archive has canceled the check. */
class CanceledError extends Error {}

const CANCELED = {
  state: 'canceled',
  description: 'Canceled: another commit is checked, the review has ended, or the project is archived.',
} as const satisfies Partial<CommitStatus>

class Check {
  readonly #parts: CheckParts
  readonly #scope: Scope
  readonly #run: Run
  readonly #signal: AbortSignal

  constructor(parts: CheckParts, scope: Scope, run: Run, signal: AbortSignal) {
    this.#parts = parts
    this.#scope = scope
    this.#run = run
    this.#signal = signal
  }

  /** Does what is next, and decides what follows a failure. @throws an error after which the runner repeats the job */
  async run(job: ClaimedJob): Promise<JobOutcome> {
    const { status } = this.#run
    // The first claim has set no status.
    if (status !== 'running') return status === 'canceled' && job.attempts > 1 && job.failures <= ATTEMPTS ? this.#retract() : 'done'
    try {
      return await this.#step(job)
    } catch (error) {
      if (this.#signal.aborted) throw error
      const { clock } = this.#parts
      if (error instanceof CanceledError) {
        await this.#scope.commit([canceling(this.#scope, this.#run._id, new Date(clock()))])
        return { again: new Date(clock()) }
      }
      // Another event of the review was stored in between.
      if (error instanceof StaleWriteError) return { again: new Date(clock()) }
      const again = this.#later(error)
      if (again !== null) return { again }
      throw error
    }
  }

  /** @throws CanceledError */
  async #step({ failures }: ClaimedJob): Promise<JobOutcome> {
    // A check that ended the process, or lasted longer than the lease, left no error.
    if (failures > ATTEMPTS) return this.#fail(new ApiError('internal_error'))
    try {
      const { clock } = this.#parts
      const known = await this.#requireCurrent()
      const [opened, reviews] = await this.#open()
      if (!known.is_announced) {
        await this.#setStatus(opened, reviews, known.head_sha, { state: 'pending', description: 'The check is waiting or running.' })
        const announced = await this.#checks.update({ _id: known._id, run_id: this.#run._id }, { set: { is_announced: true } })
        if (announced === null) throw new CanceledError()
        return { again: new Date(clock() + CHECK_DELAY_MS) }
      }
      const review = await reviews.getReview(opened.binding.repository, this.#run.review_number, this.#signal)
      if (review.state !== 'open' || review.targetBranch !== opened.binding.branch) {
        await this.#checks.delete({ _id: known._id, run_id: this.#run._id })
        throw new CanceledError()
      }
      if (review.headSha !== known.head_sha) {
        await this.#moveTo(opened, reviews, known, review.headSha)
        return { again: new Date(clock()) }
      }
      return await this.#check(opened, reviews, review)
    } catch (error) {
      const isOurs = !(error instanceof ApiError) || (error.status >= 500 && !(error instanceof ProviderError))
      const isRepeated = this.#signal.aborted || error instanceof CanceledError || error instanceof StaleWriteError || this.#later(error) !== null
      if (isRepeated || (isOurs && failures < ATTEMPTS)) throw error
      return await this.#fail(error)
    }
  }

  /** Goes on with a head whose webhook is late or was lost. */
  async #moveTo(opened: OpenBinding, reviews: ReviewGateway, { _id, head_sha }: GitCheckDocument, headSha: string): Promise<void> {
    await this.#setStatus(opened, reviews, head_sha, CANCELED)
    await this.#scope.commit([
      this.#checks.updating({ _id, run_id: this.#run._id, head_sha }, { set: { head_sha: headSha, content_hash: null, is_announced: false } }),
      this.#scope.collection(GIT_RUNS).updating({ _id: this.#run._id, status: 'running' }, { set: { commit_sha: headSha } }),
    ])
  }

  /** Ends the pending status of a canceled check, unless the same commit is checked again. */
  async #retract(): Promise<JobOutcome> {
    const { commit_sha: commitSha, binding_id, review_number } = this.#run
    try {
      const current = await this.#checks.findOne({ _id: checkId(binding_id, review_number) })
      if (commitSha !== null && current?.head_sha !== commitSha) await this.#setStatus(...(await this.#open()), commitSha, CANCELED)
    } catch (error) {
      if (!(error instanceof ApiError) || this.#signal.aborted) throw error
      const again = this.#later(error)
      if (again !== null) return { again }
    }
    return 'done'
  }

  /** Reports that the check could not be finished. @throws CanceledError */
  async #fail(error: unknown): Promise<JobOutcome> {
    const { code, message } = runErrorOf(error)
    try {
      const { head_sha } = await this.#requireCurrent()
      await this.#setStatus(...(await this.#open()), head_sha, { state: 'error', description: `The check could not be finished: ${code}` })
    } catch (failure) {
      // The forge does not accept the status either; the run has the failure.
      if (!(failure instanceof ApiError) || this.#later(failure) !== null) throw failure
    }
    await this.#end({ status: 'failed', error: { code, message }, diff_summary: {} }, null)
    return 'done'
  }

  /** When the forge is asked again after this error; null: it has answered, or was asked for too long. */
  #later(error: unknown): Date | null {
    if (!isPassing(error)) return null
    const now = this.#parts.clock()
    const age = now - this.#run.created_at.getTime()
    if (age > PATIENCE_MS) return null
    const pause = Math.min(Math.max(age * PAUSE_OF_AGE, PAUSE_MS), PAUSE_LIMIT_MS)
    return new Date(Math.max(now + pause, Math.min(error.retryAt?.getTime() ?? 0, now + WAIT_LIMIT_MS)))
  }

  get #checks() {
    return this.#scope.collection(GIT_CHECKS)
  }

  async #open(): Promise<[OpenBinding, ReviewGateway]> {
    const binding = required(await this.#scope.collection(GIT_BINDINGS).findOne({ _id: this.#run.binding_id }))
    const opened = await openBinding(this.#parts.integrations, this.#scope, binding)
    if (opened.gateway.reviews === null) throw new ProviderError('unsupported', { provider: opened.provider })
    return [opened, opened.gateway.reviews]
  }

  /** @throws CanceledError */
  async #requireCurrent() {
    const check = await this.#checks.findOne({ _id: checkId(this.#run.binding_id, this.#run.review_number), run_id: this.#run._id })
    const run = await this.#scope.collection(GIT_RUNS).findOne({ _id: this.#run._id })
    if (check === null || run?.status !== 'running') throw new CanceledError()
    if (await isArchived(this.#scope, this.#run.project_id)) {
      await this.#checks.delete({ _id: check._id, run_id: this.#run._id })
      throw new CanceledError()
    }
    return check
  }

  async #check(opened: OpenBinding, reviews: ReviewGateway, review: GitReview): Promise<JobOutcome> {
    const { binding, gateway, provider } = opened
    const read = async (commitSha: string, known: RepositoryContent | null): Promise<RepositoryContent> => {
      await this.#requireCurrent()
      return readRepository(gateway, { repository: binding.repository, commitSha, paths: binding, provider, known: known?.files ?? [] }, this.#signal)
    }
    const target = await gateway.getBranch(binding.repository, binding.branch, this.#signal)
    const before = await read(target.commitSha, null)
    const after = await read(review.headSha, before)
    await this.#requireCurrent()
    const caller: MeasureCaller = { scope: this.#scope, locale: 'en-US', signal: this.#signal }
    const sets = await this.#fileSets(opened, before, after)
    const compared = await this.#parts.impacts.compareFiles(binding.project_id, sets.before, sets.after, caller)
    const lost = lostAlertsOf(compared.before, compared.after, compared.behaviour)
    const approvable = needsApproval(compared, lost) ? await approvableHash(this.#parts.pool, after, binding, sets.unfiled, sets.after, caller) : null
    if (approvable !== null) await this.#noteContent(approvable)
    const [{ result: failedBefore }, { result: gate, approval }] = await Promise.all([
      this.#gate(compared, compared.beforeFiles, compared.before, NOTHING_LOST, null),
      this.#gate(compared, compared.afterFiles, compared.after, lost, approvable),
    ])
    if ([failedBefore, gate].some(isPending) && this.#parts.clock() - this.#run.created_at.getTime() < PATIENCE_MS)
      return { again: new Date(this.#parts.clock() + PENDING_PAUSE_MS) }
    const unread = unreadFiles(before, after)
    const verdict = verdictOf(compared, unread, failedBefore.failed_rules, gate.failed_rules, approvable !== null)
    const acceptance = acceptanceMarkdown(gate, approvable, this.#bindingUrl, review.headSha)
    await this.#requireCurrent()
    const refused = await this.#setStatus(opened, reviews, review.headSha, { state: verdict.passes ? 'success' : 'failure', description: verdict.description })
    const comment = binding.comment_on_review ? await this.#comment(opened, reviews, compared, verdict, [gateMarkdown(gate), acceptance]) : null
    await this.#end(
      {
        status: 'succeeded',
        error: null,
        diff_summary: {
          ...summaryOf(review.headSha, target.commitSha, compared, verdict, { status: refused, comment }),
          unread: shownNames(unread),
          accepted_by_review: approval?._id ?? null,
          how_to_accept: acceptance,
        },
      },
      compared,
    )
    return 'done'
  }

  /** The gate of one side. @param contentHash what reviews of the service approve; null: none is asked for */
  async #gate({ project }: FilesComparison, files: FileSet, measured: FilesComparison['after'], lost: LostAlerts, contentHash: string | null): Promise<GateEvaluation> {
    return this.#parts.gate.evaluateSettled({ scope: this.#scope, project, contentHash, files, measured, lost }, this.#signal)
  }

  /** From now on a decision about this content begins the check again. @throws CanceledError */
  async #noteContent(content_hash: string): Promise<void> {
    const noted = await this.#checks.update({ _id: checkId(this.#run.binding_id, this.#run.review_number), run_id: this.#run._id }, { set: { content_hash } })
    if (noted === null) throw new CanceledError()
  }

  async #fileSets(
    { binding }: OpenBinding,
    before: RepositoryContent,
    after: RepositoryContent,
  ): Promise<{ readonly before: FileSet; readonly after: FileSet; readonly unfiled: readonly ContentList[] }> {
    const project = await loadProject(this.#scope, binding.project_id)
    const content = await loadContent(this.#scope, binding.project_id)
    const setOf = ({ files }: RepositoryContent) => {
      const { lists } = mergePlaces(binding, project.slug, files)
      // Lists of the project that the repository cannot have belong to both sides.
      const unfiled = content.lists.filter(({ name }) => lists === null || listPathOf(name, lists) === null)
      return { set: fileSetOf(repositoryFiles(files), lists, unfiled, project), unfiled }
    }
    const { set, unfiled } = setOf(after)
    return { before: setOf(before).set, after: set, unfiled }
  }

  /** Sets the status of a commit. @returns the code of the refusal; null: it is set */
  async #setStatus({ binding }: OpenBinding, reviews: ReviewGateway, commitSha: string, status: Pick<CommitStatus, 'state' | 'description'>): Promise<string | null> {
    const { slug } = await loadProject(this.#scope, binding.project_id)
    return refusalOf(reviews.setStatus(binding.repository, commitSha, { ...status, context: `detection-content/${slug}`, url: this.#url }, this.#signal))
  }

  async #comment({ binding }: OpenBinding, reviews: ReviewGateway, compared: FilesComparison, verdict: Verdict, gate: readonly (string | null)[]): Promise<string | null> {
    const marker = `<!-- detection-content:${binding._id} -->`
    const head = `**Detection content** ${codeSpan(compared.project.slug)}: ${verdict.passes ? 'passes' : 'fails'}. ${codeSpan(verdict.description)}`
    const body = [marker, head, ...gate, impactMarkdown(compared), `[Report](${this.#url})`].filter((part) => part !== null).join('\n\n')
    return refusalOf(reviews.setComment(binding.repository, this.#run.review_number, marker, body, this.#signal))
  }

  get #url(): string {
    return `${this.#bindingUrl}/runs/${this.#run._id}`
  }

  get #bindingUrl(): string {
    return `${this.#parts.address.api}/platform/organizations/${this.#scope.organizationId}/git-bindings/${this.#run.binding_id}`
  }

  async #end(end: Pick<GitRunDocument, 'status' | 'error' | 'diff_summary'>, compared: FilesComparison | null): Promise<void> {
    const now = new Date(this.#parts.clock())
    const reports = this.#scope.collection(GIT_CHECK_REPORTS)
    // It may be canceled while its status is set.
    await this.#scope
      .commit([
        this.#scope.collection(GIT_RUNS).updating({ _id: this.#run._id, status: 'running' }, { set: { ...end, finished_at: now } }),
        ...(compared === null ? [] : [reports.inserting({ _id: this.#run._id, ...storedImpact(compared), created_at: now })]),
      ])
      .catch(ignoreStale)
  }
}

function storedImpact({ impact: { behaviour, ...impact } }: FilesComparison): Pick<GitCheckReportDocument, 'impact' | 'behaviour_json'> {
  return { impact, ...(behaviour === undefined || behaviour === null ? {} : { behaviour_json: JSON.stringify(behaviour) }) }
}

function isPending({ failed_rules }: QualityGateResult): boolean {
  return failed_rules.some(({ state }) => state === 'pending')
}

/** A permanent refusal by the forge does not fail a check; the run records it. */
async function refusalOf(call: Promise<void>): Promise<string | null> {
  try {
    await call
    return null
  } catch (error) {
    if (!(error instanceof ApiError) || isPassing(error) || error.status >= 500) throw error
    return error.code
  }
}

/** Whether the forge may answer the same call later. */
function isPassing(error: unknown): error is ProviderError {
  return error instanceof ProviderError && (error.failure === 'unavailable' || error.failure === 'rate_limited')
}

function summaryOf(
  headSha: string,
  baseSha: string,
  { before, after, impact, behaviour }: FilesComparison,
  verdict: Verdict,
  refused: { readonly status: string | null; readonly comment: string | null },
): Readonly<Record<string, unknown>> {
  const countsOf = ({ added_count, removed_count, changed_count }: FilesComparison['impact']['rules'] | FilesComparison['impact']['decoders']) => ({
    added: added_count,
    removed: removed_count,
    changed: changed_count,
  })
  return {
    conclusion: verdict.passes ? 'success' : 'failure',
    description: verdict.description,
    head_sha: headSha,
    base_sha: baseSha,
    rules: countsOf(impact.rules),
    decoders: countsOf(impact.decoders),
    quality_score: { before: before.quality.score, after: after.quality.score },
    cases: { total: after.results.length, passed: after.passedCases, improved: impact.improved_cases, regressed: impact.regressed_cases },
    errors: { before: before.bySeverity.error, after: after.bySeverity.error },
    ...(behaviour === null ? {} : { alerts: alertCountsOf(behaviour) }),
    status_refused: refused.status,
    comment_refused: refused.comment,
  }
}
