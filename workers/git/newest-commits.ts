/** The newest commits of a pack, from a head. */
import { type CommitObject, parseCommit } from './objects.js'
import type { Pack } from './pack.js'

/** A commit as it crosses threads. */
export interface ListedCommit extends Pick<CommitObject, 'message' | 'authorName'> {
  readonly sha: string
  /** Milliseconds since the epoch. */
  readonly authoredAt: number
}

/** Returns commits from a head, each before its parents, the newest of them first. @throws MalformedGitError, PackTooLargeError */
export function newestCommits(pack: Pack, head: string, limit: number): ListedCommit[] {
  const commits: ListedCommit[] = []
  const seen = new Set([head])
  const read = (sha: string) => ({ sha, ...parseCommit(pack.get(sha).bytes) })
  const open = [read(head)]
  while (open.length > 0 && commits.length < limit) {
    open.sort((a, b) => b.authoredAt.getTime() - a.authoredAt.getTime())
    const { sha, message, authorName, authoredAt, parents } = open.shift()!
    commits.push({ sha, message, authorName, authoredAt: authoredAt.getTime() })
    for (const parent of parents) {
      // The pack ends at the depth that was fetched.
      if (seen.has(parent) || pack.describe(parent) === undefined) continue
      seen.add(parent)
      open.push(read(parent))
    }
  }
  return commits
}
