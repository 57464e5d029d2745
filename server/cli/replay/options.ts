/** Reads what a call of `replay` wants. */
import { readSelect, type RecordFields } from '#engine'
import type { ReplayClock } from '#workers'
import type { Arguments } from '../arguments.js'
import { STDIN_NAME } from '../input/lines.js'
import { UsageError } from '../usage-error.js'
import { SAMPLE_LIMIT } from './alert-sink.js'
import type { Threshold } from './comparison-summary.js'
import { firstTime } from './plan-sources.js'
import { listSources, type Source } from './sources.js'

export const CLOCKS = ['event', 'arrival'] as const satisfies readonly ReplayClock[]
export const FORMATS = ['ndjson', 'parquet'] as const
export type AlertFormat = (typeof FORMATS)[number]
/** Each thread compiles the ruleset, for a second and 100 MB. */
const THREADS_LIMIT = 64
const PERCENT = /^\+?(\d{1,6}(?:\.\d{1,3})?)\s*%?$/

/** What the call does: the whole replay, its first phase for one source, or the rest of it for such parts. */
export type ReplayKind = 'whole' | 'partial' | 'merge'

export interface ReplayOptions {
  readonly kind: ReplayKind
  /** The sources; those of a merge are files with parts. */
  readonly sources: readonly Source[]
  /** Empty for a part, which goes to standard output. */
  readonly folder: string
  /** The name of the source of a part; null: its path is the name. */
  readonly name: string | null
  readonly fields: RecordFields
  readonly clock: ReplayClock
  readonly select: readonly string[] | null
  /** Alerts of a rule that are written at most; null: all. */
  readonly sample: number | null
  readonly format: AlertFormat
  /** The content to compare with; null: none. */
  readonly compare: string | null
  readonly thresholds: readonly Threshold[]
  /** Null: one for each core. */
  readonly threads: number | null
  readonly resume: boolean
}

/** @throws UsageError */
export async function readOptions(args: Arguments): Promise<ReplayOptions> {
  const kind = kindOf(args)
  const folder = args.text('out')
  if (args.operands.length === 0) throw new UsageError('sources_missing', { stdin: STDIN_NAME })
  if (args.operands.length > 1 && args.operands.includes(STDIN_NAME)) throw new UsageError('stdin_with_others', { stdin: STDIN_NAME })
  if (folder === null && kind !== 'partial') throw new UsageError('out_missing', {})
  const fields = fieldsOf(args)
  const [threads, sample] = [wholeNumber(args, 'threads', THREADS_LIMIT), wholeNumber(args, 'sample', SAMPLE_LIMIT)]
  const format = FORMATS.find((name) => name === args.text('format')) ?? 'ndjson'
  const thresholds = thresholdsOf(args)
  const select = selectOf(args)
  const sources = listSources(args.operands)
  const name = args.text('name')
  if (kind === 'partial' && (sources.length !== 1 || (sources[0].name === STDIN_NAME && name === null))) throw new UsageError('partial_source', {})
  const clock = kind === 'whole' ? await clockOf(args, fields, sources) : 'event'
  if (clock === 'arrival' && thresholds.some(({ option }) => option === 'max-new-alerts-per-day'))
    throw new UsageError('option_needs', { option: 'max-new-alerts-per-day', other: 'clock event' })
  return { kind, sources, folder: folder ?? '', name, fields, clock, select, sample, format, compare: args.text('compare'), thresholds, threads, resume: args.flag('resume') }
}

/** Options that a part does not have, because the call that joins the parts does, and those that only a whole replay has. */
const OF_MERGE = ['out', 'sample', 'format', 'max-new-alerts-per-day', 'max-cost', 'resume'] as const
const OF_WHOLE = ['threads', 'clock'] as const

/** @throws UsageError when an option belongs to another kind of call */
function kindOf(args: Arguments): ReplayKind {
  const kind = args.flag('partial') ? 'partial' : args.flag('merge') ? 'merge' : 'whole'
  if (args.flag('partial') && args.flag('merge')) throw new UsageError('options_both', { first: 'partial', second: 'merge' })
  if (kind !== 'partial' && args.has('name')) throw new UsageError('option_needs', { option: 'name', other: 'partial' })
  const excluded = { whole: [], partial: [...OF_MERGE, ...OF_WHOLE], merge: OF_WHOLE }[kind]
  for (const option of excluded) if (args.has(option)) throw new UsageError('options_both', { first: kind, second: option })
  return kind
}

/** @throws UsageError when a name is given without that of the event */
function fieldsOf(args: Arguments): RecordFields {
  const [event, location, time] = ['event-field', 'location-field', 'time-field'].map((name) => args.text(name))
  if (event === null) for (const option of ['location-field', 'time-field']) if (args.text(option) !== null) throw new UsageError('option_needs', { option, other: 'event-field' })
  return { event, location, time }
}

/** @throws UsageError */
function selectOf(args: Arguments): readonly string[] | null {
  const text = args.text('select')
  if (text === null) return null
  const names = readSelect(text)
  if (names === null) throw new UsageError('names_empty', { option: 'select' })
  return names
}

/** @throws UsageError */
function wholeNumber(args: Arguments, name: 'threads' | 'sample', most: number): number | null {
  const value = args.number(name, 1)
  return value === null ? null : Math.min(Math.floor(value), most)
}

/** @throws UsageError when a limit is no number, or nothing is compared */
function thresholdsOf(args: Arguments): readonly Threshold[] {
  const cost = args.text('max-cost')
  const percent = cost === null ? null : PERCENT.exec(cost)
  if (cost !== null && percent === null) throw new UsageError('value_not_percent', { option: 'max-cost', value: cost })
  const limits = { 'max-new-alerts-per-day': args.number('max-new-alerts-per-day', 0), 'max-cost': percent === null ? null : Number(percent[1]) }
  return (Object.keys(limits) as Threshold['option'][]).flatMap((option) => {
    const limit = limits[option]
    if (limit === null) return []
    if (args.text('compare') === null) throw new UsageError('option_needs', { option, other: 'compare' })
    return { option, limit }
  })
}

/** The clock of the call; without one it depends on whether the first file has times. Standard input is not looked at. */
async function clockOf(args: Arguments, fields: RecordFields, [first]: readonly Source[]): Promise<ReplayClock> {
  const asked = CLOCKS.find((clock) => clock === args.text('clock'))
  if (asked !== undefined) return asked
  if (fields.time !== null) return 'event'
  if (fields.event !== null || first === undefined) return 'arrival'
  return (await firstTime(first, fields)) === null ? 'arrival' : 'event'
}
