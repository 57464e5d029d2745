/** The content with which a replay compares its own, as the call names it. */
import type { SourceFile } from '#engine'
import { scopeOf } from '#in-thread'
import type { ReplayContent } from '#workers'
import { isWholeRuleset, readCompared } from '../input/compared-content.js'
import { GitRepository } from '../input/git-files.js'
import { NO_BASE } from '../ruleset-source.js'

/**
 * A whole ruleset replaces the base, and other content in that of the own content; `none` means that there was no own content.
 * @param name a folder, a file, or `REV:path` of a Git repository
 * @throws UsageError when there is nothing at the place
 */
export async function readOther(name: string, own: ReplayContent, env: Readonly<Record<string, string | undefined>>): Promise<ReplayContent> {
  if (name === NO_BASE) return { defaults: own.defaults, custom: [] }
  const { files } = await readCompared(name, new GitRepository(env))
  return isWholeRuleset(files) ? { defaults: asBase(files, own.defaults), custom: own.custom } : { defaults: own.defaults, custom: files }
}

/** Files as those of a base. Those that are the same in the other base are the same objects, so that a thread compiles them once. */
function asBase(files: readonly SourceFile[], other: readonly SourceFile[]): SourceFile[] {
  const known = new Map(other.map((file) => [`${file.kind} ${file.filename}`, file]))
  return files.map((file) => {
    const same = known.get(`${file.kind} ${file.filename}`)
    return same !== undefined && same.content === file.content ? same : { ...file, scope: scopeOf(file.filename, 'default') }
  })
}
