/** A case that kills a mutant: events with what the original answers, as little of it as the mutant does not. Each was run: it passes on the original and fails on the mutant. */
import type { BehaviourEvent } from '../diff/side.js'
import { USUAL_ADVANCE } from '../generate/witnesses.js'
import { CaseChain } from '../logtest/case-chain.js'
import type { TimedInput } from '../logtest/suite-case.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { LogtestReport, TestCase } from '../records/records.js'

/** When a case begins that reads the clock: second 0 of every witness, as the clock of cases is written. */
const NOW = '2023-11-14T22:13:20+00:00'
/** Characters of a name. */
const NAME_LIMIT = 120
/** Fields that a case expects. */
const FIELDS_EXPECTED = 20

/** The events of a case to be, in the form of cases. */
export interface CaseEvents {
  readonly inputs: readonly TimedInput[]
  /** Null: only written where the answer depends on it. */
  readonly now: string | null
}

export function eventsOfSequence(events: readonly BehaviourEvent[]): CaseEvents {
  let at = 0
  return {
    inputs: events.map(({ event, log_format, location, advance = USUAL_ADVANCE }) => {
      at += advance
      return { at, input: { event, log_format, ...(location === undefined ? {} : { location }) } }
    }),
    now: null,
  }
}

/** Null: no expectation tells the two apart. @param name of the item */
export function killingCase(original: EventRunner, mutant: EventRunner, events: CaseEvents, name: string, moment: Moment): TestCase | null {
  const plain = written(events, false)
  const timed = written(events, true)
  const reports = (testCase: TestCase): readonly [LogtestReport, LogtestReport] => [analysisOf(original, testCase, moment), analysisOf(mutant, testCase, moment)]
  for (const form of plain === null || timed === null ? [] : [plain, timed]) {
    const [own, other] = reports(form)
    if (!own.ok) continue
    const title = `${name}: ${own.rule?.description ?? own.decoder?.name ?? 'no rule'}`.slice(0, NAME_LIMIT)
    for (const expected of expectations(own, other)) {
      const testCase: TestCase = { ...form, ...expected, name: title }
      const chain = new CaseChain(original, moment, 'en-US', false).run(testCase)
      // What depends on the clock of the caller is written with a clock.
      if (!chain.passed || chain.depends_on_clock) continue
      if (!new CaseChain(mutant, moment, 'en-US', false).run(testCase).passed) return testCase
    }
  }
  return null
}

/** Whether a case kills a mutant. */
export function kills(testCase: TestCase, mutant: EventRunner, moment: Moment): boolean {
  return !new CaseChain(mutant, moment, 'en-US', false).run(testCase).passed
}

function analysisOf(runner: EventRunner, testCase: TestCase, moment: Moment): LogtestReport {
  return new CaseChain(runner, moment, 'en-US', false).run(testCase).analysis
}

/** The events as a case. Null: a case cannot have them. */
function written({ inputs, now }: CaseEvents, isTimed: boolean): TestCase | null {
  const [first] = inputs
  if (first === undefined || inputs.some(({ input }) => input.log_format !== first.input.log_format)) return null
  const clock = now ?? (isTimed ? NOW : null)
  const isPlain = inputs.length === 1 && (clock === null || first.at === 0)
  return {
    name: '',
    ...(isPlain
      ? { event_text: first.input.event }
      : { events: inputs.map(({ input, at }) => ({ event_text: input.event, at, ...(input.location === undefined ? {} : { location: input.location }) })) }),
    log_format: first.input.log_format,
    ...(isPlain && first.input.location !== undefined ? { location: first.input.location } : {}),
    ...(clock === null ? {} : { now: clock }),
  }
}

/** What the original answers and the mutant does not, the plainest first. */
function* expectations(own: LogtestReport, other: LogtestReport): Generator<Partial<TestCase>> {
  const answer: Partial<TestCase> = {
    ...(own.decoder === null ? {} : { expected_decoder: own.decoder.name }),
    ...(own.rule === null ? { expect_no_rule: true } : { expected_rule: own.rule.id, expected_level: own.rule.level }),
  }
  yield answer
  const [ownIds, otherIds] = [own, other].map(({ matched_rules }) => matched_rules.map(({ id }) => id))
  const missing = ownIds.filter((id) => !otherIds.includes(id))
  const surplus = otherIds.filter((id) => !ownIds.includes(id))
  if (missing.length > 0) yield { ...answer, expected_rule_ids: missing }
  if (surplus.length > 0) yield { ...answer, forbidden_rule_ids: surplus }
  const fields = Object.entries(own.extracted_fields).filter(([name, value]) => other.extracted_fields[name] !== value)
  if (fields.length > 0) yield { ...answer, expected_fields: Object.fromEntries(fields.slice(0, FIELDS_EXPECTED)) }
}
