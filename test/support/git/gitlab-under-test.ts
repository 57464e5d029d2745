/** The GitLab gateway on its fake, under the contract of Git gateways. */
import type { CommitStatus } from '../../../server/features/connections/gateways/git/gateway.js'
import { GIT_CAPABILITIES } from '../../../server/features/connections/gateways/git/capabilities.js'
import { openGitLab } from '../../../server/features/connections/gateways/git/gitlab.js'
import { HttpClient } from '../../../server/core/egress/client.js'
import { EgressGuard } from '../../../server/core/egress/egress-guard.js'
import type { GitProviderUnderTest } from '../../contracts/git-gateway.js'
import { addNote, GitLabFake, PERSON } from './gitlab-fake.js'
import { entryOf, merge, push } from './gitlab-store.js'
import { READER } from '../reader.js'

const STATES: Readonly<Record<string, CommitStatus['state']>> = { pending: 'pending', success: 'success', failed: 'failure', canceled: 'canceled' }

export function gitlabUnderTest(): GitProviderUnderTest {
  return {
    name: 'gitlab',
    capabilities: GIT_CAPABILITIES.gitlab,
    isOverHttp: true,
    comparesHead: false,
    async start() {
      const fake = await new GitLabFake().start()
      const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
      const connect = (token: string, parts = { http: http as Pick<HttpClient, 'send'>, reader: READER, clock: Date.now }) =>
        openGitLab({ baseUrl: fake.url, organization: null, credentials: { kind: 'token', token } }, parts)
      const requestOf = (repository: string, number: number) => fake.project(repository).mergeRequests[number - 1]
      return {
        gateway: connect(fake.token),
        createRepository: async () => fake.createProject().path,
        push: async (repository, branch, ...commits) => commits.map((commit) => push(fake.project(repository), branch, commit).sha),
        createBranches: async (repository, names, commitSha) => names.forEach((name) => fake.project(repository).branches.set(name, commitSha)),
        modesOf: async (repository, commitSha) => new Map([...fake.project(repository).commits.get(commitSha)!.files].map(([path, file]) => [path, entryOf(file).mode])),
        protectBranch: async (repository, branch) => void fake.project(repository).protectedBranches.add(branch),
        reviews: {
          merge: async (repository, number) => merge(fake.project(repository), requestOf(repository, number)),
          close: async (repository, number) => void (requestOf(repository, number).state = 'closed'),
          bodyOf: async (repository, number) => requestOf(repository, number).description,
          commentsOf: async (repository, number) => requestOf(repository, number).notes.map(({ body }) => body),
          comment: async (repository, number, body) => void addNote(requestOf(repository, number), PERSON, body),
          statusesOf: async (repository, commitSha) =>
            (fake.project(repository).statuses.get(commitSha) ?? []).map(({ name, state, description, targetUrl }) => ({
              context: name,
              state: STATES[state],
              description,
              url: targetUrl,
            })),
        },
        overHttp: {
          baseUrl: fake.url,
          open: (client, clock) => connect(fake.token, { http: client, reader: READER, clock }),
          secret: fake.token,
          refused: connect('glpat-revoked'),
        },
        async close() {
          http.close()
          await fake.close()
        },
      }
    },
  }
}
