/** The contract of a subcommand, and its context. */
import type { Readable, Writable } from 'node:stream'
import type { Locale } from '#engine'
import type { Arguments, OptionSpec } from './arguments.js'
import type { ExitCode } from './exit-codes.js'
import type { CommandWords, SharedOptions } from './help.js'
import type { Output } from './terminal/output.js'
import type { Palette } from './terminal/palette.js'

/** Streams and environment of the process; tests pass their own. */
export interface ProcessIo {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder to which paths in the environment are relative; paths in arguments are relative to the working directory. */
  readonly home: string
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** Whether both outputs go to the same file or pipe, as with `2>&1`. Default: they do not. */
  readonly isOneOutput?: boolean
  /** Milliseconds, for progress. Default: those of the process. */
  readonly clock?: () => number
}

export interface CommandContext {
  readonly args: Arguments
  readonly stdin: Readable
  readonly stdout: Output
  /** The stream below `stdout`, for a protocol. */
  readonly outputStream: Writable
  readonly stderr: Output
  /** Colours for each stream; plain unless the stream is a terminal or colours were requested. */
  readonly paint: Palette
  readonly paintErrors: Palette
  readonly locale: Locale
  readonly isTTY: ProcessIo['isTTY']
  readonly isOneOutput: boolean
  readonly clock: () => number
  /** The output stream that is a terminal; null: none is. */
  readonly terminal: Writable | null
  readonly env: ProcessIo['env']
  readonly home: string
}

export type CommandName = keyof CommandWords

/** A subcommand. Its texts are in `i18n/messages/<locale>/help.ts` under its name; a missing or surplus text does not compile. */
export interface Command<Name extends CommandName = CommandName> {
  readonly name: Name
  readonly options: OptionsOf<CommandWords[Name]['options']> & SharedOptions
  /** Options of Wazuh's tool of the same purpose, without dashes, and what they are called here. An error about them says so. */
  readonly equivalents?: Readonly<Record<string, string>>
  /** Example calls, one for each text. */
  readonly examples: EntriesOf<CommandWords[Name]['examples']>
  /** Values for the placeholders in the texts. */
  helpParams?(locale: Locale): Readonly<Record<string, string | number>>
  run(context: CommandContext): Promise<ExitCode>
}

type OptionsOf<Words> = { readonly [Option in keyof Words]: OptionSpec }
type EntriesOf<Words> = { readonly [Index in keyof Words]: string }
