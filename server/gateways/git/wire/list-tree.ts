/** The files of a commit in a pack. The trees may be hostile: a few small ones can contain each other so that they name billions of files. */
import { ProviderError } from '../../provider-error.js'
import { type GitFile, PATHS_CHARACTERS, TREE_LIMIT } from '../gateway.js'
import { FOLDER_MODE, parseCommit, parseTree } from './objects.js'
import type { Pack } from './pack.js'

const KINDS: Readonly<Record<string, GitFile['kind']>> = { 120000: 'symlink', 160000: 'submodule' }

/** @throws MalformedGitError, PackTooLargeError; ProviderError too_large above `TREE_LIMIT` */
export function listTree(pack: Pack, commitSha: string, provider: string): GitFile[] {
  const files: GitFile[] = []
  const folders = [{ path: '', id: parseCommit(pack.get(commitSha).bytes).tree }]
  let entries = 0
  let characters = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { mode, name, id } of parseTree(pack.get(folder.id).bytes)) {
      const path = folder.path + Buffer.from(name, 'latin1').toString('utf8')
      characters += path.length
      if (++entries > 2 * TREE_LIMIT || files.length === TREE_LIMIT || characters > PATHS_CHARACTERS) {
        throw new ProviderError('too_large', { provider, details: { limit: TREE_LIMIT } })
      }
      if (mode === FOLDER_MODE) folders.push({ path: `${path}/`, id })
      else files.push({ path, kind: KINDS[mode] ?? 'file', blobSha: id, size: pack.describe(id)?.size ?? null })
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}
