/** Calls of `replay` in a temporary folder, with lines and rules whose answers depend on earlier events. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Summary } from '../../../server/cli/replay/summary.js'
import { call, CLOSED, type CallOptions, type CallResult, Workplace } from './call.js'

const MAIN = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
/** Lines of several blocks. */
export const LINES = 9000
/** Rules with an ignore window, a search of the memory, and one of a group. */
export const OWN_RULES = `<group name="own,">
<rule id="100001" level="5" ignore="30"><if_sid>903</if_sid><match>by</match><description>Closed by somebody.</description></rule>
<rule id="100002" level="8" frequency="4" timeframe="20"><if_matched_regex>says "7</if_matched_regex><description>Seven again.</description></rule>
<rule id="100004" level="3"><match>unknown program</match><description>Noise.</description><group>noise,</group></rule>
<rule id="100003" level="11" frequency="5" timeframe="60"><if_matched_group>noise</if_matched_group><match>key=7</match><same_location /><description>Noise.</description></rule>
</group>`

/** The same lines in each run. */
export function madeLines(): string[] {
  let seed = 7
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  return Array.from({ length: LINES }, () => {
    const kind = next(12)
    if (kind === 0) return ''
    if (kind === 1) return `unknown program ${next(9)} says "${next(99)}" key=${next(9)}`
    if (kind === 2) return `{"who": "ana", "n": ${next(5)}}`
    if (kind < 6) return `${CLOSED} by ana door ${next(9)}`
    return `Mar 10 08:15:30 hall${next(3)} door[7]: opened by ana from 192.0.2.${next(9)}`
  })
}

export const alertsIn = (folder: string): string => readFileSync(join(folder, 'alerts.ndjson'), 'utf8')
export const summaryIn = (folder: string): Summary => JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Summary

/** What is the same in each run. */
export function summaryWithoutRun(folder: string): Omit<Summary, 'run'> {
  const { run: _, ...summary } = summaryIn(folder)
  return summary
}

/** The alerts in a folder. */
export function alertsOf(folder: string): Record<string, unknown>[] {
  return alertsIn(folder)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

export class ReplayWorkplace extends Workplace {
  #folders = 0

  newFolder(): string {
    return join(this.folder, `out-${this.#folders++}`)
  }

  /** Runs the command and returns its code, its folder and what it said. */
  async replay(argv: readonly string[], options: CallOptions = {}, folder = this.newFolder()): Promise<CallResult & { readonly folder: string }> {
    return { ...(await call(['replay', ...argv, '--out', folder, '--quiet'], options)), folder }
  }

  /** Runs the command in another process, by a clock on which each block takes longer than the time between two checkpoints, and sends a signal after some blocks. */
  interrupted(argv: readonly string[], blocks: number, signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    const script = `import { main } from ${JSON.stringify(MAIN)}
let now = 0
const clock = () => { now += 60_000; process.stdout.write('.'); return now }
const { stdin, stdout, stderr, env } = process
process.exitCode = await main(['replay', ...${JSON.stringify(argv)}], { stdin, stdout, stderr, env, clock, home: '/', isTTY: { stdin: false, stdout: false, stderr: false } })
stdin.destroy()`
    const child = spawn(process.execPath, [this.write('interrupted.mjs', script)], { stdio: ['pipe', 'pipe', 'inherit'] })
    let calls = 0
    child.stdout.on('data', (chunk: Buffer) => {
      const before = calls
      calls += chunk.toString().split('.').length - 1
      // Each block reads the clock twice.
      if (before < 4 + 2 * blocks && calls >= 4 + 2 * blocks) child.kill(signal)
    })
    return new Promise((resolve) => child.on('close', (code, ended) => resolve({ code, signal: ended })))
  }
}
