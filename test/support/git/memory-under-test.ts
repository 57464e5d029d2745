/** The forge in memory, under the contract of Git gateways. */
import type { GitProviderUnderTest } from '../../contracts/git-gateway.js'
import { MemoryGit } from './memory-git.js'

export function memoryUnderTest(): GitProviderUnderTest {
  return {
    name: 'memory',
    capabilities: {
      supports_repository_listing: true,
      supports_branch_listing: true,
      supports_scan_discovery: true,
      supports_explicit_paths: true,
      supports_direct_publish: true,
      supports_review_publish: true,
      supports_app_auth: false,
      supports_webhook_sync: false,
      supports_pagination: false,
    },
    isOverHttp: false,
    async start() {
      const gateway = new MemoryGit()
      return {
        gateway,
        createRepository: async () => gateway.createRepository(),
        push: async (repository, branch, ...commits) => gateway.push(repository, branch, ...commits),
        createBranches: async (repository, names, commitSha) => names.forEach((name) => gateway.setBranch(repository, name, commitSha)),
        modesOf: async (repository, commitSha) => gateway.modesOf(repository, commitSha),
        protectBranch: async (repository, branch) => gateway.protectBranch(repository, branch),
        reviews: {
          merge: async (repository, number) => void gateway.mergeReview(repository, number),
          close: async (repository, number) => gateway.closeReview(repository, number),
          bodyOf: async (repository, number) => gateway.bodyOf(repository, number),
          commentsOf: async (repository, number) => gateway.commentsOf(repository, number),
          comment: async (repository, number, body) => gateway.comment(repository, number, body),
          statusesOf: async (repository, commitSha) => gateway.statusesOf(repository, commitSha),
        },
        overHttp: null,
        close: async () => {},
      }
    },
  }
}
