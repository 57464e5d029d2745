/** The subcommand `playground`: serves the page of the playground on this machine, alone or on a folder of content, or writes it to a folder. */
import { statSync } from 'node:fs'
import { nextSignal } from '../core/next-signal.js'
import type { Command, CommandContext } from './command.js'
import { EXIT } from './exit-codes.js'
import { REPORT_WORDS } from './report/words.js'
import { chosenBase } from './ruleset-source.js'
import { UsageError } from './usage-error.js'

/** Always the same, because browsers keep what a person has set on the page by its address. */
const PORT = 8090
const PORT_LIMIT = 65_535

export const playground: Command<'playground'> = {
  name: 'playground',
  options: {
    ruleset: { type: 'string', value: 'folder' },
    port: { type: 'string', value: 'number' },
    export: { type: 'string', value: 'folder' },
  },
  examples: [
    'detection-content playground',
    'detection-content playground ./content',
    'detection-content playground ./content --ruleset ./wazuh/ruleset',
    'detection-content playground --export ./public',
  ],
  helpParams: () => ({ port: PORT }),
  async run(context) {
    const { args, stdout, locale } = context
    const [named, ...more] = args.operands
    if (more.length > 0) throw new UsageError('operand_unexpected', { operand: more[0] })
    const exported = args.text('export')
    if (exported !== null) {
      if (named !== undefined) throw new UsageError('operand_unexpected', { operand: named })
      for (const other of ['port', 'ruleset']) if (args.text(other) !== null) throw new UsageError('options_both', { first: 'export', second: other })
    }
    if (named === undefined && args.text('ruleset') !== null) throw new UsageError('ruleset_without_folder', {})
    const words = REPORT_WORDS[locale]
    // Imported late: no other command needs the page.
    const { PlaygroundSite } = await import('../core/playground-site.js')
    const site = new PlaygroundSite()
    if (exported !== null) {
      const { exportSite } = await import('./playground/export.js')
      await stdout.line(words.playgroundExported(await exportSite(site, exported), exported))
      return EXIT.fine
    }
    const port = portOf(args)
    const { openFolder, startPlayground } = await import('./playground/server.js')
    const folder = named === undefined ? null : await openFolder(folderOf(named), chosenBase(args.text('ruleset')))
    // Before the address is printed: who reads it may stop the command at once.
    const stopped = nextSignal()
    const server = await startPlayground({ site, folder, port })
    await stdout.line(words.playgroundAt(server.address))
    if (named !== undefined) await stdout.line(words.playgroundFolder(named))
    await stopped
    await server.close()
    return EXIT.fine
  },
}

/** @throws UsageError */
function portOf(args: CommandContext['args']): number {
  const value = args.text('port')
  if (value === null) return PORT
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (!(port <= PORT_LIMIT)) throw new UsageError('value_not_port', { value, max: PORT_LIMIT })
  return port
}

/** @throws UsageError */
function folderOf(named: string): string {
  const stats = statSync(named, { throwIfNoEntry: false })
  if (stats === undefined) throw new UsageError('file_not_found', { file: named })
  if (!stats.isDirectory()) throw new UsageError('path_not_folder', { path: named })
  return named
}
