/** The subcommand `validate`: reports every diagnostic of rules and decoders at its line, and its effect in Wazuh. */
import type { CompiledRuleset, FileKind, SourceFile } from '#engine'
import { describeDiagnostics, diagnosticsWithProofs, FILE_KINDS } from '#engine'
import { roundMs } from '#workers'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { locateDiagnostic } from './diagnostics/content-diagnostics.js'
import { byWeight, type LocatedDiagnostic, type DiagnosticsFormat, type ValidationRun } from './diagnostics/located-diagnostic.js'
import { DIAGNOSTICS_FORMATS } from './diagnostics/index.js'
import { type ContentFile, readContentFiles } from './input/content-files.js'
import { answerJsonLines, LineError, readLineMembers, readMembers } from './input/json-lines.js'
import { REPORT_WORDS } from './report/words.js'
import { rulesPresent } from './input/written-rules.js'
import { OUTPUT_OPTION, type OutputFile, readOutputFiles, writeOutputFile } from './output-files.js'
import { type FilePlace, placeKey, namedRuleset, RulesetSource } from './ruleset-source.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'
import { watchFiles } from './watch.js'

type OutputFormat = Exclude<keyof typeof DIAGNOSTICS_FORMATS, 'pretty'>

/** Formats for files: all but text, which has the colours of the terminal. */
const OUTPUT_FORMATS = Object.keys(DIAGNOSTICS_FORMATS).filter((format): format is OutputFormat => format !== 'pretty')

export const validate: Command<'validate'> = {
  name: 'validate',
  options: {
    ...RULESET_OPTIONS,
    format: { type: 'string', value: 'format', values: Object.keys(DIAGNOSTICS_FORMATS) },
    output: OUTPUT_OPTION,
    jsonl: { type: 'boolean' },
    baseline: { type: 'boolean' },
    strict: { type: 'boolean' },
    'only-named': { type: 'boolean' },
    fix: { type: 'boolean' },
    suggested: { type: 'boolean' },
    write: { type: 'boolean' },
    watch: { type: 'boolean', short: 'w' },
    'help-url': { type: 'string', value: 'url' },
    quiet: { type: 'boolean', short: 'q' },
  },
  examples: [
    'detection-content validate local_rules.xml',
    'detection-content validate --ruleset ./wazuh/ruleset etc/rules etc/decoders',
    'detection-content validate --format sarif content/ > diagnostics.sarif',
    'detection-content validate --format github content/',
    'detection-content validate --custom content --output sarif=out.sarif --output junit=out.xml',
    'detection-content validate --custom content --only-named content/rules/local_rules.xml',
    'detection-content validate --custom content --fix',
    'detection-content validate --custom content --fix --write',
    'detection-content validate --custom content --watch',
  ],
  run: async (context) => {
    const { args } = context
    const format = DIAGNOSTICS_FORMATS[(args.text('format') ?? 'pretty') as keyof typeof DIAGNOSTICS_FORMATS]
    const outputs = readOutputFiles(args, OUTPUT_FORMATS)
    refusePairs(args)
    const named = namedRuleset(args)
    const source = new RulesetSource(named)
    if (args.flag('jsonl')) return validateJsonLines(context, source)
    if (args.operands.length === 0 && (args.flag('only-named') || (!source.namedCustom && !source.namedBase))) throw new UsageError('content_missing', {})
    if (args.flag('fix')) return fixFiles(context, source)
    if (!args.flag('watch')) return validateFiles(context, source, format, outputs)
    const paths = [...(source.namedBase && named.ruleset !== null ? [named.ruleset] : []), ...named.custom, ...args.operands]
    let current: RulesetSource | null = null
    return watchFiles(context, paths, async (changed) => {
      current = current === null ? source : new RulesetSource(named, current, named.ruleset === null || !changed.has(named.ruleset))
      return validateFiles(context, current, format, outputs)
    })
  },
}

/** Options that exclude each other, or need another one. */
function refusePairs(args: CommandContext['args']): void {
  const chosen = ['jsonl', 'fix', 'watch'].filter((name) => args.flag(name))
  if (chosen.length > 1) throw new UsageError('options_both', { first: chosen[0], second: chosen[1] })
  const alone = args.flag('fix') ? undefined : ['write', 'suggested'].find((name) => args.flag(name))
  if (alone !== undefined) throw new UsageError('option_needs', { option: alone, other: 'fix' })
}

/** Corrects the named files, or else the content of `--custom`; a base is corrected only where it is what is checked. */
async function fixFiles({ args, stdout, stderr, locale }: CommandContext, source: RulesetSource): Promise<ExitCode> {
  const { correctFiles, describeCorrections, writeCorrections } = await import('./correct.js')
  const words = REPORT_WORDS[locale]
  const { base, own } = source.layers()
  const named = source.recognize(readContentFiles(args.operands, 'adhoc'))
  const known = new Set([...base, ...own].map(({ file }) => file))
  const all = [...own, ...named.filter(({ file }) => !known.has(file))]
  // A base that is checked alone is own content here.
  const isBaseAlone = all.length === 0
  const files = isBaseAlone ? base : all
  const paths = new Set((named.length > 0 ? all.filter(({ file }) => named.some((one) => one.file === file)) : files).map(({ path }) => path))
  const corrections = correctFiles(isBaseAlone ? [] : base.map(({ file }) => file), isBaseAlone ? files.map(asOwn) : files, paths, args.flag('suggested'))
  const count = corrections.count
  if (count === 0) {
    await stderr.line(words.fixesNone)
    return EXIT.fine
  }
  if (!args.flag('write')) {
    await stdout.write(await describeCorrections(corrections))
    await stderr.line(words.fixesProposed(count, corrections.files.length))
    return EXIT.failed
  }
  const skipped = writeCorrections(corrections)
  for (const path of skipped) await stderr.line(words.fixesSkipped(path))
  await stderr.line(words.fixesWritten(count, corrections.files.length - skipped.length))
  return skipped.length === 0 ? EXIT.fine : EXIT.failed
}

function asOwn({ path, file }: ContentFile): ContentFile {
  return { path, file: { ...file, scope: 'custom' } }
}

async function validateFiles(context: CommandContext, source: RulesetSource, format: DiagnosticsFormat, outputs: readonly OutputFile<OutputFormat>[]): Promise<ExitCode> {
  const { args, locale, paint, stdout } = context
  // A file that belongs to a named folder is checked as part of it: without the folder, what only that file uses would be reported as unused.
  const named = source.recognize(readContentFiles(args.operands, 'adhoc'))
  const more = named.filter(({ file }) => file.scope === 'adhoc')
  const progress = new Progress(context, validate.name, format === DIAGNOSTICS_FORMATS.pretty ? 'text' : 'document')
  const { files: fileCount, characters } = source.size()
  const isLong = await progress.compiling({ files: fileCount + more.length, characters: characters + more.reduce((sum, { file }) => sum + file.content.length, 0) })
  const started = performance.now()
  const ruleset = more.length === 0 ? source.compile().ruleset : source.compileWith(more.map(({ file }) => file))
  const compileMs = performance.now() - started
  // Diagnostics of a named base are reported if nothing is on top of it.
  const includeBaseline = args.flag('baseline') || (named.length === 0 && !source.namedCustom)
  const paths = new Map(named.map(({ path, file }) => [placeKey(file), path]))
  const onlyNamed = args.flag('only-named')
  const pathOf = (place: FilePlace): string => paths.get(placeKey(place)) ?? source.pathOf(place)
  await progress.step(REPORT_WORDS[locale].checking, isLong)
  const report = describeDiagnostics(ruleset, { locale, includeBaseline: true, loadedFromDisk: true, diagnosticsOf: diagnosticsWithProofs })
  await progress.clear()
  // Both lists have the same order: the records are created from these diagnostics.
  const located = diagnosticsWithProofs(ruleset).flatMap((diagnostic, index): LocatedDiagnostic[] => {
    const isNamed = paths.has(placeKey(diagnostic))
    // A consequence in another file counts where its cause is in a named file.
    if (onlyNamed && !isNamed && (diagnostic.cause === null || !paths.has(placeKey(diagnostic.cause)))) return []
    if (!includeBaseline && diagnostic.scope === 'default' && !isNamed) return []
    return [locateDiagnostic(ruleset, diagnostic, report.diagnostics[index], pathOf)]
  })
  const diagnostics = byWeight(located)
  const files = named.length > 0 ? named.map(({ path }) => path) : checkedFiles(ruleset, includeBaseline).map(pathOf)
  const ok = report.ok && !diagnostics.some(({ diagnostic, record }) => record.severity === 'error' && paths.has(placeKey(diagnostic)))
  const intendedDiagnostics = source.intendedDiagnostics()
  const run: ValidationRun = {
    ruleset,
    report: { ...report, ok },
    intendedDiagnostics,
    diagnostics,
    files,
    locale,
    paint,
    readMs: source.readMs,
    compileMs,
    helpUrl: args.text('help-url'),
  }
  for (const output of outputs) writeOutputFile(output.path, DIAGNOSTICS_FORMATS[output.format](run))
  await stdout.write(format(run))
  return passes(run, onlyNamed, args.flag('strict')) ? EXIT.fine : EXIT.failed
}

/** Whether the reported diagnostics, and without `onlyNamed` also errors of the whole ruleset, permit exit code 0. */
function passes({ ruleset, diagnostics, report }: ValidationRun, onlyNamed: boolean, strict: boolean): boolean {
  if (!onlyNamed && (!ruleset.loads || !report.ok)) return false
  return diagnostics.every(({ record: { severity } }) => severity !== 'error' && !(strict && severity === 'warning'))
}

function checkedFiles({ files }: CompiledRuleset, includeBaseline: boolean): FilePlace[] {
  return files.filter(({ scope, kind }) => kind !== 'lists' && (includeBaseline || scope !== 'default'))
}

async function validateJsonLines(context: CommandContext, source: RulesetSource): Promise<ExitCode> {
  const { args, locale } = context
  // The base is compiled before the first line, so that its time is not part of a response.
  source.compile()
  const includeBaseline = args.flag('baseline')
  let failed = false
  const { wrong } = await answerJsonLines(context, validate.name, args.operands, context.stdin, (value) => {
    const files = readFiles(value)
    const started = performance.now()
    const ruleset = source.compileWith(files)
    const compile_ms = roundMs(performance.now() - started)
    const { ok, loads, summary, diagnostics, baseline_issue_count } = describeDiagnostics(ruleset, {
      locale,
      includeBaseline,
      loadedFromDisk: true,
      diagnosticsOf: diagnosticsWithProofs,
    })
    failed ||= !ok || !loads
    const performance_ = { source_build_ms: 0, compile_ms, total_ms: roundMs(performance.now() - started), cache_hit: false }
    return JSON.stringify({ ok, loads, rules_present: rulesPresent(ruleset, files), summary, diagnostics, performance: performance_, baseline_issue_count })
  })
  return wrong > 0 || failed ? EXIT.failed : EXIT.fine
}

function readFiles(value: unknown): SourceFile[] {
  const { files } = readLineMembers(value)
  if (!Array.isArray(files)) throw new LineError('not_list', { member: 'files' })
  return files.map((entry: unknown, index) => {
    const number = index + 1
    const { kind, filename, content } = readMembers(entry, () => new LineError('file_not_object', { number }))
    if (!FILE_KINDS.includes(kind as FileKind)) throw new LineError('file_kind', { number, choices: FILE_KINDS.join(', ') })
    if (typeof filename !== 'string' || filename === '') throw new LineError('file_member_not_text', { member: 'filename', number })
    if (typeof content !== 'string') throw new LineError('file_member_not_text', { member: 'content', number })
    return { kind: kind as FileKind, filename, scope: 'adhoc', content }
  })
}
