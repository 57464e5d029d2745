/** Where a merge finds the lists of a binding, and where it writes items that no file has. */
import type { MergeRequest } from '#workers'
import { LIST_PREFIX, listFolder } from './read-repository.js'
import type { RepositoryPaths } from './store.js'

/** @param slug of the project, for the names of new files @param files at the head */
export function mergePlaces(
  { rules_path, decoders_path, lists_path }: RepositoryPaths,
  slug: string,
  files: readonly { readonly path: string }[],
): Pick<MergeRequest, 'newItems' | 'lists'> {
  const isFile = (path: string): boolean => files.some((file) => file.path === path)
  const fileIn = (path: string, name: string): string => (path.endsWith('.xml') || isFile(path) ? path : path === '' ? name : `${path}/${name}`)
  return {
    newItems: {
      rules: fileIn(rules_path, `${slug}_rules.xml`),
      decoders: fileIn(decoders_path, `${slug}_decoders.xml`),
      // A binding to one list does not own the folder around it.
      listsFolder: lists_path === null || isFile(lists_path) ? null : lists_path,
    },
    lists: lists_path === null ? null : { folder: listFolder(lists_path, files), prefix: LIST_PREFIX },
  }
}
