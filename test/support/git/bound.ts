/** A project that is bound to a repository of a forge in memory. */
import { repositoryFiles, settingBase } from '../../../server/content/shared/git-base.js'
import type { ProjectRecord } from '../../../server/content/projects/schema.js'
import { readRepository } from '../../../server/features/connections/git-bindings/read-repository.js'
import type { Actor } from '../actors.js'
import { startTestApp, type TestApp, type TestAppOptions } from '../app.js'
import { createProject } from '../projects.js'
import { scopeOf } from '../stored-cases.js'
import { bound, openersOf } from './bindings.js'
import { MemoryGit } from './memory-git.js'
import type { SeedFile } from './seeds.js'

export { repositoryFiles }

/** A service whose Git integrations all open this forge. */
export async function startWithForge(options: TestAppOptions = {}): Promise<{ app: TestApp; forge: MemoryGit }> {
  const forge = new MemoryGit()
  return { app: await startTestApp({ ...options, env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true', ...options.env }, openers: openersOf(forge) }), forge }
}

export interface Bound {
  readonly project: ProjectRecord
  readonly bindingId: string
  readonly integrationId: string
  readonly repository: string
  /** Below the interface. */
  readonly path: string
  /** Files at the head of a branch. */
  textsOf(branch?: string): Record<string, string>
}

export const PATHS = { rules_path: 'rules', decoders_path: 'decoders', lists_path: 'lists' } as const

/** Creates a repository with these files, a project with this content, and a binding of both. */
export async function bind(
  { forge, admin }: { readonly forge: MemoryGit; readonly admin: Actor },
  files: Readonly<Record<string, SeedFile>>,
  content: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Bound> {
  const project = await createProject(admin, content)
  const { repository, binding, url } = await bound(admin, forge, files, { project_id: project.id, ...PATHS, ...fields })
  return { project, bindingId: binding.id, integrationId: binding.integration_id, repository, path: url, textsOf: (branch = 'main') => forge.textsOf(repository, branch) }
}

/** Makes the head of `main` the base of the binding, as an import and the publication of its version do. */
export async function setBaseToHead(app: TestApp, admin: Actor, forge: MemoryGit, { bindingId, project, repository }: Bound): Promise<void> {
  const scope = scopeOf(app, admin)
  const signal = new AbortController().signal
  const { commitSha } = await forge.getBranch(repository, 'main', signal)
  const { files } = await readRepository(forge, { repository, commitSha, paths: PATHS, provider: 'git' }, signal)
  await scope.commit(settingBase(scope, { bindingId, projectId: project.id, commitSha, files, origin: null }, new Date()))
}
