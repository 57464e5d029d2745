/** GitLab CI: pipelines of a project (`group/name`), started by the API. Inputs become variables of the pipeline. */
import { Pipelines, Projects, Users } from '@gitbeaker/rest'
import Type, { type Static } from 'typebox'
import { answerTime, pageUrl } from '../../../../core/egress/answers.js'
import type { GatewayParts } from '../connection.js'
import { GITLAB, GitLabApi, UNREAD } from '../gitlab/api.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import type { CiConnection, CiGateway, PipelineRequest, PipelineRun, PipelineStatus } from './gateway.js'

const Time = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Pipeline = Type.Object({ id: Type.Integer(), status: Type.String(), web_url: Type.Optional(Type.String()), started_at: Time, finished_at: Time })
const Project = Type.Object({ default_branch: Type.Union([Type.String(), Type.Null()]) })
const User = Type.Object({ username: Type.String() })

/** States of GitLab's pipelines. A `manual` one waits for a person; a `skipped` one runs nothing. */
const STATUSES: Readonly<Record<string, PipelineStatus>> = {
  created: 'queued',
  waiting_for_resource: 'queued',
  preparing: 'queued',
  waiting_for_callback: 'queued',
  pending: 'queued',
  scheduled: 'queued',
  manual: 'queued',
  running: 'running',
  canceling: 'running',
  success: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'canceled',
}
const RUN_ID = /^\d{1,18}$/
/** GitLab's sentence when the branch does not exist. */
const NO_BRANCH = /reference not found/i

export function openGitLabCi(connection: CiConnection, parts: GatewayParts): CiGateway {
  return new GitLabCi(connection.project, new GitLabApi(connection, parts))
}

class GitLabCi implements CiGateway {
  readonly #project: string | null
  readonly #api: GitLabApi

  constructor(project: string | null, api: GitLabApi) {
    this.#project = project
    this.#api = api
  }

  async test(signal: AbortSignal): Promise<{ readonly account: string | null }> {
    const { username } = (await new Users(this.#api.options(signal, User)).showCurrentUser()) as Static<typeof User>
    if (this.#project !== null) await new Projects(this.#api.options(signal, UNREAD)).show(this.#project)
    return { account: username }
  }

  async start({ project, branch, inputs }: PipelineRequest, signal: AbortSignal): Promise<PipelineRun> {
    const path = project ?? this.#requireProject()
    const ref = branch ?? ((await new Projects(this.#api.options(signal, Project)).show(path)) as Static<typeof Project>).default_branch
    if (ref === null) throw notFound('branch')
    const variables = Object.entries(inputs).map(([key, value]) => ({ key, value }))
    const started = await new Pipelines(this.#api.options(signal, Pipeline)).create(path, ref, variables.length === 0 ? {} : { variables }).catch((error: unknown) => {
      throw error instanceof ProviderError && NO_BRANCH.test(String(error.details.provider_message)) ? notFound('branch') : error
    })
    return runOf(started as unknown as Static<typeof Pipeline>)
  }

  async get(externalRunId: string, signal: AbortSignal): Promise<PipelineRun> {
    const found = await new Pipelines(this.#api.options(signal, Pipeline)).show(this.#requireProject(), numberOf(externalRunId))
    return runOf(found as unknown as Static<typeof Pipeline>)
  }

  readonly cancel = async (externalRunId: string, signal: AbortSignal): Promise<void> => {
    await new Pipelines(this.#api.options(signal, UNREAD)).cancel(this.#requireProject(), numberOf(externalRunId))
  }

  #requireProject(): string {
    if (this.#project === null) throw notFound('project')
    return this.#project
  }
}

function runOf({ id, status, web_url, started_at, finished_at }: Static<typeof Pipeline>): PipelineRun {
  const url = pageUrl(web_url)
  return {
    externalRunId: String(id),
    // A state of a later version: the run continues until GitLab says that it ended.
    status: STATUSES[status] ?? 'running',
    url,
    startedAt: timeOf(started_at),
    finishedAt: timeOf(finished_at),
    logsUrl: url === null ? null : `${url}/builds`,
  }
}

function timeOf(value: string | null | undefined): Date | null {
  return value === null || value === undefined ? null : answerTime(value, GITLAB)
}

/** @throws ProviderError not_found */
function numberOf(externalRunId: string): number {
  if (!RUN_ID.test(externalRunId)) throw notFound('run')
  return Number(externalRunId)
}

function notFound(what: string): ProviderError {
  return new ProviderError('not_found', { provider: GITLAB, details: { what } })
}
