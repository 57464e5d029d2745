#!/usr/bin/env node
/**
 * The command line. `main` takes its whole environment as an argument, so that tests run it in their own process; the end of the file passes the real process.
 */
import { fstatSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locale } from '#engine'
import { tuneV8 } from '#basics'
import { COMMON_OPTIONS, nearest, readArguments } from './arguments.js'
import { readVersion } from '../core/version.js'
import { callerFolder } from './caller-folder.js'
import type { Command, CommandName, ProcessIo } from './command.js'
import { COMMAND_NAMES, COMMANDS, isCommand } from './commands.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { commandHelp, PROGRAM, programHelp } from './help.js'
import { languageOf } from './language.js'
import { Output, OutputClosed } from './terminal/output.js'
import { createPalette, wantsColor } from './terminal/palette.js'
import { UsageError } from './usage-error.js'

/** Runs one call. @returns the exit code. Never rejects because of an invalid call. */
export async function main(argv: readonly string[], io: ProcessIo): Promise<ExitCode> {
  const stdout = new Output(io.stdout)
  const stderr = new Output(io.stderr)
  const locale = languageOf(argv, io.env)
  try {
    return await dispatch(argv, locale, io, stdout, stderr)
  } catch (fault) {
    if (fault instanceof OutputClosed) return EXIT.fine
    return reportFault(fault, argv, locale, stderr)
  }
}

async function dispatch(argv: readonly string[], locale: Locale, io: ProcessIo, stdout: Output, stderr: Output): Promise<ExitCode> {
  const { env, home, isTTY, stdin, isOneOutput = false, clock = () => performance.now() } = io
  const [name, ...rest] = argv
  if (name === undefined || name === 'help' || name.startsWith('-')) {
    if (name === '--version' || name === '-V') {
      await stdout.line(readVersion())
      return EXIT.fine
    }
    const asked = name === '--help' || name === '-h' || name === 'help'
    if (name !== undefined && !asked) throw new UsageError('option_before_command', { option: name })
    const help = programHelp(COMMAND_NAMES, locale, createPalette(wantsColor(undefined, env, asked ? isTTY.stdout : isTTY.stderr)))
    await (asked ? stdout : stderr).write(help)
    return asked ? EXIT.fine : EXIT.usage
  }
  if (!isCommand(name)) {
    const near = nearest(name, COMMAND_NAMES)
    throw near === null ? new UsageError('command_unknown', { command: name, commands: COMMAND_NAMES.join(', ') }) : new UsageError('command_misspelt', { command: name, near })
  }
  const command: Command = await COMMANDS[name]()
  const args = readArguments({ ...command.options, ...COMMON_OPTIONS, version: { type: 'boolean', short: 'V' } }, rest, command.equivalents)
  const asked = args.choice('color')
  const paint = createPalette(wantsColor(asked, env, isTTY.stdout))
  const paintErrors = createPalette(wantsColor(asked, env, isTTY.stderr))
  if (args.flag('help')) {
    await stdout.write(commandHelp(command, locale, paint))
    return EXIT.fine
  }
  if (args.flag('version')) {
    await stdout.line(readVersion())
    return EXIT.fine
  }
  args.text('locale') // throws for an unknown language; a known one is `locale` already
  const terminal = isTTY.stdout ? io.stdout : isTTY.stderr ? io.stderr : null
  return command.run({ args, stdin, stdout, outputStream: io.stdout, stderr, paint, paintErrors, locale, isTTY, isOneOutput, clock, terminal, env, home })
}

/** Reports a usage error as one line and a hint, and any other error with its stack. */
async function reportFault(fault: unknown, argv: readonly string[], locale: Locale, stderr: Output): Promise<ExitCode> {
  const [name] = argv
  const prefix = isCommand(name) ? `${PROGRAM} ${name}` : PROGRAM
  try {
    if (fault instanceof UsageError) {
      await stderr.line(fault.localize(prefix, locale))
      return EXIT.usage
    }
    const { message, stack, code } = fault as NodeJS.ErrnoException
    const fromSystem = typeof code === 'string' && /^E[A-Z]+$/.test(code)
    await stderr.line(`${prefix}: ${fromSystem ? message : (stack ?? String(fault))}`)
    return fromSystem ? EXIT.usage : EXIT.failed
  } catch (closed) {
    if (closed instanceof OutputClosed) return EXIT.failed
    throw closed
  }
}

/** Whether Node was started with this file, also through a link in `node_modules/.bin`. */
function isProgram(): boolean {
  const started = process.argv[1]
  if (started === undefined) return false
  try {
    return realpathSync(started) === realpathSync(fileURLToPath(import.meta.url))
  } catch {
    return false
  }
}

/** Whether both outputs are one file, pipe or terminal. */
function isOneOutput(): boolean {
  try {
    const [stdout, stderr] = [fstatSync(process.stdout.fd), fstatSync(process.stderr.fd)]
    return stdout.dev === stderr.dev && stdout.ino === stderr.ino
  } catch {
    return false
  }
}

if (isProgram()) {
  tuneV8()
  const { stdin, stdout, stderr, env } = process
  const isTTY = { stdin: stdin.isTTY === true, stdout: stdout.isTTY === true, stderr: stderr.isTTY === true }
  const argv = process.argv.slice(2)
  const home = process.cwd()
  const folder = callerFolder(env, home)
  // The paths of the service are in its settings, which are not relative to the folder of the call.
  const service: CommandName = 'serve'
  if (folder !== null && argv[0] !== service) process.chdir(folder)
  process.exitCode = await main(argv, { stdin, stdout, stderr, env, home, isTTY, isOneOutput: isOneOutput() })
  // If reading ended early, standard input is still open and would keep the process alive.
  stdin.destroy()
}
