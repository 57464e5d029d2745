/** The language server on two streams, with content from disk. The command line and the extension of VS Code start it. */
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import type { Locale } from '#engine'
import { momentNow } from '#workers'
import { readVersion } from '../../core/version.js'
import { connect } from '../../language/index.js'
import { helpPage } from '../diagnostics/help-page.js'
import { type NamedRuleset, NO_BASE } from '../ruleset-source.js'
import { UsageError } from '../usage-error.js'
import { DiskFolder } from './disk-folder.js'

export interface StdioOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  /** What the call names; the editor can name the rest. */
  readonly named: NamedRuleset
  /** The language of the call. */
  readonly locale: Locale
  /** Whether the call has named the language. Otherwise it is the editor's. */
  readonly isLocaleNamed: boolean
  /** See `helpPage`. */
  readonly helpUrl: string | null
  /** Program and command, for messages. */
  readonly call: string
}

/** Serves until the editor ends the session. @returns whether it was ended as the protocol says */
export function serveStdio({ stdin, stdout, named, locale, isLocaleNamed, helpUrl, call }: StdioOptions): Promise<boolean> {
  const connection = createMessageConnection(new StreamMessageReader(stdin), new StreamMessageWriter(stdout))
  /** @throws an error whose message the editor shows */
  let pages = helpUrl
  const openFolder = (root: string | null, settings: unknown): DiskFolder => {
    const { helpUrl: wanted, compareWithHead = true } = (settings ?? {}) as { helpUrl?: unknown; compareWithHead?: unknown }
    if (pages === null && typeof wanted === 'string' && wanted !== '') pages = wanted
    try {
      return new DiskFolder(withSettings(named, root ?? '.', settings), root, locale, compareWithHead === true)
    } catch (fault) {
      throw fault instanceof UsageError ? new Error(fault.localize(call, locale)) : fault
    }
  }
  return new Promise((end) => {
    connection.onClose(() => end(true))
    connect(connection, {
      version: readVersion(),
      locale: isLocaleNamed ? locale : null,
      openFolder: (root, settings) => openFolder(root?.startsWith('file:') === true ? fileURLToPath(root) : null, settings),
      moment: momentNow,
      helpOf: (code) => helpPage(pages, code),
      hoversPages: true,
      onExit: (isOrderly) => {
        connection.dispose()
        end(isOrderly)
      },
    })
  })
}

/** Options of the call come before settings of the editor, `{"ruleset": DIR, "custom": [PATH]}`, whose paths are relative to its folder. */
function withSettings(named: NamedRuleset, root: string, settings: unknown): NamedRuleset {
  const { ruleset, custom } = (settings ?? {}) as { ruleset?: unknown; custom?: unknown }
  const paths = Array.isArray(custom) ? custom.filter((path): path is string => typeof path === 'string' && path !== '') : []
  const base = typeof ruleset === 'string' && ruleset !== '' ? (ruleset === NO_BASE ? ruleset : resolve(root, ruleset)) : null
  return { ruleset: named.ruleset ?? base, custom: named.custom.length > 0 ? named.custom : paths.map((path) => resolve(root, path)) }
}
