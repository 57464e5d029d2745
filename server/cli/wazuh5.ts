/** The subcommand `wazuh5`: what happens to rules in Wazuh 5, which detects by Sigma rules: a verdict for each rule, its Sigma text, and events that prove it. */
import { type CompiledRule, SigmaConverter, type SigmaRecord } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { OUTPUT_OPTION, readOutputFiles, writeOutputFile } from './output-files.js'
import { showDiagnostics } from './report/ruleset-diagnostics.js'
import { describeSigma, describeSigmaTotals, sigmaPage } from './report/sigma-report.js'
import { REPORT_WORDS } from './report/words.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'

/** Seconds in which events are searched for; the texts do not depend on them. */
const USUAL_SECONDS = 120
const MS = 1000

export const wazuh5: Command<'wazuh5'> = {
  name: 'wazuh5',
  options: {
    ...RULESET_OPTIONS,
    jsonl: { type: 'boolean' },
    output: OUTPUT_OPTION,
    seconds: { type: 'string', value: 'number' },
    verbose: { type: 'boolean', short: 'v' },
    quiet: { type: 'boolean', short: 'q' },
  },
  examples: [
    'detection-content wazuh5 --custom ./content',
    'detection-content wazuh5 --custom ./content --verbose --ruleset ./wazuh/ruleset',
    'detection-content wazuh5 --custom ./content --jsonl > wazuh5.jsonl',
    'detection-content wazuh5 --custom ./content --output html=wazuh5.html --output yaml=wazuh5.yml',
  ],
  helpParams: () => ({ seconds: USUAL_SECONDS }),
  run: async (context) => {
    const { args, stdout, stderr, locale, paint } = context
    args.requireNoOperands()
    const outputs = readOutputFiles(args, ['html', 'jsonl', 'yaml'])
    const ends = performance.now() + (args.number('seconds', 1) ?? USUAL_SECONDS) * MS
    const source = new RulesetSource(namedRuleset(args))
    const { ruleset } = source.compile()
    const isFine = await showDiagnostics(context, ruleset, source)
    if (!ruleset.loads) return EXIT.failed
    const rules = ruleset.rules.inOrder().filter(({ definition }: CompiledRule) => !source.namedCustom || definition.source.scope === 'custom')
    const converter = new SigmaConverter(ruleset, { locale, mayGoOn: () => performance.now() < ends })
    const isJson = args.flag('jsonl')
    const progress = new Progress(context, wazuh5.name, isJson ? 'stream' : 'text')
    const records: SigmaRecord[] = []
    for (const rule of rules) {
      const record = converter.convert(rule)
      const shown = { ...record, file: source.pathOf(rule.definition.source) }
      records.push(shown)
      if (!isJson) await progress.clear()
      await stdout.write(isJson ? `${JSON.stringify(shown)}\n` : describeSigma(shown, args.flag('verbose'), locale, paint))
      const text = REPORT_WORDS[locale].rulesTried(formatNumber(records.length, locale), formatNumber(rules.length, locale))
      if (progress.isDue()) await progress.update({ text, count: records.length, part: records.length / rules.length })
    }
    await progress.clear()
    for (const { format, path } of outputs) writeOutputFile(path, FILES[format](records, locale))
    if (!isJson) await stdout.write(describeSigmaTotals(records, locale))
    if (records.length === 0) await stderr.line(`wazuh5: ${REPORT_WORDS[locale].noRules}`)
    return isFine && records.length > 0 ? EXIT.fine : EXIT.failed
  },
}

const FILES = {
  html: sigmaPage,
  jsonl: (records: readonly SigmaRecord[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  yaml: (records: readonly SigmaRecord[]): string => records.flatMap(({ sigma }) => sigma ?? []).join('---\n'),
} as const
