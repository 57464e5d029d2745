/** The subcommand `logtest`: runs log lines through a ruleset and reports the result. */
import type { LogtestInput, LogtestReport, Session, Wrapper } from '#engine'
import { beginsBlock, createSession, describeWrapper, EventBlocks, insideOf, isAnswerOk, ToldTips, unwrap } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EventEngine, SESSIONS_LIMIT } from './event-engine.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { readEventRequest } from './input/events.js'
import { answerJsonLines } from './input/json-lines.js'
import { bytesToRead, LINE_LIMIT, readLines, STDIN_NAME } from './input/lines.js'
import { hasKeys, readTypedLines } from './input/typed-lines.js'
import { describeEvent } from './report/event-report.js'
import { EventSummary } from './report/event-summary.js'
import { REPORT_WORDS } from './report/words.js'
import { showDiagnostics } from './report/ruleset-diagnostics.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { printable } from './terminal/printable.js'
import { Progress } from './terminal/progress.js'
import { describeUnitTest, passes, readUnitTest, type UnitTest } from './unit-test.js'
import { UsageError } from './usage-error.js'

/** Silence after which a person is told that an event over several lines is not complete. The lines of a paste follow each other in milliseconds. */
const PASTE_PAUSE_MS = 700
/** A terminal whose keys cannot be read passes on this many bytes of a line and drops the rest (N_TTY of Linux, without the line end). */
const TERMINAL_LINE = 4095

export const logtest: Command<'logtest'> = {
  name: 'logtest',
  options: {
    ...RULESET_OPTIONS,
    session: { type: 'boolean' },
    location: { type: 'string', value: 'path', short: 'l' },
    unwrap: { type: 'boolean' },
    jsonl: { type: 'boolean' },
    trace: { type: 'boolean', short: 'v' },
    explain: { type: 'string', value: 'ruleId' },
    'unit-test': { type: 'string', value: 'unitTest', short: 'U' },
    quiet: { type: 'boolean', short: 'q' },
    fast: { type: 'boolean' },
  },
  equivalents: { d: 'trace', debug: 'trace', verbose: 'trace' },
  examples: [
    'detection-content logtest /var/log/auth.log',
    'tail -f /var/log/nginx/access.log | detection-content logtest --custom ./content',
    'detection-content logtest --session --explain 5720 bruteforce.log',
    'detection-content logtest --unwrap /var/ossec/logs/archives/archives.json',
    'detection-content logtest -q -U 5710:5:sshd < event.log',
    'detection-content logtest --jsonl < events.jsonl | jq -c "[.rule.id, .alert]"',
  ],
  run: async (context) => {
    const { args } = context
    const explain = args.text('explain')
    if (explain !== null && !/^[0-9]{1,6}$/.test(explain)) throw new UsageError('value_not_rule_id', { option: 'explain', value: explain })
    const jsonl = args.flag('jsonl')
    if (jsonl && args.flag('session')) throw new UsageError('session_of_json_lines', {})
    const written = args.text('unit-test')
    if (jsonl && written !== null) throw new UsageError('unit_test_of_json_lines', {})
    const unitTest = written === null ? null : readUnitTest(written)
    const source = new RulesetSource(namedRuleset(args))
    const isPrompt = isTyped(context)
    const engine = new EventEngine(source.compile(), {
      trace: args.flag('trace') || (!jsonl && !args.flag('fast')),
      explain,
      locale: context.locale,
      caller: jsonl ? 'json-lines' : 'command-line',
      // At the prompt each event is an answer; the answers to JSON lines are read one by one.
      told: jsonl || isPrompt ? null : new ToldTips(),
    })
    const isFine = await showDiagnostics(context, engine.ruleset, source)
    const code = jsonl ? await runJsonLines(context, engine) : await new LineRun(context, engine, unitTest).run()
    if (engine.evicted > 0) await context.stderr.line(`logtest: ${REPORT_WORDS[context.locale].sessionsEvicted(SESSIONS_LIMIT, engine.evicted)}`)
    return isFine ? code : EXIT.failed
  },
}

/** Whether a person types or pastes the events. */
function isTyped({ args, isTTY }: CommandContext): boolean {
  return isTTY.stdin && args.operands.every((operand) => operand === STDIN_NAME)
}

/** A run of plain lines: of files, of a pipe, or at the prompt. */
class LineRun {
  readonly #context: CommandContext
  readonly #engine: EventEngine
  readonly #unitTest: UnitTest | null
  /** Whether a person types or pastes the events. */
  readonly #isPrompt: boolean
  readonly #unwraps: boolean
  readonly #isQuiet: boolean
  readonly #session: Session | null
  readonly #summary = new EventSummary()
  #last: LogtestReport | null = null
  #failed = false
  /** Lines of records that are no logs. */
  #skipped = 0

  constructor(context: CommandContext, engine: EventEngine, unitTest: UnitTest | null) {
    const { args } = context
    this.#context = context
    this.#engine = engine
    this.#unitTest = unitTest
    this.#isPrompt = isTyped(context)
    this.#unwraps = args.flag('unwrap')
    this.#isQuiet = args.flag('quiet')
    // As in wazuh-logtest, where the events of a call are one session.
    this.#session = (args.choice('session') ?? (this.#isPrompt || unitTest !== null)) ? createSession() : null
  }

  async run(): Promise<ExitCode> {
    const { args, stdin, stdout, stderr, paint, paintErrors, locale, terminal } = this.#context
    const words = REPORT_WORDS[locale]
    if (this.#isPrompt && !this.#isQuiet) await stderr.line(paintErrors.dim(words.typeEvents(this.#session !== null)))
    // Elsewhere each line is an event, as it is for logcollector.
    const blocks = this.#isPrompt || this.#unwraps ? new EventBlocks(this.#isPrompt) : null
    // A person at the prompt sees each answer.
    const progress = this.#isPrompt ? null : new Progress(this.#context, logtest.name, 'stream')
    const total = this.#isPrompt ? null : bytesToRead(args.operands, stdin)
    let bytes = 0
    const done = (bytesRead: number) => ({
      text: words.events(this.#summary.events, formatNumber(this.#summary.events, locale)),
      count: this.#summary.events,
      part: total === null ? null : bytesRead / total,
    })
    const started = performance.now()
    const batches = this.#isPrompt && terminal !== null && hasKeys(stdin) ? readTypedLines(stdin, terminal) : readLines(args.operands, stdin)
    let notice: NodeJS.Timeout | undefined
    for await (const { source, first, lines, bytes: read } of batches) {
      clearTimeout(notice)
      for (let index = 0; index < lines.length; index++) {
        const line = lines[index]
        if (line === null) {
          this.#failed = true
          await stderr.line(`${source}:${first + index}: ${words.lineTooLong(LINE_LIMIT)}`)
          continue
        }
        if (this.#isPrompt && Buffer.byteLength(line) === TERMINAL_LINE) await stderr.line(paintErrors.warning(words.lineCut(TERMINAL_LINE)))
        for (const event of blocks === null ? [line] : blocks.add(line)) await this.#runEvent(event)
        if (progress?.isDue() === true) await progress.update(done(bytes + (read * (index + 1)) / lines.length))
      }
      bytes += read
      // A terminal passes on each line of a paste by itself, so the end of the paste is known only by the silence after it.
      if (this.#isPrompt && blocks?.isOpen === true && !this.#isQuiet) notice = setTimeout(() => void stderr.line(paintErrors.dim(words.blockOpen)).catch(() => {}), PASTE_PAUSE_MS)
    }
    clearTimeout(notice)
    for (const event of blocks?.end() ?? []) await this.#runEvent(event)
    await progress?.clear()
    if (this.#skipped > 0) await stderr.line(paintErrors.dim(words.linesSkipped(this.#skipped, formatNumber(this.#skipped, locale))))
    if (this.#unitTest !== null) {
      if (!this.#isQuiet) await stdout.line(describeUnitTest(this.#last, this.#unitTest, locale, paint))
      this.#failed ||= !passes(this.#last, this.#unitTest)
    }
    if (!this.#isQuiet) await stderr.write(this.#summary.describe(performance.now() - started, locale, paintErrors))
    return this.#failed ? EXIT.failed : EXIT.fine
  }

  async #runEvent(event: string): Promise<void> {
    if (event.trim() === '') return
    // Elsewhere a record is run as any event, and its run gives the hint.
    const wrapper = this.#unwraps || this.#isPrompt ? unwrap(event) : null
    const inside = wrapper === null ? null : insideOf(wrapper)
    if (wrapper !== null && this.#unwraps) {
      if (inside !== null) return this.#runInside(wrapper, inside)
      if (wrapper.obstacle === 'frame') {
        this.#skipped++
        return
      }
    }
    const input = this.#inputOf({ event, log_format: 'auto' })
    if (wrapper === null || inside === null || this.#unwraps || this.#unitTest !== null) return this.#show(input, this.#session)
    // The record is no event of the session, unless the content is made for it, which only its run tells.
    const { report } = this.#engine.run(input, null)
    if (!report.insights.includes(describeWrapper(wrapper, this.#context.locale))) return this.#show(input, this.#session)
    await this.#show(input, null)
    await this.#runInside(wrapper, inside)
  }

  /** Runs the log inside of a record, as the manager received it. */
  async #runInside(wrapper: Wrapper, inside: LogtestInput): Promise<void> {
    const { locale, stdout, paint } = this.#context
    const input = this.#inputOf(inside)
    if (!(this.#isQuiet && this.#unitTest !== null))
      await stdout.line(paint.dim(`${REPORT_WORDS[locale].inside(printable(input.location ?? 'stdin'), innermost(wrapper).isDecoded)}`))
    await this.#show(input, this.#session)
  }

  async #show(input: LogtestInput, session: Session | null): Promise<void> {
    const { args, stdout, locale, paint } = this.#context
    const { report, explanation } = this.#engine.run(input, session)
    this.#summary.add(report)
    this.#last = report
    this.#failed ||= !isAnswerOk(report, true)
    if (this.#isQuiet && this.#unitTest !== null) return
    await stdout.line(describeEvent(input.event, { ...report, insights: this.#hintsOf(input.event, report) }, explanation, args.flag('trace'), locale, paint))
  }

  /** The insights, with the option that runs what is inside. */
  #hintsOf(event: string, { insights, trace }: LogtestReport): readonly string[] {
    const { locale } = this.#context
    const words = REPORT_WORDS[locale]
    if (this.#isPrompt || this.#unwraps || trace.length === 0) return insights
    if (beginsBlock(event)) return [words.firstLine, ...insights]
    // The hint about a record is the only one.
    const wrapper = insights.length === 1 ? unwrap(event) : null
    if (wrapper === null || describeWrapper(wrapper, locale) !== insights[0]) return insights
    const { obstacle } = innermost(wrapper)
    if (obstacle !== null && obstacle !== 'frame') return insights
    const way = obstacle === 'frame' ? words.useUnwrapOfFrame : wrapper.kind === 'json_lines' ? words.useJsonLines : words.useUnwrap
    return [`${insights[0]} ${way}`]
  }

  #inputOf(input: LogtestInput): LogtestInput {
    const location = input.location ?? this.#context.args.text('location')
    return location === null ? input : { ...input, location }
  }
}

function innermost(wrapper: Wrapper): Wrapper {
  return wrapper.inner === null ? wrapper : innermost(wrapper.inner)
}

async function runJsonLines(context: CommandContext, engine: EventEngine): Promise<ExitCode> {
  const unwraps = context.args.flag('unwrap')
  const { wrong } = await answerJsonLines(context, logtest.name, context.args.operands, context.stdin, (value, line) => {
    const request = readEventRequest(value, line, unwraps)
    const session: Session | null = request.sessionId === null ? null : engine.session(request.sessionId)
    if (request.kind === 'one') return engine.runJson(request.input, session)
    const shared = session ?? createSession()
    return `{"results":[${request.inputs.map((input) => engine.runJson(input, shared)).join(',')}]}`
  })
  return wrong > 0 ? EXIT.failed : EXIT.fine
}
