/** Which events of a session a rule counted, when its window ends, and when it is silent. */
import type { LogtestReport, RuleGraphNode } from '#engine'

export interface TimedEvent {
  /** Second of the clock. */
  readonly at: number
  readonly answer: LogtestReport
}

/** A rule that counts events, and those that it counted. */
export interface Correlation {
  readonly rule: string
  readonly level: number
  readonly description: string
  /** Seconds in which the events must be; null: unknown. */
  readonly seconds: number | null
  /** Index of the event on which it fired; null: it waits. */
  readonly fired: number | null
  /** Indexes of the events that it counted. For one that waits they are those that it may have counted: which ones it compares, only the engine knows. */
  readonly counted: readonly number[]
  /** Further events until it fires. */
  readonly missing: number
  /** The window of the counted events, in seconds of the clock. */
  readonly from: number
  readonly to: number
}

/** A time in which a rule causes no second alert. */
export interface Silence {
  readonly rule: string
  readonly from: number
  readonly to: number
}

export interface TimeLineModel {
  readonly correlations: readonly Correlation[]
  readonly silences: readonly Silence[]
  /** Indexes of events whose alert was suppressed by `ignore`. */
  readonly silenced: ReadonlySet<number>
  /** Ends of the drawn time. */
  readonly from: number
  readonly to: number
}

/** Rules that wait: more would not be overlooked at once. */
const WAITING_LIMIT = 6
/** Least level of an alert (`log_alert_level`). */
const ALERT_LEVEL = 3
/** A window that ends later, in times of the drawn events, is cut, so that these are not pressed together; one of two minutes never is. */
const WHOLE_FUTURE = 6
const LEAST_FUTURE = 120
const CUT_FUTURE = 0.6
/** Part of the width in which a dot hides the one before it. */
const DOT = 0.024

export function timeLineOf(events: readonly TimedEvent[], rules: ReadonlyMap<string, RuleGraphNode>): TimeLineModel {
  const correlations: Correlation[] = events.flatMap((_, index) => firedOn(events, index, rules) ?? [])
  correlations.push(...waiting(events, rules))
  const { silences, silenced } = silencesOf(events, rules)
  const from = events[0]?.at ?? 0
  const last = events.at(-1)?.at ?? 0
  const end = Math.max(last, ...correlations.map(({ to }) => to), ...silences.map(({ to }) => to))
  return {
    correlations,
    silences,
    silenced,
    from,
    to: end - last <= Math.max(LEAST_FUTURE, (last - from) * WHOLE_FUTURE) ? end : last + Math.max(LEAST_FUTURE, (last - from) * CUT_FUTURE),
  }
}

function firedOn(events: readonly TimedEvent[], index: number, rules: ReadonlyMap<string, RuleGraphNode>): Correlation | null {
  const { at, answer } = events[index]
  const { rule, previous_output: previous } = answer
  if (rule === null || rule.frequency === null || previous.length === 0) return null
  const counted = placesOf(previous, events, index)
  const seconds = rules.get(rule.id)?.counts?.seconds ?? null
  const oldest = Math.min(at, ...counted.map((one) => events[one].at))
  return { rule: rule.id, level: rule.level, description: rule.description, seconds, fired: index, counted, missing: 0, from: oldest, to: at }
}

/** Finds the logs that an alert names, the newest first. */
function placesOf(previous: readonly string[], events: readonly TimedEvent[], before: number): readonly number[] {
  const found: number[] = []
  let next = before - 1
  for (const log of previous) {
    for (let at = next; at >= 0; at--) {
      if (events[at].answer.predecoded.raw_message !== log) continue
      found.push(at)
      next = at - 1
      break
    }
  }
  return found.reverse()
}

/** The rules that the last event brought nearer to firing; its trace tells how many events each has. */
function waiting(events: readonly TimedEvent[], rules: ReadonlyMap<string, RuleGraphNode>): readonly Correlation[] {
  const last = events.at(-1)
  const final = last?.answer.rule?.id
  if (last === undefined || final === undefined) return []
  const found = new Map<string, Correlation>()
  for (const { name, matched, details } of last.answer.trace) {
    const { counted, needed, timeframe: seconds } = details
    const rule = rules.get(name)
    if (matched || rule === undefined || typeof counted !== 'number' || typeof needed !== 'number' || typeof seconds !== 'number') continue
    const sources = new Set(rule.links.filter(({ kind }) => kind.startsWith('if_matched_')).map(({ id }) => id))
    if (!sources.has(final)) continue
    const candidates = events.flatMap(({ at, answer }, index) => (answer.rule !== null && sources.has(answer.rule.id) && last.at - at <= seconds ? [index] : []))
    const places = candidates.slice(-(counted + 1))
    const from = events[places[0]].at
    found.set(name, { rule: name, level: rule.level, description: rule.description, seconds, fired: null, counted: places, missing: needed - counted, from, to: from + seconds })
  }
  return [...found.values()].sort((a, b) => a.missing - b.missing).slice(0, WAITING_LIMIT)
}

function silencesOf(events: readonly TimedEvent[], rules: ReadonlyMap<string, RuleGraphNode>): Pick<TimeLineModel, 'silences' | 'silenced'> {
  const silences: Silence[] = []
  const silenced = new Set<number>()
  for (const [index, { at, answer }] of events.entries()) {
    const { rule, alert } = answer
    const ignore = rule === null ? 0 : (rules.get(rule.id)?.ignore ?? 0)
    if (rule === null || ignore === 0 || rule.level < ALERT_LEVEL) continue
    const isSilent = silences.some((silence) => silence.rule === rule.id && at - silence.from < ignore)
    if (!alert && isSilent) silenced.add(index)
    // After a silence the next alert only ends the timer, and starts none.
    else if (alert && !silences.some((silence) => silence.rule === rule.id && silence.to === at)) silences.push({ rule: rule.id, from: at, to: at + ignore })
  }
  return { silences, silenced }
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800, 2_592_000, 31_536_000]
const TICKS = 6

/** Round seconds of an axis. */
export function ticksOf(from: number, to: number): readonly number[] {
  const step = STEPS.find((one) => (to - from) / one <= TICKS) ?? STEPS[STEPS.length - 1]
  const first = Math.ceil(from / step) * step
  const ticks: number[] = []
  for (let at = first; at <= to && ticks.length <= TICKS; at += step) ticks.push(at)
  return ticks
}

/** The lane of each event: one that would hide the dot before it is above that. @param limit of lanes */
export function lanesOf(events: readonly TimedEvent[], { from, to }: TimeLineModel, limit: number): readonly number[] {
  const ends: number[] = []
  const least = Math.max(to - from, 1) * DOT
  return events.map(({ at }) => {
    const free = ends.findIndex((end) => at - end >= least)
    const lane = free >= 0 ? free : Math.min(ends.length, limit - 1)
    ends[lane] = at
    return lane
  })
}

/** A second of the clock as hours, minutes and seconds. */
export function clockText(at: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(at / 60)
  return at < 3600 ? `${minutes}:${two(at % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(at % 60)}`
}
