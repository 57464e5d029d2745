/** Counts the alerts of a replay by rule, on one content or two, and keeps the first logs of each rule. Its memory is bounded by the rules and by the limits of samples. */
import { RULES_LISTED, SAMPLE_CHARACTERS, SAMPLES_CHARACTERS, SAMPLES_LIMIT } from './limits.js'
import type { ReplayResult, ReplayRule } from './schema.js'

/** An alert of a line. */
export interface LineAlert {
  readonly ruleId: string
  readonly level: number
  readonly description: string
}

/** The results of a content for some lines. */
export interface RunLines {
  /** Alerts by the number of the line. */
  readonly alerts: ReadonlyMap<number, LineAlert>
  readonly wrong: number
  readonly notRun: number
}

interface Counted extends Omit<ReplayRule, 'new_samples' | 'lost_samples' | 'level' | 'description' | 'before_count' | 'after_count' | 'new_count' | 'lost_count'> {
  level: number
  description: string
  before: number
  after: number
  added: number
  lost: number
  readonly newSamples: string[]
  readonly lostSamples: string[]
}

export class ReplayTally {
  readonly #isComparison: boolean
  readonly #rules = new Map<string, Counted>()
  lines = 0
  wrong = 0
  late = 0
  timeless = 0
  #notRun = 0
  #before = 0
  #after = 0
  #new = 0
  #lost = 0
  #characters = 0

  constructor(isComparison: boolean) {
    this.#isComparison = isComparison
  }

  /** @param before null: nothing is compared @param logOf returns the log of a line */
  take(lines: number, before: RunLines | null, after: RunLines, logOf: (line: number) => string): void {
    this.lines += lines
    this.wrong += after.wrong
    this.#notRun += Math.max(after.notRun, before?.notRun ?? 0)
    for (const [line, alert] of after.alerts) {
      const rule = this.#ruleOf(alert, true)
      this.#after++
      rule.after++
      if (before?.alerts.get(line)?.ruleId === alert.ruleId) continue
      this.#new++
      rule.added++
      this.#sample(rule.newSamples, line, logOf)
    }
    if (before === null) return
    for (const [line, alert] of before.alerts) {
      const rule = this.#ruleOf(alert, false)
      this.#before++
      rule.before++
      if (after.alerts.get(line)?.ruleId === alert.ruleId) continue
      this.#lost++
      rule.lost++
      this.#sample(rule.lostSamples, line, logOf)
    }
  }

  result(): ReplayResult {
    const compared = <T>(value: T): T | null => (this.#isComparison ? value : null)
    const rules = [...this.#rules.values()].sort((a, b) => b.added + b.lost - (a.added + a.lost) || b.after - a.after || Number(a.rule_id) - Number(b.rule_id))
    return {
      lines: this.lines,
      wrong_lines: this.wrong,
      not_run_count: this.#notRun,
      late_events: this.late,
      events_without_time: this.timeless,
      before_alerts: compared(this.#before),
      after_alerts: this.#after,
      new_alerts: compared(this.#new),
      lost_alerts: compared(this.#lost),
      rules: rules.slice(0, RULES_LISTED).map(({ rule_id, level, description, before, after, added, lost, newSamples, lostSamples }) => ({
        ...{ rule_id, level, description, before_count: compared(before), after_count: after, new_count: compared(added), lost_count: compared(lost) },
        ...{ new_samples: newSamples, lost_samples: lostSamples },
      })),
    }
  }

  #ruleOf({ ruleId, level, description }: LineAlert, isAfter: boolean): Counted {
    let rule = this.#rules.get(ruleId)
    if (rule === undefined) {
      rule = { rule_id: ruleId, level, description: description.slice(0, SAMPLE_CHARACTERS), before: 0, after: 0, added: 0, lost: 0, newSamples: [], lostSamples: [] }
      this.#rules.set(ruleId, rule)
    } else if (isAfter && rule.after === 0) rule.level = level
    return rule
  }

  #sample(samples: string[], line: number, logOf: (line: number) => string): void {
    if (samples.length >= SAMPLES_LIMIT || this.#characters >= SAMPLES_CHARACTERS) return
    const log = logOf(line).slice(0, SAMPLE_CHARACTERS)
    this.#characters += log.length
    samples.push(log)
  }
}
