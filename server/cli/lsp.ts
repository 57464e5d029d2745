/** The subcommand `lsp`: a language server for editors. */
import { RULESET_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import { EXIT } from './exit-codes.js'
import { PROGRAM } from './help.js'
import { namedRuleset, RulesetSource } from './ruleset-source.js'
import { UsageError } from './usage-error.js'

export const lsp: Command<'lsp'> = {
  name: 'lsp',
  options: {
    ...RULESET_OPTIONS,
    stdio: { type: 'boolean' },
    'help-url': { type: 'string', value: 'url' },
  },
  examples: ['detection-content lsp --stdio', 'detection-content lsp --stdio --ruleset ./wazuh/ruleset --custom ./content'],
  run: async ({ args, locale, stdin, outputStream: stdout }) => {
    args.requireNoOperands()
    if (!args.flag('stdio')) throw new UsageError('transport_missing', {})
    const named = namedRuleset(args)
    // A folder that does not exist is reported before the editor sends its first message.
    if (named.ruleset !== null || named.custom.length > 0) new RulesetSource(named)
    const { serveStdio } = await import('./language/stdio.js')
    const isLocaleNamed = args.text('locale') !== null
    const isOrderly = await serveStdio({ stdin, stdout, named, locale, isLocaleNamed, helpUrl: args.text('help-url'), call: `${PROGRAM} ${lsp.name}` })
    return isOrderly ? EXIT.fine : EXIT.failed
  },
}
