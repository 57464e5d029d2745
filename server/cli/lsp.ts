/** The subcommand `lsp`: a language server for editors. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locale } from '#engine'
import { momentNow } from '#workers'
import { readVersion } from '../core/version.js'
import { RULESET_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import { helpPage } from './diagnostics/help-page.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { PROGRAM } from './help.js'
import { DiskFolder } from './language/disk-folder.js'
import { type NamedRuleset, NO_BASE, namedRuleset } from './ruleset-source.js'
import { UsageError } from './usage-error.js'

export const lsp: Command<'lsp'> = {
  name: 'lsp',
  options: {
    ...RULESET_OPTIONS,
    stdio: { type: 'boolean' },
    'help-url': { type: 'string', value: 'url' },
  },
  examples: ['detection-content lsp --stdio', 'detection-content lsp --stdio --ruleset ./wazuh/ruleset --custom ./content'],
  run: async ({ args, locale, stdin, outputStream }) => {
    args.requireNoOperands()
    if (!args.flag('stdio')) throw new UsageError('transport_missing', {})
    const named = namedRuleset(args)
    // A folder that does not exist is reported before the editor sends its first message.
    if (named.ruleset !== null || named.custom.length > 0) new DiskFolder(named, null, locale)
    const helpUrl = args.text('help-url')
    const [{ connect }, { createMessageConnection, StreamMessageReader, StreamMessageWriter }] = await Promise.all([import('../language/index.js'), import('vscode-jsonrpc/node')])
    const connection = createMessageConnection(new StreamMessageReader(stdin), new StreamMessageWriter(outputStream))
    return new Promise<ExitCode>((end) => {
      connection.onClose(() => end(EXIT.fine))
      connect(connection, {
        version: readVersion(),
        locale: args.text('locale') === null ? null : locale,
        openFolder: (root, settings) => openFolder(named, root?.startsWith('file:') === true ? fileURLToPath(root) : null, settings, locale),
        moment: momentNow,
        helpOf: (code) => helpPage(helpUrl, code),
        onExit: (isOrderly) => {
          connection.dispose()
          end(isOrderly ? EXIT.fine : EXIT.failed)
        },
      })
    })
  },
}

/** @throws an error whose message the editor shows */
function openFolder(named: NamedRuleset, root: string | null, settings: unknown, locale: Locale): DiskFolder {
  try {
    return new DiskFolder(withSettings(named, root ?? '.', settings), root, locale)
  } catch (fault) {
    throw fault instanceof UsageError ? new Error(fault.localize(`${PROGRAM} ${lsp.name}`, locale)) : fault
  }
}

/** Options of the call come before settings of the editor, `{"ruleset": DIR, "custom": [PATH]}`, whose paths are relative to its folder. */
function withSettings(named: NamedRuleset, root: string, settings: unknown): NamedRuleset {
  const { ruleset, custom } = (settings ?? {}) as { ruleset?: unknown; custom?: unknown }
  const paths = Array.isArray(custom) ? custom.filter((path): path is string => typeof path === 'string' && path !== '') : []
  const base = typeof ruleset === 'string' && ruleset !== '' ? (ruleset === NO_BASE ? ruleset : resolve(root, ruleset)) : null
  return { ruleset: named.ruleset ?? base, custom: named.custom.length > 0 ? named.custom : paths.map((path) => resolve(root, path)) }
}
