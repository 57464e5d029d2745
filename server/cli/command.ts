/** What a subcommand is: how it is called, and what it does with what the process gave it. */
import type { Readable, Writable } from 'node:stream'
import type { Locale } from '#engine'
import type { Arguments, OptionTable } from './arguments.js'
import type { ExitCode } from './exit-codes.js'
import type { Output } from './terminal/output.js'
import type { Palette } from './terminal/palette.js'

/** What the process brings; tests bring their own. */
export interface Surroundings {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
}

export interface CommandContext {
  readonly args: Arguments
  readonly stdin: Readable
  readonly stdout: Output
  readonly stderr: Output
  /** Colours for each stream: they only do something where the reader is a terminal, or they were asked for. */
  readonly paint: Palette
  readonly paintErrors: Palette
  readonly locale: Locale
  readonly isTTY: Surroundings['isTTY']
  readonly env: Surroundings['env']
}

export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** What stands behind the name in a call. */
  readonly usage: readonly string[]
  /** Paragraphs for `--help`. */
  readonly description: readonly string[]
  readonly options: OptionTable
  readonly examples: readonly { readonly line: string; readonly meaning: string }[]
  run(context: CommandContext): Promise<ExitCode>
}
