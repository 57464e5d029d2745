/** Compiles a ruleset for the later lines of a batch. */
import type { DiagnosticRecord } from '#engine'
import type { ReadableTaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

export interface PrepareTask extends ReadableTaskHead {
  readonly kind: 'prepare'
}

/** Returns the diagnostics in files that cannot be parsed. */
export const prepare: TaskDefinition<PrepareTask> = {
  body: 'head',
  run: (context, { locale }) => plain(entryOf(context).unreadable(locale) satisfies readonly DiagnosticRecord[]),
}
