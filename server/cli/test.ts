/** The subcommand `test`: runs test suites, and reports what they leave untested. */
import { type CaseReport, type FileScope, isContentOk, type Locale, measureCoverage, NearRules, NegativeCases } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { CaseResult } from './case-run.js'
import { CaseRunner, KnownResults } from './case-run.js'
import type { Command, CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { contentDiagnostics } from './diagnostics/content-diagnostics.js'
import type { LocatedDiagnostic } from './diagnostics/located-diagnostic.js'
import { readCaseFiles } from './input/case-files.js'
import { casesAsGithub, casesAsSarif } from './report/case-annotations.js'
import { casesAsPage } from './report/case-page.js'
import { type CaseTotals, type NegativeTotals, casesAsJson, casesAsJunit, describeCaseFile, describeTotals } from './report/case-report.js'
import { isFineToRun, showDiagnostics } from './report/ruleset-diagnostics.js'
import { REPORT_WORDS } from './report/words.js'
import { OUTPUT_OPTION, type OutputFile, readOutputFiles, writeOutputFile } from './output-files.js'
import { NO_BASE, namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'
import { watchFiles } from './watch.js'

/** Rules without a negative case that are named; all of them are counted. */
const LACKING_NAMED = 20

/** Machine-readable formats. The first two do not contain the diagnostics of the content, which are written to stderr. */
const FORMATS = {
  json: (totals: CaseTotals) => casesAsJson(totals),
  junit: (totals: CaseTotals, _: readonly LocatedDiagnostic[], locale: Locale) => casesAsJunit(totals, locale),
  sarif: (totals: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale, helpUrl: string | null) => casesAsSarif(totals, diagnostics, locale, helpUrl),
  github: (totals: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale) => casesAsGithub(totals, diagnostics, locale),
  html: (totals: CaseTotals, diagnostics: readonly LocatedDiagnostic[], locale: Locale) => casesAsPage(totals, diagnostics, locale),
} as const

const OUTPUT_FORMATS = Object.keys(FORMATS) as (keyof typeof FORMATS)[]

export const test: Command<'test'> = {
  name: 'test',
  options: {
    ...RULESET_OPTIONS,
    format: { type: 'string', value: 'format', values: ['pretty', ...OUTPUT_FORMATS] },
    output: OUTPUT_OPTION,
    'cases-only': { type: 'boolean' },
    untested: { type: 'boolean' },
    strict: { type: 'boolean' },
    'require-negative': { type: 'boolean' },
    'allow-empty': { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
    watch: { type: 'boolean', short: 'w' },
    quiet: { type: 'boolean', short: 'q' },
    'help-url': { type: 'string', value: 'url' },
  },
  examples: [
    'detection-content test --custom ./content tests/',
    'detection-content test --ruleset ./wazuh/ruleset wazuh/ruleset/testing/tests/sshd.ini',
    'detection-content test --format junit tests/ > results.xml',
    'detection-content test --format github --custom ./content tests/',
    'detection-content test --untested --custom ./content tests/',
    'detection-content test --strict --custom ./content tests/',
    'detection-content test --require-negative --custom ./content tests/',
    'detection-content test --cases-only --output sarif=out.sarif --output junit=out.xml --custom ./content tests/',
    'detection-content test --watch --custom ./content tests/',
    'detection-content test --custom ./content --output html=results.html tests/',
  ],
  run: async (context) => {
    const { args } = context
    if (args.operands.length === 0) throw new UsageError('cases_missing', {})
    const outputs = readOutputFiles(args, OUTPUT_FORMATS)
    const named = namedRuleset(args)
    if (!args.flag('watch')) return runCases(context, new RulesetSource(named), outputs)
    let source: RulesetSource | null = null
    const known = new KnownResults()
    const paths = [...(named.ruleset === null || named.ruleset === NO_BASE ? [] : [named.ruleset]), ...named.custom, ...args.operands]
    return watchFiles(context, paths, async (changed) => {
      source = new RulesetSource(named, source, named.ruleset === null || !changed.has(named.ruleset))
      return runCases(context, source, outputs, known)
    })
  },
}

/** @param known results of the run before, which are renewed */
async function runCases(context: CommandContext, source: RulesetSource, outputs: readonly OutputFile<keyof typeof FORMATS>[], known = new KnownResults()): Promise<ExitCode> {
  const { args, stdout, stderr, locale, paint } = context
  const format = args.text('format') ?? 'pretty'
  const casesOnly = args.flag('cases-only')
  const allowEmpty = args.flag('allow-empty')
  const files = readCaseFiles(args.operands, locale, allowEmpty)
  const meanwhile = format === 'pretty' ? 'text' : 'document'
  const compiling = new Progress(context, test.name, meanwhile)
  await compiling.compiling(source.size())
  const { ruleset } = source.compile()
  await compiling.clear()
  const isFine = casesOnly ? isFineToRun(ruleset) : await showDiagnostics(context, ruleset, source)
  const scopes: readonly FileScope[] = source.namedCustom ? ['custom'] : ['default', 'custom']
  const near = args.flag('require-negative') ? new NearRules(ruleset, scopes) : null
  const runner = new CaseRunner(ruleset, locale, args.flag('strict'), near)
  const total = files.reduce((sum, { cases }) => sum + cases.length, 0)
  const results: CaseResult[] = []
  const words = REPORT_WORDS[locale]
  const progress = new Progress(context, test.name, meanwhile)
  const done = () => ({ text: words.casesRun(formatNumber(results.length, locale), formatNumber(total, locale)), count: results.length, part: results.length / total })
  const started = performance.now()
  for (const file of files) {
    const ofFile: CaseResult[] = []
    for (const result of known.of(file, ruleset) ?? runner.run(file)) {
      ofFile.push(result)
      results.push(result)
      if (progress.isDue()) await progress.update(done())
    }
    known.keep(file, ruleset, ofFile)
    if (format !== 'pretty') continue
    await progress.clear()
    await stdout.write(describeCaseFile(file.path, ofFile, args.flag('verbose'), locale, paint))
  }
  await progress.clear()
  const reports = results.flatMap(({ report }) => (report === null ? [] : [report]))
  const negatives = near === null ? null : negativesOf(reports)
  const coverage = measureCoverage(ruleset, reports, scopes)
  const ok = isFine && results.every(({ passed }) => passed) && (results.length > 0 || allowEmpty) && (negatives === null || negatives.lacking.length === 0)
  const totals = { ok, loads: ruleset.loads, isContentOk: isContentOk(ruleset), results, coverage, negatives, ruleset, scopes, elapsedMs: performance.now() - started }
  const diagnostics = casesOnly ? [] : contentDiagnostics(ruleset, source, locale)
  const describe = (chosen: keyof typeof FORMATS): string => FORMATS[chosen](totals, diagnostics, locale, args.text('help-url'))
  for (const output of outputs) writeOutputFile(output.path, describe(output.format))
  await stdout.write(format === 'pretty' ? describeTotals(totals, args.flag('untested'), locale, paint) : describe(format as keyof typeof FORMATS))
  if (results.length === 0 && !allowEmpty) await stderr.line(`test: ${words.noCases}`)
  if (negatives !== null && negatives.lacking.length > 0) {
    const more = negatives.lacking.length > LACKING_NAMED ? ', …' : ''
    await stderr.line(
      `test: ${words.lackNegative(negatives.lacking.length, formatNumber(negatives.lacking.length, locale))}: ${negatives.lacking.slice(0, LACKING_NAMED).join(', ')}${more}`,
    )
  }
  return ok ? EXIT.fine : EXIT.failed
}

function negativesOf(reports: readonly Pick<CaseReport, 'covered' | 'passed'>[]): NegativeTotals {
  const tally = new NegativeCases()
  for (const report of reports) tally.add(report)
  return { positives: tally.positives, lacking: tally.lacking() }
}
