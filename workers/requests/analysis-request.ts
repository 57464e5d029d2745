/** Analysis requests, as they are read from a body or made by the server. */
import type { LogtestInput, SourceFile } from '#engine'

/** What a body contains: the request of `/analysis/validate`, that of `/analysis/logtest-native`, or the first line of a batch. */
export type BodyKind = 'validate' | 'logtest' | 'head'

/** Files of a request, on top of the content on disk. */
export interface RulesetFiles {
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  readonly files: readonly SourceFile[]
}

/** The ruleset: files on top of the content on disk, or one that the caller has compiled before. */
export type RulesetSelection = Partial<RulesetFiles> | { readonly compiledHash: string }

/** The ruleset that a body names. */
export type ReadRuleset = RulesetFiles | { readonly compiledHash: string }

/** A validation, a logtest, or the settings of a batch, depending on the method of the pool or the body. */
export interface AnalysisRequest<Ruleset = RulesetSelection> {
  readonly ruleset: Ruleset
  /** Only for a logtest. */
  readonly input?: LogtestInput | null
  /** Default true, for a logtest. */
  readonly trace?: boolean
  /** Null or absent: the event runs without a session. */
  readonly sessionId?: string | null
  readonly includeBaseline?: boolean
  /** Only for a batch: the names of the fields that a line has; null or absent: all fields. */
  readonly select?: readonly string[] | null
  /** Only for a batch: events that ran and made no alert get no line. Default false. */
  readonly onlyAlerts?: boolean
  /** Seconds since the epoch at which the event is received. Default now. */
  readonly at?: number
}
