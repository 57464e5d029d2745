/** The subcommand `replay`: runs recorded logs through a ruleset on all cores, with the answers of one session in one thread. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { ALERT_COLUMNS, type CompiledRule, type CompiledRuleset, compileRuleset, ENGINE_VERSION } from '#engine'
import { compileContents } from '#in-thread'
import { blocksInOwnThread, composeRuleset, type ReplayContent, ReplayThreads, WINDOW_EVENTS } from '#workers'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { requireLoading } from './input/compared-content.js'
import { AlertFile } from './replay/alert-file.js'
import { AlertSink } from './replay/alert-sink.js'
import { BlockMemory } from './replay/block-memory.js'
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './replay/checkpoint.js'
import { readOther } from './replay/compared.js'
import { comparisonSummary } from './replay/comparison-summary.js'
import { ContentRun } from './replay/content-run.js'
import { Correlator, createState, LateLine, type ReplayState } from './replay/correlator.js'
import { costOf } from './replay/cost.js'
import { daysOf } from './replay/coverage.js'
import { CLOCKS, FORMATS, readOptions, type ReplayOptions } from './replay/options.js'
import { readPartials } from './replay/partial-feed.js'
import { partialInput, type ReplayInput, sourceInput } from './replay/replay-input.js'
import { ALERT_FILES, dropRunningFile, finishAlerts, runningFile, writeSummary } from './replay/results.js'
import { LANES_LIMIT, runReplay } from './replay/run-replay.js'
import { type RunFacts, type Summary, summaryOf } from './replay/summary.js'
import { writePartial } from './replay/write-partial.js'
import { describeReplay, describeThresholds, REPLAY_WORDS } from './report/replay-report.js'
import { showLoadErrors } from './report/ruleset-diagnostics.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

const MEGABYTE = 1024 * 1024
/** Blocks between two looks at the memory. */
const MEMORY_BLOCKS = 8

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
    format: { type: 'string', value: 'format', values: FORMATS },
    compare: { type: 'string', value: 'path' },
    'max-new-alerts-per-day': { type: 'string', value: 'number' },
    'max-cost': { type: 'string', value: 'percent' },
    resume: { type: 'boolean' },
    partial: { type: 'boolean' },
    name: { type: 'string', value: 'name' },
    merge: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
  },
  examples: [
    'detection-content replay /var/ossec/logs/archives/2026/Jan --ruleset ./wazuh/ruleset --out january',
    'detection-content replay /var/log/auth.log.1.gz --custom ./content --out tried',
    'detection-content replay events.ndjson --event-field message --time-field @timestamp --select rule.id,level,srcip --out tried',
    'detection-content replay archives --custom ./content --compare main:content --max-new-alerts-per-day 50 --max-cost +20% --out compared',
    'zstdcat events.zst | detection-content replay - --out tried',
    'detection-content replay --partial - --name part-17 --event-field message --time-field @timestamp < part-17.ndjson > parts/17',
    'detection-content replay --merge parts --event-field message --time-field @timestamp --out joined',
  ],
  helpParams: () => ({ window: WINDOW_EVENTS, columns: ALERT_COLUMNS.join(', '), sources: LANES_LIMIT }),
  run: async (context) => {
    const { args, env } = context
    const options = await readOptions(args)
    const source = new RulesetSource(namedRuleset(args))
    const own: ReplayContent = { defaults: source.defaults, custom: source.custom }
    const contents = options.compare === null ? [own] : [own, await readOther(options.compare, own, env)]
    if (options.kind !== 'partial') openFolder(options.folder, options.resume)
    const { fields, clock, select } = options
    const threads = options.kind === 'whole' ? new ReplayThreads({ contents, fields, clock, select }, options.threads ?? availableParallelism()) : null
    try {
      return await runOn(context, options, source, contents, threads)
    } finally {
      await threads?.close()
    }
  },
}

/** @param threads null: other calls have run the events, or this one is for another */
async function runOn(context: CommandContext, options: ReplayOptions, source: RulesetSource, contents: readonly ReplayContent[], threads: ReplayThreads | null): Promise<ExitCode> {
  const { stdin, stderr, locale } = context
  const progress = new Progress(context, replay.name, 'text')
  await progress.compiling(source.size())
  const rulesets = compileContents(contents)
  await progress.clear()
  if (!(await showLoadErrors(context, rulesets[0], source))) return EXIT.failed
  if (options.compare !== null) requireLoading(options.compare, rulesets[1], locale)
  const phase = phaseOf(rulesets, options)
  if (options.kind === 'partial') return (await writePartial(context, options, rulesets, phase)) ? EXIT.fine : EXIT.failed
  const { sources, fields, clock, select } = options
  threads?.join(await blocksInOwnThread(rulesets, { fields, clock, select }))
  const input = threads === null ? partialInput(await readPartials(sources, phase)) : sourceInput(sources, stdin, { fields, clock }, threads)
  const call = callOf(phase, input, options)
  const checkpoint = options.resume ? readCheckpoint(options.folder, call) : null
  if (checkpoint === undefined) throw new UsageError('replay_other', { folder: options.folder })
  if (checkpoint?.isFinished === true) {
    await stderr.line(`replay: ${REPLAY_WORDS[locale].finished}`)
    return checkpoint.isFine ? EXIT.fine : EXIT.failed
  }
  return new Replay(context, options, input, contents, rulesets, call, progress).run(checkpoint)
}

/** One run of the command, with contents that load: that of the call, and the one to compare with. */
class Replay {
  readonly #context: CommandContext
  readonly #options: ReplayOptions
  readonly #input: ReplayInput
  readonly #contents: readonly ReplayContent[]
  readonly #rulesets: readonly CompiledRuleset[]
  readonly #call: string
  readonly #progress: Progress
  /** Bytes of memory at most, and blocks that were finished. */
  #peak = 0
  #blocks = 0
  #isStopped = false

  constructor(
    context: CommandContext,
    options: ReplayOptions,
    input: ReplayInput,
    contents: readonly ReplayContent[],
    rulesets: readonly CompiledRuleset[],
    call: string,
    progress: Progress,
  ) {
    this.#context = context
    this.#options = options
    this.#input = input
    this.#contents = contents
    this.#rulesets = rulesets
    this.#call = call
    this.#progress = progress
  }

  async run(checkpoint: Checkpoint | null): Promise<ExitCode> {
    const { stderr, locale } = this.#context
    const stop = (): void => {
      this.#isStopped = true
    }
    process.once('SIGINT', stop)
    try {
      return await this.#finish(checkpoint ?? (await this.#begin()))
    } catch (fault) {
      if (fault instanceof LateLine) {
        await this.#progress.clear()
        await stderr.line(`replay: ${REPLAY_WORDS[locale].overlap(`${fault.source}:${fault.line}`)}`)
        return EXIT.failed
      }
      const { code, syscall, message } = fault as NodeJS.ErrnoException
      // Errors of reading are those of a source, so this is one of writing: a full disk, or a folder that is gone.
      if (typeof code !== 'string' || typeof syscall !== 'string') throw fault
      await this.#progress.clear()
      await stderr.line(`replay: ${REPLAY_WORDS[locale].notWritten(message)}`)
      return EXIT.failed
    } finally {
      process.removeListener('SIGINT', stop)
    }
  }

  async #begin(): Promise<Omit<Checkpoint, 'isFinished' | 'isFine'>> {
    const order = await this.#input.plan()
    return { place: { order, begun: 0, lanes: [], linesBefore: 0, bytesBefore: 0 }, state: createState(this.#contents.length), alerts: 0, incomplete: [] }
  }

  async #finish({ place: start, state, alerts: written, incomplete }: Omit<Checkpoint, 'isFinished' | 'isFine'>): Promise<ExitCode> {
    const { stdout, stderr, locale, paint, clock: milliseconds } = this.#context
    const { folder, fields, clock, select, sample } = this.#options
    const [{ counters }] = state.contents
    const [started, eventsBefore] = [milliseconds(), counters.events]
    const file = new AlertFile(runningFile(this.#options), written)
    const memory = new BlockMemory()
    const feeds = this.#input.open(memory)
    let ran: Awaited<ReturnType<typeof runReplay>>
    try {
      const sink = new AlertSink(file, sample, state.samples)
      const runs = this.#rulesets.map((ruleset, index) => new ContentRun(ruleset, select, state.contents[index], index === 0 ? sink : null))
      const correlator = new Correlator(runs, fields, clock, state, memory)
      const bytes = start.order.reduce<number | null>((sum, { size }) => (sum === null || size === null ? null : sum + size), 0)
      ran = await runReplay({
        ...{ sources: this.#input.sources, feeds, clock, correlator, alerts: file, incomplete, folder, place: start, milliseconds },
        call: this.#call,
        isStopped: () => this.#isStopped,
        onBlock: (bytesRead) => this.#tell(counters.events - eventsBefore, bytes === null ? null : bytesRead / bytes),
      })
    } finally {
      file.close()
    }
    const { place, isWhole } = ran
    await finishAlerts(this.#options, file.size, state.samples)
    const seconds = Math.max(0.001, (milliseconds() - started) / 1000)
    const events = counters.events - eventsBefore
    const run = { seconds, events_per_second: Math.round(events / seconds), threads: feeds.threads, peak_memory_mb: Math.round(this.#peak / MEGABYTE) }
    const summary = this.#summary(state, incomplete, !isWhole, run)
    writeSummary(folder, summary, locale)
    const crossed = describeThresholds(summary, locale)
    const isFine = isWhole && incomplete.length === 0 && crossed.length === 0
    if (isWhole) {
      writeCheckpoint(folder, this.#call, { place, state, alerts: file.size, incomplete, isFinished: true, isFine })
      dropRunningFile(this.#options)
    }
    await this.#progress.clear()
    await stdout.write(describeReplay(summary, locale, paint))
    for (const line of crossed) await stderr.line(`replay: ${line}`)
    return isFine ? EXIT.fine : EXIT.failed
  }

  #summary(state: ReplayState, incomplete: Checkpoint['incomplete'], isPartial: boolean, run: RunFacts): Summary {
    const { clock, fields, compare, thresholds } = this.#options
    const days = clock === 'event' ? daysOf(state.coverage) : null
    const sides = this.#contents.map(({ defaults, custom }, index) => {
      // It is modified, so it is none of those that run.
      const cost = costOf(compileRuleset(composeRuleset(defaults, custom, [])), state.cost, fields)
      return { ruleset: this.#rulesets[index], counters: state.contents[index].counters, cost }
    })
    const [after, before] = sides
    const comparison = compare === null || state.comparison === null ? null : comparisonSummary({ other: compare, after, before, comparison: state.comparison, days, thresholds })
    return summaryOf({ ...after, isOwn: ownRules(this.#contents[0]), days, comparison, sources: this.#input.sources.length, incomplete, clock, isPartial, run })
  }

  /** Says how far it is. */
  async #tell(events: number, part: number | null): Promise<void> {
    const { locale } = this.#context
    const isDue = this.#progress.isDue()
    // Asking the system for each block would take as long as the block.
    if (!isDue && this.#blocks++ % MEMORY_BLOCKS !== 0) return
    const rss = process.memoryUsage.rss()
    if (rss > this.#peak) this.#peak = rss
    if (!isDue) return
    await this.#progress.update({ text: REPLAY_WORDS[locale].progress(formatNumber(events, locale), formatNumber(rss / MEGABYTE, locale)), count: events, part })
  }
}

/** Whether a rule is of the caller's own content. A base can have own files of a manager, which are not. */
function ownRules({ custom }: ReplayContent): (rule: CompiledRule) => boolean {
  const names = new Set(custom.map(({ filename }) => filename))
  return ({ definition: { source } }) => source.scope === 'custom' && names.has(source.filename)
}

/** @throws UsageError when the folder has something that is not of a replay that continues */
function openFolder(folder: string, goesOn: boolean): void {
  mkdirSync(folder, { recursive: true })
  const found = readdirSync(folder)
  if (found.length > 0 && !(goesOn && found.some((name) => ALERT_FILES.includes(name)))) throw new UsageError('folder_not_empty', { folder })
}

/** What has to be the same in the calls that share the work of one replay: what the first phase makes of an event depends on it. */
function phaseOf(rulesets: readonly CompiledRuleset[], { fields, clock, select }: ReplayOptions): string {
  return hashOf([ENGINE_VERSION, process.versions.v8, rulesets.map(({ hash }) => hash), fields, clock, select])
}

/** What has to be the same in a call that continues. */
function callOf(phase: string, { identity }: ReplayInput, { sample, format, thresholds }: ReplayOptions): string {
  return hashOf([phase, identity, sample, format, thresholds])
}

function hashOf(named: unknown): string {
  return createHash('sha256').update(JSON.stringify(named)).digest('hex')
}
