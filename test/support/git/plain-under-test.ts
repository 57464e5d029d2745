/** The gateway of plain Git, on `git http-backend`, under the contract of Git gateways. */
import { GIT_CAPABILITIES } from '../../../server/features/connections/gateways/git/capabilities.js'
import { openPlainGit } from '../../../server/features/connections/gateways/git/git.js'
import { EgressGuard } from '../../../server/core/egress/egress-guard.js'
import { HttpClient } from '../../../server/core/egress/client.js'
import type { GitProviderUnderTest } from '../../contracts/git-gateway.js'
import { type BareRepository, skipWithoutGit } from './git-binary.js'
import { startGitServer } from './http-backend.js'
import { READER } from '../reader.js'

export function plainUnderTest(): GitProviderUnderTest {
  return {
    name: 'git',
    capabilities: GIT_CAPABILITIES.git,
    isOverHttp: true,
    skip: skipWithoutGit(),
    async start() {
      const server = await startGitServer()
      const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
      const repositories = new Map<string, BareRepository>()
      const open = (password: string, client: Pick<HttpClient, 'send'>, clock: () => number) =>
        openPlainGit({ baseUrl: server.url, organization: null, credentials: { kind: 'token', token: password } }, { http: client, reader: READER, clock })
      return {
        gateway: open(server.password, http, Date.now),
        async createRepository() {
          const name = `team/content-${repositories.size + 1}`
          repositories.set(name, server.create(name))
          return name
        },
        push: (repository, branch, ...commits) => repositories.get(repository)!.push(branch, ...commits),
        createBranches: (repository, names, commitSha) => repositories.get(repository)!.createBranches(names, commitSha),
        modesOf: (repository, commitSha) => repositories.get(repository)!.modesOf(commitSha),
        protectBranch: null,
        reviews: null,
        overHttp: {
          baseUrl: server.url,
          open: (client, clock) => open(server.password, client, clock),
          secret: server.password,
          refused: open('another', http, Date.now),
        },
        async close() {
          http.close()
          await server.close()
        },
      }
    },
  }
}
