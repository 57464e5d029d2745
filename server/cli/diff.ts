/** The subcommand `diff`: what changes for detection between two contents, with an event for each difference. */
import { behaviourRecord, compareBehaviour } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { ComparedRulesets, readCompared } from './input/compared-content.js'
import { GitRepository } from './input/git-files.js'
import { OUTPUT_OPTION, readOutputFiles, writeOutputFile } from './output-files.js'
import { behaviourPage, describeBehaviour } from './report/behaviour-report.js'
import { namedRuleset } from './ruleset-source.js'
import { UsageError } from './usage-error.js'

/** Seconds of a search unless the call says otherwise: enough for an upgrade of Wazuh's own ruleset. */
export const USUAL_SECONDS = 120
const MS = 1000

export const diff: Command<'diff'> = {
  name: 'diff',
  options: {
    ...RULESET_OPTIONS,
    jsonl: { type: 'boolean' },
    output: OUTPUT_OPTION,
    seconds: { type: 'string', value: 'number' },
    verbose: { type: 'boolean', short: 'v' },
  },
  examples: [
    'detection-content diff ./content.old ./content',
    'detection-content diff HEAD~1:content HEAD:content --ruleset ./wazuh/ruleset',
    'detection-content diff --ruleset none ./wazuh-4.14.0/ruleset ./wazuh-4.14.7/ruleset --custom ./content',
    'detection-content diff --jsonl main:./ .',
    'detection-content diff --output html=diff.html main:content content',
  ],
  helpParams: () => ({ seconds: USUAL_SECONDS }),
  run: async ({ args, stdout, locale, paint, env }) => {
    if (args.operands.length !== 2) throw new UsageError('contents_not_two', {})
    const outputs = readOutputFiles(args, ['html', 'jsonl'])
    const seconds = args.number('seconds', 1) ?? USUAL_SECONDS
    const git = new GitRepository(env)
    const [old, now] = [await readCompared(args.operands[0], git), await readCompared(args.operands[1], git)]
    const rulesets = new ComparedRulesets(namedRuleset(args), [old, now])
    const [before, after] = [rulesets.require(old, locale), rulesets.require(now, locale)]
    const ends = performance.now() + seconds * MS
    const comparison = compareBehaviour(before, after, { mayGoOn: () => performance.now() < ends })
    const jsonl = comparison.items.map((item) => `${JSON.stringify(behaviourRecord(item))}\n`).join('')
    for (const { format, path } of outputs) writeOutputFile(path, format === 'jsonl' ? jsonl : behaviourPage(comparison, `${old.name} → ${now.name}`, locale))
    await stdout.write(args.flag('jsonl') ? jsonl : describeBehaviour(comparison, args.flag('verbose'), locale, paint))
    return comparison.items.some(({ result }) => result === 'differs') ? EXIT.failed : EXIT.fine
  },
}
