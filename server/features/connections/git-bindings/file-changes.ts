/** How the files of two commits differ. A file is renamed if another path has its blob, or most of its rules or decoders. */
import type { SourceFileEntry } from '../../../content/shared/content.js'

type File = Pick<SourceFileEntry, 'path' | 'kind' | 'sha' | 'rule_ids' | 'decoder_names'>

export interface FileChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
}

/** Part of a removed file's names that another file must have, to be the same file under another path. */
const MOST = 0.5

/** The paths are sorted as the files are. */
export function compareFiles(before: readonly File[], after: readonly File[]): FileChanges {
  const earlier = new Map(before.map((file) => [file.path, file]))
  const later = new Map(after.map((file) => [file.path, file]))
  const removed = before.filter(({ path }) => !later.has(path))
  const added = after.filter(({ path }) => !earlier.has(path))
  const targets = renameTargets(removed, added)
  const taken = new Set(targets.values())
  return {
    added: added.flatMap(({ path }) => (taken.has(path) ? [] : [path])),
    removed: removed.flatMap(({ path }) => (targets.has(path) ? [] : [path])),
    changed: after.flatMap(({ path, sha }) => (earlier.has(path) && earlier.get(path)?.sha !== sha ? [path] : [])),
    renamed: [...targets].map(([from, to]) => ({ from, to })),
  }
}

/** Returns the new path of each file that was renamed. Each new path is used once. */
function renameTargets(removed: readonly File[], added: readonly File[]): Map<string, string> {
  const targets = new Map<string, string>()
  const free = new Set(added.map(({ path }) => path))
  const take = (from: string, to: string | undefined): void => {
    if (to !== undefined && free.delete(to)) targets.set(from, to)
  }
  const byBlob = new Map(added.map(({ path, kind, sha }) => [`${kind} ${sha}`, path]))
  for (const { path, kind, sha } of removed) take(path, byBlob.get(`${kind} ${sha}`))
  const byName = ownersOf(added)
  for (const file of removed) {
    if (targets.has(file.path)) continue
    const names = namesOf(file)
    const counts = new Map<string, number>()
    for (const name of names) {
      const to = byName.get(name)
      if (typeof to === 'string' && free.has(to)) counts.set(to, (counts.get(to) ?? 0) + 1)
    }
    const [best] = [...counts].sort(([, one], [, other]) => other - one)
    if (best !== undefined && best[1] > names.length * MOST) take(file.path, best[0])
  }
  return targets
}

function namesOf({ kind, rule_ids, decoder_names }: File): string[] {
  return [...(kind === 'rules' ? rule_ids : kind === 'decoders' ? decoder_names : [])].map((name) => `${kind} ${name}`)
}

/** Returns the file of each name. Null: several files have it, so that it says nothing, and hostile files with the same names cost no more than others. */
function ownersOf(files: readonly File[]): Map<string, string | null> {
  const owners = new Map<string, string | null>()
  for (const file of files) for (const name of namesOf(file)) owners.set(name, owners.has(name) ? null : file.path)
  return owners
}
