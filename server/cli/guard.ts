/** The subcommand `guard`: what breaks in own content when the ruleset below it changes, and what can be merged. */
import { statSync } from 'node:fs'
import { type CompiledRuleset, checkUpgrade, type GivenEvents, type Locale, makeFinding, type SourceFile, type UpgradeFinding, type UpgradeReport } from '#engine'
import { LayeredContent } from '#in-thread'
import { CaseRunner } from './case-run.js'
import type { Command, CommandContext } from './command.js'
import { type CorrectedFile, describeCorrections, writeCorrections } from './correct.js'
import { EXIT } from './exit-codes.js'
import { readCaseFiles } from './input/case-files.js'
import { readCompared, requireLoading } from './input/compared-content.js'
import type { ContentFile } from './input/content-files.js'
import { distinct } from './input/content-files.js'
import { GitRepository } from './input/git-files.js'
import { readLines } from './input/lines.js'
import { eventsOfLine } from './input/sequence.js'
import { OUTPUT_OPTION, readOutputFiles, writeOutputFile } from './output-files.js'
import { describeFailure } from './report/case-report.js'
import { describeUpgrade, upgradePage, upgradeRecord } from './report/upgrade-report.js'
import { REPORT_WORDS } from './report/words.js'
import { readCustom } from './ruleset-source.js'
import { UsageError } from './usage-error.js'

/** Seconds of the search for events unless the call says otherwise. */
const USUAL_SECONDS = 120
/** Lines of `--events` that are run. */
const EVENTS_LIMIT = 100_000
const MS = 1000

export const guard: Command<'guard'> = {
  name: 'guard',
  options: {
    from: { type: 'string', value: 'content' },
    to: { type: 'string', value: 'content' },
    custom: { type: 'string', value: 'path', multiple: true },
    events: { type: 'string', value: 'path' },
    write: { type: 'boolean' },
    jsonl: { type: 'boolean' },
    output: OUTPUT_OPTION,
    seconds: { type: 'string', value: 'number' },
  },
  examples: [
    'detection-content guard --from ./wazuh-4.14.0/ruleset --to ./wazuh-4.14.7/ruleset --custom ./content',
    'detection-content guard --from v1:ruleset --to v2:ruleset --custom ./content --events events.log',
    'detection-content guard --from ./old --to ./new --custom ./content --write',
    'detection-content guard --from ./old --to ./new --custom ./content --output html=upgrade.html',
  ],
  helpParams: () => ({ seconds: USUAL_SECONDS }),
  run: async (context) => {
    const { args, stdout, stderr, locale, paint, env } = context
    args.requireNoOperands()
    const outputs = readOutputFiles(args, ['html', 'jsonl'])
    const [from, to, custom] = [args.text('from'), args.text('to'), args.texts('custom')]
    if (from === null || to === null || custom.length === 0) throw new UsageError('upgrade_incomplete', {})
    const ends = performance.now() + (args.number('seconds', 1) ?? USUAL_SECONDS) * MS
    const git = new GitRepository(env)
    const own = distinct(custom.flatMap(readCustom))
    const [old, now] = [await readSide(from, own, git, locale), await readSide(to, own, git, locale)]
    requireLoading(custom.join(' '), old.content.compile(), locale)
    const events = await readGivenEvents(context)
    const report = checkUpgrade({
      old: { base: old.base, own: old.content.compile() },
      now: { base: now.base, own: now.content.compile() },
      compile: (files) => new LayeredContent(now.defaults, files, now.content).compile(),
      events,
      locale,
      mayGoOn: () => performance.now() < ends,
    })
    const findings = withPaths([...report.findings, ...caseFindings(custom, old.content.compile(), now.content.compile(), locale)], own)
    const files = changedFiles(report, own)
    const records = findings.map((finding) => `${JSON.stringify(upgradeRecord(finding))}\n`).join('')
    const diff = files.length === 0 || args.flag('write') ? '' : await describeCorrections({ files })
    const shown = { findings, own: report.own, diff }
    for (const { format, path } of outputs) writeOutputFile(path, format === 'jsonl' ? records : upgradePage(shown, `${from} → ${to}`, locale))
    await stdout.write(args.flag('jsonl') ? records : describeUpgrade(shown, locale, paint))
    const merged = args.flag('write') ? await write(context, files) : new Set<string>()
    const words = REPORT_WORDS[locale]
    if (files.length > 0 && !args.flag('write')) await stderr.line(words.fixesProposed(findings.filter(({ edits }) => edits.length > 0).length, files.length))
    return findings.some(({ severity, edits, file }) => severity !== 'info' && !(edits.length > 0 && merged.has(file))) ? EXIT.failed : EXIT.fine
  },
}

interface Side {
  readonly defaults: readonly SourceFile[]
  readonly content: LayeredContent
  readonly base: CompiledRuleset
}

/** @throws UsageError when there is no ruleset at the place, or Wazuh would not start with it */
async function readSide(name: string, own: readonly ContentFile[], git: GitRepository, locale: Locale): Promise<Side> {
  const { files } = await readCompared(name, git)
  const defaults = files.map((file): SourceFile => ({ ...file, scope: 'default' }))
  const content = new LayeredContent(
    defaults,
    own.map(({ file }) => file),
  )
  const base = content.compileBase()
  requireLoading(name, base, locale)
  return { defaults, content, base }
}

/** Each line is a session: an event, or a sequence as `diff` and `generate` write it. */
async function readGivenEvents({ args, stdin }: CommandContext): Promise<GivenEvents[]> {
  const file = args.text('events')
  if (file === null) return []
  const given: GivenEvents[] = []
  for await (const { first, lines } of readLines([file], stdin)) {
    for (const [index, line] of lines.entries()) {
      if (line === null || line.trim() === '') continue
      given.push({ file, line: first + index, events: eventsOfLine(line) })
      if (given.length > EVENTS_LIMIT) throw new UsageError('events_too_many', { limit: EVENTS_LIMIT })
    }
  }
  if (given.length === 0) throw new UsageError('events_none', {})
  return given
}

/** Cases in the folders that pass on the old ruleset and fail on the new one. */
function caseFindings(custom: readonly string[], old: CompiledRuleset, now: CompiledRuleset, locale: Locale): UpgradeFinding[] {
  const folders = custom.filter((path) => statSync(path).isDirectory())
  if (!now.loads || folders.length === 0) return []
  const files = readCaseFiles(folders, locale, true)
  const [before, after] = [old, now].map((ruleset) => new CaseRunner(ruleset, locale, false))
  return files.flatMap((file) => {
    const passed = [...before.run(file)].map((result) => result.passed)
    return [...after.run(file)].flatMap((result, index): UpgradeFinding[] => {
      if (result.passed || !passed[index]) return []
      const place = { kind: 'cases', file: result.path, line: result.line, item: null } as const
      return [makeFinding('case_red', place, { case: result.name, reason: describeFailure(result, locale).replaceAll('\n', '; ') }, locale)]
    })
  })
}

/** Findings name files of content as the ruleset does; people need their paths. */
function withPaths(findings: readonly UpgradeFinding[], own: readonly ContentFile[]): UpgradeFinding[] {
  const paths = new Map(own.map(({ path, file }) => [`${file.kind} ${file.filename}`, path]))
  return findings.map((finding) => ({ ...finding, file: paths.get(`${finding.kind} ${finding.file}`) ?? finding.file }))
}

function changedFiles({ merged }: UpgradeReport, own: readonly ContentFile[]): CorrectedFile[] {
  return merged.flatMap(({ file, content }) => {
    const found = own.find((one) => one.file.kind === file.kind && one.file.filename === file.filename)
    return found === undefined ? [] : [{ path: found.path, before: found.file.content, after: content }]
  })
}

/** @returns the paths that were written */
async function write({ args, stderr, locale }: CommandContext, files: readonly CorrectedFile[]): Promise<Set<string>> {
  const words = REPORT_WORDS[locale]
  const skipped = new Set(writeCorrections({ files }, args.texts('custom')))
  for (const path of skipped) await stderr.line(words.fixesSkipped(path))
  const written = files.filter(({ path }) => !skipped.has(path))
  if (written.length > 0) await stderr.line(words.filesMerged(written.map(({ path }) => path).join(', ')))
  return new Set(written.map(({ path }) => path))
}
