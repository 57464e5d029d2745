/** Projects of the GitLab fake: commits, branches, merge requests, notes and statuses in memory, with Git's own ids of blobs. */
import { MODES, objectId, type SeedBytes, type SeedCommit, seedBytes } from './seeds.js'

export interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly message: string
  readonly at: Date
  readonly files: ReadonlyMap<string, SeedBytes>
}

export interface MergeRequest {
  readonly iid: number
  readonly sourceBranch: string
  readonly targetBranch: string
  title: string
  description: string
  state: 'opened' | 'closed' | 'merged'
  sha: string
  mergeSha: string | null
  /** GitLab compares the branches after the first look at them. */
  isChecked: boolean
  readonly notes: Note[]
}

export interface Note {
  readonly id: number
  readonly authorId: number
  readonly system: boolean
  body: string
}

export interface Status {
  readonly name: string
  state: string
  description: string
  targetUrl: string | null
}

export interface Project {
  readonly id: number
  readonly path: string
  readonly commits: Map<string, Commit>
  readonly branches: Map<string, string>
  readonly protectedBranches: Set<string>
  readonly mergeRequests: MergeRequest[]
  readonly statuses: Map<string, Status[]>
}

export function newProject(id: number, path: string): Project {
  return { id, path, commits: new Map(), branches: new Map(), protectedBranches: new Set(), mergeRequests: [], statuses: new Map() }
}

let written = 0

export function addCommit(project: Project, commit: Omit<Commit, 'sha' | 'at'>): Commit {
  const added = { ...commit, at: new Date(), sha: objectId('commit', Buffer.from(`${(written += 1)} ${commit.parents.join(' ')} ${commit.message}`)) }
  project.commits.set(added.sha, added)
  return added
}

/** Adds a commit to a branch, which is created without a parent if it does not exist. */
export function push(project: Project, branch: string, { message = 'Change content', files: changes }: SeedCommit): Commit {
  const parent = project.branches.get(branch)
  const files = new Map(parent === undefined ? [] : project.commits.get(parent)!.files)
  for (const [path, file] of Object.entries(changes)) {
    if (file === null) files.delete(path)
    else files.set(path, seedBytes(file))
  }
  const added = addCommit(project, { parents: parent === undefined ? [] : [parent], message, files })
  project.branches.set(branch, added.sha)
  return added
}

/** The commit and all that it is based on, the nearest first. */
export function ancestorsOf({ commits }: Project, sha: string): Commit[] {
  const found = new Map<string, Commit>()
  const open = [sha]
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const commit = commits.get(next)
    if (commit === undefined || found.has(next)) continue
    found.set(next, commit)
    open.push(...commit.parents)
  }
  return [...found.values()]
}

/** The commits of a branch as GitLab lists them, the newest first. */
export function historyOf(project: Project, sha: string): Commit[] {
  const order = [...project.commits.keys()]
  return ancestorsOf(project, sha).sort((a, b) => order.indexOf(b.sha) - order.indexOf(a.sha))
}

/** The last commit that changed a file. */
export function lastCommitOf(project: Project, sha: string, path: string): Commit {
  return historyOf(project, sha).find(({ files, parents }) => !parents.some((parent) => isSame(project.commits.get(parent)?.files.get(path), files.get(path))))!
}

export function hasConflicts(project: Project, { sha, targetBranch }: MergeRequest): boolean {
  const [source, target] = [project.commits.get(sha)!, project.commits.get(project.branches.get(targetBranch)!)!]
  const base = baseOf(project, source, target)
  const theirs = changedPaths(base, target)
  return [...changedPaths(base, source)].some((path) => theirs.has(path) && !isSame(source.files.get(path), target.files.get(path)))
}

/** Merges by a merge commit. */
export function merge(project: Project, request: MergeRequest): void {
  const source = project.commits.get(project.branches.get(request.sourceBranch)!)!
  const target = project.commits.get(project.branches.get(request.targetBranch)!)!
  const files = new Map(target.files)
  for (const path of changedPaths(baseOf(project, source, target), source)) {
    const file = source.files.get(path)
    if (file === undefined) files.delete(path)
    else files.set(path, file)
  }
  const { sha } = addCommit(project, { parents: [target.sha, source.sha], message: `Merge branch '${request.sourceBranch}'`, files })
  project.branches.set(request.targetBranch, sha)
  Object.assign(request, { state: 'merged', mergeSha: sha, sha: source.sha })
}

export interface Entry {
  readonly id: string
  readonly mode: string
}

/** Each request looks for a blob among all: hashing them again would take the square of their number. */
const entries = new WeakMap<SeedBytes, Entry>()

/** Id and mode of a tree's entry. */
export function entryOf(file: SeedBytes): Entry {
  let entry = entries.get(file)
  if (entry === undefined) {
    const { mode, bytes } = file
    entry = { id: mode === 'submodule' ? bytes.toString() : objectId('blob', bytes), mode: MODES[mode] }
    entries.set(file, entry)
  }
  return entry
}

function baseOf(project: Project, one: Commit, other: Commit): Commit | undefined {
  const shas = new Set(ancestorsOf(project, other.sha).map(({ sha }) => sha))
  return ancestorsOf(project, one.sha).find(({ sha }) => shas.has(sha))
}

function changedPaths(base: Commit | undefined, commit: Commit): Set<string> {
  const before = base?.files ?? new Map<string, SeedBytes>()
  return new Set([...before.keys(), ...commit.files.keys()].filter((path) => !isSame(before.get(path), commit.files.get(path))))
}

function isSame(one: SeedBytes | undefined, other: SeedBytes | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.mode === other.mode && one.bytes.equals(other.bytes)
}
