/** The subcommand `mutate`: changes rules and decoders in small ways, and says which changes no test case notices. */
import { readFileSync } from 'node:fs'
import { type CompiledRuleset, type FileScope, MutationGrader, type MutantRow, type SuiteCase, summarizeMutants, type TestCase } from '#engine'
import { momentAt } from '#in-thread'
import { composeRuleset, gradeInThreads } from '#workers'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { EXIT } from './exit-codes.js'
import { chosenRules, meanwhileOf } from './generate.js'
import { type CaseFile, readCaseFiles } from './input/case-files.js'
import { OUTPUT_OPTION, readOutputFiles, writeOutputFile } from './output-files.js'
import { mutationPage } from './report/mutation-page.js'
import { describeMutation, type Mutation, mutantLine, summaryLine } from './report/mutation-report.js'
import { MUTATION_WORDS } from './report/mutation-words.js'
import { showLoadErrors } from './report/ruleset-diagnostics.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { formatNumber } from './terminal/numbers.js'
import { printable } from './terminal/printable.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

/** Fewer items are graded in this thread: another one would compile the ruleset and run the cases for longer. */
const THREADED_ITEMS = 12
const MS = 1000
/** Cases that fail before any change and are named; all of them are counted. */
const FAILED_SHOWN = 20

export const mutate: Command<'mutate'> = {
  name: 'mutate',
  options: {
    ...RULESET_OPTIONS,
    rule: { type: 'string', value: 'ruleId', multiple: true },
    all: { type: 'boolean' },
    seconds: { type: 'string', value: 'number' },
    steps: { type: 'string', value: 'number' },
    'min-score': { type: 'string', value: 'number' },
    write: { type: 'string', value: 'path' },
    jsonl: { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
    quiet: { type: 'boolean', short: 'q' },
    output: OUTPUT_OPTION,
  },
  examples: [
    'detection-content mutate --custom ./content tests/',
    'detection-content mutate --custom ./content --write tests/mutants.json tests/',
    'detection-content mutate --custom ./content --min-score 0.8 --output html=mutants.html tests/',
    'detection-content mutate --custom ./content --rule 100200 --verbose tests/',
    'detection-content mutate --custom ./content --jsonl tests/ | jq -c \'select(.status == "survived")\'',
  ],
  run: async (context) => {
    const { args, stdout, stderr, locale, paint } = context
    if (args.operands.length === 0) throw new UsageError('cases_missing', {})
    const outputs = readOutputFiles(args, ['html', 'jsonl'])
    const minimum = args.number('min-score', 0)
    const source = new RulesetSource(namedRuleset(args))
    const suites = readCaseFiles(args.operands, locale, false)
    const target = args.text('write')
    const written = target === null ? null : readTarget(target)
    const compiling = new Progress(context, mutate.name, meanwhileOf(context))
    await compiling.compiling(source.size())
    const { ruleset } = source.compile()
    await compiling.clear()
    if (!(await showLoadErrors(context, ruleset, source))) return EXIT.usage
    const started = performance.now()
    const graded = await grade(context, ruleset, source, suites)
    if (graded === null) return EXIT.failed
    const { rows, untried } = graded
    const mutation: Mutation = { rows, untried, summary: summarizeMutants(rows), ms: performance.now() - started }
    const isVerbose = args.flag('verbose')
    const lines = (): string[] => [...rows.map((row) => mutantLine(row, isVerbose)), summaryLine(mutation)].map((line) => JSON.stringify(line))
    for (const { format, path } of outputs)
      writeOutputFile(
        path,
        format === 'html'
          ? mutationPage(mutation, locale)
          : lines()
              .map((line) => `${line}\n`)
              .join(''),
      )
    if (args.flag('jsonl')) for (const line of lines()) await stdout.line(line)
    else await stdout.write(describeMutation(mutation, { locale, paint, isVerbose: isVerbose || args.texts('rule').length > 0 }))
    if (target !== null && written !== null) {
      const added = addCases(written, rows)
      if (added > 0) writeOutputFile(target, `${JSON.stringify(written, null, 2)}\n`)
      await stderr.line(`mutate: ${MUTATION_WORDS[locale].written(added, target)}`)
    }
    return minimum !== null && mutation.summary.score < minimum ? EXIT.failed : EXIT.fine
  },
}

/** The rows of all mutants, and the number of rules and decoders that were not tried. Null: a case fails before anything is changed. */
async function grade(
  context: CommandContext,
  ruleset: CompiledRuleset,
  source: RulesetSource,
  files: readonly CaseFile[],
): Promise<{ readonly rows: readonly MutantRow[]; readonly untried: number } | null> {
  const { args, locale } = context
  const only = args.texts('rule').length === 0 ? undefined : new Set(chosenRules(args, ruleset, () => true).map(({ id }) => id))
  const scopes: readonly FileScope[] = source.namedCustom && !args.flag('all') && only === undefined ? ['custom'] : ['default', 'custom']
  const suites: readonly (readonly SuiteCase[])[] = files.map(({ cases }) => cases.map(({ testCase }) => testCase))
  const limit = args.number('seconds', 1)
  const steps = args.number('steps', 1)
  const seconds = Math.floor(Date.now() / MS)
  const options = { locale, scopes, ...(only === undefined ? {} : { only }), ...(steps === null ? {} : { steps }) }
  const ends = limit === null ? Number.POSITIVE_INFINITY : performance.now() + limit * MS
  const grader = new MutationGrader(ruleset, suites, { ...options, moment: momentAt(seconds), mayGoOn: () => performance.now() < ends, now: () => performance.now() })
  if (!(await areFine(context, files, grader))) return null
  const rows: MutantRow[] = []
  let [done, untried] = [0, 0]
  const progress = new Progress(context, mutate.name, meanwhileOf(context))
  const add = async (found: readonly MutantRow[] | null): Promise<void> => {
    done++
    if (found === null) untried++
    else for (const row of found) rows.push({ ...row, file: source.pathOf({ scope: row.scope, kind: row.kind, filename: row.file }) })
    if (!progress.isDue()) return
    const text = MUTATION_WORDS[locale].tried(formatNumber(done, locale), formatNumber(grader.items, locale), formatNumber(rows.length, locale))
    await progress.update({ text, count: rows.length, part: done / grader.items })
  }
  if (grader.items < THREADED_ITEMS) for (let at = 0; at < grader.items; at++) await add(grader.grade(at))
  else {
    const data = { ...options, files: composeRuleset(source.defaults, source.custom, []), suites, seconds }
    const left = limit === null ? null : Math.max(0, (ends - performance.now()) / MS)
    await gradeInThreads(data, grader.items, left, async (items) => {
      for (const item of items) await add(item.rows)
    })
  }
  await progress.clear()
  return { rows, untried }
}

/** Names the cases that fail, or cannot be read, before anything is changed. */
async function areFine({ stderr, locale }: CommandContext, files: readonly CaseFile[], { failed }: MutationGrader): Promise<boolean> {
  const words = MUTATION_WORDS[locale]
  const places = [
    ...files.flatMap(({ path, faults }) => faults.map(({ line, name, message }) => `${path}:${line}: ${name}: ${message}`)),
    ...failed.map(({ suite, place, name }) => `${files[suite].path}:${files[suite].cases[place].line}: ${name}`),
  ]
  if (places.length === 0) return true
  await stderr.line(`mutate: ${words.failedBefore(places.length)}`)
  for (const place of places.slice(0, FAILED_SHOWN)) await stderr.line(`  ${printable(place)}`)
  if (places.length > FAILED_SHOWN) await stderr.line(`  … +${places.length - FAILED_SHOWN}`)
  return false
}

/** The cases of a file, and what else is in it. */
interface CaseList {
  readonly cases: unknown[]
}

/** @throws UsageError when the file is there and is no list of cases */
function readTarget(path: string): CaseList {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { cases: [] }
  }
  try {
    const value = JSON.parse(text) as { cases?: unknown } | null
    if (Array.isArray(value?.cases)) return value as CaseList
  } catch {
    // The same fault as a document of another kind.
  }
  throw new UsageError('write_target_invalid', { file: path })
}

/** Adds each case that kills survivors once. @returns how many were added */
function addCases({ cases }: CaseList, rows: readonly MutantRow[]): number {
  const known = new Set(cases.map((each) => JSON.stringify(each)))
  const found = new Map<string, TestCase>()
  for (const row of rows) if (row.status === 'survived' && typeof row.case === 'object') found.set(JSON.stringify(row.case), row.case)
  const added = [...found].flatMap(([text, testCase]) => (known.has(text) ? [] : [testCase]))
  cases.push(...added)
  return added.length
}
