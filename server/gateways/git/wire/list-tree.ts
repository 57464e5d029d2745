/** The files of a commit in a pack. The trees may be hostile: a few small ones can contain each other so that they name billions of files. */
import { ProviderError } from '../../provider-error.js'
import { type GitFile, PATHS_CHARACTERS, TREE_LIMIT } from '../gateway.js'
import { FOLDER_MODE, parseCommit, parseTree } from './objects.js'
import type { Pack } from './pack.js'

const KINDS: Readonly<Record<string, GitFile['kind']>> = { 120000: 'symlink', 160000: 'submodule' }

/** Entries between two pauses, which let other work of the thread run: some 10 ms. */
const ENTRIES_AT_ONCE = 5_000

/** @throws MalformedGitError, PackTooLargeError; ProviderError too_large above `TREE_LIMIT` */
export async function listTree(pack: Pack, commitSha: string, provider: string): Promise<GitFile[]> {
  const files: GitFile[] = []
  const folders = [{ path: '', id: parseCommit(pack.get(commitSha).bytes).tree }]
  let entries = 0
  let characters = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { mode, name, id } of parseTree(pack.get(folder.id).bytes)) {
      const path = folder.path + Buffer.from(name, 'latin1').toString('utf8')
      characters += path.length
      if (entries % ENTRIES_AT_ONCE === 0) await new Promise(setImmediate)
      if (++entries > 2 * TREE_LIMIT || files.length === TREE_LIMIT || characters > PATHS_CHARACTERS) {
        throw new ProviderError('too_large', { provider, details: { limit: TREE_LIMIT } })
      }
      if (mode === FOLDER_MODE) folders.push({ path: `${path}/`, id })
      else files.push({ path, kind: KINDS[mode] ?? 'file', blobSha: id, size: pack.describe(id)?.size ?? null })
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}
