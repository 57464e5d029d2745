/** The job that runs a replay: block after block, each on one content or two, in the background of the pool. */
import { type AnalysisPool, countLines, type LineItem, type RecordFields } from '#workers'
import { seal } from '../../../core/auth/sealing.js'
import type { Secrets } from '../../../core/auth/secrets.js'
import { ApiError } from '../../../core/errors.js'
import type { Notices } from '../../../core/events/notices.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import type { Locale } from '../../../core/i18n/locale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { lineTexts } from '../../../analysis/refusal.js'
import type { FileSet } from '../../../content/shared/content.js'
import { loadChosen } from '../../../content/shared/chosen-content.js'
import { readingCorpus } from '../corpora/service.js'
import { JOB_MS, LEASE_MS, RUN_MS } from './limits.js'
import { type CorpusPart, partsByArrival, partsByEvent } from './parts.js'
import { RunEnded } from './run-ended.js'
import { OPEN_STATUSES, REPLAYS, type ReplayDocument, sealedForReplay } from './store.js'
import { type LineAlert, ReplayTally, type RunLines } from './tally.js'

/** Kind of the job. Its subject is the replay. */
export const REPLAY_RUN = 'replay.run'

const CONCURRENCY = 2
const PER_ORGANIZATION = 1
/** How often progress is stored, and a cancellation seen. */
const PROGRESS_MS = 1000
const SELECT = ['line', 'rule.id', 'rule.level', 'rule.description'] as const
const LOCALE: Locale = 'en-US'
/** Lines are logs, or records of Wazuh. */
const NO_FIELDS: RecordFields = { event: null, location: null, time: null }

export interface RunParts {
  readonly pool: AnalysisPool
  readonly secrets: Secrets
  readonly notices: Pick<Notices, 'notifying'>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export function replayJob(parts: RunParts): JobKind {
  return {
    kind: REPLAY_RUN,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    longestMs: JOB_MS,
    async run({ subject, attempts }, scope, signal) {
      const replays = scope.collection(REPLAYS)
      const isOpen = { _id: subject, status: { in: [...OPEN_STATUSES] } }
      const started = await replays.update(isOpen, { set: { status: 'running', started_at: new Date(parts.clock()), done_bytes: 0, events: 0 } })
      // Canceled or deleted before it began.
      if (started === null) return 'done'
      try {
        const tally = await runReplay(parts, scope, started, attempts, signal)
        if (tally !== null)
          await finish(parts, scope, started, { result: seal(parts.secrets.corpus, JSON.stringify(tally.result()), sealedForReplay(started)), failure: null, events: tally.lines })
      } catch (error) {
        // The instance stops: another one begins again.
        if (signal.aborted) throw error
        const failure = error instanceof RunEnded ? error.failure : error instanceof ApiError && error.reason === 'corpus_gone' ? 'corpus_gone' : null
        if (failure === null) throw error
        await finish(parts, scope, started, { result: null, failure })
      }
      return 'done'
    },
  }
}

/** @returns null: it was canceled or deleted */
async function runReplay(parts: RunParts, scope: Scope, replay: ReplayDocument, attempt: number, signal: AbortSignal): Promise<ReplayTally | null> {
  const { pool, secrets } = parts
  const contents = await contentsOf(scope, replay)
  const tally = new ReplayTally(contents.before !== null)
  const began = performance.now()
  let told = began
  const organization = scope.organizationId
  const fields = replay.fields ?? NO_FIELDS
  const runOn = (content: FileSet, name: string, part: CorpusPart): Promise<RunLines> =>
    runPart(pool, content, { organization, sessionId: `${replay._id}-${name}-${attempt}`, fields, signal }, part)
  const open = (): Promise<AsyncIterable<Buffer>> => readingCorpus(scope, secrets, replay.corpus_id)
  const corpusParts = replay.clock === 'event' ? partsByEvent(open, { pool, organization, signal, fields }, tally) : partsByArrival(await open(), tally)
  for await (const part of corpusParts) {
    signal.throwIfAborted()
    const before = contents.before === null ? null : await runOn(contents.before, 'before', part)
    const after = await runOn(contents.after, 'after', part)
    tally.take(countLines(part.bytes).filled, before, after, part.logOf)
    const now = performance.now()
    if (now - began > RUN_MS) throw new RunEnded('time_limit')
    if (now - told < PROGRESS_MS) continue
    told = now
    const isRunning = await scope.collection(REPLAYS).update({ _id: replay._id, status: 'running' }, { set: { done_bytes: part.done, events: tally.lines } })
    if (isRunning === null) return null
  }
  return tally
}

async function contentsOf(scope: Scope, { project_id, content, compare }: ReplayDocument): Promise<{ readonly before: FileSet | null; readonly after: FileSet }> {
  try {
    const after = await loadChosen(scope, project_id, content, '', LOCALE)
    return { after, before: compare === null ? null : await loadChosen(scope, project_id, compare, '', LOCALE) }
  } catch (error) {
    throw error instanceof ApiError && error.reason === 'resource_missing' ? new RunEnded('content_gone') : error
  }
}

/** Runs the lines of a part on one content, whose session continues from part to part. */
async function runPart(
  pool: AnalysisPool,
  ruleset: FileSet,
  { organization, sessionId, fields, signal }: { readonly organization: string; readonly sessionId: string; readonly fields: RecordFields; readonly signal: AbortSignal },
  { bytes: lines, from, clock }: CorpusPart,
): Promise<RunLines> {
  const items: LineItem[] = [{ lines, from }]
  const source = { next: async () => items.shift() ?? null }
  const alerts = new Map<number, LineAlert>()
  let wrong = 0
  let notRun = 0
  const request = { ruleset, source, sessionId, select: SELECT, onlyAlerts: true, logs: { clock, fields }, isBackground: true, texts: lineTexts(LOCALE) }
  for await (const chunk of pool.lines(request, { organization, caller: 'replay', locale: LOCALE, signal })) {
    if (chunk.outcome !== 'ok') {
      signal.throwIfAborted()
      throw new RunEnded('analysis_failed')
    }
    const { bytes, release } = chunk.value
    wrong += chunk.value.wrong
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    release()
    for (const line of text.split('\n')) {
      if (line === '') continue
      const read = JSON.parse(line) as {
        readonly line?: number
        readonly 'rule.id'?: string
        readonly 'rule.level': number
        readonly 'rule.description': string
        readonly ok?: boolean
      }
      if (read.ok === false) notRun++
      else if (read['rule.id'] !== undefined && read.line !== undefined)
        alerts.set(read.line, { ruleId: read['rule.id'], level: read['rule.level'], description: read['rule.description'] })
    }
  }
  return { alerts, wrong, notRun }
}

async function finish(
  { notices, clock }: RunParts,
  scope: Scope,
  { _id, project_id, corpus_name, created_by, total_bytes }: ReplayDocument,
  { result, failure, events }: Pick<ReplayDocument, 'result' | 'failure'> & { readonly events?: number },
): Promise<void> {
  const status = failure === null ? ('succeeded' as const) : ('failed' as const)
  const set = { status, failure, result, finished_at: new Date(clock()), ...(events === undefined ? {} : { events, done_bytes: total_bytes }) }
  const replays = scope.collection(REPLAYS)
  await scope.commit([
    replays.updating({ _id, status: 'running' }, { set }, { optional: true }),
    ...notices.notifying(scope, {
      kind: 'replay.finished',
      params: { corpus: corpus_name, status },
      recipients: { users: [created_by] },
      link: `/platform/projects/${project_id}/replays/${_id}`,
    }),
  ])
}
