/** The engine without a service, as `detection-content bench` measures it in a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CLI = fileURLToPath(new URL('../../server/cli/main.js', import.meta.url))

/** Events a second. */
export interface EngineRate {
  readonly alone: number
  /** With the report of every event, as objects. */
  readonly report: number
  /** With the report of every event as JSON, which the service sends. */
  readonly json: number
}

/** Measures the engine in so many processes at once, and adds up their rates. @param seconds of the whole measurement of each process */
export async function engineAlone(events: readonly string[], processes: number, seconds: number): Promise<EngineRate> {
  const directory = mkdtempSync(join(tmpdir(), 'engine-alone-'))
  try {
    const file = join(directory, 'events.jsonl')
    writeFileSync(file, events.map((event) => `${JSON.stringify({ event })}\n`).join(''))
    const run = (): Promise<{ stdout: string }> => promisify(execFile)(process.execPath, [CLI, 'bench', file, '--json', '--seconds', String(seconds)])
    const rates = (await Promise.all(Array.from({ length: processes }, run))).map(({ stdout }) => {
      const { events_per_second: alone, phases } = JSON.parse(stdout) as {
        readonly events_per_second: number
        readonly phases: Readonly<Record<'report' | 'json', { readonly events_per_second: number }>>
      }
      return { alone, report: phases.report.events_per_second, json: phases.json.events_per_second }
    })
    const sumOf = (name: keyof EngineRate): number => rates.reduce((sum, rate) => sum + rate[name], 0)
    return { alone: sumOf('alone'), report: sumOf('report'), json: sumOf('json') }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
