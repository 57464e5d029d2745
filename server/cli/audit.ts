/** The subcommand `audit`: one verdict for each rule, whether it fires, and why not. */
import { auditLost, type AuditRecord, canNeverFire, type CompiledRule, type CompiledRuleset, RuleAuditor } from '#engine'
import { auditRules, composeRuleset } from '#workers'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EXIT } from './exit-codes.js'
import { chosenRules, meanwhileOf, THREADED_RULES } from './generate.js'
import { OUTPUT_OPTION, readOutputFiles, writeOutputFile } from './output-files.js'
import { auditPage, describeAudit } from './report/audit-report.js'
import { showLoadErrors } from './report/ruleset-diagnostics.js'
import { REPORT_WORDS } from './report/words.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { Progress } from './terminal/progress.js'

const MS = 1000

export const audit: Command<'audit'> = {
  name: 'audit',
  options: {
    ...RULESET_OPTIONS,
    rule: { type: 'string', value: 'ruleId', multiple: true },
    all: { type: 'boolean' },
    seconds: { type: 'string', value: 'number' },
    jsonl: { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
    quiet: { type: 'boolean', short: 'q' },
    output: OUTPUT_OPTION,
  },
  examples: [
    'detection-content audit --custom ./content',
    'detection-content audit --custom ./content --rule 100200',
    'detection-content audit --ruleset ./wazuh/ruleset --output html=audit.html',
    'detection-content audit --custom ./content --jsonl | jq -r \'select(.verdict == "shadowed").rule_id\'',
  ],
  run: async (context) => {
    const { args, stdout, stderr, locale, paint } = context
    args.requireNoOperands()
    const outputs = readOutputFiles(args, ['html', 'jsonl'])
    const seconds = args.number('seconds', 1)
    const source = new RulesetSource(namedRuleset(args))
    const compiling = new Progress(context, audit.name, meanwhileOf(context))
    await compiling.compiling(source.size())
    const { ruleset } = source.compile()
    await compiling.clear()
    if (!(await showLoadErrors(context, ruleset, source))) return EXIT.failed
    const asLines = args.flag('jsonl')
    const isOwn = ({ scope }: { readonly scope: string }): boolean => !source.namedCustom || scope === 'custom'
    const isAudited = (file: { readonly scope: string }): boolean => args.flag('all') || isOwn(file)
    const named = new Set(args.texts('rule'))
    const lost = ruleset.lost.filter((rule) => (named.size === 0 ? isAudited(rule.source) : named.has(String(rule.id))))
    const dropped = lost.map((rule) => auditLost(rule, locale))
    const isLost = (id: string): boolean => dropped.some(({ rule_id }) => rule_id === id)
    const rules = chosenRules(args, ruleset, ({ definition }) => isAudited(definition.source), isLost)
    const write = async (records: readonly AuditRecord[]): Promise<void> => {
      if (asLines) for (const record of records) await stdout.line(JSON.stringify(record))
    }
    await write(dropped)
    const records = [...dropped, ...(await auditOf(context, ruleset, source, rules, seconds, write))]
    for (const { format, path } of outputs) writeOutputFile(path, format === 'html' ? auditPage(records, locale) : records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    if (!asLines) await stdout.write(describeAudit(records, { locale, paint, isVerbose: args.flag('verbose') || named.size > 0 }))
    if (records.length === 0) await stderr.line(`audit: ${REPORT_WORDS[locale].noRules}`)
    const own = new Set(ruleset.files.filter(isOwn).map(({ filename }) => filename))
    return records.some((record) => own.has(record.filename) && canNeverFire(record)) || records.length === 0 ? EXIT.failed : EXIT.fine
  },
}

/** Audits the rules, with progress. @param write receives the records in order */
async function auditOf(
  context: CommandContext,
  ruleset: CompiledRuleset,
  source: RulesetSource,
  rules: readonly CompiledRule[],
  seconds: number | null,
  write: (records: readonly AuditRecord[]) => Promise<void>,
): Promise<readonly AuditRecord[]> {
  const { locale } = context
  const progress = new Progress(context, audit.name, meanwhileOf(context))
  const records: AuditRecord[] = []
  const add = async (found: readonly AuditRecord[]): Promise<void> => {
    records.push(...found)
    await write(found)
    if (!progress.isDue()) return
    const text = REPORT_WORDS[locale].rulesTried(formatNumber(records.length, locale), formatNumber(rules.length, locale))
    await progress.update({ text, count: records.length, part: records.length / rules.length })
  }
  if (rules.length < THREADED_RULES) {
    const ends = seconds === null ? Number.POSITIVE_INFINITY : performance.now() + seconds * MS
    const auditor = new RuleAuditor(ruleset, { locale, mayGoOn: () => performance.now() < ends })
    for (const rule of rules) await add([auditor.audit(rule)])
  } else {
    const files = composeRuleset(source.defaults, source.custom, [])
    await auditRules(
      { files, locale },
      rules.map(({ id }) => id),
      seconds,
      add,
    )
  }
  await progress.clear()
  return records
}
