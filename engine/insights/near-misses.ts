/**
 * Ranks the rules and decoders that were tried and failed by how much of them holds, so that a rule that should have matched is among the first. Unlike
 * `near-rule.ts`, which tells unasked, it also lists what only looks alike.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { NearMiss } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { findFailures } from './find-failures.js'
import { findStop, type StoppedAt } from './stopped-at.js'
import type { TracedRun } from './tip.js'

/** Listed rules and decoders: what a reader looks through. */
const SHOWN = 6
/** Maximum number of patterns whose stop is searched: each search compiles several parts of the pattern. */
const STOPS_LIMIT = 32
/** Shorter parts match by accident. */
const MIN_MATCHED = 4
/** A condition that holds counts as much as a pattern of which everything but this part matched. */
const MET_WEIGHT = 0.5

interface Ranked {
  readonly miss: NearMiss
  readonly rank: number
}

/** The nearest first. */
export function findNearMisses(run: TracedRun): readonly NearMiss[] {
  const ranked = [...nearRules(run), ...nearDecoders(run)]
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, SHOWN)
    .map(({ miss }) => miss)
}

function nearRules(run: TracedRun): readonly Ranked[] {
  const { outcome, recorder } = run
  const failed = new Map<CompiledRule, RuleFailure>()
  for (const { rule, failure } of recorder.ruleSteps) if (failure !== null && failure.kind !== 'decoder' && !outcome.path.includes(rule)) failed.set(rule, failure)
  const counted = Array.from(failed, ([rule, failure]) => {
    const of = conditionCount(rule)
    const failures = findFailures(run, rule, of).length
    return { rule, failure, of, met: of - Math.max(1, failures) }
  })
  counted.sort((a, b) => b.met / b.of - a.met / a.of)
  return counted.slice(0, STOPS_LIMIT).flatMap(({ rule, failure, of, met }) => {
    const stop = stopOf(failure)
    if (met === 0 && !isLong(stop)) return []
    const { definition } = rule
    const miss: NearMiss = {
      kind: 'rule',
      name: String(rule.id),
      filename: definition.source.filename,
      line: definition.span.line,
      level: rule.level,
      description: fromByteString(definition.description ?? ''),
      met,
      of,
      matched_part: stop?.matched_part ?? '',
    }
    return [{ miss, rank: met * MET_WEIGHT + shareOf(stop) }]
  })
}

function conditionCount({ identity, conditions, lists, definition: { checkDiff, ifFts }, search }: CompiledRule): number {
  return (identity >= 0 ? 1 : 0) + conditions.length + lists.length + (checkDiff ? 1 : 0) + (ifFts ? 1 : 0) + (search === null ? 0 : 1)
}

function stopOf(failure: RuleFailure): StoppedAt | null {
  if (failure.kind !== 'condition' || failure.text === undefined) return null
  const { test } = failure.condition
  return test.kind === 'pattern' && !test.negate ? findStop(test.expression.dialect, test.expression.pattern, failure.text) : null
}

function nearDecoders({ event, recorder }: TracedRun): readonly Ranked[] {
  const { programName: program, log } = event
  const rejected = recorder.decoderSteps.filter(({ step, matched, decoder }) => !matched && step !== 'program_name' && fits(decoder, program))
  return rejected.slice(0, STOPS_LIMIT).flatMap(({ decoder, step, from }) => {
    const expression = step === 'regex' ? decoder.regex : decoder.prematch
    const stop = expression === null ? null : findStop(expression.dialect, expression.pattern, log, from)
    if (!isLong(stop)) return []
    const { definition } = decoder
    const tests = [decoder.programName, decoder.prematch, decoder.regex].filter((one) => one !== null).length
    const met = (decoder.programName === null ? 0 : 1) + (step === 'regex' && decoder.prematch !== null ? 1 : 0)
    const miss: NearMiss = {
      kind: 'decoder',
      name: fromByteString(definition.name),
      filename: definition.source.filename,
      line: definition.span.line,
      level: null,
      description: '',
      met,
      of: tests,
      matched_part: stop?.matched_part ?? '',
    }
    return [{ miss, rank: met * MET_WEIGHT + shareOf(stop) }]
  })
}

function fits({ programName }: CompiledDecoder, program: string | undefined): boolean {
  return programName === null || (program !== undefined && programName.test(program, foldCase(program), 0))
}

function isLong(stop: StoppedAt | null): boolean {
  return stop !== null && stop.matched_part.length >= MIN_MATCHED
}

/** The part of a pattern before its stop. */
function shareOf(stop: StoppedAt | null): number {
  return stop === null ? 0 : stop.pattern_offset / (stop.pattern_offset + Math.max(1, stop.expected.length))
}
