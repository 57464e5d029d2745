/** What a request's own rules, decoders and lists mean, with what is found in them; and two of these held against each other. */
import { compareContents, type ContentSemantics, describeLists, describeSemantics } from '#engine'
import type { CompareTask, SemanticsTask } from '../protocol.js'
import { entryOf, ownBytes, plain, type TaskContext, type TaskResult } from './context.js'

/** In bytes: of a large ruleset it is some megabytes, which the main thread only passes on. */
export function semantics(context: TaskContext, { locale }: SemanticsTask): TaskResult {
  const { ruleset, findings } = entryOf(context)
  const own = findings(locale, false).diagnostics.filter(({ source_scope }) => source_scope === 'adhoc')
  const value = ownBytes(JSON.stringify({ findings: own, ...describeSemantics(ruleset), lists: describeLists(ruleset, 'adhoc') } satisfies ContentSemantics))
  return { ...plain(value), transfer: [value.buffer] }
}

export function compare(_context: TaskContext, { before, after, limit }: CompareTask): TaskResult {
  return plain(compareContents(read(before), read(after), limit))
}

function read(semantics: Uint8Array): ContentSemantics {
  return JSON.parse(new TextDecoder().decode(semantics)) as ContentSemantics
}
