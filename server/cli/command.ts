/** What a subcommand is: how it is called, and what it does with what the process gave it. */
import type { Readable, Writable } from 'node:stream'
import type { Locale } from '#engine'
import type { Arguments, OptionSpec } from './arguments.js'
import type { ExitCode } from './exit-codes.js'
import type { CommandWords, SharedOptions } from './help.js'
import type { Output } from './terminal/output.js'
import type { Palette } from './terminal/palette.js'

/** What the process brings; tests bring their own. */
export interface ProcessIo {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that paths in the environment are relative to; those of a call are relative to the working directory. */
  readonly home: string
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
  readonly isTTY: ProcessIo['isTTY']
  readonly env: ProcessIo['env']
  readonly home: string
}

export type CommandName = keyof CommandWords

/** A subcommand. Its words are in `i18n/messages/<locale>/help.ts`, by its name: an option or an example without words, or words without it, do not compile. */
export interface Command<Name extends CommandName = CommandName> {
  readonly name: Name
  readonly options: OptionsOf<CommandWords[Name]['options']> & SharedOptions
  /** Calls, one for each that the words explain. */
  readonly examples: EntriesOf<CommandWords[Name]['examples']>
  /** Values of the placeholders in the words. */
  helpParams?(locale: Locale): Readonly<Record<string, string | number>>
  run(context: CommandContext): Promise<ExitCode>
}

type OptionsOf<Words> = { readonly [Option in keyof Words]: OptionSpec }
type EntriesOf<Words> = { readonly [Index in keyof Words]: string }
