/** The files of a commit in a pack. The trees may be hostile: a few small ones can contain each other so that they name billions of files. */
import { PATHS_CHARACTERS, TREE_LIMIT } from './limits.js'
import { FOLDER_MODE, PackTooLargeError, parseCommit, parseTree } from './objects.js'
import type { Pack } from './pack.js'

/** An entry of a commit's tree. Directories are not entries. */
export interface GitFile {
  /** From the root of the repository, with `/`. The provider chooses it: it may have any characters, `..` included. */
  readonly path: string
  readonly kind: 'file' | 'symlink' | 'submodule'
  /** Git's id of the blob. */
  readonly blobSha: string
  /** Bytes; null: the provider does not say before the file is read. */
  readonly size: number | null
}

const KINDS: Readonly<Record<string, GitFile['kind']>> = { 120000: 'symlink', 160000: 'submodule' }

/** @throws MalformedGitError; PackTooLargeError above `TREE_LIMIT` and the limits of a pack */
export function listTree(pack: Pack, commitSha: string): GitFile[] {
  const files: GitFile[] = []
  const folders = [{ path: '', id: parseCommit(pack.get(commitSha).bytes).tree }]
  let entries = 0
  let characters = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { mode, name, id } of parseTree(pack.get(folder.id).bytes)) {
      const path = folder.path + Buffer.from(name, 'latin1').toString('utf8')
      characters += path.length
      if (++entries > 2 * TREE_LIMIT || files.length === TREE_LIMIT || characters > PATHS_CHARACTERS) throw new PackTooLargeError(TREE_LIMIT)
      if (mode === FOLDER_MODE) folders.push({ path: `${path}/`, id })
      else files.push({ path, kind: KINDS[mode] ?? 'file', blobSha: id, size: pack.describe(id)?.size ?? null })
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}
