/** Exit codes of the command line. */
export const EXIT = {
  /** Success. */
  fine: 0,
  /** The command ran and found errors: in content, a failed case, a line that cannot be read. */
  failed: 1,
  /** Wrong usage, or a missing file. */
  usage: 2,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
