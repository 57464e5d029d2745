/** The subcommand `shrink`: the smallest event, or sequence, with the same path and fields, without what others need not see. */
import { shareableEvents } from '#engine'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { readSequence } from './input/sequence.js'
import { answerText } from './report/behaviour-report.js'
import { BEHAVIOUR_WORDS } from './report/behaviour-words.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { printable } from './terminal/printable.js'
import { UsageError } from './usage-error.js'

/** Milliseconds of one search. */
const TIME_LIMIT_MS = 60_000

export const shrink: Command<'shrink'> = {
  name: 'shrink',
  options: { ...RULESET_OPTIONS, jsonl: { type: 'boolean' } },
  examples: [
    "detection-content shrink 'Jan  5 10:11:12 mail3 sshd[2201]: Failed password for maria from 192.0.2.44 port 50122 ssh2'",
    'detection-content shrink --custom ./content events.log',
    'tail -n 1 /var/log/auth.log | detection-content shrink --jsonl',
  ],
  run: async ({ args, stdin, stdout, stderr, locale }) => {
    const events = await readSequence(args.operands, stdin)
    const { ruleset } = new RulesetSource(namedRuleset(args)).compile()
    if (!ruleset.loads) throw new UsageError('content_not_loaded', { content: args.texts('custom').join(' '), reason: '' })
    const ends = performance.now() + TIME_LIMIT_MS
    const { events: small, answer, before, after, complete } = shareableEvents(ruleset, events, () => performance.now() < ends)
    const words = BEHAVIOUR_WORDS[locale]
    if (args.flag('jsonl')) await stdout.line(JSON.stringify({ events: small, answer, complete }))
    else {
      for (const { event } of small) await stdout.line(printable(event))
      await stderr.line(`${answerText(answer, words)}. ${words.shrunk(before, after)}`)
      if (!complete) await stderr.line(words.notComplete)
    }
    return EXIT.fine
  },
}
