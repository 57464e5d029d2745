/**
 * GitHub Actions: workflows that have the trigger `workflow_dispatch`, and their runs. The settings of an integration are those of GitHub
 * (`github/README.md`), with `project` (`owner/name`, or a name of the organization) and `workflow` (file name or id).
 */
import { setTimeout } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import type { GatewayParts } from '../connection.js'
import { GitHubClient, type GitHubPace, PageUrl, Timestamp, Unread } from '../github/client.js'
import type { Explanation, Refusal } from '../github/failures.js'
import { pathPart, repositoryOf } from '../github/repository.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import type { CiConnection, CiGateway, PipelineRequest, PipelineRun, PipelineStatus } from './gateway.js'

const PROVIDER = 'github_actions'
const DISPATCH = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'
/** Inputs that GitHub accepts for one run. */
const INPUTS_LIMIT = 25
/** Searches for a run that the server has started without returning its id, after pauses of 0.5 s, 1 s, 1.5 s and 2 s; GitHub needs about 2 s. */
const SEARCHES = 5
const SEARCH_PAUSE_MS = 500

const Repository = Type.Object({ default_branch: Type.String() })
const Dispatched = Type.Object({ workflow_run_id: Type.Integer({ minimum: 1 }), html_url: PageUrl })
const Run = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  status: Type.Union([Type.String(), Type.Null()]),
  conclusion: Type.Union([Type.String(), Type.Null()]),
  html_url: PageUrl,
  created_at: Timestamp,
  run_started_at: Type.Optional(Timestamp),
  updated_at: Timestamp,
})
const Runs = Type.Object({ workflow_runs: Type.Array(Run) })
const DispatchAnswer = Type.Union([Dispatched, Type.Null()])

/** Conclusions of runs that ended well; the others, `cancelled` excepted, are failures. */
const SUCCESSES: ReadonlySet<string> = new Set(['success', 'neutral', 'skipped'])

type Path = { readonly owner: string; readonly repo: string }

/** Opens GitHub Actions. It makes no request. */
export function openGitHubActions(connection: CiConnection, parts: GatewayParts, pace?: GitHubPace): CiGateway {
  const client = new GitHubClient(PROVIDER, connection, parts, pace)
  const pathOf = (project: string | null): Path => projectOf(project, connection)
  const readRun = async (externalRunId: string, signal: AbortSignal): Promise<Static<typeof Run>> =>
    client.call('GET /repos/{owner}/{repo}/actions/runs/{run_id}', Run, { parameters: { ...pathOf(null), run_id: runId(externalRunId) }, signal, what: 'run' })

  return {
    async test(signal) {
      return { account: await client.account(signal) }
    },

    async start({ project, workflow, branch, inputs }: PipelineRequest, signal) {
      const path = pathOf(project)
      const workflowId = workflow ?? connection.workflow
      if (workflowId === null) throw new ProviderError('not_found', { provider: PROVIDER, details: { what: 'workflow' } })
      if (Object.keys(inputs).length > INPUTS_LIMIT) throw client.tooLarge(INPUTS_LIMIT)
      const parameters = { ...path, workflow_id: pathPart(workflowId, 'workflow', PROVIDER) }
      const ref = branch ?? (await client.call('GET /repos/{owner}/{repo}', Repository, { parameters: path, signal, what: 'repository' })).default_branch
      const before = new Set((await newestRuns(client, parameters, ref, signal)).map(({ id }) => id))
      const started = await dispatch(client, parameters, { ref, inputs }, signal)
      if (started !== null) return { externalRunId: String(started.workflow_run_id), status: 'queued', url: started.html_url, startedAt: null, finishedAt: null, logsUrl: null }
      return present(await searchRun(client, parameters, ref, before, signal))
    },

    async get(externalRunId, signal) {
      return present(await readRun(externalRunId, signal))
    },

    async cancel(externalRunId, signal) {
      const parameters = { ...pathOf(null), run_id: runId(externalRunId) }
      try {
        await client.call('POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel', Unread, { parameters, signal, what: 'run' })
      } catch (error) {
        const hasEnded = error instanceof ProviderError && error.failure === 'refused' && error.details.status === 409
        if (!hasEnded) throw error
      }
    },
  }
}

/** Starts a run. @returns null: the server did not say which, as those of 2025 and before */
async function dispatch(client: GitHubClient, parameters: Path & { workflow_id: string }, body: object, signal: AbortSignal): Promise<Static<typeof DispatchAnswer>> {
  const call = { parameters, signal, what: 'workflow', explain: explainStart }
  try {
    return await client.call(DISPATCH, DispatchAnswer, { ...call, body: { ...body, return_run_details: true } })
  } catch (error) {
    const isUnknownField = error instanceof ProviderError && error.failure === 'unsupported'
    if (!isUnknownField) throw error
    return client.call(DISPATCH, DispatchAnswer, { ...call, body: { ...body } })
  }
}

/** The newest runs of the workflow on a branch that were started by a dispatch. */
async function newestRuns(client: GitHubClient, parameters: Path & { workflow_id: string }, branch: string, signal: AbortSignal): Promise<readonly Static<typeof Run>[]> {
  const call = { parameters: { ...parameters, branch, event: 'workflow_dispatch', per_page: 30 }, signal, what: 'workflow' }
  return (await client.call('GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs', Runs, call)).workflow_runs
}

/** The oldest run that was not there before. If two runs are started at the same moment, both callers may get the same one. @throws ProviderError unavailable */
async function searchRun(
  client: GitHubClient,
  parameters: Path & { workflow_id: string },
  branch: string,
  before: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<Static<typeof Run>> {
  for (let search = 0; search < SEARCHES; search++) {
    // The next call throws if the signal has aborted.
    await setTimeout(search * SEARCH_PAUSE_MS, undefined, { signal }).catch(() => undefined)
    const found = (await newestRuns(client, parameters, branch, signal)).filter(({ id }) => !before.has(id))
    const oldest = found.at(-1)
    if (oldest !== undefined) return oldest
  }
  throw new ProviderError('unavailable', { provider: PROVIDER, details: { failure: 'run_not_found' } })
}

function explainStart({ status, message }: Refusal): Explanation | null {
  if (status === 422 && /return_run_details/.test(message)) return { failure: 'unsupported' }
  return status === 422 && /no ref found/i.test(message) ? { failure: 'not_found', details: { what: 'branch' } } : null
}

/** @throws ProviderError not_found */
function projectOf(requested: string | null, { project, organization }: CiConnection): Path {
  const name = requested ?? project ?? ''
  return repositoryOf(name.includes('/') || organization === null ? name : `${organization}/${name}`, PROVIDER)
}

/** @throws ProviderError not_found */
function runId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ProviderError('not_found', { provider: PROVIDER, details: { what: 'run' } })
  return Number(text)
}

/** The page of a run shows its logs; the address that GitHub calls `logs_url` leads to a signed one. */
function present({ id, status, conclusion, html_url, created_at, run_started_at, updated_at }: Static<typeof Run>): PipelineRun {
  const now = statusOf(status, conclusion)
  const hasStarted = now !== 'queued'
  return {
    externalRunId: String(id),
    status: now,
    url: html_url,
    startedAt: hasStarted ? new Date(run_started_at ?? created_at) : null,
    finishedAt: status === 'completed' ? new Date(updated_at) : null,
    logsUrl: hasStarted ? html_url : null,
  }
}

function statusOf(status: string | null, conclusion: string | null): PipelineStatus {
  if (status === 'in_progress') return 'running'
  if (status !== 'completed') return 'queued'
  if (conclusion === 'cancelled') return 'canceled'
  return SUCCESSES.has(conclusion ?? '') ? 'succeeded' : 'failed'
}
