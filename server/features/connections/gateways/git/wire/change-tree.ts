/** The trees of a new commit: those of its parent, with changed files. Only folders with changes are read. */
import { ProviderError } from '../../../../../core/egress/provider-error.js'
import type { FileChange } from '../gateway.js'
import { FILE_MODE, FOLDER_MODE, type NamedObject, named, type TreeEntry, treeObject } from '#git'

const SUBMODULE_MODE = '160000'
/** Entries of a folder in which files are changed: its new tree is sorted and hashed on the event loop, in some ten milliseconds. */
export const FOLDER_ENTRIES = 10_000

/** Reads the entries of a tree. */
export type ReadTree = (id: string) => Promise<readonly TreeEntry[]>

export interface ChangedTree {
  readonly rootId: string
  /** The new blobs and trees. */
  readonly objects: readonly NamedObject[]
}

/** What is changed below a folder. */
interface FolderChange {
  readonly files: Map<string, FileChange>
  readonly folders: Map<string, FolderChange>
}

/** @param rootId tree of the parent commit @throws ProviderError head_moved if a file is not the one that the caller has seen; refused for an impossible path */
export async function changeTree(rootId: string, changes: readonly FileChange[], readTree: ReadTree, provider: string): Promise<ChangedTree> {
  const objects = new Map<string, NamedObject>()
  const add = (object: NamedObject): string => {
    objects.set(object.id, object)
    return object.id
  }

  const changeFolder = async (treeId: string | null, { files, folders }: FolderChange): Promise<TreeEntry[]> => {
    const entries = new Map((treeId === null ? [] : await readTree(treeId)).map((entry) => [entry.name, entry]))
    for (const [name, { content, blobSha }] of files) {
      const entry = entries.get(name)
      if (entry?.mode === FOLDER_MODE || entry?.mode === SUBMODULE_MODE) throw impossible(provider)
      if ((entry?.id ?? null) !== blobSha) throw new ProviderError('head_moved', { provider })
      if (content === null) entries.delete(name)
      else entries.set(name, { mode: entry?.mode ?? FILE_MODE, name, id: add(named('blob', Buffer.from(content))) })
    }
    for (const [name, change] of folders) {
      const entry = entries.get(name)
      if (entry !== undefined && entry.mode !== FOLDER_MODE) throw impossible(provider)
      const changed = await changeFolder(entry?.id ?? null, change)
      // Git has no empty folders.
      if (changed.length === 0) entries.delete(name)
      else entries.set(name, { mode: FOLDER_MODE, name, id: add(treeObject(changed)) })
    }
    return [...entries.values()]
  }

  const root = await changeFolder(rootId, folderChangeOf(changes, provider))
  return { rootId: add(treeObject(root)), objects: [...objects.values()] }
}

function folderChangeOf(changes: readonly FileChange[], provider: string): FolderChange {
  const root: FolderChange = { files: new Map(), folders: new Map() }
  for (const change of changes) {
    // Names are bytes, as in trees.
    const parts = change.path.split('/').map((part) => Buffer.from(part, 'utf8').toString('latin1'))
    if (parts.some((part) => /^\.{0,2}$|^\.git$/i.test(part) || part.includes('\0'))) throw impossible(provider)
    let folder = root
    for (const part of parts.slice(0, -1)) {
      const inner: FolderChange = folder.folders.get(part) ?? { files: new Map(), folders: new Map() }
      folder.folders.set(part, inner)
      folder = inner
    }
    folder.files.set(parts.at(-1)!, change)
  }
  return root
}

function impossible(provider: string): ProviderError {
  return new ProviderError('refused', { provider, details: { status: null, provider_message: 'the path of a changed file is not possible in this repository' } })
}
