/** Compiles files, and runs events. */
import { describeDiagnostics, type DiagnosticRecord, type FileScope, type Locale, type LogtestInput, type LogtestReport, runLogtest, type SourceFile } from '#engine'
import { compileOn } from '../content/compile-on.js'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '../content/content.js'
import { momentAt, momentNow } from '../shared/clock.js'
import { createRuleset, DEFAULT_LOCALE, openSession, type Ruleset, runnerOf, type Session, stateOf } from './ruleset.js'

/** A file of rules, decoders or a CDB list. The base name decides the load order; a list has the path that rules name it by, e.g. `etc/lists/audit-keys`. */
export interface RulesetFile extends Omit<SourceFile, 'scope'> {
  /** Default: `custom`. Diagnostics of `default` files are not reported as long as the ruleset loads. */
  readonly scope?: FileScope
}

/** An event with its format and its location. */
export interface LogtestEvent extends Omit<LogtestInput, 'log_format'> {
  /** Default: `auto`. */
  readonly log_format?: LogtestInput['log_format']
}

export interface CompileOptions {
  /** The files are compiled on top of this ruleset, in time proportional to their own size. The result is the same as that of compiling all files together. */
  readonly base?: Ruleset
  /** Language of the diagnostics. Default: `en-US`. */
  readonly locale?: Locale
}

export interface LogtestOptions {
  /** Remembers the event for later ones, which correlation needs. Default: the event is run without a session. */
  readonly session?: Session
  /** Records every decision in `trace` and explains them in `insights`. Takes several times as long. Default: false. */
  readonly trace?: boolean
  /** When the event is received. Default: now. */
  readonly at?: Date
  /** Default: `en-US`. */
  readonly locale?: Locale
}

/** A ruleset and its diagnostics. */
export interface Compilation {
  readonly ruleset: Ruleset
  /** Whether no diagnostic of the caller's own files is an error. */
  readonly ok: boolean
  /** All diagnostics, in load order. Checks over the whole ruleset run when this is first read. */
  readonly diagnostics: readonly DiagnosticRecord[]
}

/**
 * Compiles files of rules, decoders and lists. Never throws because of their content: `diagnostics` reports it.
 *
 * @example
 * const { ruleset: base } = compile(readRuleset())
 * const { ruleset, diagnostics } = compile([{ kind: 'rules', filename: 'own_rules.xml', content }], { base })
 */
export function compile(files: readonly RulesetFile[], { base, locale = DEFAULT_LOCALE }: CompileOptions = {}): Compilation {
  const compiled = compileOn(
    base === undefined ? null : runnerOf(base).ruleset,
    files.map(({ scope = 'custom', ...file }) => ({ ...file, scope })),
  )
  let report: ReturnType<typeof describeDiagnostics> | null = null
  const fullReport = () => (report ??= describeDiagnostics(compiled, { locale, includeBaseline: !compiled.loads }))
  return {
    ruleset: createRuleset(compiled),
    get ok() {
      return fullReport().ok
    },
    get diagnostics() {
      return fullReport().diagnostics
    },
  }
}

/**
 * Runs one event through predecoder, decoders and rules. The report is that of `POST /api/v1/analysis/logtest-native`, without the diagnostics of the ruleset,
 * which `compile` returns.
 *
 * @throws TypeError for a session of another ruleset @throws RangeError for an invalid date
 */
export function logtest(ruleset: Ruleset, event: string | LogtestEvent, { session, trace = false, at, locale = DEFAULT_LOCALE }: LogtestOptions = {}): LogtestReport {
  const input: LogtestInput = typeof event === 'string' ? { event, log_format: 'auto' } : { log_format: 'auto', ...event }
  if (at !== undefined && Number.isNaN(at.getTime())) throw new RangeError('invalid date')
  const moment = at === undefined ? momentNow() : momentAt(Math.floor(at.getTime() / 1000))
  const state = session === undefined ? null : stateOf(session, ruleset)
  const { times: _, ...report } = runLogtest(runnerOf(ruleset), input, moment, state, { trace, locale })
  return report
}

/** Creates a session: its events are remembered as Wazuh remembers them. */
export function createSession(ruleset: Ruleset): Session {
  return openSession(ruleset)
}

/**
 * Reads a folder with `decoders/`, `rules/` and `lists/`, like Wazuh's `ruleset/`.
 *
 * @param folder default: the reference ruleset of this package
 * @param scope `default` for a base, `custom` for the caller's own content
 * @throws if the folder does not exist or contains no ruleset
 */
export function readRuleset(folder: string = REFERENCE_RULESET_DIR, scope: FileScope = 'default'): SourceFile[] {
  return readRulesetFolder(folder, scope)
}
