/**
 * The replay corpus: recorded attacks on real machines, one session for each source, with the clock of the recording. Runs once for each mode of the engine;
 * all are compared with the same recording.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { CompiledRuleset, LogtestInput, LogtestReport, Session, SourceFile } from '#engine'
import { compileLayer, compileRuleset, createSession, EventRunner, runLogtest } from '#engine'
import { readRulesetFolder } from '#workers'
import { runs } from '../support/runs.js'
import { writtenReport } from '../support/written-report.js'
import { CONFORMANCE, momentAt, rulesetOf } from './conformance.js'
import { type SuiteResult, Tally } from './tally.js'

interface ReplayedEvent {
  readonly event: string
  readonly log_format: 'eventchannel' | 'json' | 'syslog'
  readonly location: string
  /** UTC seconds. */
  readonly time: number
  readonly source: string
}

interface ReplayedAnswer {
  readonly rule: string | null
  readonly level: number | null
  readonly decoder: string | null
  readonly parent: string | null
  /** Number of groups of the rule. */
  readonly groups: number
  /** Digest of all fields. */
  readonly fields: string
  readonly alert: boolean
  readonly firedtimes: number | null
}

/** An event on which Wazuh is said to crash agrees with no recording. */
interface Answer extends ReplayedAnswer {
  readonly crashes: boolean
}

/** The manager's name in the recording. */
const MANAGER = 'mgr0zq'
/** Digits of a digest that are recorded. */
const DIGEST_LENGTH = 16

function linesOf<T>(file: string): T[] {
  const text = gunzipSync(readFileSync(join(CONFORMANCE, 'replay', file))).toString('utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]))
}

let read: { readonly events: readonly ReplayedEvent[]; readonly truth: readonly ReplayedAnswer[] } | null = null

/** Read once for all ways: 80 MB of JSON. */
function recording(): NonNullable<typeof read> {
  read ??= { events: linesOf('events.ndjson.gz'), truth: linesOf('truth.ndjson.gz') }
  return read
}

/** Returns the digest of the recording: of all names and values, sorted by name. */
function digestOf(fields: LogtestReport['extracted_fields']): string {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, DIGEST_LENGTH)
}

function answerOf({ rule, decoder, extracted_fields, alert, diagnostics }: LogtestReport): Answer {
  return {
    rule: rule?.id ?? null,
    level: rule?.level ?? null,
    decoder: decoder?.name ?? null,
    parent: decoder?.parent ?? null,
    groups: rule?.groups.length ?? 0,
    fields: digestOf(extracted_fields),
    alert,
    firedtimes: rule?.firedtimes ?? null,
    crashes: diagnostics.some(({ code }) => code === 'wazuh_crash'),
  }
}

/** The first file of the layer, which has the rules of the event channel. */
const FIRST_OF_LAYER = '0575'

/** The rules that load last, as a layer on all others. */
function layered(): CompiledRuleset {
  const files = readRulesetFolder(join(CONFORMANCE, 'ruleset-default'), 'default')
  const isLate = ({ kind, filename }: SourceFile): boolean => kind === 'rules' && filename >= FIRST_OF_LAYER
  return compileLayer(compileRuleset(files.filter((file) => !isLate(file))), files.filter(isLate))
}

/** Runs an event and returns its report. */
type Run = (runner: EventRunner, input: LogtestInput, seconds: number, session: Session) => LogtestReport

const asObject =
  (trace: boolean): Run =>
  (runner, input, seconds, session) =>
    runLogtest(runner, input, momentAt(seconds), session, { trace, locale: 'en-US' })

const asWritten =
  (trace: boolean): Run =>
  (runner, input, seconds, session) => {
    // Lines of a batch bring the event as JSON along.
    const eventJson = trace ? null : JSON.stringify(input.event)
    const { run, json } = writtenReport(eventJson, runner, input, momentAt(seconds), session, { trace, locale: 'en-US' })
    return { ...(JSON.parse(json) as LogtestReport), diagnostics: run.diagnostics }
  }

interface Way {
  readonly name: string
  readonly runner: () => EventRunner
  readonly run: Run
}

const rulesets = { atOnce: once(() => rulesetOf('default')), layered: once(layered) }

/** The modes of the engine. */
const WAYS: readonly Way[] = [
  { name: 'at once', runner: once(() => runnerOf(rulesets.atOnce())), run: asObject(false) },
  { name: 'traced', runner: once(() => runnerOf(rulesets.layered())), run: asObject(true) },
  { name: 'layered, written', runner: once(() => runnerOf(rulesets.layered())), run: asWritten(false) },
  { name: 'written, traced', runner: once(() => runnerOf(rulesets.atOnce())), run: asWritten(true) },
]

function runnerOf(ruleset: CompiledRuleset): EventRunner {
  return new EventRunner(ruleset, { managerName: MANAGER })
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** @param ways sources take them in turn */
function runReplay(name: string, ways: readonly Way[]): SuiteResult {
  const tally = new Tally()
  const { events, truth } = recording()
  let session = createSession()
  let sources = 0
  for (const [index, { event, log_format, location, time, source }] of events.entries()) {
    if (index > 0 && events[index - 1].source !== source) {
      session = createSession()
      sources++
    }
    const way = ways[sources % ways.length]
    const report = way.run(way.runner(), { event, log_format, location }, time, session)
    tally.count(`${way.name}, ${source} #${index}`, answerOf(report), { ...truth[index], crashes: false })
  }
  return tally.result(`replay, ${name}`, 100)
}

/** Each way takes about five seconds for all sources. */
export const REPLAY_SUITES: readonly (() => SuiteResult)[] = runs(
  [() => runReplay('each source in one way', WAYS)],
  WAYS.map((way) => () => runReplay(way.name, [way])),
)
