/** `test`: runs test suites, and says what they leave untested. */
import { measureCoverage } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { CaseResult } from './case-run.js'
import { CaseRunner } from './case-run.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { readCaseFiles } from './input/case-files.js'
import { casesAsJson, casesAsJunit, describeCaseFile, describeTotals } from './report/case-report.js'
import { showLoadErrors } from './report/load-errors.js'
import { RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

export const test: Command<'test'> = {
  name: 'test',
  options: {
    ...RULESET_OPTIONS,
    format: { type: 'string', value: 'format', values: ['pretty', 'json', 'junit'] },
    untested: { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
  },
  examples: [
    'detection-content test --custom ./content tests/',
    'detection-content test --ruleset ./wazuh/ruleset wazuh/ruleset/testing/tests/sshd.ini',
    'detection-content test --format junit tests/ > results.xml',
    'detection-content test --untested --custom ./content tests/',
  ],
  run: async (context) => {
    const { args, stdout, stderr, locale, paint, isTTY } = context
    if (args.operands.length === 0) throw new UsageError('cases_missing', {})
    const format = args.text('format') ?? 'pretty'
    const source = new RulesetSource(args)
    const files = readCaseFiles(args.operands, locale)
    const { ruleset } = source.compile()
    const loads = await showLoadErrors(context, ruleset)
    const runner = new CaseRunner(ruleset, locale)
    const progress = new Progress(stderr, isTTY.stderr && !isTTY.stdout)
    const total = files.reduce((sum, { cases }) => sum + cases.length, 0)
    const results: CaseResult[] = []
    const started = performance.now()
    for (const file of files) {
      const ofFile: CaseResult[] = []
      for (const result of runner.run(file)) {
        ofFile.push(result)
        results.push(result)
        await progress.update(() => `${formatNumber(results.length, locale)} / ${formatNumber(total, locale)}`)
      }
      if (format === 'pretty') await stdout.write(describeCaseFile(file.path, ofFile, args.flag('verbose'), locale, paint))
    }
    await progress.end()
    const reports = results.flatMap(({ report }) => (report === null ? [] : [report]))
    const coverage = measureCoverage(ruleset, reports, source.custom.length > 0 ? ['custom'] : ['default'])
    const totals = { results, coverage, loads, elapsedMs: performance.now() - started }
    if (format === 'pretty') await stdout.write(describeTotals(totals, args.flag('untested'), locale, paint))
    else await stdout.write(format === 'json' ? casesAsJson(totals) : casesAsJunit(totals, locale))
    return loads && results.every(({ passed }) => passed) ? EXIT.fine : EXIT.failed
  },
}
