/** The contract of Git gateways, on every provider. */
import type { GitProvider } from '../../../../../../server/features/connections/gateways/providers.js'
import { type GitProviderUnderTest, gitGatewayContract } from '../../../../../contracts/git-gateway.js'
import { githubUnderTest } from '../../../../../support/git/github-under-test.js'
import { giteaUnderTest } from '../../../../../support/git/gitea-under-test.js'
import { gitlabUnderTest } from '../../../../../support/git/gitlab-under-test.js'
import { memoryUnderTest } from '../../../../../support/git/memory-under-test.js'
import { plainUnderTest } from '../../../../../support/git/plain-under-test.js'

const UNDER_TEST: Readonly<Record<GitProvider | 'memory', () => GitProviderUnderTest>> = {
  memory: memoryUnderTest,
  github: githubUnderTest,
  gitlab: gitlabUnderTest,
  gitea: giteaUnderTest,
  git: plainUnderTest,
}

for (const open of Object.values(UNDER_TEST)) gitGatewayContract(open())
