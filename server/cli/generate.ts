/** The subcommand `generate`: for each rule the events that fire it, run by the engine, or the reason why there are none. */
import { type CompiledRule, type CompiledRuleset, EventRunner, WitnessFinder, type WitnessRecord } from '#engine'
import { composeRuleset, findWitnesses } from '#workers'
import { type Arguments, RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EXIT } from './exit-codes.js'
import { OUTPUT_OPTION, readOutputFiles, writeOutputFile } from './output-files.js'
import { showDiagnostics } from './report/ruleset-diagnostics.js'
import { describeWitness, describeWitnessTotals, WITNESS_FILES } from './report/witness-report.js'
import { REPORT_WORDS } from './report/words.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { type OutputMeanwhile, Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

/** Fewer rules are searched for in this thread: another one would compile the ruleset for longer. */
export const THREADED_RULES = 64

const OUTPUT_FORMATS = Object.keys(WITNESS_FILES) as (keyof typeof WITNESS_FILES)[]

export const generate: Command<'generate'> = {
  name: 'generate',
  options: {
    ...RULESET_OPTIONS,
    rule: { type: 'string', value: 'ruleId', multiple: true },
    near: { type: 'boolean' },
    jsonl: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
    output: OUTPUT_OPTION,
  },
  examples: [
    'detection-content generate --custom ./content',
    'detection-content generate --rule 5710 --near',
    'detection-content generate --custom ./content --near --output json=tests/generated.json',
    'detection-content generate --ruleset ./wazuh/ruleset --jsonl > witnesses.jsonl',
  ],
  run: async (context) => {
    const { args } = context
    args.requireNoOperands()
    const outputs = readOutputFiles(args, OUTPUT_FORMATS)
    const source = new RulesetSource(namedRuleset(args))
    const compiling = new Progress(context, generate.name, meanwhileOf(context))
    await compiling.compiling(source.size())
    const { ruleset } = source.compile()
    await compiling.clear()
    const isFine = await showDiagnostics(context, ruleset, source)
    if (!ruleset.loads) return EXIT.failed
    const rules = chosenRules(args, ruleset, ({ definition }) => !source.namedCustom || definition.source.scope === 'custom')
    const records = await witnessesOf(context, ruleset, source, rules)
    for (const { format, path } of outputs) writeOutputFile(path, WITNESS_FILES[format](new EventRunner(ruleset), records, context.locale))
    return isFine && records.length > 0 ? EXIT.fine : EXIT.failed
  },
}

/**
 * The rules of `--rule`; without it those that are wanted.
 * @param isKnown whether an id that the ruleset does not have is no error
 * @throws UsageError when an id is none of a rule
 */
export function chosenRules(
  args: Arguments,
  ruleset: CompiledRuleset,
  isWanted: (rule: CompiledRule) => boolean,
  isKnown: (id: string) => boolean = () => false,
): readonly CompiledRule[] {
  const ids = args.texts('rule')
  if (ids.length === 0) return ruleset.rules.inOrder().filter(isWanted)
  return [...new Set(ids)].flatMap((id) => {
    const rule = /^[0-9]{1,6}$/.test(id) ? ruleset.rules.find(Number(id)) : undefined
    if (rule !== undefined) return [rule]
    if (isKnown(id)) return []
    throw new UsageError('value_not_rule_id', { option: 'rule', value: id })
  })
}

/** Records and reports are written all the time. */
export function meanwhileOf({ args }: CommandContext): OutputMeanwhile {
  return args.flag('jsonl') ? 'stream' : 'text'
}

/** Finds the witnesses, and writes each as soon as those before it are written. */
async function witnessesOf(context: CommandContext, ruleset: CompiledRuleset, source: RulesetSource, rules: readonly CompiledRule[]): Promise<readonly WitnessRecord[]> {
  const { args, stdout, stderr, locale, paint } = context
  const near = args.flag('near')
  const asLines = args.flag('jsonl')
  const started = performance.now()
  const progress = new Progress(context, generate.name, meanwhileOf(context))
  const records: WitnessRecord[] = []
  let file = ''
  const write = async (found: readonly WitnessRecord[]): Promise<void> => {
    if (!asLines) await progress.clear()
    for (const record of found) {
      records.push(record)
      if (asLines) {
        await stdout.line(JSON.stringify(record))
        continue
      }
      const rule = ruleset.rules.find(Number(record.rule_id))
      const filename = rule?.definition.source.filename ?? ''
      await stdout.write(describeWitness(record, rule, filename === file ? null : filename, locale, paint))
      file = filename
    }
    if (progress.isDue()) {
      const text = REPORT_WORDS[locale].rulesTried(formatNumber(records.length, locale), formatNumber(rules.length, locale))
      await progress.update({ text, count: records.length, part: records.length / rules.length })
    }
  }
  if (rules.length < THREADED_RULES) {
    const finder = new WitnessFinder(ruleset, { locale, near, mayGoOn: () => true })
    for (const rule of rules) await write([finder.find(rule)])
  } else {
    const files = composeRuleset(source.defaults, source.custom, [])
    await findWitnesses(
      { files, locale, near },
      rules.map(({ id }) => id),
      write,
    )
  }
  await progress.clear()
  if (!asLines) await stdout.write(describeWitnessTotals(records, performance.now() - started, locale, paint))
  if (records.length === 0) await stderr.line(`generate: ${REPORT_WORDS[locale].noRules}`)
  return records
}
