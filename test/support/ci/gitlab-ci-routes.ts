/** Pipelines of the GitLab fake. A test moves them on: GitLab's states are set as they are named there. */
import { type GitLabAnswer, GitLabRefusal, type GitLabRoute } from '../git/gitlab-fake.js'

export interface FakePipeline {
  readonly id: number
  readonly project: string
  readonly ref: string
  readonly variables: Readonly<Record<string, string>>
  status: string
  startedAt: string | null
  finishedAt: string | null
}

/** Endpoints for `GitLabFake`, and the pipelines that they create. */
export class GitLabPipelines {
  readonly pipelines: FakePipeline[] = []
  readonly routes: readonly GitLabRoute[]

  constructor() {
    const found = (id: string): FakePipeline => {
      const pipeline = this.pipelines.find((each) => String(each.id) === id)
      if (pipeline === undefined) throw new GitLabRefusal(404, { message: '404 Not found' })
      return pipeline
    }
    this.routes = [
      {
        method: 'POST',
        path: 'projects/:project/pipeline',
        parameters: ['ref', 'variables', 'inputs'],
        answer: ({ fake, body }, project) => {
          const { ref, variables = [] } = body as { ref: string; variables?: readonly { key: string; value: string }[] }
          if (!project.branches.has(ref)) throw new GitLabRefusal(400, { message: { base: ['Reference not found'] } })
          const invalid = variables.find(({ key }) => !/^\w+$/.test(key))
          if (invalid !== undefined) throw new GitLabRefusal(400, { message: { 'variables.key': ["can contain only letters, digits and '_'."] } })
          const pipeline: FakePipeline = {
            id: 46_000_000_000 + this.pipelines.length,
            project: project.path,
            ref,
            variables: Object.fromEntries(variables.map(({ key, value }) => [key, value])),
            status: 'created',
            startedAt: null,
            finishedAt: null,
          }
          this.pipelines.push(pipeline)
          return { status: 201, ...present(fake.url, pipeline) }
        },
      },
      { method: 'GET', path: 'projects/:project/pipelines/:pipeline', parameters: [], answer: ({ fake }, _, [id]) => present(fake.url, found(id)) },
      {
        method: 'POST',
        path: 'projects/:project/pipelines/:pipeline/cancel',
        parameters: [],
        answer: ({ fake }, _, [id]) => present(fake.url, Object.assign(found(id), { status: 'canceled', finishedAt: new Date().toISOString() })),
      },
    ]
  }
}

function present(url: string, { id, project, ref, status, startedAt, finishedAt }: FakePipeline): GitLabAnswer {
  return {
    body: {
      id,
      iid: 1,
      project_id: 1,
      status,
      source: 'api',
      ref,
      sha: 'a'.repeat(40),
      web_url: `${url}/${project}/-/pipelines/${id}`,
      created_at: '2026-11-23T09:00:00.000Z',
      started_at: startedAt,
      finished_at: finishedAt,
    },
  }
}
