/**
 * What is known about rules without any log: events that fire them, verdicts, differences, and what becomes of them in Wazuh 5. Each function searches, so each takes a time
 * that grows with the number of rules: iterators find one record at a time, and a caller may leave them.
 */
import {
  type AuditRecord,
  auditLost,
  type BehaviourRecord,
  behaviourRecord,
  compareBehaviour,
  type CompiledRule,
  type CompiledRuleset,
  type FileScope,
  type Locale,
  RuleAuditor,
  SigmaConverter,
  type SigmaRecord,
  type WitnessEventRecord,
  WitnessFinder,
  type WitnessRecord,
} from '#engine'
import { DEFAULT_LOCALE, type Ruleset, runnerOf } from './ruleset.js'

export interface RulesOptions {
  /** Ids of rules. Default: those of files of the scopes `custom` and `adhoc`; where there are none, all. */
  readonly rules?: Iterable<number>
  /** Language of reasons and notes. Default: `en-US`. */
  readonly locale?: Locale
  /** Ends the search: what is left is unknown, and says so. */
  readonly signal?: AbortSignal
}

export interface GenerateOptions extends RulesOptions {
  /** Also finds the nearest events that do not fire a rule, for each of its conditions. Default: false. */
  readonly near?: boolean
}

export interface DiffEvent extends Omit<WitnessEventRecord, 'log_format'> {
  /** Default: `syslog`. */
  readonly log_format?: WitnessEventRecord['log_format']
}

export interface DiffOptions {
  /** Sequences of events that are run beside those that are made, such as those of test cases. */
  readonly events?: readonly (readonly DiffEvent[])[]
  /** Ends the search: items that are left are unknown, and say so. */
  readonly signal?: AbortSignal
}

export interface Differences {
  /** One for each rule and decoder that the change touches, or that is touched through another. */
  readonly items: readonly BehaviourRecord[]
  /** Whether each item was searched for. */
  readonly complete: boolean
}

/**
 * Finds for each rule the smallest events that fire it, or says why there are none.
 *
 * @throws TypeError for a ruleset that does not load
 */
export function* generate(ruleset: Ruleset, { near = false, locale = DEFAULT_LOCALE, signal, rules }: GenerateOptions = {}): Generator<WitnessRecord, void, void> {
  const compiled = loaded(ruleset)
  const finder = new WitnessFinder(compiled, { locale, near, mayGoOn: goesOn(signal) })
  for (const rule of chosen(compiled, chooser(compiled, rules))) yield finder.find(rule)
}

/**
 * Judges for each rule whether it fires, and if not, why. Rules that the loader leaves out come first.
 *
 * @throws TypeError for a ruleset that does not load
 */
export function* audit(ruleset: Ruleset, { locale = DEFAULT_LOCALE, signal, rules }: RulesOptions = {}): Generator<AuditRecord, void, void> {
  const compiled = loaded(ruleset)
  const auditor = new RuleAuditor(compiled, { locale, mayGoOn: goesOn(signal) })
  const isChosen = chooser(compiled, rules)
  for (const lost of compiled.lost) if (isChosen(lost.id, lost.source)) yield auditLost(lost, locale)
  for (const rule of chosen(compiled, isChosen)) yield auditor.audit(rule)
}

/**
 * Says what changes for detection between two rulesets, with an event for each difference.
 *
 * @throws TypeError for a ruleset that does not load
 */
export function diff(before: Ruleset, after: Ruleset, { events = [], signal }: DiffOptions = {}): Differences {
  const seeds = events.map((sequence) => sequence.map(({ log_format = 'syslog', ...event }) => ({ ...event, log_format })))
  const { items, complete } = compareBehaviour(loaded(before), loaded(after), { mayGoOn: goesOn(signal), seeds })
  return { items: items.map(behaviourRecord), complete }
}

/**
 * Says what becomes of each rule in Wazuh 5, with its Sigma text.
 *
 * @throws TypeError for a ruleset that does not load
 */
export function* wazuh5(ruleset: Ruleset, { locale = DEFAULT_LOCALE, signal, rules }: RulesOptions = {}): Generator<SigmaRecord, void, void> {
  const compiled = loaded(ruleset)
  const converter = new SigmaConverter(compiled, { locale, mayGoOn: goesOn(signal) })
  for (const rule of chosen(compiled, chooser(compiled, rules))) yield converter.convert(rule)
}

function loaded(ruleset: Ruleset): CompiledRuleset {
  const { ruleset: compiled } = runnerOf(ruleset)
  if (!compiled.loads) throw new TypeError('Wazuh would not start with this ruleset; compile() returns the diagnostics')
  return compiled
}

function goesOn(signal: AbortSignal | undefined): () => boolean {
  return () => signal?.aborted !== true
}

type IsChosen = (id: number, file: { readonly scope: FileScope }) => boolean

function chooser({ files }: CompiledRuleset, ids: Iterable<number> | undefined): IsChosen {
  if (ids !== undefined) {
    const wanted = new Set(ids)
    return (id) => wanted.has(id)
  }
  const hasOwn = files.some(({ kind, scope }) => kind === 'rules' && scope !== 'default')
  return (_, { scope }) => !hasOwn || scope !== 'default'
}

function chosen({ rules }: CompiledRuleset, isChosen: IsChosen): readonly CompiledRule[] {
  return rules.inOrder().filter(({ id, definition }) => isChosen(id, definition.source))
}
