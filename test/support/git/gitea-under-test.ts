/** The gateway of Gitea, on the real forge, under the contract of Git gateways. */
import { randomUUID } from 'node:crypto'
import { GIT_CAPABILITIES } from '../../../server/features/connections/gateways/git/capabilities.js'
import { openGitea } from '../../../server/features/connections/gateways/git/gitea.js'
import { EgressGuard } from '../../../server/core/egress/egress-guard.js'
import { HttpClient } from '../../../server/core/egress/client.js'
import type { GitProviderUnderTest } from '../../contracts/git-gateway.js'
import { type Forge, type ForgeRepository, forgeForTests } from './forge.js'
import { READER } from '../reader.js'

export function giteaUnderTest(): GitProviderUnderTest {
  const forTests = forgeForTests()
  return {
    name: 'gitea',
    capabilities: GIT_CAPABILITIES.gitea,
    isOverHttp: true,
    skip: forTests.skip,
    async start() {
      const forge = await forTests.forge()
      const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
      const repositories = new Map<string, ForgeRepository>()
      let person: Promise<string> | undefined
      const open = (token: string, client: Pick<HttpClient, 'send'>, clock: () => number) =>
        openGitea({ baseUrl: forge.url, organization: null, credentials: { kind: 'token', token } }, { http: client, reader: READER, clock })
      return {
        gateway: open(forge.token, http, Date.now),
        async createRepository() {
          const repository = await forge.createRepository()
          repositories.set(repository.fullName, repository)
          return repository.fullName
        },
        push: (repository, branch, ...commits) => repositories.get(repository)!.push(branch, ...commits),
        createBranches: (repository, names, commitSha) => repositories.get(repository)!.createBranches(names, commitSha),
        modesOf: (repository, commitSha) => repositories.get(repository)!.modesOf(commitSha),
        protectBranch: (repository, branch) => forge.api('POST', `/repos/${repository}/branch_protections`, { rule_name: branch, enable_push: false }),
        reviews: {
          merge: (repository, number) => repositories.get(repository)!.mergePull(number),
          close: (repository, number) => repositories.get(repository)!.closePull(number),
          bodyOf: async (repository, number) => (await repositories.get(repository)!.pull(number)).body,
          async comment(repository, number, body) {
            person ??= createPerson(forge)
            await forge.api('PUT', `/repos/${repository}/collaborators/${await person}`, { permission: 'read' })
            await forge.api('POST', `/repos/${repository}/issues/${number}/comments?sudo=${await person}`, { body })
          },
          commentsOf: (repository, number) => repositories.get(repository)!.commentsOf(number),
          statusesOf: (repository, commitSha) => repositories.get(repository)!.statusesOf(commitSha),
        },
        overHttp: {
          baseUrl: forge.url,
          open: (client, clock) => open(forge.token, client, clock),
          secret: forge.token,
          refused: open('0123456789012345678901234567890123456789', http, Date.now),
        },
        close: async () => http.close(),
      }
    },
  }
}

/** Adds a user to the forge. @returns the name */
async function createPerson(forge: Forge): Promise<string> {
  const username = `person-${randomUUID()}`.slice(0, 40)
  const account = { username, email: `${username}@example.test`, password: randomUUID(), must_change_password: false }
  await forge.api('POST', '/admin/users', account)
  return username
}
