/** The subcommand `regex`: runs a pattern of one dialect on texts, and shows how the other dialects interpret it. */
import type { Dialect, PatternTrial } from '#engine'
import { attackPattern, DIALECTS, translatePhrase, tryPattern, worstPlain } from '#engine'
import type { Command, CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { answerJsonLines, LineError, readLineMembers } from './input/json-lines.js'
import { readLines } from './input/lines.js'
import { describeAttack, describeWorst } from './report/attack-report.js'
import { describeCompileError, describeDialects, describeTrial } from './report/pattern-report.js'
import { UsageError } from './usage-error.js'

export const regex: Command<'regex'> = {
  name: 'regex',
  options: {
    engine: { type: 'string', short: 'e', value: 'dialect', values: DIALECTS },
    'case-sensitive': { type: 'boolean' },
    captures: { type: 'boolean' },
    redos: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
    jsonl: { type: 'boolean' },
  },
  examples: [
    `detection-content regex 'Failed (\\w+) for (\\S+) from (\\S+)' 'Failed password for root from 203.0.113.9'`,
    `detection-content regex --engine pcre2 '(?i)error\\s+(\\d{3})' < app.log`,
    `detection-content regex --engine osmatch '^Accepted|^Failed' 'Accepted publickey for bob'`,
    `detection-content regex --redos '^(\\w+\\s?)+$'`,
    `detection-content regex --redos --engine osregex 'user\\w*:'`,
  ],
  run: (context) => (context.args.flag('redos') ? attackPatterns(context) : context.args.flag('jsonl') ? tryJsonLines(context) : tryTexts(context)),
}

/** If an event takes longer with a pattern of Wazuh's own dialects, the exit code is 1, as with PCRE2. */
const LONG_MS = 500

/** Every operand is a pattern of OSRegex or OSMatch. */
async function worstPatterns({ args, stdout, locale, paint }: CommandContext, engine: Exclude<Dialect, 'pcre2'>): Promise<ExitCode> {
  let isFine = true
  for (const pattern of args.operands) {
    const { error, worst } = worstPlain(engine, pattern)
    if (worst === null || worst.ms >= LONG_MS) isFine = false
    if (args.flag('quiet')) continue
    if (args.flag('jsonl')) await stdout.write(`${JSON.stringify({ pattern, engine, compiled: error === null, ...(error === null ? {} : { error }), worst })}\n`)
    else if (worst !== null) await stdout.write(`${describeWorst(pattern, worst, locale, paint)}\n`)
    else await writeFault(stdout, { engine, pattern, input: '' }, locale, paint)
  }
  return isFine ? EXIT.fine : EXIT.failed
}

/** Every operand is a pattern. */
async function attackPatterns(context: CommandContext): Promise<ExitCode> {
  const { args, stdout, locale, paint } = context
  if (args.operands.length === 0) throw new UsageError('pattern_missing', {})
  const engine = (args.text('engine') ?? 'pcre2') as Dialect
  if (engine !== 'pcre2') return await worstPatterns(context, engine)
  let isFine = true
  for (const pattern of args.operands) {
    const { compiled, error, attack } = attackPattern(pattern)
    if (!compiled || attack !== null) isFine = false
    if (args.flag('quiet')) continue
    if (args.flag('jsonl')) await stdout.write(`${JSON.stringify({ pattern, compiled, ...(error === null ? {} : { error }), attack })}\n`)
    else if (compiled) await stdout.write(`${describeAttack(pattern, attack, locale, paint)}\n`)
    else await writeFault(stdout, { engine, pattern, input: '' }, locale, paint)
  }
  return isFine ? EXIT.fine : EXIT.failed
}

async function writeFault(stdout: CommandContext['stdout'], trial: PatternTrial, locale: CommandContext['locale'], paint: CommandContext['paint']): Promise<void> {
  await stdout.write(describeCompileError(trial, tryPattern(trial), locale, paint))
}

async function tryTexts(context: CommandContext): Promise<ExitCode> {
  const { args, stdin, stdout, locale, paint } = context
  const [pattern, ...inputs] = args.operands
  if (pattern === undefined) throw new UsageError('pattern_missing', {})
  const engine = (args.text('engine') ?? 'osregex') as Dialect

  const substrings = args.choice('captures') ?? true
  const trialOf = (input: string): PatternTrial => ({ engine, pattern, input, substrings, case_sensitive: args.flag('case-sensitive') })
  const quiet = args.flag('quiet')
  const compiled = tryPattern(trialOf(''))
  if (!compiled.compiled) {
    if (!quiet) await stdout.write(describeCompileError(trialOf(''), compiled, locale, paint) + describeDialects(pattern, engine, locale, paint))
    return EXIT.failed
  }
  let matched = 0
  const tryInput = async (input: string): Promise<void> => {
    const trial = trialOf(input)
    const answer = tryPattern(trial)
    if (answer.matched) matched++
    if (!quiet) await stdout.write(`${describeTrial(trial, answer, locale, paint)}\n`)
  }
  for (const input of inputs) await tryInput(input)
  if (inputs.length === 0) for await (const { lines } of readLines([], stdin)) for (const line of lines) if (line !== null) await tryInput(line)
  if (!quiet) await stdout.write(describeDialects(pattern, engine, locale, paint))
  return matched > 0 ? EXIT.fine : EXIT.failed
}

async function tryJsonLines(context: CommandContext): Promise<ExitCode> {
  const { wrong } = await answerJsonLines(context, regex.name, context.args.operands, context.stdin, (value) => {
    const { compiled, error, matched, end, captures } = tryPattern(readTrial(value))
    return JSON.stringify({ compiled, ...(error === null ? {} : { error: { ...error, message: translatePhrase(error.message, context.locale) } }), matched, end, captures })
  })
  return wrong > 0 ? EXIT.failed : EXIT.fine
}

function readTrial(value: unknown): PatternTrial {
  const { engine, pattern, input, substrings = false, case_sensitive = false } = readLineMembers(value)
  if (!DIALECTS.includes(engine as Dialect)) throw new LineError('not_choice', { member: 'engine', choices: DIALECTS.join(', ') })
  if (typeof pattern !== 'string') throw new LineError('not_text', { member: 'pattern' })
  if (typeof input !== 'string') throw new LineError('not_text', { member: 'input' })
  if (typeof substrings !== 'boolean' || typeof case_sensitive !== 'boolean') throw new LineError('flags', {})
  return { engine: engine as Dialect, pattern, input, substrings, case_sensitive }
}
