/** Compiles a ruleset for the lines of a batch that follow. */
import type { DiagnosticRecord } from '#engine'
import type { ReadableTaskHead } from '../protocol.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

export interface PrepareTask extends ReadableTaskHead {
  readonly kind: 'prepare'
}

/** Its value are the findings in files that can't be read. */
export const prepare: TaskDefinition<PrepareTask> = {
  body: 'head',
  run: (context, { locale }) => plain(entryOf(context).unreadable(locale) satisfies readonly DiagnosticRecord[]),
}
