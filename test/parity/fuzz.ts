/**
 * The recorded random rulesets, which have no base: whether each loads, its rule tree, and its results for its events, in new sessions with the clock of the
 * recording. Runs once for each mode of the engine; all are compared with the same recording.
 */
import type { CompiledRuleset, LogtestInput, LogtestReport, Moment, Outcome, Session, SourceFile } from '#engine'
import { compileLayer, compileRuleset, createSession, EventRunner, fromByteString, readLocation, runLogtest, toByteString } from '#engine'
import { type WrittenReport, writtenReport } from '../support/written-report.js'
import type { RuleNode } from '../../engine/rules/compiled-rule.js'
import { parseXml } from '../../engine/xml/parse.js'
import { fieldsOf, momentAt, readLines } from './conformance.js'
import { type SuiteResult, Tally } from './tally.js'

interface RecordedEvent {
  readonly event: string
  /** The clock: UTC seconds. */
  readonly now: number
  readonly location?: string
  readonly log_format?: 'eventchannel'
}

interface RecordedAnswer {
  readonly decoder: string | null
  readonly parent: string | null
  readonly fields: Readonly<Record<string, string>>
  readonly rule: string | null
  readonly level: number | null
  readonly path: readonly string[]
}

interface RecordedRuleset {
  readonly name: string
  readonly files: Readonly<Partial<Record<'decoders' | 'rules' | 'lists', Readonly<Record<string, string>>>>>
  readonly sessions: readonly (readonly RecordedEvent[])[]
  readonly loads: boolean
  /** Placements from the root: rule, its parent (0 = none), level. Absent or null: not recorded. */
  readonly tree?: readonly (readonly [id: number, parent: number, level: number])[] | null
  readonly answers: readonly (readonly RecordedAnswer[])[] | null
}

/** The manager's name in the recordings. */
const MANAGER = 'mgr0zq'
/** Prefix of the text of a file that was recorded in Latin-1. */
const LATIN1 = 'latin1:'

function filesOf({ files }: RecordedRuleset): SourceFile[] {
  return (['decoders', 'rules', 'lists'] as const).flatMap((kind) =>
    Object.entries(files[kind] ?? {}).map(([filename, text]): SourceFile => ({ kind, scope: 'custom', filename, content: contentOf(text) })),
  )
}

/** Returns the text of a file that is read from disk as UTF-8. */
function contentOf(text: string): string {
  return text.startsWith(LATIN1) ? Buffer.from(text.slice(LATIN1.length), 'latin1').toString('utf8') : text
}

/** Splits each file before its last top-level element, into parts that load one after the other. */
function inTwo(files: readonly SourceFile[]): [base: SourceFile[], layer: SourceFile[]] {
  const base: SourceFile[] = []
  const layer: SourceFile[] = []
  for (const file of files) {
    const outcome = file.kind === 'lists' ? null : parseXml(toByteString(file.content))
    const last = outcome?.ok === true ? outcome.document.elements.at(-1) : undefined
    // Variables are valid to the end of their file.
    if (last === undefined || outcome?.ok !== true || outcome.document.elements.length < 2 || outcome.document.variables.length > 0) base.push(file)
    else {
      const bytes = toByteString(file.content)
      base.push({ ...file, content: fromByteString(bytes.slice(0, last.start)) })
      layer.push({ ...file, content: fromByteString(bytes.slice(last.start)) })
    }
  }
  return [base, layer]
}

function layered(files: readonly SourceFile[]): CompiledRuleset {
  const [base, layer] = inTwo(files)
  return compileLayer(compileRuleset(base), layer)
}

function treeOf({ rules }: CompiledRuleset): [number, number, number][] {
  const below = (nodes: readonly RuleNode[], parent: number): [number, number, number][] =>
    nodes.flatMap(({ rule, children }): [number, number, number][] => [[rule.id, parent, rule.level], ...below(children, rule.id)])
  return below(rules.top, 0)
}

/** Runs an event and returns its result in the format of the recording; null: it is refused. */
type Run = (runner: EventRunner, event: RecordedEvent, session: Session) => RecordedAnswer | null

const LOCATION = 'stdin'

const asOutcome: Run = (runner, recorded, session) => {
  const { event, now, location = LOCATION, log_format } = recorded
  const origin = readLocation(toByteString(location))
  if (origin === null) return null
  // The event channel has no decoders to run.
  if (log_format === 'eventchannel') return asObject(false)(runner, recorded, session)
  return ofOutcome(runner.run(toByteString(event), origin, momentAt(now), session))
}

function ofOutcome({ event, rule, path }: Outcome): RecordedAnswer {
  return {
    decoder: event.decoder === null ? null : fromByteString(event.decoder.name),
    parent: event.decoder?.definition.parent == null ? null : fromByteString(event.decoder.definition.parent),
    fields: fieldsOf(event),
    rule: rule === null ? null : String(rule.id),
    level: rule?.level ?? null,
    path: path.map(({ id }) => String(id)),
  }
}

const asObject =
  (trace: boolean): Run =>
  (runner, event, session) =>
    ofReport(runLogtest(runner, ...reportOf(event, session), { trace, locale: 'en-US' }))

const asWritten =
  (trace: boolean): Run =>
  (runner, event, session) => {
    const [input, ...rest] = reportOf(event, session)
    // Lines of a batch bring the event as JSON along.
    return ofReport(answerOf(writtenReport(trace ? null : JSON.stringify(input.event), runner, input, ...rest, { trace, locale: 'en-US' })))
  }

/** The report of the answer of the service. @throws if it is not JSON as `JSON.stringify` prints it, to the byte */
function answerOf({ run, json: answer }: WrittenReport): LogtestReport {
  const report = JSON.parse(answer) as LogtestReport
  const { extracted_fields: fields } = report
  // JavaScript moves names that are numbers to the front.
  const isInOrder = !Object.keys(fields).some((name) => /^\d+$/.test(name))
  if (isInOrder && JSON.stringify(report) !== answer) throw new Error(`the answer is ${answer}, and the report ${JSON.stringify(report)}`)
  return { ...report, diagnostics: run.diagnostics }
}

function reportOf({ event, now, location = LOCATION, log_format }: RecordedEvent, session: Session): [LogtestInput, Moment, Session] {
  return [{ event, log_format: log_format ?? 'syslog', location }, momentAt(now), session]
}

function ofReport({ ok, decoder, rule, extracted_fields, matched_rules, diagnostics }: LogtestReport): RecordedAnswer | null {
  // Crashes of Wazuh are not in the recordings.
  if (!ok || diagnostics.some(({ code }) => code === 'wazuh_crash')) return null
  return {
    decoder: decoder?.name ?? null,
    parent: decoder?.parent ?? null,
    fields: extracted_fields,
    rule: rule?.id ?? null,
    level: rule?.level ?? null,
    path: matched_rules.map(({ id }) => id),
  }
}

function runFuzz(file: string, way: string, compile: (files: readonly SourceFile[]) => CompiledRuleset, run: Run): SuiteResult {
  const tally = new Tally()
  for (const recorded of readLines<RecordedRuleset>(file)) {
    const { name, sessions, loads, tree = null, answers } = recorded
    const ruleset = compile(filesOf(recorded))
    const crashes = ruleset.loadDiagnostics.some(({ code }) => code === 'wazuh_crash')
    tally.count(name, { loads: ruleset.loads, tree: tree !== null && ruleset.loads ? treeOf(ruleset) : null, crashes }, { loads, tree, crashes: false })
    if (answers === null || !ruleset.loads) continue
    const runner = new EventRunner(ruleset, { managerName: MANAGER })
    for (const [at, events] of sessions.entries()) {
      const session = createSession()
      for (const [index, event] of events.entries()) tally.count(`${name} #${at}.${index} ${event.event.slice(0, 80)}`, run(runner, event, session), answers[at][index])
    }
  }
  return tally.result(`${file}, ${way}`, 100)
}

/** What a later, larger comparison still found is in a file of its own. */
export const FUZZ_SUITES: readonly (() => SuiteResult)[] = ['fuzz.jsonl', 'fuzz-2026-11.jsonl'].flatMap((file) => [
  () => runFuzz(file, 'at once', compileRuleset, asOutcome),
  () => runFuzz(file, 'layered', layered, asOutcome),
  () => runFuzz(file, 'traced', compileRuleset, asObject(true)),
  () => runFuzz(file, 'as objects', layered, asObject(false)),
  () => runFuzz(file, 'written', compileRuleset, asWritten(false)),
  () => runFuzz(file, 'written, traced', layered, asWritten(true)),
])
