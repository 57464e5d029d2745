#!/usr/bin/env node
/**
 * Entry point of the process: reads the settings, starts the service, and stops it on a signal (CONTRACT.md#running). `detection-content serve` calls
 * `runService` too.
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tuneV8, tuneV8ForRequests } from '#basics'
import type { ServiceOptions } from './service.js'
import { ACCEPT_OPTION } from './core/auth/secret-fingerprint.js'
import { type Config, ConfigError, readConfig } from './core/config.js'
import { supervisedProcess } from './cluster/own-process.js'
import { shareOf } from './cluster/share.js'
import { supervise } from './cluster/supervisor.js'
import { nextSignal } from './core/next-signal.js'
import { createLog, type Log } from './core/observability/log.js'
import { StandaloneMongoError, UnfinishedCommitError } from './core/storage/errors.js'

/** Exit codes: stopped by a signal, failed, wrong settings or arguments. */
const EXIT = { fine: 0, failed: 1, usage: 2 } as const

/** Options of one start. They are arguments and not settings, because they must not persist. */
export type RunOptions = Pick<ServiceOptions, 'acceptNewSecretKey'>

/** Runs the service until a signal. @param say called with the reason when it can't start; the message is one line @returns the exit code */
export async function runService(
  env: Readonly<Record<string, string | undefined>>,
  say: (fault: Error) => void,
  options: RunOptions = {},
): Promise<(typeof EXIT)[keyof typeof EXIT]> {
  let config: ReturnType<typeof readConfig>
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    say(error)
    return EXIT.usage
  }
  const ownProcess = supervisedProcess(config)
  if (config.processes > 1 && ownProcess === null) return runSupervisor(config, say, options)
  tuneV8()
  tuneV8ForRequests()
  const log = createLog(config, undefined, ownProcess === null ? null : { process: ownProcess.number })
  // The supervisor says for all processes that the service listens and stops.
  const level = ownProcess === null ? 'info' : 'debug'
  const stopped = ownProcess?.stopped ?? nextSignal()
  try {
    const share = ownProcess === null ? config : shareOf(config, ownProcess.number)
    // Imported late: the supervisor of several processes does not need the engine, nor the libraries of the service.
    const { startPool } = await import('./cluster/start-pool.js')
    const startingPool = startPool(share, log, ownProcess)
    const { startService } = await import('./app.js')
    const service = await startService(share, { log, ownProcess, startingPool, ...options })
    log[level]({ address: service.url }, 'listening')
    const signal = await stopped
    log[level]({ signal }, 'stopping')
    await service.close()
    log[level]('stopped')
    await log.flush()
    return EXIT.fine
  } catch (error) {
    return failed(error as Error, log, say)
  }
}

/** Runs the service as several processes, each of which runs this module. */
async function runSupervisor(config: Config, say: (fault: Error) => void, { acceptNewSecretKey = false }: RunOptions): Promise<(typeof EXIT)[keyof typeof EXIT]> {
  const log = createLog(config)
  const args = acceptNewSecretKey ? [`--${ACCEPT_OPTION}`] : []
  try {
    const code = await supervise({ config, log, main: fileURLToPath(import.meta.url), args, stopped: nextSignal() })
    await log.flush()
    return Object.values(EXIT).find((known) => known === code) ?? EXIT.failed
  } catch (error) {
    return failed(error as Error, log, say)
  }
}

/** Reports what prevented the start. */
async function failed(error: Error, log: Log, say: (fault: Error) => void): Promise<typeof EXIT.failed> {
  // A wrong setting needs no stack trace. Other failures, such as a taken port, do.
  if (error instanceof ConfigError || error instanceof StandaloneMongoError || error instanceof UnfinishedCommitError) log.fatal(error.message)
  else log.fatal({ err: error }, 'the service failed')
  await log.flush()
  say(error)
  return EXIT.failed
}

function isProgram(): boolean {
  const started = process.argv[1]
  return started !== undefined && realpathSync(started) === realpathSync(fileURLToPath(import.meta.url))
}

/** @throws ConfigError for an unknown argument */
function readOptions(argv: readonly string[]): RunOptions {
  const option = `--${ACCEPT_OPTION}`
  const stray = argv.find((argument) => argument !== option)
  if (stray !== undefined) throw new ConfigError('argument_unknown', { argument: stray, option })
  return { acceptNewSecretKey: argv.length > 0 }
}

async function runProgram(): Promise<number> {
  const say = ({ message }: Error): void => void process.stderr.write(`${message}\n`)
  try {
    return await runService(process.env, say, readOptions(process.argv.slice(2)))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    say(error)
    return EXIT.usage
  }
}

if (isProgram()) {
  const code = await runProgram()
  // An open handle of a library must not keep a stopped service alive.
  process.exit(code)
}
