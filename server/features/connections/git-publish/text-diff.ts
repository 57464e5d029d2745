/** The text difference of changed files, for people. It is computed on the main thread, so its work is bounded. */

/** Lines that differ. A larger difference is not read by people, and its computation is quadratic in them. */
const EDITS_LIMIT = 2000
const TIME_LIMIT_MS = 250
/** Characters of the difference of one file, and of all files. */
const FILE_CHARACTERS = 60_000
const TOTAL_CHARACTERS = 500_000
const CONTEXT_LINES = 3

export interface TextChange {
  readonly path: string
  /** Null: the file does not exist. */
  readonly before: string | null
  readonly after: string | null
}

export interface FileDifference {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  /** Unified format; null: the difference is too large. */
  readonly diff: string | null
}

export async function textDifferences(changes: readonly TextChange[]): Promise<FileDifference[]> {
  // Most processes never compare files for people.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  let left = TOTAL_CHARACTERS
  const deadline = performance.now() + TIME_LIMIT_MS
  return changes.map(({ path, before, after }) => {
    const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
    const timeout = Math.floor(deadline - performance.now())
    const options = { context: CONTEXT_LINES, maxEditLength: EDITS_LIMIT, timeout, headerOptions: FILE_HEADERS_ONLY }
    const patch =
      timeout <= 0
        ? undefined
        : createTwoFilesPatch(before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`, before ?? '', after ?? '', '', '', options)
    const diff = patch === undefined || patch.length > Math.min(FILE_CHARACTERS, left) ? null : patch
    left -= diff?.length ?? 0
    return { path, change, diff }
  })
}
