/** The subcommand `bench`: measures how fast a ruleset processes given events, and which parts of it cost most. */
import { compileRuleset, type Locale } from '#engine'
import { composeRuleset } from '#workers'
import { RULESET_OPTIONS } from './arguments.js'
import { benchPage } from './bench/bench-page.js'
import { describeMeasurement, describeProfile } from './bench/bench-report.js'
import { measureCompile, measureEvents, prepareEvents, type Measurement, type OnPart } from './bench/measure.js'
import { profileEvents, type Profile } from './bench/profile.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { readEventFile } from './input/event-file.js'
import { STDIN_NAME } from './input/lines.js'
import { OUTPUT_OPTION, readOutputFiles, writeOutputFile } from './output-files.js'
import { showLoadErrors } from './report/ruleset-diagnostics.js'
import { REPORT_WORDS } from './report/words.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

const DEFAULT_SECONDS = 3
/** A shorter run would measure the resolution of the clock. */
const MIN_SECONDS = 0.05

/** Formats of `--output`. */
const FORMATS = {
  json: (measurement: Measurement, profile: Profile | null, _: Locale) => `${JSON.stringify(profile === null ? measurement : { ...measurement, profile }, null, 2)}\n`,
  html: (measurement: Measurement, profile: Profile | null, locale: Locale) => benchPage(measurement, profile, locale),
} as const

export const bench: Command<'bench'> = {
  name: 'bench',
  options: {
    ...RULESET_OPTIONS,
    seconds: { type: 'string', value: 'number' },
    profile: { type: 'boolean' },
    json: { type: 'boolean' },
    output: OUTPUT_OPTION,
    quiet: { type: 'boolean', short: 'q' },
  },
  examples: [
    'detection-content bench /var/log/auth.log',
    'detection-content bench events.jsonl --custom ./content --profile',
    'detection-content bench events.jsonl --json | jq .events_per_second',
    'detection-content bench events.jsonl --custom ./content --profile --output html=speed.html',
  ],
  helpParams: () => ({ seconds: DEFAULT_SECONDS }),
  run: async (context) => {
    const { args, stdin, stdout, stderr, locale, paint } = context
    const words = REPORT_WORDS[locale]
    if (args.operands.length === 0) throw new UsageError('events_missing', { stdin: STDIN_NAME })
    const outputs = readOutputFiles(args, Object.keys(FORMATS) as (keyof typeof FORMATS)[])
    const seconds = args.number('seconds', MIN_SECONDS) ?? DEFAULT_SECONDS
    const source = new RulesetSource(namedRuleset(args))
    const written = await readEventFile(args.operands, stdin)
    const events = prepareEvents(written)
    const refused = written.length - events.length
    if (events.length === 0) throw new UsageError('events_refused', {})
    if (refused > 0) await stderr.line(`bench: ${words.eventsRefused(refused, written.length)}`)
    const files = composeRuleset(source.defaults, source.custom, [])
    const started = performance.now()
    const ruleset = compileRuleset(files)
    const coldMs = performance.now() - started
    if (!(await showLoadErrors(context, ruleset, source))) return EXIT.failed
    const progress = new Progress(context, bench.name, args.flag('json') ? 'document' : 'text')
    const begin = async (step: keyof typeof words.measuring): Promise<OnPart> => {
      await progress.step(words.measuring[step])
      return (part) => progress.tick(words.measuring[step], part)
    }
    const measured = await measureEvents(ruleset, events, seconds, begin)
    await begin('compiling')
    const measurement: Measurement = { ...measured, compile_ms: measureCompile(files, ruleset, coldMs) }
    const profile = args.flag('profile') ? profileEvents(compileRuleset(files), events, seconds, await begin('profile')) : null
    await progress.clear()
    for (const { format, path } of outputs) writeOutputFile(path, FORMATS[format](measurement, profile, locale))
    if (args.flag('json')) await stdout.write(FORMATS.json(measurement, profile, locale))
    else await stdout.write(describeMeasurement(measurement, locale, paint) + (profile === null ? '' : describeProfile(profile, locale, paint)))
    return EXIT.fine
  },
}
