/**
 * Measures what each rule, decoder and pattern costs. The engine has no profiler, so that normal runs do not pay for one: a ruleset compiled for this run
 * only is wrapped from outside. The matcher first reads a rule's identity or a decoder's patterns; a getter there marks the new owner of the time,
 * until the next getter is called. Patterns are timed by wrapping `test` and `search`.
 *
 * Meaning of the numbers:
 *  - a condition that several rules share is evaluated once per event, and the first rule that needs it pays for it. The same holds for the scan of the log
 *    that rules out most patterns at once
 *  - `prefilter_skips` are attempts that ended before a pattern ran, because a required literal is absent. Rules with the same requirement share the
 *    skips equally
 *  - measuring itself costs time: compare the numbers with each other, not with a run without a profile
 */
import type { CompiledRuleset } from '#engine'
import { EventRunner, fromByteString, type Moment, runReceived, StepCounter } from '#engine'
import { momentNow } from '#workers'
import type { OnPart, PreparedEvent } from './measure.js'

type Rule = ReturnType<CompiledRuleset['rules']['inOrder']>[number]
type Decoder = CompiledRuleset['decoders']['programRoots'][number]
type Condition = Rule['conditions'][number]
type Pattern = NonNullable<Decoder['prematch']>

/** One row of a profile. */
export interface ProfileItem {
  readonly name: string
  readonly filename: string | null
  readonly line: number | null
  /** Number of attempts. */
  readonly checks: number
  readonly matches: number
  /** Number of attempts that the prefilter ruled out. */
  readonly prefilter_skips: number
  /** Total nanoseconds, and the average per event. */
  readonly ns: number
  readonly ns_per_check: number
  readonly ns_per_event: number
}

/** A rule, decoder or pattern with its steps: one for each attempt, and those of the searches of its patterns. */
export type StepItem = Pick<ProfileItem, 'name' | 'filename' | 'line' | 'checks' | 'matches'> & { readonly steps: number }

/** The most expensive first. */
export interface StepProfile {
  readonly rules: readonly StepItem[]
  readonly decoders: readonly StepItem[]
  readonly patterns: readonly StepItem[]
}

export interface Profile {
  readonly events: number
  readonly rules: readonly ProfileItem[]
  readonly decoders: readonly ProfileItem[]
  readonly patterns: readonly ProfileItem[]
}

class Cost {
  checks = 0
  matches = 0
  skips = 0
  steps = 0
  ms = 0
  /** For a decoder: its first pattern, which a prefilter can rule out. */
  firstPattern: Cost | null = null
  /** For a decoder: whether it has patterns. With patterns it matches when one of them does; without any it matches always. Null: a rule. */
  hasPatterns: boolean | null = null
  /** Number of the last event that it matched: a matcher may try it again for the same event. */
  matchedIn = 0

  clear(): void {
    this.checks = 0
    this.matches = 0
    this.skips = 0
    this.steps = 0
    this.ms = 0
  }
}

/** @param ruleset is modified and must not be used elsewhere */
export function profileEvents(ruleset: CompiledRuleset, events: readonly PreparedEvent[], seconds: number, onPart: OnPart): Profile {
  const profiler = new Profiler(ruleset)
  const moment = momentNow()
  // The first events build indexes, which reads every rule.
  profiler.run(events, moment, 0, () => {})
  profiler.clear(null)
  const count = profiler.run(events, moment, seconds * 1000, onPart)
  return profiler.report(count)
}

/** Counts the steps of each rule, decoder and pattern, which are the same in each run. @param ruleset is modified and must not be used elsewhere @param budget of steps */
export function countSteps(ruleset: CompiledRuleset, events: readonly Pick<PreparedEvent, 'received'>[], moment: Moment, budget: number): StepProfile {
  const profiler = new Profiler(ruleset)
  profiler.run(events, moment, 0, () => {})
  profiler.clear(new StepCounter(budget))
  profiler.run(events, moment, 0, () => {})
  return profiler.reportSteps()
}

class Profiler {
  readonly #runner: EventRunner
  readonly #rules = new Map<Rule, Cost>()
  readonly #decoders = new Map<Decoder, Cost>()
  readonly #patterns = new Map<Pattern, Cost>()
  /** The current owner of the time, and its start. */
  #owner: Cost | null = null
  #since = 0
  /** Number of pattern runs so far, and the number when the owner started. */
  #patternRuns = 0
  #runsBefore = 0
  /** Whether a pattern matched since the owner started. */
  #patternMatched = false
  #event = 0
  /** Null: steps are not counted. */
  #counter: StepCounter | null = null

  constructor(ruleset: CompiledRuleset) {
    for (const { id } of ruleset.rules.inOrder()) {
      const rule = ruleset.rules.find(id)
      if (rule !== undefined) this.#wrapRule(rule)
    }
    const roots = [...ruleset.decoders.programRoots, ...ruleset.decoders.plainRoots]
    for (const decoder of new Set([...roots, ...roots.flatMap(({ children }) => children)])) this.#wrapDecoder(decoder)
    this.#runner = new EventRunner(ruleset)
    const { rules, decoders } = this.#runner
    rules.observe((rule) => this.#enter(this.#rules.get(rule) ?? null))
    decoders.observe((decoder) => this.#enter(this.#decoders.get(decoder) ?? null))
    this.#wrapEvaluator()
    this.#wrapDecoders()
  }

  /** @returns number of events, in whole rounds */
  run(events: readonly Pick<PreparedEvent, 'received'>[], moment: Moment, milliseconds: number, onPart: OnPart): number {
    const started = performance.now()
    let count = 0
    let elapsed = 0
    do {
      for (const { received } of events) {
        this.#event++
        const outcome = runReceived(this.#runner, received, moment, null)
        this.#enter(null)
        for (const rule of outcome?.path ?? []) {
          const cost = this.#rules.get(rule)
          if (cost !== undefined) cost.matches++
        }
      }
      count += events.length
      elapsed = performance.now() - started
      onPart(elapsed / milliseconds)
    } while (elapsed < milliseconds)
    return count
  }

  /** Begins to count. */
  clear(counter: StepCounter | null): void {
    this.#counter = counter
    for (const cost of [...this.#rules.values(), ...this.#decoders.values(), ...this.#patterns.values()]) cost.clear()
  }

  report(events: number): Profile {
    const inOrder = (items: readonly ProfileItem[]): ProfileItem[] => items.filter(({ checks, prefilter_skips }) => checks > 0 || prefilter_skips > 0).sort((a, b) => b.ns - a.ns)
    const item = (name: string, source: { filename: string; line: number } | null, { checks, matches, skips, ms }: Cost): ProfileItem => {
      const ns = Math.round(ms * 1e6)
      return {
        name,
        filename: source?.filename ?? null,
        line: source?.line ?? null,
        checks,
        matches,
        prefilter_skips: Math.round(skips),
        ns,
        ns_per_check: checks === 0 ? 0 : Math.round(ns / checks),
        ns_per_event: Math.round((10 * ns) / events) / 10,
      }
    }
    return {
      events,
      rules: inOrder([...this.#rules].map(([rule, cost]) => item(String(rule.id), placeOf(rule), cost))),
      decoders: inOrder([...this.#decoders].map(([decoder, cost]) => item(fromByteString(decoder.definition.name), placeOf(decoder), cost))),
      patterns: inOrder([...this.#patterns].map(([pattern, cost]) => item(nameOfPattern(pattern), null, cost))),
    }
  }

  reportSteps(): StepProfile {
    const list = <Key>(costs: ReadonlyMap<Key, Cost>, name: (key: Key) => string, place: (key: Key) => { filename: string; line: number } | null): StepItem[] =>
      [...costs].flatMap(([key, { checks, matches, steps }]) => {
        const source = place(key)
        return steps === 0 ? [] : { name: name(key), filename: source?.filename ?? null, line: source?.line ?? null, checks, matches, steps }
      })
    const inOrder = (items: StepItem[]): StepItem[] => items.sort((a, b) => b.steps - a.steps || compareTexts(a.name, b.name))
    return {
      rules: inOrder(list(this.#rules, ({ id }) => String(id), placeOf)),
      decoders: inOrder(list(this.#decoders, ({ definition }) => fromByteString(definition.name), placeOf)),
      patterns: inOrder(list(this.#patterns, nameOfPattern, () => null)),
    }
  }

  /** Assigns the time since the last call to the previous owner. */
  #enter(next: Cost | null): void {
    if (next !== null && next === this.#owner) return
    const now = performance.now()
    const owner = this.#owner
    if (owner !== null) {
      owner.ms += now - this.#since
      if (owner.firstPattern !== null && this.#patternRuns === this.#runsBefore) {
        owner.skips++
        owner.firstPattern.skips++
      }
      if (owner.hasPatterns !== null && (this.#patternMatched || !owner.hasPatterns) && owner.matchedIn !== this.#event) {
        owner.matchedIn = this.#event
        owner.matches++
      }
    }
    this.#owner = next
    this.#patternMatched = false
    this.#runsBefore = this.#patternRuns
    this.#since = now
    if (next === null) return
    next.checks++
    next.steps++
  }

  #wrapRule(rule: Rule): void {
    this.#rules.set(rule, new Cost())
    for (const { test } of rule.conditions) if (test.kind === 'pattern') this.#wrapPattern(test.expression)
  }

  #wrapDecoder(decoder: Decoder): void {
    const cost = new Cost()
    this.#decoders.set(decoder, cost)
    cost.hasPatterns = decoder.prematch !== null || decoder.regex !== null
    for (const pattern of [decoder.prematch, decoder.regex]) {
      if (pattern === null) continue
      this.#wrapPattern(pattern)
      cost.firstPattern ??= this.#patterns.get(pattern) ?? null
    }
  }

  /** Decoders that the prefilter of a list rules out are never entered, so they are counted here. */
  #wrapDecoders(): void {
    const { decoders } = this.#runner
    const next = decoders.next.bind(decoders)
    decoders.next = (list, from) => {
      const found = next(list, from)
      for (const decoder of list.decoders.slice(from, found)) {
        const cost = this.#decoders.get(decoder)
        if (cost === undefined) continue
        cost.skips++
        if (cost.firstPattern !== null) cost.firstPattern.skips++
      }
      return found
    }
  }

  /** Equal patterns are the same object, which is wrapped once. */
  #wrapPattern(pattern: Pattern): void {
    if (this.#patterns.has(pattern)) return
    const cost = new Cost()
    this.#patterns.set(pattern, cost)
    const { tried } = pattern
    const { matches, find } = tried
    const count = (subject: Parameters<typeof matches>[0], from: number): void => {
      if (this.#counter === null) return
      const steps = 1 + this.#counter.count(pattern, subject.text, subject.lower, from)
      cost.steps += steps
      if (this.#owner !== null) this.#owner.steps += steps
    }
    const timed = (matched: boolean, started: number): boolean => {
      cost.ms += performance.now() - started
      cost.checks++
      this.#patternRuns++
      if (matched) {
        cost.matches++
        this.#patternMatched = true
      }
      return matched
    }
    tried.matches = (subject, from) => {
      count(subject, from)
      const started = performance.now()
      return timed(matches.call(tried, subject, from), started)
    }
    tried.find = (subject, from, result) => {
      count(subject, from)
      const started = performance.now()
      return timed(find.call(tried, subject, from, result), started)
    }
  }

  /** Counts skips where the matcher tests whether a rule may match, and where a condition is decided without its pattern. */
  #wrapEvaluator(): void {
    const { evaluator } = this.#runner
    const sharers = new Map<string, Cost[]>()
    const patternsOfPrefilter = new Map<number, Cost[]>()
    for (const [rule, cost] of this.#rules) {
      const prefilter = rule.conditions.find(({ logPrefilter }) => logPrefilter >= 0)
      const field = rule.conditions.find((condition) => condition.field !== null)
      const key = `${prefilter?.logPrefilter ?? -1} ${field?.index ?? -1}`
      const known = sharers.get(key)
      if (known === undefined) sharers.set(key, [cost])
      else known.push(cost)
      if (prefilter?.test.kind === 'pattern') {
        const pattern = this.#patterns.get(prefilter.test.expression)
        if (pattern !== undefined) patternsOfPrefilter.set(prefilter.logPrefilter, [pattern])
      }
    }
    const next = evaluator.next.bind(evaluator)
    evaluator.next = (list, from) => {
      const found = next(list, from)
      for (let at = from; at < found; at++) {
        const prefilter = list.prefilters[at]
        const test = list.tests?.[at] ?? null
        const some = sharers.get(`${prefilter} ${test?.index ?? -1}`)
        if (some !== undefined) for (const cost of some) cost.skips += 1 / some.length
        for (const cost of patternsOfPrefilter.get(prefilter) ?? []) cost.skips++
        if (test?.test.kind === 'pattern' && evaluator.text(test.subject) !== undefined) {
          const cost = this.#patterns.get(test.test.expression)
          if (cost !== undefined) cost.skips++
        }
      }
      return found
    }
    const passes = evaluator.passes.bind(evaluator)
    const answeredIn = new Map<Condition, number>()
    evaluator.passes = (condition) => {
      const { test, subject } = condition
      if (test.kind !== 'pattern' || answeredIn.get(condition) === this.#event) return passes(condition)
      answeredIn.set(condition, this.#event)
      const cost = this.#patterns.get(test.expression)
      const before = cost?.checks ?? 0
      const result = passes(condition)
      if (cost !== undefined && cost.checks === before && evaluator.text(subject) !== undefined) cost.skips++
      return result
    }
  }
}

function placeOf({ definition: { source, span } }: Rule | Decoder): { filename: string; line: number } {
  return { filename: source.filename, line: span.line }
}

function nameOfPattern({ dialect, pattern }: Pattern): string {
  return `${dialect} ${fromByteString(pattern)}`
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
