/** The subcommand `logtest`: runs log lines through a ruleset and reports the result. */
import type { Session } from '#engine'
import { createSession, isAnswerOk, ToldTips } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EventEngine, SESSIONS_LIMIT } from './event-engine.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { readEventRequest } from './input/events.js'
import { answerJsonLines } from './input/json-lines.js'
import { LINE_LIMIT, readLines } from './input/lines.js'
import { describeEvent } from './report/event-report.js'
import { EventSummary } from './report/event-summary.js'
import { REPORT_WORDS } from './report/words.js'
import { showDiagnostics } from './report/ruleset-diagnostics.js'
import { RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

export const logtest: Command<'logtest'> = {
  name: 'logtest',
  options: {
    ...RULESET_OPTIONS,
    session: { type: 'boolean' },
    location: { type: 'string', value: 'path' },
    jsonl: { type: 'boolean' },
    trace: { type: 'boolean' },
    explain: { type: 'string', value: 'ruleId' },
    fast: { type: 'boolean' },
  },
  examples: [
    'detection-content logtest /var/log/auth.log',
    'tail -f /var/log/nginx/access.log | detection-content logtest --custom ./content',
    'detection-content logtest --session --explain 5720 bruteforce.log',
    'detection-content logtest --jsonl < events.jsonl | jq -c "[.rule.id, .alert]"',
  ],
  run: async (context) => {
    const { args } = context
    const explain = args.text('explain')
    if (explain !== null && !/^[0-9]{1,6}$/.test(explain)) throw new UsageError('value_not_rule_id', { option: 'explain', value: explain })
    const jsonl = args.flag('jsonl')
    if (jsonl && args.flag('session')) throw new UsageError('session_of_json_lines', {})
    const source = new RulesetSource(args)
    const isPrompt = context.isTTY.stdin && args.operands.length === 0
    const engine = new EventEngine(source.compile(), {
      trace: args.flag('trace') || (!jsonl && !args.flag('fast')),
      explain,
      locale: context.locale,
      caller: jsonl ? 'json-lines' : 'command-line',
      // At the prompt each event is an answer; the answers to JSON lines are read one by one.
      told: jsonl || isPrompt ? null : new ToldTips(),
    })
    const isFine = await showDiagnostics(context, engine.ruleset, source)
    const code = jsonl ? await runJsonLines(context, engine) : await runLines(context, engine)
    if (engine.evicted > 0) await context.stderr.line(`logtest: ${REPORT_WORDS[context.locale].sessionsEvicted(SESSIONS_LIMIT, engine.evicted)}`)
    return isFine ? code : EXIT.failed
  },
}

async function runLines(context: CommandContext, engine: EventEngine): Promise<ExitCode> {
  const { args, stdin, stdout, stderr, paint, paintErrors, locale, isTTY } = context
  const { operands } = args
  const words = REPORT_WORDS[locale]
  if (operands.length === 0 && isTTY.stdin) await stderr.line(paintErrors.dim(words.typeEvents))
  const location = args.text('location')
  const session = args.flag('session') ? createSession() : null
  const summary = new EventSummary()
  const progress = new Progress(stderr, isTTY.stderr && !isTTY.stdout)
  const started = performance.now()
  let failed = false
  for await (const { source, first, lines } of readLines(operands, stdin)) {
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index]
      if (line === null) {
        failed = true
        await stderr.line(`${source}:${first + index}: ${words.lineTooLong(LINE_LIMIT)}`)
        continue
      }
      if (line.trim() === '') continue
      const { report, explanation } = engine.run({ event: line, log_format: 'auto', ...(location === null ? {} : { location }) }, session)
      summary.add(report)
      failed ||= !isAnswerOk(report, true)
      await stdout.line(describeEvent(line, report, explanation, args.flag('trace'), locale, paint))
      await progress.update(() => words.events(summary.events, formatNumber(summary.events, locale)))
    }
  }
  await progress.end()
  await stderr.write(summary.describe(performance.now() - started, locale, paintErrors))
  return failed ? EXIT.failed : EXIT.fine
}

async function runJsonLines(context: CommandContext, engine: EventEngine): Promise<ExitCode> {
  const { wrong } = await answerJsonLines(context, context.args.operands, context.stdin, (value) => {
    const request = readEventRequest(value)
    const session: Session | null = request.sessionId === null ? null : engine.session(request.sessionId)
    if (request.kind === 'one') return engine.runJson(request.input, session)
    const shared = session ?? createSession()
    return `{"results":[${request.inputs.map((input) => engine.runJson(input, shared)).join(',')}]}`
  })
  return wrong > 0 ? EXIT.failed : EXIT.fine
}
