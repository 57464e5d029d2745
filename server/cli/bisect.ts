/** The subcommand `bisect`: the revision of a Git repository since which an event has a rule, or no longer has it, and what that revision changed. */
import { type BehaviourComparison, behaviourRecord, compareBehaviour, type CompiledRuleset, findChange, observeLast } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import { USUAL_SECONDS } from './diff.js'
import { EXIT } from './exit-codes.js'
import { ComparedRulesets, readGit } from './input/compared-content.js'
import { type GitCommit, GitRepository } from './input/git-files.js'
import { readSequence } from './input/sequence.js'
import { answerText, describeBehaviour } from './report/behaviour-report.js'
import { BEHAVIOUR_WORDS } from './report/behaviour-words.js'
import { type NamedRuleset, namedRuleset } from './ruleset-source.js'
import { printable } from './terminal/printable.js'
import { Progress } from './terminal/progress.js'
import { UsageError } from './usage-error.js'

/** Revisions that are looked at one by one where both ends agree. */
const REVISIONS_LIMIT = 500
const MS = 1000
const RULE_ID = /^\d{1,6}$/
const SHORT_ID = 12

export const bisect: Command<'bisect'> = {
  name: 'bisect',
  options: {
    ...RULESET_OPTIONS,
    expect: { type: 'string', value: 'ruleId' },
    path: { type: 'string', value: 'path' },
    from: { type: 'string', value: 'revision' },
    to: { type: 'string', value: 'revision' },
    jsonl: { type: 'boolean' },
    seconds: { type: 'string', value: 'number' },
  },
  examples: [
    "detection-content bisect --expect 5710 --path content 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122'",
    'detection-content bisect --expect 100100 --from v1.0 --to main events.log',
  ],
  helpParams: () => ({ seconds: USUAL_SECONDS }),
  run: async (context) => {
    const { args, stdin, stdout, locale, paint, env } = context
    const expected = args.text('expect')
    if (expected === null) throw new UsageError('expect_missing', {})
    if (!RULE_ID.test(expected)) throw new UsageError('value_not_rule_id', { option: 'expect', value: expected })
    const seconds = args.number('seconds', 1) ?? USUAL_SECONDS
    const events = await readSequence(args.operands, stdin)
    const git = new GitRepository(env)
    const path = await git.pathInRepository(args.text('path') ?? './')
    const to = await git.resolve(args.text('to') ?? 'HEAD')
    const from = args.text('from')
    const oldest = from === null ? null : await git.resolve(from)
    const commits = await git.commitsBetween(oldest ?? '', to, path)
    if (oldest !== null) commits.unshift({ id: oldest, date: '', author: '', subject: from ?? '' })
    if (commits.length === 0) throw new UsageError('revisions_none', { path: args.text('path') ?? './' })
    const progress = new Progress(context, bisect.name, args.flag('jsonl') ? 'document' : 'text')
    const rulesets = new RevisionRulesets(git, namedRuleset(args), path)
    let count = 0
    const found = await findChange({
      count: commits.length,
      limit: REVISIONS_LIMIT,
      look: async (at) => {
        const ruleset = await rulesets.of(commits[at])
        const answer = ruleset === null ? null : observeLast(ruleset, events)
        count++
        if (progress.isDue()) await progress.update({ text: `${count} / ${commits.length}`, count, part: null })
        return answer
      },
      holds: ({ rule_id }) => rule_id === String(Number(expected)),
    })
    await progress.clear()
    const words = BEHAVIOUR_WORDS[locale]
    if (found === null) throw new UsageError('revisions_none_load', { count: commits.length })
    const { holds, isUnsure } = found
    const answer = found.newest.state
    const [since, before] = [found.since, found.before].map((place) => (place === null ? null : { commit: commits[place.at], answer: place.state }))
    const skipped = found.skipped.map((at) => commits[at])
    const ends = performance.now() + seconds * MS
    // Rulesets are not kept while revisions are looked at: those of some hundred would not fit into memory.
    const [old, now] = [before === null ? null : await rulesets.of(before.commit), since === null ? null : await rulesets.of(since.commit)]
    const comparison: BehaviourComparison | null = old === null || now === null ? null : compareBehaviour(old, now, { seeds: [events], mayGoOn: () => performance.now() < ends })
    if (args.flag('jsonl')) {
      await stdout.line(
        JSON.stringify({
          rule_id: expected,
          holds,
          answer,
          since: since?.commit ?? null,
          before: before?.commit ?? null,
          skipped: skipped.map(({ id }) => id),
          changes: comparison?.items.map(behaviourRecord) ?? [],
        }),
      )
    } else {
      const lines = [holds ? words.expected(expected) : words.notExpected(expected, answerText(answer, words))]
      if (since === null || before === null || comparison === null) lines.push(words.always(commits.length))
      else {
        lines.push(words.since, printable(`  ${since.commit.id.slice(0, SHORT_ID)} ${since.commit.date} ${since.commit.author}: ${since.commit.subject}`))
        if (isUnsure) lines.push(words.between(before.commit.id.slice(0, SHORT_ID), since.commit.id.slice(0, SHORT_ID)))
        lines.push(
          `  ${words.before}: ${answerText(before.answer, words)}`,
          `  ${words.after}: ${answerText(since.answer, words)}`,
          '',
          describeBehaviour(comparison, false, locale, paint),
        )
      }
      if (skipped.length > 0)
        lines.push(
          words.skipped(
            skipped.length,
            skipped
              .slice(0, 10)
              .map(({ id }) => id.slice(0, SHORT_ID))
              .join(', '),
          ),
        )
      await stdout.write(`${lines.join('\n')}\n`)
    }
    return holds ? EXIT.fine : EXIT.failed
  },
}

/** The rulesets of revisions, compiled on one base. */
class RevisionRulesets {
  readonly #git: GitRepository
  readonly #named: NamedRuleset
  readonly #path: string
  #rulesets: ComparedRulesets | null = null

  constructor(git: GitRepository, named: NamedRuleset, path: string) {
    this.#git = git
    this.#named = named
    this.#path = path
  }

  /** Null: Wazuh would not start with it, or it has no content. */
  async of({ id }: GitCommit): Promise<CompiledRuleset | null> {
    const files = await readGit(this.#git, id, this.#path)
    if (files.length === 0) return null
    this.#rulesets ??= new ComparedRulesets(this.#named, [{ name: id, files }])
    return this.#rulesets.compile(files)
  }
}
