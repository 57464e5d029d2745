/** Limits of what is read of repositories, on both sides of a message. */

/** Entries of a repository's tree. GitHub's API returns at most this number at once. */
export const TREE_LIMIT = 100_000
/** Characters of all paths of a tree: 300 for each entry of the largest one. Few entries with long paths would take the memory of the process. */
export const PATHS_CHARACTERS = 300 * TREE_LIMIT
/** Bytes of a file that is read. The contents of a project have less (`server/content/shared/content.ts`). */
export const FILE_BYTES = 4 * 1024 * 1024
/** Bytes of a commit that is read. Real ones have some hundred; signatures and merged tags make some thousand. */
export const COMMIT_BYTES = 1024 * 1024
/** Entries of one tree that are read, folders included: as many as a whole listing may have. */
export const ENTRIES_LIMIT = 2 * TREE_LIMIT
/** Branches that are listed. */
export const BRANCHES_LIMIT = 10_000
/** Objects of a pack: three for each entry of the largest tree that is listed. */
export const OBJECTS_LIMIT = 300_000
/** Bytes of one object. A larger blob than `FILE_BYTES` is skipped, so that an accidental large file does not prevent the others from being read; it is inflated in some 100 ms. */
export const OBJECT_BYTES = 64 * 1024 * 1024
/** Bytes that are inflated or copied to read a pack, a second of work. A real pack of 42 MB had 113 MB. */
export const WORK_BYTES = 512 * 1024 * 1024
/** The same for all that is read of a pack afterwards, in some hundred calls that follow chains of deltas again. */
export const READ_WORK_BYTES = 2 * WORK_BYTES
