/** The subcommand `replay`: runs recorded logs through a ruleset on all cores, with the answers of one session in one thread. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ALERT_COLUMNS, ENGINE_VERSION, readRecord, readSelect, type RecordFields } from '#engine'
import { composeRuleset, type ReplayClock, ReplayThreads } from '#workers'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { STDIN_NAME } from './input/lines.js'
import { AlertFile } from './replay/alert-file.js'
import { type Checkpoint, readCheckpoint, replaceFile, writeCheckpoint } from './replay/checkpoint.js'
import { Correlator, type CorrelatorOptions, createState } from './replay/correlator.js'
import { EVENTS_LIMIT } from './replay/order-window.js'
import { runReplay } from './replay/run-replay.js'
import { listSources, openSource, type Source } from './replay/sources.js'
import { summaryOf } from './replay/summary.js'
import { replayPage } from './report/replay-page.js'
import { describeReplay, REPLAY_WORDS } from './report/replay-report.js'
import { showLoadErrors } from './report/ruleset-diagnostics.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

const CLOCKS = ['event', 'arrival'] as const satisfies readonly ReplayClock[]
/** Each thread compiles the ruleset, for a second and 100 MB. */
const THREADS_LIMIT = 64
const ALERTS = 'alerts.ndjson'
const SUMMARY = 'summary.json'
const REPORT = 'report.html'
/** Bytes of a file that are read to find out whether its first line has a time. */
const SNIFFED = 64 * 1024
const MEGABYTE = 1024 * 1024

export const replay: Command<'replay'> = {
  name: 'replay',
  options: {
    ...RULESET_OPTIONS,
    out: { type: 'string', value: 'folder' },
    'event-field': { type: 'string', value: 'name' },
    'location-field': { type: 'string', value: 'name' },
    'time-field': { type: 'string', value: 'name' },
    clock: { type: 'string', value: 'clock', values: CLOCKS },
    threads: { type: 'string', value: 'number' },
    select: { type: 'string', value: 'names' },
    sample: { type: 'string', value: 'number' },
    resume: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
  },
  examples: [
    'detection-content replay /var/ossec/logs/archives/2026/Jan --ruleset ./wazuh/ruleset --out january',
    'detection-content replay /var/log/auth.log.1.gz --custom ./content --out tried',
    'detection-content replay events.ndjson --event-field message --time-field @timestamp --select rule.id,level,srcip --out tried',
    'zstdcat events.zst | detection-content replay - --out tried',
  ],
  helpParams: () => ({ window: EVENTS_LIMIT, columns: ALERT_COLUMNS.join(', ') }),
  run: async (context) => {
    const { args, stdin, stdout, stderr, locale, paint, clock: milliseconds } = context
    const words = REPLAY_WORDS[locale]
    const folder = args.text('out')
    if (args.operands.length === 0) throw new UsageError('sources_missing', { stdin: STDIN_NAME })
    if (args.operands.length > 1 && args.operands.includes(STDIN_NAME)) throw new UsageError('stdin_with_others', { stdin: STDIN_NAME })
    if (folder === null) throw new UsageError('out_missing', {})
    const fields = fieldsOf(context)
    const threads = wholeNumber(context, 'threads') ?? Math.min(availableParallelism(), THREADS_LIMIT)
    const sources = listSources(args.operands)
    const options: CorrelatorOptions = { fields, clock: await clockOf(context, fields, sources), select: selectOf(context), sample: wholeNumber(context, 'sample') }
    openFolder(folder, args.flag('resume'))
    const source = new RulesetSource(namedRuleset(args))
    const progress = new Progress(context, replay.name, 'text')
    await progress.compiling(source.size())
    const { ruleset } = source.compile()
    await progress.clear()
    if (!(await showLoadErrors(context, ruleset, source))) return EXIT.failed
    const call = callOf(ruleset.hash, sources, options)
    const checkpoint = args.flag('resume') ? readCheckpoint(folder, call) : null
    if (checkpoint === undefined) throw new UsageError('replay_other', { folder })
    if (checkpoint?.isFinished === true) {
      await stderr.line(`replay: ${words.finished}`)
      return checkpoint.incomplete.length > 0 ? EXIT.failed : EXIT.fine
    }
    const { place, state, alerts: written, incomplete } = checkpoint ?? begin()
    const eventsBefore = state.counters.events
    const bytes = sources.some(({ size }) => size === null) ? null : sources.reduce((sum, { size }) => sum + (size ?? 0), 0)
    let isStopped = false
    const stop = (): void => {
      isStopped = true
    }
    process.once('SIGINT', stop)
    const started = milliseconds()
    let peak = 0
    const replayThreads = new ReplayThreads({ files: composeRuleset(source.defaults, source.custom, []), fields, clock: options.clock, select: options.select }, threads)
    let exit: ExitCode = EXIT.fine
    try {
      const alerts = new AlertFile(join(folder, ALERTS), written)
      const correlator = new Correlator(ruleset, options, state, alerts)
      const isWhole = await runReplay({
        ...{ sources, stdin, threads: replayThreads, correlator, alerts, incomplete, folder, call, place },
        isStopped: () => isStopped,
        clock: milliseconds,
        onBlock: async (bytesRead) => {
          const rss = process.memoryUsage.rss()
          if (rss > peak) peak = rss
          if (!progress.isDue()) return
          const events = state.counters.events - eventsBefore
          await progress.update({
            text: words.progress(formatNumber(events, locale), formatNumber(rss / MEGABYTE, locale)),
            count: events,
            part: bytes === null ? null : bytesRead / bytes,
          })
        },
      })
      alerts.close()
      const seconds = Math.max(0.001, (milliseconds() - started) / 1000)
      const run = { seconds, events_per_second: Math.round((state.counters.events - eventsBefore) / seconds), threads, peak_memory_mb: Math.round(peak / MEGABYTE) }
      const summary = summaryOf({ ruleset, counters: state.counters, sources: sources.length, incomplete, clock: options.clock, isPartial: !isWhole, run })
      replaceFile(join(folder, SUMMARY), `${JSON.stringify(summary, null, 2)}\n`)
      replaceFile(join(folder, REPORT), replayPage(summary, locale))
      if (isWhole) writeCheckpoint(folder, call, { place, state, alerts: alerts.size, incomplete, isFinished: true })
      await progress.clear()
      await stdout.write(describeReplay(summary, locale, paint))
      if (!isWhole || incomplete.length > 0) exit = EXIT.failed
    } catch (fault) {
      const { code, syscall, message } = fault as NodeJS.ErrnoException
      // Errors of reading are those of a source, so this is one of writing: a full disk, or a folder that is gone.
      if (typeof code !== 'string' || typeof syscall !== 'string') throw fault
      await progress.clear()
      await stderr.line(`replay: ${words.notWritten(message)}`)
      exit = EXIT.failed
    } finally {
      process.removeListener('SIGINT', stop)
      await replayThreads.close()
    }
    return exit
  },
}

function begin(): Pick<Checkpoint, 'place' | 'state' | 'alerts' | 'incomplete'> {
  return { place: { source: 0, offset: 0, lines: 0, linesBefore: 0 }, state: createState(), alerts: 0, incomplete: [] }
}

/** @throws UsageError when a name is given without that of the event */
function fieldsOf({ args }: CommandContext): RecordFields {
  const [event, location, time] = ['event-field', 'location-field', 'time-field'].map((name) => args.text(name))
  if (event === null) for (const option of ['location-field', 'time-field']) if (args.text(option) !== null) throw new UsageError('option_needs', { option, other: 'event-field' })
  return { event, location, time }
}

/** @throws UsageError */
function selectOf({ args }: CommandContext): readonly string[] | null {
  const text = args.text('select')
  if (text === null) return null
  const names = readSelect(text)
  if (names === null) throw new UsageError('names_empty', { option: 'select' })
  return names
}

/** @throws UsageError */
function wholeNumber({ args }: CommandContext, name: 'threads' | 'sample'): number | null {
  const value = args.number(name, 1)
  return value === null ? null : Math.min(Math.floor(value), name === 'threads' ? THREADS_LIMIT : Number.MAX_SAFE_INTEGER)
}

/** The clock of the call; without one it depends on whether the first line has a time. Standard input is not looked at. */
async function clockOf({ args, stdin }: CommandContext, fields: RecordFields, [first]: readonly Source[]): Promise<ReplayClock> {
  const asked = CLOCKS.find((clock) => clock === args.text('clock'))
  if (asked !== undefined) return asked
  if (fields.time !== null) return 'event'
  if (fields.event !== null || first === undefined || first.name === STDIN_NAME) return 'arrival'
  const { stream } = openSource(first, stdin)
  try {
    for await (const chunk of stream) {
      const record = readRecord((chunk as Buffer).subarray(0, SNIFFED).toString('latin1').trimStart().split('\n', 1)[0], fields)
      return typeof record !== 'string' && record.seconds !== null ? 'event' : 'arrival'
    }
  } catch {
    // The replay itself reports what is wrong with it.
  } finally {
    stream.destroy()
  }
  return 'arrival'
}

/** @throws UsageError when the folder has something that is not of a replay that goes on */
function openFolder(folder: string, goesOn: boolean): void {
  mkdirSync(folder, { recursive: true })
  const found = readdirSync(folder)
  if (found.length > 0 && !(goesOn && found.includes(ALERTS))) throw new UsageError('folder_not_empty', { folder })
}

/** What has to be the same in a call that goes on. */
function callOf(ruleset: string, sources: readonly Source[], options: CorrelatorOptions): string {
  const { versions } = process
  return createHash('sha256')
    .update(JSON.stringify([ENGINE_VERSION, versions.v8, ruleset, sources.map(({ name }) => name), options]))
    .digest('hex')
}
