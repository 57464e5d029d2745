/** Analysis requests after validation. */
import type { LogtestInput, SourceFile } from '#engine'

/** What a body contains: the request of `/analysis/validate`, that of `/analysis/logtest-native`, or the first line of a batch. */
export type BodyKind = 'validate' | 'logtest' | 'head'

export interface ReadRequest {
  readonly ruleset: ReadRuleset
  /** Null: the request has none (validation, first line of a batch). */
  readonly input: LogtestInput | null
  readonly sessionId: string | null
  readonly trace: boolean
}

export type ReadRuleset = { readonly includeDefaults: boolean; readonly includeCustom: boolean; readonly files: readonly SourceFile[] } | { readonly compiledHash: string }
