/** What rules, decoders and patterns cost on a sample of the events, in steps: they are the same on each machine and in each run. */
import { type CompiledRuleset, readRecord, type RecordFields, utcMoment } from '#engine'
import { ARRIVAL_START } from '#workers'
import { countSteps, type StepItem } from '../bench/profile.js'
import { type CostSample, sampledLines } from './cost-sample.js'

/** Steps of PCRE2 patterns that are counted one by one, in about a second. */
const STEP_BUDGET = 200_000_000

/** What a content costs. */
export interface ContentCost {
  /** Events of the sample. */
  readonly events: number
  /** Steps of rules and decoders together. */
  readonly steps: number
  /** The most expensive first. */
  readonly rules: readonly StepItem[]
  readonly decoders: readonly StepItem[]
  readonly patterns: readonly StepItem[]
}

/** Each event is run in a session of its own. @param ruleset is modified and must not be used elsewhere */
export function costOf(ruleset: CompiledRuleset, sample: CostSample, fields: RecordFields): ContentCost {
  const events = sampledLines(sample).flatMap((line) => {
    const record = readRecord(line, fields)
    return typeof record === 'string' ? [] : { received: { ...record, length: record.text.length, limit: record.text.length } }
  })
  const { rules, decoders, patterns } = countSteps(ruleset, events, utcMoment(ARRIVAL_START), STEP_BUDGET)
  const steps = [...rules, ...decoders].reduce((sum, item) => sum + item.steps, 0)
  return { events: events.length, steps, rules, decoders, patterns }
}
