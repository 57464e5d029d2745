/** Lists of as many files as a repository may have, without keeping an event loop: other work runs between parts of them. */
import type { GitFile } from './gateway.js'

/** Entries between two pauses: some milliseconds. */
const PART = 5_000

/** Yields the entries in parts, with a pause before each further one. */
export async function* inParts<T>(entries: readonly T[]): AsyncGenerator<readonly T[], void, undefined> {
  for (let at = 0; at < entries.length; at += PART) {
    if (at > 0) await pause()
    yield entries.slice(at, at + PART)
  }
}

/** Sorts files by path, as texts of JavaScript are. */
export async function sortedByPath(files: readonly GitFile[]): Promise<GitFile[]> {
  let runs: GitFile[][] = []
  for await (const part of inParts(files)) runs.push([...part].sort((a, b) => (a.path < b.path ? -1 : 1)))
  while (runs.length > 1) {
    const merged: GitFile[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(at + 1 < runs.length ? await merge(runs[at], runs[at + 1]) : runs[at])
    runs = merged
  }
  return runs[0] ?? []
}

async function merge(one: readonly GitFile[], other: readonly GitFile[]): Promise<GitFile[]> {
  const merged: GitFile[] = []
  for (let left = 0, right = 0; left + right < one.length + other.length; ) {
    const isLeft = right === other.length || (left < one.length && one[left].path <= other[right].path)
    merged.push(isLeft ? one[left++] : other[right++])
    if (merged.length % PART === 0) await pause()
  }
  return merged
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
