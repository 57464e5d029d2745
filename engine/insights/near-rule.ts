/**
 * Finds the own rule that an event came nearest to without matching it. Users do not ask for this hint, so only a rule that is really near counts: it would match if
 * it were tried, or one of its conditions fails and the others hold. A rule for other events is not near, even if it has few conditions.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import { compileExpression } from '../expressions/compile.js'
import type { Expression } from '../expressions/expression.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { Condition, Subject } from '../rules/condition.js'
import { SUBJECT_DYNAMIC, SUBJECT_HOSTNAME, SUBJECT_LOCATION, SUBJECT_LOG, SUBJECT_PROGRAM_NAME, SUBJECT_STATIC, SUBJECT_USER, staticSubject } from '../rules/condition.js'
import { SWITCH_WORD } from '../rules/options/status-switch.js'
import type { RuleFailure } from '../rules/recorder.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { onlyAlertsHave } from './absent-field.js'
import { findFailures, holds } from './find-failures.js'
import type { HeaderTexts } from './header-text.js'
import { isMistyped } from './mistyped.js'
import { findOvertaker, type Overtaken } from './overtaker.js'
import { dependsOnSession, type OwnContent, type OwnRule } from './own-content.js'
import type { TracedRun } from './tip.js'

/**
 * Why the condition of a rule fails. All but `other` are mistakes for certain. `header`: its pattern matches the whole line, of which a part was removed as a header. `switch`: it is meant to switch the
 * rule on. `unset`: no decoder of the event sets the field, or none at all. `spaced`: its pattern has line breaks around the text. `mistyped`: the log has nearly the same word.
 */
export type MissReason = 'header' | 'switch' | 'unset' | 'spaced' | 'mistyped' | 'other'

export type NearRule =
  | ({ readonly kind: 'overtaken'; readonly rule: CompiledRule } & Overtaken)
  | { readonly kind: 'missed'; readonly rule: CompiledRule; readonly failure: RuleFailure; readonly reason: MissReason }

/** @param own not empty */
export function findNearRule(run: TracedRun, own: OwnContent, header: HeaderTexts): NearRule | null {
  const { outcome, event } = run
  // Imported alerts try no rules.
  if (event.type === 'alert') return null
  // If an own rule matches, another one is reported only for a certain mistake.
  const isAnswered = outcome.rule !== null && own.isOwn(outcome.rule)
  let best: NearRule | null = null
  let bestRank = 0
  const resultOf = resultsOf(run)
  for (const ownRule of own.rules) {
    const { rule, paths } = ownRule
    if (outcome.path.includes(rule)) continue
    // The rules above it are first: the run has evaluated most of them, so their results are known.
    const path = paths.find((nodes) => holdsAbove(run, nodes))
    if (path === undefined) continue
    const failures = findFailures(run, rule, 2)
    if (failures.length > 1) continue
    if (failures.length === 0 && isAnswered) continue
    const near = failures.length === 0 ? findOvertaken(run, rule, path, resultOf) : findMissed(run, own, header, ownRule, path, failures[0])
    if (near === null) continue
    const rank = rankOf(near)
    if (rank > bestRank) {
      best = near
      bestRank = rank
    }
  }
  return best
}

/** Whether all rules above the last one of a path match. */
function holdsAbove(run: TracedRun, nodes: readonly RuleNode[]): boolean {
  const { outcome, event } = run
  if (nodes[0].rule.category !== event.type) return false
  for (let i = 0; i < nodes.length - 1; i++) {
    const { rule } = nodes[i]
    if (!outcome.path.includes(rule) && (dependsOnSession(rule) || !holds(run, rule))) return false
  }
  return true
}

/** A rule that would match comes first; then one with a certain mistake; then the one of which most holds. */
function rankOf(near: NearRule): number {
  const { conditions, lists, identity } = near.rule
  const certain = near.kind === 'overtaken' ? 2 : near.reason === 'other' ? 0 : 1
  return certain * CERTAINTY + conditions.length + lists.length + (identity >= 0 ? 1 : 0) + 1
}

/** More than a rule has conditions. */
const CERTAINTY = 1000

type ResultOf = (rule: CompiledRule) => RuleFailure | null | undefined

/** The results of the run by rule. They are collected at the first question, because hardly any event has one. */
function resultsOf({ recorder }: TracedRun): ResultOf {
  let results: ReadonlyMap<CompiledRule, RuleFailure | null> | null = null
  return (rule) => (results ??= new Map(recorder.ruleSteps.map((step) => [step.rule, step.failure]))).get(rule)
}

function findOvertaken(run: TracedRun, rule: CompiledRule, path: readonly RuleNode[], resultOf: ResultOf): NearRule | null {
  const overtaken = findOvertaker(run, path, resultOf)
  return overtaken === null ? null : { kind: 'overtaken', rule, ...overtaken }
}

function findMissed(run: TracedRun, own: OwnContent, header: HeaderTexts, ownRule: OwnRule, path: readonly RuleNode[], failure: RuleFailure): NearRule | null {
  const { event, outcome } = run
  const { rule } = ownRule
  if (failure.kind === 'condition' && isOfPlace(failure.condition)) return null
  const reason = reasonOf(run, header, ownRule, path, failure)
  // Another rule matched: only a certain mistake is reported, because a rule for other events fails like this on every line.
  if (reason === 'other' && outcome.rule !== null && (own.isOwn(outcome.rule) || !isOfOwnDecoder(run, own, path))) return null
  if (!SELF_EVIDENT.has(reason) && !holdsSomething(run, own, ownRule, failure)) return null
  // If an own decoder did not get the event, another hint is about the decoder.
  if (failure.kind === 'decoder' && event.decoder === null) return null
  return { kind: 'missed', rule, failure, reason }
}

/** The event itself tells that it is meant. */
const SELF_EVIDENT: ReadonlySet<MissReason> = new Set<MissReason>(['header', 'spaced'])

/** Whether the rule is for the events of an own decoder, and this is one of them. */
function isOfOwnDecoder({ recorder }: TracedRun, own: OwnContent, path: readonly RuleNode[]): boolean {
  const chosen = recorder.decoderSteps.find(({ step }) => step === 'root')
  return chosen !== undefined && own.isOwn(chosen.decoder) && path.some(({ rule }) => rule.identity >= 0)
}

/** Conditions on host, location and clock have tips of their own. */
function isOfPlace({ subject, test }: Condition): boolean {
  return subject === SUBJECT_HOSTNAME || subject === SUBJECT_LOCATION || test.kind === 'event'
}

function reasonOf(run: TracedRun, header: HeaderTexts, { isOfOneDecoder }: OwnRule, path: readonly RuleNode[], failure: RuleFailure): MissReason {
  if (failure.kind !== 'condition') return 'other'
  const { condition, text } = failure
  const { subject, test } = condition
  if (text !== undefined) {
    if (test.kind !== 'pattern' || test.negate) return 'other'
    if (subject === SUBJECT_LOG && header.match(test.expression)) return 'header'
    if (isSpaced(test.expression, text, subject)) return 'spaced'
    // Doubled backslashes have a tip of their own.
    return !text.includes('\\\\') && isMistyped(test.expression, run.runner.evaluator.lower(subject)) ? 'mistyped' : 'other'
  }
  const isUnset = run.event.decoder === null || isNeverSet(run, path, subject)
  if (subject === staticSubject('status') && SWITCH_WORD.test(condition.shown ?? '')) return isUnset ? 'switch' : 'other'
  if (condition.field !== null && onlyAlertsHave(run, fromByteString(condition.field))) return 'unset'
  // Events of other decoders have other fields.
  return isOfOneDecoder && isNeverSet(run, path, subject) ? 'unset' : 'other'
}

/** Whether a pattern matches without the line breaks of the element that has it; where no value has blanks at its ends, without those as well. */
function isSpaced({ dialect, pattern }: Expression, text: string, subject: Subject): boolean {
  if (!/^\s|\s$|[\r\n]/.test(pattern)) return false
  const lines = pattern.split(/[\r\n]+/)
  const joined = lines.map((line, index) => trimInside(line, index > 0, index < lines.length - 1)).join('')
  const bare = subject === SUBJECT_LOG ? joined : joined.trim()
  if (bare === pattern || bare === '') return false
  const outcome = compileExpression(dialect, bare, false)
  return outcome.ok && outcome.expression.test(text, foldCase(text), 0)
}

function trimInside(line: string, isAfterBreak: boolean, isBeforeBreak: boolean): string {
  const rest = isAfterBreak ? line.trimStart() : line
  return isBeforeBreak ? rest.trimEnd() : rest
}

/** Whether no decoder sets the field whose events the rule is for. */
function isNeverSet(run: TracedRun, path: readonly RuleNode[], subject: Subject): boolean {
  if (subject < SUBJECT_STATIC && subject !== SUBJECT_USER) return false
  const roots = rootsOf(run, path)
  return roots?.every((root) => !sets(root, subject) && !root.children.some((child) => sets(child, subject))) === true
}

/** The roots whose events the rule is for: those of the decoder that its path requires, or those that the program name of the event allows. Null: unknown, or any. */
function rootsOf({ event: { decoder, programName }, recorder, runner }: TracedRun, path: readonly RuleNode[]): readonly CompiledDecoder[] | null {
  const { programRoots, plainRoots } = runner.ruleset.decoders
  if (decoder === null) return programName === undefined ? null : programRoots.filter((root) => root.programName?.test(programName, foldCase(programName), 0) === true)
  // Without a required decoder the rule is also for events of others; a built-in decoder is no root.
  if (!path.some(({ rule }) => rule.identity >= 0) || !recorder.decoderSteps.some(({ step }) => step === 'root')) return null
  const { identity } = decoder
  return [...programRoots, ...plainRoots].filter((root) => root.identity === identity || root.children.some((child) => child.identity === identity))
}

/** Whether a decoder may set the subject. Plugins set all fields that the log has. */
export function sets({ plugin, order }: CompiledDecoder, subject: Subject): boolean {
  if (plugin !== null) return true
  const indexes = subject === SUBJECT_USER ? [staticSubject('srcuser'), staticSubject('dstuser')] : [subject]
  return (order ?? []).some(({ staticIndex, key }) => indexes.includes(staticIndex >= 0 ? SUBJECT_STATIC + staticIndex : SUBJECT_DYNAMIC + key))
}

/** Whether something that is special to the rule holds: its own decoder, a pattern that matches, or a parent of its own. */
function holdsSomething({ event, outcome }: TracedRun, own: OwnContent, { rule, paths }: OwnRule, failure: RuleFailure): boolean {
  if (rule.identity >= 0 && failure.kind !== 'decoder' && event.decoder !== null && own.isOwn(event.decoder)) return true
  const failed = failure.kind === 'condition' ? failure.condition : null
  if (rule.conditions.some((condition) => condition !== failed && condition.test.kind === 'pattern' && !condition.test.negate && isSpecial(condition.subject))) return true
  return paths.some((nodes) => {
    const parent = nodes.at(-2)
    // The rules at the top match every event of their category.
    return parent !== undefined && nodes.length > 2 && outcome.path.includes(parent.rule)
  })
}

function isSpecial(subject: Subject): boolean {
  return subject === SUBJECT_LOG || subject === SUBJECT_PROGRAM_NAME || subject >= SUBJECT_STATIC
}
