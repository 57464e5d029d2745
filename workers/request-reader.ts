/**
 * Requests as they came over the wire are read in threads, by a module that the server names (`AnalysisPool.useRequestReader`): it knows the
 * schemas and the words of refusals, which are none of ours. A thread imports it when the first such request comes.
 */
import type { Locale, LogtestInput, SourceFile } from '#engine'
import type { Task } from './protocol.js'

/** Of which endpoint a body is: what it may hold. `head` is the first line of a batch. */
export type BodyKind = 'validate' | 'logtest' | 'head'

/** A request that is right. */
export interface ReadRequest {
  readonly ruleset: ReadRuleset
  /** Of a logtest. */
  readonly input: LogtestInput | null
  readonly sessionId: string | null
  readonly trace: boolean
}

export type ReadRuleset = { readonly includeDefaults: boolean; readonly includeCustom: boolean; readonly files: readonly SourceFile[] } | { readonly compiledHash: string }

/** @typeParam Refusal why a body is not taken: plain data, which only the server reads */
export type BodyReading<Refusal = unknown> = { readonly request: ReadRequest } | { readonly refusal: Refusal }

/** What a line of a batch is read with. */
export interface LineSetting {
  readonly locale: Locale
  readonly sessionId: string
  readonly requestId: string
}

/** An input, or the JSON that answers a line that is none. */
export type LineReading = { readonly input: LogtestInput } | { readonly answer: string }

/** What the module exports. Nothing of it throws. */
export interface RequestReader {
  readBody(of: BodyKind, body: Uint8Array): BodyReading
  /** @param line null: bytes that are not UTF-8 */
  readLine(line: string | null, setting: LineSetting): LineReading
}

/** Whether a task brings what only a `RequestReader` can read. */
export function needsReader({ kind, ruleset: { source } }: Task): boolean {
  return kind === 'body' || kind === 'lines' || (source !== null && 'body' in source)
}
