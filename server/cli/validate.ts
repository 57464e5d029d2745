/** `validate`: everything that is wrong with rules and decoders, at its line, and what Wazuh would do about it. */
import { resolve } from 'node:path'
import type { CompiledRuleset, Diagnostic, FileKind, SourceFile } from '#engine'
import { describeFindings } from '#engine'
import { roundMs } from '#workers'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import type { Finding, FindingsFormat, ValidationRun } from './findings/finding.js'
import { FINDINGS_FORMATS } from './findings/index.js'
import type { ContentFile } from './input/content-files.js'
import { readContentFiles } from './input/content-files.js'
import { answerJsonLines, LineError, readLineMembers, readMembers } from './input/json-lines.js'
import { rulesPresent } from './input/written-rules.js'
import { RulesetSource } from './ruleset-source.js'
import { UsageError } from './usage-error.js'

export const validate: Command<'validate'> = {
  name: 'validate',
  options: {
    ...RULESET_OPTIONS,
    format: { type: 'string', value: 'format', values: Object.keys(FINDINGS_FORMATS) },
    jsonl: { type: 'boolean' },
    baseline: { type: 'boolean' },
    strict: { type: 'boolean' },
  },
  examples: [
    'detection-content validate local_rules.xml',
    'detection-content validate --ruleset ./wazuh/ruleset etc/rules etc/decoders',
    'detection-content validate --format sarif content/ > findings.sarif',
    'detection-content validate --format github content/',
  ],
  run: async (context) => {
    const { args } = context
    const format = FINDINGS_FORMATS[(args.text('format') ?? 'pretty') as keyof typeof FINDINGS_FORMATS]
    const source = new RulesetSource(args)
    if (args.flag('jsonl')) return validateJsonLines(context, source)
    if (args.operands.length === 0 && source.customDir === null && !source.namedBase) throw new UsageError('content_missing', {})
    return validateFiles(context, source, format)
  },
}

async function validateFiles(context: CommandContext, source: RulesetSource, format: FindingsFormat): Promise<ExitCode> {
  const { args, locale, paint, stdout } = context
  const contents = readContentFiles(args.operands)
  const own = new Set(contents.map(({ path }) => resolve(path)))
  const started = performance.now()
  const ruleset =
    contents.length === 0
      ? source.compile().ruleset
      : source.compileWith(
          contents.map(({ file }) => file),
          own,
        )
  const compileMs = performance.now() - started
  // A base that was named, with nothing on top, is what is asked about.
  const includeBaseline = args.flag('baseline') || (contents.length === 0 && source.customDir === null)
  const report = describeFindings(ruleset, { locale, includeBaseline, loadedFromDisk: true })
  const shown = ruleset.diagnostics.filter(({ scope }) => includeBaseline || scope !== 'default')
  const paths = new PathNames(contents, source)
  // The two lists are of one order: the report's records are made of these diagnostics.
  const findings = shown.map((diagnostic, index): Finding => {
    const path = paths.of(diagnostic)
    const record = report.diagnostics[index]
    const related = record.related.map((place) => ({ ...place, filename: paths.named(diagnostic.kind, place.filename) }))
    return { diagnostic, record: { ...record, filename: path, related }, path }
  })
  const files = contents.length > 0 ? contents.map(({ path }) => path) : checkedFiles(ruleset, includeBaseline, paths)
  const run: ValidationRun = { ruleset, report, findings, files, locale, paint, readMs: source.readMs, compileMs }
  await stdout.write(format(run))
  return passes(run, includeBaseline, args.flag('strict')) ? EXIT.fine : EXIT.failed
}

function passes({ ruleset, findings, report }: ValidationRun, includeBaseline: boolean, strict: boolean): boolean {
  if (!ruleset.loads || !report.ok) return false
  return findings.every(({ record: { severity } }) => !((includeBaseline && severity === 'error') || (strict && severity === 'warning')))
}

function checkedFiles(ruleset: CompiledRuleset, includeBaseline: boolean, paths: PathNames): string[] {
  return ruleset.files.filter(({ scope, kind }) => kind !== 'lists' && (includeBaseline || scope !== 'default')).map((file) => paths.of(file))
}

/** Where files are, for people and tools: the ruleset knows only their names. */
class PathNames {
  readonly #contents: ReadonlyMap<string, string>

  constructor(
    contents: readonly ContentFile[],
    readonly source: RulesetSource,
  ) {
    this.#contents = new Map(contents.map(({ path, file: { kind, filename } }) => [`${kind} ${filename}`, path]))
  }

  of({ scope, kind, filename }: Pick<Diagnostic, 'scope' | 'kind' | 'filename'>): string {
    if (scope !== 'adhoc') return this.source.pathOf({ scope, kind, filename })
    return this.#contents.get(`${kind} ${filename}`) ?? filename
  }

  /** Of a file of which only the name is known: the caller's own first. */
  named(kind: FileKind, filename: string): string {
    const own = this.#contents.get(`${kind} ${filename}`)
    if (own !== undefined) return own
    const broader = [...this.source.custom, ...this.source.defaults].find((file) => file.kind === kind && file.filename === filename)
    return broader === undefined ? filename : this.source.pathOf(broader)
  }
}

const KINDS: readonly FileKind[] = ['rules', 'decoders', 'lists']

async function validateJsonLines(context: CommandContext, source: RulesetSource): Promise<ExitCode> {
  const { args, locale } = context
  // The base is compiled before the first line, so that no answer pays for it.
  source.compile()
  const includeBaseline = args.flag('baseline')
  let failed = false
  const { wrong } = await answerJsonLines(context, args.operands, context.stdin, (value) => {
    const files = readFiles(value)
    const started = performance.now()
    const ruleset = source.compileWith(files)
    const compile_ms = roundMs(performance.now() - started)
    const { ok, loads, summary, diagnostics, baseline_issue_count } = describeFindings(ruleset, { locale, includeBaseline, loadedFromDisk: true })
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
    if (!KINDS.includes(kind as FileKind)) throw new LineError('file_kind', { number, choices: KINDS.join(', ') })
    if (typeof filename !== 'string' || filename === '') throw new LineError('file_member_not_text', { member: 'filename', number })
    if (typeof content !== 'string') throw new LineError('file_member_not_text', { member: 'content', number })
    return { kind: kind as FileKind, filename, scope: 'adhoc', content }
  })
}
