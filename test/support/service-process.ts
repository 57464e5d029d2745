/** The service as a process of its own, for tests that kill it, stop it, or run two of them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url))
/** For tests of the store: without it the threads of each process compile the stock ruleset, which is a third of the processor time of its start. */
export const SMALL_RULESET = { NATIVE_SERVICE_DEFAULT_RULESET_DIR: fileURLToPath(new URL('../../../test/cases/base', import.meta.url)) }

/** A start that takes longer has failed. */
const START_MS = 60_000

export interface ServiceProcess {
  /** `http://127.0.0.1:port`, without the prefix. */
  readonly origin: string
  readonly child: ChildProcess
  /** All that it has written to standard output and standard error. */
  output(): string
  /** Sends the signal, and gives the exit code (null: ended by the signal). */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts it on a free port, and waits until it answers. It does not outlive this process.
 * @param main default: that of this checkout
 */
export async function startServiceProcess(env: Readonly<Record<string, string>>, args: readonly string[] = [], main: string = MAIN): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const end = (): void => void child.kill('SIGKILL')
  process.on('exit', end)
  child.once('exit', () => process.off('exit', end))
  const address = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      // Nobody else would: it would keep its test file from ending.
      end()
      reject(new Error(`no start within ${START_MS} ms:\n${output}`))
    }, START_MS)
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /"address":"(http:[^"]+)"/.exec(output)
      if (found === null) return
      clearTimeout(timer)
      resolve(found[1])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`exit ${code}:\n${output}`))
    })
  })
  return {
    origin: await address,
    child,
    output: () => output,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      // Not `exit`: what it has written last may still be in the pipe.
      const closed = once(child, 'close')
      child.kill(signal)
      const [code] = (await closed) as [number | null]
      return code
    },
  }
}

/** The ids of the processes that serve, of a service of several. Linux only. */
export function childrenOf({ child }: ServiceProcess): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === child.pid)
}

function parentOf(pid: number): number | null {
  const stat = statOf(pid)
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/** What Linux says about a process; null: there is none of that id. */
export function statOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
}
