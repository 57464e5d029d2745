/** Cases from events of the page, and events from cases. Pure functions over what the page knows. */
import { isIniCase, type SuiteCase, type TestCase } from '#engine'
import type { EventAnswer, EventInput } from '../../worker/protocol.js'
import { NO_RULE } from './expectation.js'
import type { EditedCase, EditedEvent } from './state.js'
import { asJsonCase } from './suites.js'

/** The events on the virtual clock of their session. */
export function timed(events: readonly EditedEvent[]): EventInput[] {
  let at = 0
  return events.map(({ text, format, location, wait }, index) => {
    at += index === 0 ? 0 : wait
    return { event: text, log_format: format, at, ...(location === '' ? {} : { location }) }
  })
}

/**
 * A case that expects the present answer of an event.
 * @param sequence the events up to it, where they share a session; else empty
 * @param withFields whether it expects the fields: suites in Wazuh's format test none
 */
export function caseOfAnswer(
  name: string,
  { text, format, location }: EditedEvent,
  { rule, decoder, extracted_fields }: EventAnswer['report'],
  { sequence, now, withFields }: { readonly sequence: readonly EventInput[]; readonly now: string | null; readonly withFields: boolean },
): TestCase {
  return {
    name,
    ...(sequence.length > 1
      ? { events: sequence.map((one) => ({ event_text: one.event, at: one.at ?? 0, ...(one.location ? { location: one.location } : {}) })) }
      : { event_text: text }),
    ...(format === 'auto' ? {} : { log_format: format }),
    ...(location === '' ? {} : { location }),
    ...(now === null ? {} : { now }),
    ...(decoder === null ? {} : { expected_decoder: decoder.name }),
    ...(rule === null ? { expect_no_rule: true } : { expected_rule: rule.id, expected_level: rule.level }),
    ...(!withFields || Object.keys(extracted_fields).length === 0 ? {} : { expected_fields: extracted_fields }),
  }
}

/** What an event of a case expects, as it is written in the page. */
export function expectedOf(testCase: SuiteCase): string {
  if (!isIniCase(testCase)) return testCase.expected_rule ?? (testCase.expect_no_rule === true ? NO_RULE : '')
  const { verdict, rule, level } = testCase
  // The opposite of a rule cannot be expected here.
  return verdict === 'pass' ? rule : rule === '' && level === '' ? NO_RULE : ''
}

/** The case with another id in place of that of a rule. */
export function withRenamed(testCase: SuiteCase, from: string, to: string): SuiteCase {
  const rename = (id: string): string => (id === from ? to : id)
  if (isIniCase(testCase)) return { ...testCase, rule: rename(testCase.rule) }
  const { expected_rule, expected_rule_ids, forbidden_rule_ids } = testCase
  return {
    ...testCase,
    ...(expected_rule == null ? {} : { expected_rule: rename(expected_rule) }),
    ...(expected_rule_ids === undefined ? {} : { expected_rule_ids: expected_rule_ids.map(rename) }),
    ...(forbidden_rule_ids === undefined ? {} : { forbidden_rule_ids: forbidden_rule_ids.map(rename) }),
  }
}

/** A home has cases in JSON, and reads others. */
export function toHomeCase(one: EditedCase): EditedCase[] {
  const testCase = asJsonCase(one.testCase)
  return testCase === null ? [] : [{ ...one, testCase }]
}

/** Those of the added cases whose names are new. */
export function newIn(cases: readonly EditedCase[], added: readonly EditedCase[]): EditedCase[] {
  const names = new Set(cases.map(({ testCase }) => testCase.name))
  return added.filter(({ testCase }) => !names.has(testCase.name))
}
