/** The subcommand `redos`: the events that stall or blind the PCRE2 patterns of a ruleset, brought to the pattern through header, decoder and rules. */
import { AttackFinder, type AttackRecord } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { chosenRules, meanwhileOf } from './generate.js'
import { writeOutputFile } from './output-files.js'
import { describeAttackRecord, describeAttackTotals } from './report/attack-report.js'
import { showLoadErrors } from './report/ruleset-diagnostics.js'
import { REPORT_WORDS } from './report/words.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'

export const redos: Command<'redos'> = {
  name: 'redos',
  options: {
    ...RULESET_OPTIONS,
    rule: { type: 'string', value: 'ruleId', multiple: true },
    events: { type: 'string', value: 'path' },
    jsonl: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
  },
  examples: [
    'detection-content redos --custom ./content',
    'detection-content redos --custom ./content --rule 100200 --events killing.log',
    'detection-content redos --ruleset ./wazuh/ruleset --jsonl > attacks.jsonl',
  ],
  run: async (context) => {
    const { args, stdout, locale, paint } = context
    args.requireNoOperands()
    const file = args.text('events')
    const source = new RulesetSource(namedRuleset(args))
    const { ruleset } = source.compile()
    if (!(await showLoadErrors(context, ruleset, source))) return EXIT.failed
    const isOwn = ({ scope }: { readonly scope: string }): boolean => !source.namedCustom || scope === 'custom'
    const rules = chosenRules(args, ruleset, ({ definition }) => isOwn(definition.source))
    const { programRoots, plainRoots } = ruleset.decoders
    const roots = args.texts('rule').length > 0 ? [] : [...programRoots, ...plainRoots].filter(({ definition }) => isOwn(definition.source))
    const finder = new AttackFinder(ruleset, () => true)
    const progress = new Progress(context, redos.name, meanwhileOf(context))
    const records: AttackRecord[] = []
    let tried = 0
    const add = async (found: readonly AttackRecord[]): Promise<void> => {
      tried++
      if (found.length > 0 && !args.flag('jsonl')) await progress.clear()
      for (const record of found) {
        records.push(record)
        if (args.flag('jsonl')) await stdout.line(JSON.stringify(record))
        else if (!args.flag('quiet')) await stdout.write(describeAttackRecord(record, locale, paint))
      }
      const all = rules.length + roots.length
      if (progress.isDue())
        await progress.update({ text: REPORT_WORDS[locale].rulesTried(formatNumber(tried, locale), formatNumber(all, locale)), count: tried, part: tried / all })
    }
    for (const rule of rules) await add(finder.ofRule(rule))
    for (const root of roots) await add(finder.ofDecoders(root))
    await progress.clear()
    if (file !== null) writeOutputFile(file, records.flatMap(({ event }) => (event === null || /[\r\n]/.test(event.event) ? [] : [`${event.event}\n`])).join(''))
    if (!args.flag('jsonl')) await stdout.write(describeAttackTotals(records, finder.searched, locale, paint))
    return records.length === 0 ? EXIT.fine : EXIT.failed
  },
}
