/** Git's objects in memory, with Git's ids: what a fake of a forge stores. */
import { MODES, objectId, type SeedCommit, seedBytes } from './seeds.js'

const TREE = '40000'
/** Commits follow each other by a second, so that their order is the same in every run. */
const FIRST_COMMIT_AT = Date.UTC(2026, 0, 1)

export interface TreeEntry {
  readonly mode: string
  readonly sha: string
}

export interface StoredCommit {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: string
  readonly at: Date
}

/** A blob; null: only its size is known, and reading it is an error of the test. */
export interface StoredBlob {
  readonly size: number
  readonly bytes: Buffer | null
}

export class GitObjects {
  readonly blobs = new Map<string, StoredBlob>()
  readonly commits = new Map<string, StoredCommit>()
  readonly #trees = new Map<string, ReadonlyMap<string, TreeEntry>>()
  #written = 0

  addBlob(bytes: Buffer): string {
    const sha = objectId('blob', bytes)
    this.blobs.set(sha, { size: bytes.length, bytes })
    return sha
  }

  /** Adds a blob that nobody may read. */
  declareBlob(size: number): string {
    const sha = objectId('blob', Buffer.from(`${size} bytes, number ${this.blobs.size}`))
    this.blobs.set(sha, { size, bytes: null })
    return sha
  }

  /** A folder's own entries, by name, in Git's order; undefined: there is no such tree. */
  tree(sha: string): ReadonlyMap<string, TreeEntry> | undefined {
    return this.#trees.get(sha)
  }

  isTree({ mode }: TreeEntry): boolean {
    return mode === TREE
  }

  /** Builds the trees of files. @returns the root's id */
  addFiles(files: ReadonlyMap<string, TreeEntry>): string {
    const own = new Map<string, TreeEntry>()
    const folders = new Map<string, Map<string, TreeEntry>>()
    for (const [path, entry] of files) {
      const slash = path.indexOf('/')
      if (slash === -1) {
        own.set(path, entry)
        continue
      }
      const folder = path.slice(0, slash)
      const inside = folders.get(folder) ?? new Map<string, TreeEntry>()
      inside.set(path.slice(slash + 1), entry)
      folders.set(folder, inside)
    }
    for (const [folder, inside] of folders) own.set(folder, { mode: TREE, sha: this.addFiles(inside) })
    return this.#addTree(own)
  }

  /** All files below a tree, by path. */
  filesOf(tree: string, prefix = ''): Map<string, TreeEntry> {
    const found = new Map<string, TreeEntry>()
    for (const [name, entry] of this.#trees.get(tree) ?? []) {
      if (!this.isTree(entry)) found.set(prefix + name, entry)
      else for (const [path, inside] of this.filesOf(entry.sha, `${prefix}${name}/`)) found.set(path, inside)
    }
    return found
  }

  addCommit(commit: Omit<StoredCommit, 'sha' | 'at'>): StoredCommit {
    const at = new Date(FIRST_COMMIT_AT + 1000 * this.#written++)
    const signature = `${commit.author} <${commit.author.toLowerCase()}@example.test> ${at.getTime() / 1000} +0000`
    const lines = [`tree ${commit.tree}`, ...commit.parents.map((parent) => `parent ${parent}`), `author ${signature}`, `committer ${signature}`, '', commit.message]
    const stored = { ...commit, at, sha: objectId('commit', Buffer.from(lines.join('\n'))) }
    this.commits.set(stored.sha, stored)
    return stored
  }

  /** Adds a commit of seeds to its parent; null: it has none. */
  addSeed(parent: string | null, { message = 'Change content', files }: SeedCommit): StoredCommit {
    const all = parent === null ? new Map<string, TreeEntry>() : this.filesOf(this.commits.get(parent)!.tree)
    for (const [path, file] of Object.entries(files)) {
      if (file === null) {
        all.delete(path)
        continue
      }
      const { mode, bytes } = seedBytes(file)
      all.set(path, { mode: MODES[mode], sha: mode === 'submodule' ? bytes.toString() : this.addBlob(bytes) })
    }
    return this.addCommit({ tree: this.addFiles(all), parents: parent === null ? [] : [parent], message, author: 'Mona' })
  }

  /** The commit and all that it is based on, the newest first. */
  history(sha: string): StoredCommit[] {
    const found = new Map<string, StoredCommit>()
    for (const open = [sha]; open.length > 0; ) {
      const commit = this.commits.get(open.pop()!)
      if (commit === undefined || found.has(commit.sha)) continue
      found.set(commit.sha, commit)
      open.push(...commit.parents)
    }
    return [...found.values()].sort((a, b) => b.at.getTime() - a.at.getTime())
  }

  /** Merges by file. @returns the tree; null: both sides changed a file differently */
  merge(source: string, target: string): string | null {
    const ancestors = new Set(this.history(target).map(({ sha }) => sha))
    const base = this.#filesAt(this.history(source).find(({ sha }) => ancestors.has(sha))?.sha)
    const [ours, theirs] = [this.#filesAt(source), this.#filesAt(target)]
    const merged = new Map(theirs)
    for (const path of new Set([...base.keys(), ...ours.keys()])) {
      const [was, mine, other] = [base, ours, theirs].map((files) => JSON.stringify(files.get(path) ?? null))
      if (mine === was || mine === other) continue
      if (other !== was) return null
      const entry = ours.get(path)
      if (entry === undefined) merged.delete(path)
      else merged.set(path, entry)
    }
    return this.addFiles(merged)
  }

  #filesAt(commit: string | undefined): Map<string, TreeEntry> {
    return commit === undefined ? new Map() : this.filesOf(this.commits.get(commit)!.tree)
  }

  #addTree(entries: ReadonlyMap<string, TreeEntry>): string {
    const inOrder = [...entries].sort(([a, { mode: modeA }], [b, { mode: modeB }]) =>
      Buffer.compare(Buffer.from(modeA === TREE ? `${a}/` : a), Buffer.from(modeB === TREE ? `${b}/` : b)),
    )
    const bytes = Buffer.concat(inOrder.flatMap(([name, { mode, sha }]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]))
    const sha = objectId('tree', bytes)
    this.#trees.set(sha, new Map(inOrder))
    return sha
  }
}
