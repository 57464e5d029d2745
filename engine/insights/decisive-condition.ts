/** Finds an own rule whose result depends on where or when the event arrived: one that matched with such a condition, or one that failed only because of it. */
import type { CompiledListCondition, CompiledRule } from '../rules/compiled-rule.js'
import { type Condition, SUBJECT_HOSTNAME, SUBJECT_LOCATION, type Subject } from '../rules/condition.js'
import { time } from '../rules/options/time.js'
import { weekday } from '../rules/options/weekday.js'
import type { RuleFailure } from '../rules/recorder.js'
import { fromByteString } from '../source/byte-string.js'
import { writtenCondition } from '../trace/rule-details.js'
import { findFailures } from './find-failures.js'
import type { OwnContent } from './own-content.js'
import type { TracedRun } from './tip.js'

export const PLACES = ['host', 'location', 'clock'] as const
export type Place = (typeof PLACES)[number]

/** An own rule that was tried, and why it failed. */
export interface OwnFailure {
  readonly rule: CompiledRule
  readonly failure: RuleFailure
}

export interface DecisiveCondition {
  readonly rule: CompiledRule
  /** Null: it is a list. */
  readonly condition: Condition | null
  /** As its rule writes it. */
  readonly tag: string
  readonly pattern: string
  readonly holds: boolean
}

/** Failures that are compared: a rule with more of them fails at something else as well. */
const FAILURES_LIMIT = 4

const SUBJECTS: Readonly<Record<Place, Subject | null>> = { host: SUBJECT_HOSTNAME, location: SUBJECT_LOCATION, clock: null }

function isCondition({ subject, option }: Condition, place: Place): boolean {
  return place === 'clock' ? option === time || option === weekday : subject === SUBJECTS[place]
}

function isList({ subject }: CompiledListCondition, place: Place): boolean {
  return subject === SUBJECTS[place]
}

function isFailure(failure: RuleFailure, place: Place): boolean {
  if (failure.kind === 'list') return isList(failure.list, place)
  return failure.kind === 'condition' && isCondition(failure.condition, place)
}

export function findDecisive(run: TracedRun, own: OwnContent, failures: readonly OwnFailure[], place: Place): DecisiveCondition | null {
  const { path } = run.outcome
  for (const rule of path) {
    if (!own.isOwn(rule)) continue
    const condition = rule.conditions.find((one) => isCondition(one, place))
    if (condition !== undefined) return ofCondition(rule, condition, true)
    const list = rule.lists.find((one) => isList(one, place))
    if (list !== undefined) return ofList(rule, list, true)
  }
  for (const { rule, failure } of failures) {
    if (!isFailure(failure, place) || path.includes(rule)) continue
    if (!findFailures(run, rule, FAILURES_LIMIT).every((one) => isFailure(one, place))) continue
    if (failure.kind === 'condition') return ofCondition(rule, failure.condition, false)
    if (failure.kind === 'list') return ofList(rule, failure.list, false)
  }
  return null
}

function ofCondition(rule: CompiledRule, condition: Condition, holds: boolean): DecisiveCondition {
  const { tag, pattern } = writtenCondition(rule, condition)
  return { rule, condition, tag: `<${tag}>`, pattern, holds }
}

function ofList(rule: CompiledRule, { path, field }: CompiledListCondition, holds: boolean): DecisiveCondition {
  return { rule, condition: null, tag: `<list field="${fromByteString(field)}">`, pattern: fromByteString(path), holds }
}
