/** `test`: runs test suites, and says what they leave untested. */
import { measureCoverage } from '#engine'
import { RULESET_OPTIONS, UsageError } from './arguments.js'
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

export const test: Command = {
  name: 'test',
  summary: 'run test suites (Wazuh .ini files and JSON cases), with coverage',
  usage: ['[--ruleset DIR] [--custom DIR] FILE...'],
  description: [
    'FILE is a suite in the form of Wazuh\'s own (.ini), a JSON file {"cases": [...]}, or a folder with such files. Every case runs in a session of its own, but those of a file with one session_id share it, in order. Cases of JSON files ask for any of: expected_decoder, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids, expect_no_rule, expected_fields; "events" with "at" (seconds) makes a sequence.',
    'Coverage counts the rules and decoders of --custom, or of the base ruleset when there is none.',
  ],
  options: {
    ...RULESET_OPTIONS,
    format: { type: 'string', value: 'FORMAT', values: ['pretty', 'json', 'junit'], help: 'how results are written (default: pretty)' },
    untested: { type: 'boolean', help: 'list the rules and decoders that no case went through' },
    verbose: { type: 'boolean', short: 'v', help: 'name passed cases too' },
  },
  examples: [
    { line: 'detection-content test --custom ./content tests/', meaning: 'your own content against your own suites' },
    { line: 'detection-content test --ruleset ./wazuh/ruleset wazuh/ruleset/testing/tests/sshd.ini', meaning: "one of Wazuh's suites on its ruleset" },
    { line: 'detection-content test --format junit tests/ > results.xml', meaning: 'for CI' },
    { line: 'detection-content test --untested --custom ./content tests/', meaning: 'what still has no test' },
  ],
  run: async (context) => {
    const { args, stdout, stderr, locale, paint, isTTY } = context
    if (args.operands.length === 0) throw new UsageError('no test files', 'Name suites, or folders with suites.')
    const format = args.text('format') ?? 'pretty'
    const source = new RulesetSource(args)
    const files = readCaseFiles(args.operands)
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
    else await stdout.write(format === 'json' ? casesAsJson(totals) : casesAsJunit(totals))
    return loads && results.every(({ passed }) => passed) ? EXIT.fine : EXIT.failed
  },
}
