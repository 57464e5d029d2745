/**
 * What is known about rules without any log: events that fire them, verdicts, differences, and what happens to them with another base or in Wazuh 5. Each function searches, so each takes a time
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
  type OwnBehaviour,
  type SigmaRecord,
  type SourceFile,
  type TestCase,
  type UpgradeFinding,
  type WitnessEventRecord,
  WitnessFinder,
  type WitnessRecord,
} from '#engine'
import { checkOwnUpgrade } from '../content/own-upgrade.js'
import { momentNow } from '../shared/clock.js'
import type { RulesetFile } from './compile.js'
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

export interface GuardOptions {
  /** Sequences of events that are run on both sides, each one session. */
  readonly events?: readonly (readonly DiffEvent[])[]
  /** Test cases that are run on both sides. */
  readonly cases?: readonly TestCase[]
  /** Language of effects and advice. Default: `en-US`. */
  readonly locale?: Locale
  /** Ends the search: own rules and cases that are left are unknown, and `complete` is false. */
  readonly signal?: AbortSignal
}

export interface Upgrade {
  /** What breaks or is to be looked at, by file. The `file` of a case or an event is empty, and its `line` is its number in the list, from 1. */
  readonly findings: readonly UpgradeFinding[]
  /** What is known of the behaviour of own rules and decoders. Null: Wazuh would not start with the own files on the new ruleset, so that nothing was run. */
  readonly own: OwnBehaviour | null
  /** The own files that can be merged, with the `edits` of all findings. */
  readonly merged: readonly RulesetFile[]
  /** Whether there was time for all searches and cases. */
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
  const seeds = events.map(seedOf)
  const { items, complete } = compareBehaviour(loaded(before), loaded(after), { mayGoOn: goesOn(signal), seeds })
  return { items: items.map(behaviourRecord), complete }
}

/**
 * Says what happens to each rule in Wazuh 5, with its Sigma text.
 *
 * @throws TypeError for a ruleset that does not load
 */
export function* wazuh5(ruleset: Ruleset, { locale = DEFAULT_LOCALE, signal, rules }: RulesOptions = {}): Generator<SigmaRecord, void, void> {
  const compiled = loaded(ruleset)
  const converter = new SigmaConverter(compiled, { locale, mayGoOn: goesOn(signal) })
  for (const rule of chosen(compiled, chooser(compiled, rules))) yield converter.convert(rule)
}

/**
 * Says what breaks in own files when the ruleset below them changes, with an event for each difference, and merges what can be merged.
 *
 * @param from the ruleset below the own files now, and `to` the one that replaces it: both without the own files
 * @throws TypeError where `from`, `to`, or the own files on `from` do not load
 */
export function guard(from: Ruleset, to: Ruleset, custom: readonly RulesetFile[], { events = [], cases = [], locale = DEFAULT_LOCALE, signal }: GuardOptions = {}): Upgrade {
  // Files of a base may have the scope `custom`, too.
  const own = custom.map((file): SourceFile => ({ ...file, scope: 'adhoc' }))
  const given = events.map((sequence, index) => ({ file: '', line: index + 1, events: seedOf(sequence) }))
  const report = checkOwnUpgrade({ from: loaded(from), to: loaded(to), own, cases, events: given, moment: momentNow(), locale, mayGoOn: goesOn(signal) })
  if (report === null) throw notLoaded()
  const merged = report.merged.map(({ file, content }) => ({ ...custom[own.indexOf(file)], content }))
  return { findings: report.findings, own: report.own, merged, complete: report.complete }
}

function seedOf(sequence: readonly DiffEvent[]): WitnessEventRecord[] {
  return sequence.map(({ log_format = 'syslog', ...event }) => ({ ...event, log_format }))
}

function loaded(ruleset: Ruleset): CompiledRuleset {
  const { ruleset: compiled } = runnerOf(ruleset)
  if (!compiled.loads) throw notLoaded()
  return compiled
}

function notLoaded(): TypeError {
  return new TypeError('Wazuh would not start with this ruleset; compile() returns the diagnostics')
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
