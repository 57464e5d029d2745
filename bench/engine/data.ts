/** Data of the benches: the stock ruleset and the lines of the recordings if they are present, else the reference ruleset and its test cases. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { LogtestInput, SourceFile } from '#engine'
import { REFERENCE_RULESET_DIR, readRulesetFolder } from '#workers'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const CONFORMANCE = join(ROOT, '../shared/conformance')
/** The test cases of the reference ruleset, as JSON. */
export const CASES_FOLDER = join(ROOT, 'test/cases/reference')
/** The recorded cases of the stock ruleset, as .ini suites. */
export const INI_FOLDER = join(CONFORMANCE, 'tests')

export interface BenchData {
  readonly name: string
  readonly files: readonly SourceFile[]
  /** Lines by kind; `all` contains every line. */
  readonly lines: ReadonlyMap<string, readonly string[]>
}

export function haveRecordings(): boolean {
  return existsSync(join(CONFORMANCE, 'speed/lines.jsonl'))
}

function byKind(lines: readonly { kind: string; event: string }[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>([['all', []]])
  for (const { kind, event } of lines) {
    kinds.get('all')?.push(event)
    kinds.set(kind, [...(kinds.get(kind) ?? []), event])
  }
  return kinds
}

/** The shipped ruleset, with the events of its test cases. */
export function referenceData(): BenchData {
  const lines = readdirSync(CASES_FOLDER).flatMap((file) => {
    const { cases } = JSON.parse(readFileSync(join(CASES_FOLDER, file), 'utf8')) as { cases: { event_text?: string; events?: { event_text: string }[] }[] }
    return cases
      .flatMap((one) => [...(one.event_text === undefined ? [] : [one.event_text]), ...(one.events ?? []).map((event) => event.event_text)])
      .map((event) => ({ kind: file.slice(0, 1), event }))
  })
  return { name: 'reference', files: readRulesetFolder(REFERENCE_RULESET_DIR, 'default'), lines: byKind(lines) }
}

/** The stock ruleset and the lines of the recordings. `test` is the variant in which Windows events are JSON. */
export function stockData(variant: 'default' | 'test'): BenchData {
  const lines = readFileSync(join(CONFORMANCE, 'speed/lines.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { kind: string; event: string })
  return { name: `stock (${variant})`, files: readRulesetFolder(join(CONFORMANCE, `ruleset-${variant}`), 'default'), lines: byKind(lines) }
}

export function haveReplay(): boolean {
  return existsSync(join(CONFORMANCE, 'replay/events.ndjson.gz'))
}

/** Windows events as agents send them, from all recordings of the replay corpus. @param step one event of so many is taken */
export function eventchannelInputs(step: number): LogtestInput[] {
  const lines = gunzipSync(readFileSync(join(CONFORMANCE, 'replay/events.ndjson.gz')))
    .toString()
    .split('\n')
  const inputs = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LogtestInput & { readonly location: string })
  return inputs
    .filter(({ log_format }) => log_format === 'eventchannel')
    .filter((_, index) => index % step === 0)
    .map(({ event, log_format, location }) => ({ event, log_format, location }))
}

/** Speed of the C engine on this machine: events per second by kind, and seconds to load. Measured by the calibration script beside the recordings. */
export function cEngineFloor(): { events: Record<string, number>; loadSeconds: number } {
  const reference = JSON.parse(readFileSync(join(CONFORMANCE, 'speed/reference.json'), 'utf8')) as {
    score: number
    c_engine_events_per_second: Record<string, number>
    c_engine_load_seconds: number
  }
  const { score } = JSON.parse(execFileSync('node', [join(CONFORMANCE, 'speed/calibrate.mjs')], { encoding: 'utf8' })) as { score: number }
  const factor = score / reference.score
  return {
    events: Object.fromEntries(Object.entries(reference.c_engine_events_per_second).map(([kind, value]) => [kind, value * factor])),
    loadSeconds: reference.c_engine_load_seconds / factor,
  }
}
