/** A service with a forge in memory, and a binding of a project to a repository there. */
import assert from 'node:assert/strict'
import type { GatewayOpeners } from '../../../server/features/connections/integrations/service.js'
import type { Actor } from '../actors.js'
import { createProject } from '../projects.js'
import type { MemoryGit } from './memory-git.js'
import type { SeedFile } from './seeds.js'

export interface BindingRecord {
  readonly id: string
  readonly project_id: string
  readonly integration_id: string
  readonly webhook_secret: string
  readonly webhook_url: string
  readonly synced_commit_sha: string | null
  readonly review: { readonly number: number } | null
  readonly discovered: Readonly<Record<string, number>> | null
}

/** Gateways of every integration are that forge. */
export function openersOf(git: MemoryGit): GatewayOpeners {
  return {
    git: () => git,
    ci: () => {
      throw new Error('the test starts no pipeline')
    },
  }
}

export const bindingsOf = ({ organizationId }: Pick<Actor, 'organizationId'>): string => `/platform/organizations/${organizationId}/git-bindings`

export async function createGitIntegration(actor: Actor, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await actor.client.post<{ id: string }>(`/platform/organizations/${actor.organizationId}/integrations`, {
    name: 'Forge',
    kind: 'git',
    provider: 'gitea',
    settings: { base_url: 'https://git.example.test' },
    credentials: { token: 'token-of-the-forge' },
    ...fields,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.id
}

export async function createBinding(actor: Actor, repository: string, fields: Readonly<Record<string, unknown>> = {}): Promise<BindingRecord> {
  const answer = await actor.client.post<BindingRecord>(bindingsOf(actor), {
    project_id: fields.project_id ?? (await createProject(actor)).id,
    integration_id: fields.integration_id ?? (await createGitIntegration(actor)),
    repository,
    branch: 'main',
    rules_path: 'rules',
    decoders_path: 'decoders',
    publish_strategy: 'direct',
    ...fields,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** A repository with these files on `main`, and its binding. */
export async function bound(actor: Actor, git: MemoryGit, files: Readonly<Record<string, SeedFile>>, fields: Readonly<Record<string, unknown>> = {}) {
  const repository = git.createRepository()
  const [head] = git.push(repository, 'main', { files })
  const binding = await createBinding(actor, repository, fields)
  return { repository, head, binding, url: `${bindingsOf(actor)}/${binding.id}` }
}
