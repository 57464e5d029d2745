/** Routes of the fake of GitHub: workflows and their runs. */
import { exampleOf } from './github-description.js'
import { dateOf } from './github-routes.js'
import { type Answering, type FakeRequest, GitHubRefusal, type GitHubState, notFound, page, repositoryOf, type StoredRun } from './github-state.js'

const RUN = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}'

export const ACTIONS_ROUTES: Readonly<Record<string, Answering>> = {
  'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches': (state, request) => {
    const repository = repositoryOf(state, request)
    const workflow = request.path.workflow_id
    const allowed = repository.workflows.get(workflow)
    if (allowed === undefined) throw notFound()
    const { ref, inputs = {}, return_run_details } = request.body as { ref: string; inputs?: Record<string, unknown>; return_run_details?: boolean }
    if (return_run_details !== undefined && state.dispatches === 'strict') throw new GitHubRefusal(422, 'Invalid request.\n\n"return_run_details" is not a permitted key.')
    if (!repository.branches.has(ref)) throw new GitHubRefusal(422, `No ref found for: ${ref}`)
    const unexpected = Object.keys(inputs).filter((name) => !allowed.includes(name))
    if (unexpected.length > 0) throw new GitHubRefusal(422, `Unexpected inputs provided: ${JSON.stringify(unexpected)}`)
    const id = 30_433_642 + state.runs.length
    state.runs.push({
      listedAfter: state.searchesBeforeListed,
      id,
      repository,
      workflow,
      branch: ref,
      inputs,
      createdAt: new Date(state.now()),
      status: 'queued',
      conclusion: null,
    })
    if (return_run_details !== true || state.dispatches !== 'tell') return { status: 204, json: undefined }
    return { status: 200, json: { workflow_run_id: id, run_url: request.url.href, html_url: pageOf(state, id) } }
  },

  'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs': (state, request) => {
    const repository = repositoryOf(state, request)
    const { query, path } = request
    const found = state.runs
      .filter((run) => run.repository === repository && run.workflow === path.workflow_id && (!query.has('branch') || run.branch === query.get('branch')))
      .filter((run) => run.listedAfter-- <= 0)
      .reverse()
    const { entries, headers } = page(found, request)
    return { status: 200, headers, json: { total_count: found.length, workflow_runs: entries.map((run) => runJson(state, run)) } }
  },

  [RUN]: (state, request) => ({ status: 200, json: runJson(state, runOf(state, request)) }),

  'POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel': (state, request) => {
    const run = runOf(state, request)
    if (run.status === 'completed') throw new GitHubRefusal(409, 'Cannot cancel a workflow run that is completed.')
    Object.assign(run, { status: 'completed', conclusion: 'cancelled' })
    return { status: 202, json: {} }
  },
}

function runOf(state: GitHubState, request: FakeRequest): StoredRun {
  const repository = repositoryOf(state, request)
  const found = state.runs.find((run) => run.repository === repository && run.id === Number(request.path.run_id))
  if (found === undefined) throw notFound()
  return found
}

const pageOf = ({ origin }: GitHubState, id: number): string => `${origin}/actions/runs/${id}`

function runJson(state: GitHubState, { id, branch, createdAt, status, conclusion }: StoredRun): object {
  const at = dateOf(createdAt)
  return {
    ...exampleOf(RUN, 200),
    id,
    event: 'workflow_dispatch',
    head_branch: branch,
    status,
    conclusion,
    html_url: pageOf(state, id),
    created_at: at,
    run_started_at: at,
    updated_at: dateOf(new Date(createdAt.getTime() + 60_000)),
  }
}
