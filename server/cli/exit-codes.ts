/** What the command tells its caller by its exit code. */
export const EXIT = {
  /** Everything is as it should be. */
  fine: 0,
  /** It ran, and found something wrong: errors in content, a failed case, a line that can't be read. */
  failed: 1,
  /** It was called wrongly, or what it was pointed at isn't there. */
  usage: 2,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
