/** Merges lists. A list is one item: its lines have no order and no comments, but its file has, so that it is replaced as a whole. */
import { listPathOf, listsOf, plainText, writtenLike } from './compose.js'
import type { KindMerge, Resolutions } from './kind-merge.js'
import type { MergeChange, MergeConflict, MergeRequest } from './merge-request.js'

/** `homeless`: names of lists of ours that have no path in the repository. */
export function mergeLists({ base, ours, theirs, newItems, lists }: MergeRequest, resolutions: Resolutions): KindMerge & { readonly homeless: ReadonlySet<string> } {
  const contents = new Map<string, string | null>()
  const conflicts: MergeConflict[] = []
  const changes: MergeChange[] = []
  const homeless = new Set<string>()
  const before = listsOf(base, lists)
  const head = listsOf(theirs, lists)
  const taken = new Set(theirs.flatMap((file) => (file.kind === 'lists' ? [] : [file.path])))
  const edited = new Map(ours.lists.map(({ name, content }) => [name, content]))
  for (const name of new Set([...head.keys(), ...edited.keys(), ...before.keys()])) {
    const old = before.get(name)?.content ?? null
    const our = edited.get(name) ?? null
    const file = head.get(name)
    const their = file?.content ?? null
    if (isSame(our, their) || isSame(our, old)) continue
    const take = isSame(their, old) ? 'ours' : resolutions.get(`list ${name}`)
    if (take === undefined) conflicts.push({ kind: 'list', name, path: file?.path ?? before.get(name)?.path ?? null, base: old, ours: our, theirs: their })
    else if (take === 'ours') {
      const folder = newItems.listsFolder
      const path = file?.path ?? (lists === null || folder === null ? null : listPathOf(name, { folder, prefix: lists.prefix }))
      if (path === null || taken.has(path)) homeless.add(name)
      else {
        contents.set(path, our === null ? null : writtenLike(our, their ?? ''))
        changes.push({ kind: 'list', name, change: our === null ? 'removed' : their === null ? 'added' : 'changed', path })
      }
    }
  }
  return { contents, conflicts, changes, homeless }
}

function isSame(left: string | null, right: string | null): boolean {
  return left === right || (left !== null && right !== null && plainText(left) === plainText(right))
}
