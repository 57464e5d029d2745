/** GitHub's gateway and its fake, under the contract of Git gateways. */
import { GIT_CAPABILITIES } from '../../../server/features/connections/gateways/git/capabilities.js'
import { openGitHub } from '../../../server/features/connections/gateways/git/github.js'
import type { GitGateway } from '../../../server/features/connections/gateways/git/gateway.js'
import { HttpClient } from '../../../server/core/egress/client.js'
import { EgressGuard } from '../../../server/core/egress/egress-guard.js'
import type { GitProviderUnderTest } from '../../contracts/git-gateway.js'
import { GitHubFake } from './github-fake.js'
import { mergePull } from './github-review-routes.js'
import { READER } from '../reader.js'

const SECRET = 'ghp_aTokenThatNobodyMayEverSee0123456789'
/** Calls that fail transiently are repeated at once. */
export const AT_ONCE = { retryBaseMs: 1 } as const

export function githubUnderTest(): GitProviderUnderTest {
  return {
    name: 'github',
    capabilities: GIT_CAPABILITIES.github,
    isOverHttp: true,
    async start() {
      const fake = await new GitHubFake({ tokens: new Set([SECRET]) }).start()
      const client = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
      const open = (token: string, http: Pick<HttpClient, 'send'> = client, clock: () => number = Date.now): GitGateway =>
        openGitHub({ baseUrl: fake.baseUrl, organization: null, credentials: { kind: 'token', token } }, { http, reader: READER, clock }, AT_ONCE)
      const pullOf = (repository: string, number: number) => fake.repository(repository).pulls[number - 1]
      return {
        gateway: open(SECRET),
        createRepository: async () => fake.createRepository().fullName,
        push: async (repository, branch, ...commits) => fake.push(repository, branch, ...commits),
        createBranches: async (repository, names, commitSha) => {
          for (const name of names) fake.repository(repository).branches.set(name, commitSha)
        },
        modesOf: async (repository, commitSha) => {
          const { objects } = fake.repository(repository)
          return new Map([...objects.filesOf(objects.commits.get(commitSha)!.tree)].map(([path, { mode }]) => [path, mode]))
        },
        protectBranch: async (repository, branch) => void fake.repository(repository).protectedBranches.add(branch),
        reviews: {
          merge: async (repository, number) => mergePull(fake.repository(repository), number),
          close: async (repository, number) => void (pullOf(repository, number).state = 'closed'),
          bodyOf: async (repository, number) => pullOf(repository, number).body,
          comment: async (repository, number, body) =>
            void pullOf(repository, number).comments.push({ id: 1000 * number + pullOf(repository, number).comments.length + 1, body, login: 'octocat', type: 'User' }),
          commentsOf: async (repository, number) => pullOf(repository, number).comments.map(({ body }) => body),
          statusesOf: async (repository, commitSha) => {
            const latest = new Map(
              fake
                .repository(repository)
                .statuses.filter(({ sha }) => sha === commitSha)
                .map((status) => [status.context, status]),
            )
            return [...latest.values()].map(({ state, context, description, target_url }) => ({ state, context, description: description ?? '', url: target_url }))
          },
        },
        overHttp: { baseUrl: fake.baseUrl, open: (http, clock) => open(SECRET, http, clock), secret: SECRET, refused: open('ghp_refused') },
        close: async () => {
          client.close()
          await fake.close()
        },
      }
    },
  }
}
