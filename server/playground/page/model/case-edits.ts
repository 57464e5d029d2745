/** What people do with the cases. */
import { asIniCase, iniLosses, nowOf, suiteCaseInputs, type TestCase } from '#engine'
import { caseOfAnswer, expectedOf, timed, withRenamed } from './event-cases.js'
import type { EventEdits } from './event-edits.js'
import type { PageCore } from './page-core.js'
import { type EditedEvent, newEvent, newId, workOf } from './state.js'

export class CaseEdits {
  readonly #page: PageCore
  readonly #events: EventEdits

  constructor(page: PageCore, events: EventEdits) {
    this.#page = page
    this.#events = events
  }

  /**
   * Makes a case of an event and its present answer, with the events before it where they share a session.
   * @param form `ini`: as Wazuh's suites have it, which test no fields
   */
  save(id: number, form: 'json' | 'ini'): void {
    const { events, answers, session, now, cases } = this.#page.state
    const index = events.findIndex((event) => event.id === id)
    const report = answers.get(id)?.report
    if (index < 0 || report === undefined) return
    const name = this.#caseName(report.rule === null ? this.#page.texts.cases.noRule : `${report.rule.id} ${report.rule.description}`)
    const sequence = session ? timed(events.slice(0, index + 1)) : []
    const testCase = caseOfAnswer(name, events[index], report, { sequence, now, withFields: form === 'json' })
    if (form === 'ini' && iniLosses(testCase).length > 0) return this.#page.notify(this.#page.texts.notices.notAsIni, null)
    const before = workOf(this.#page.state)
    this.#page.store.update({ cases: [...cases, { id: newId(), testCase: form === 'ini' ? asIniCase(testCase) : testCase }] })
    this.#page.notify(this.#page.texts.notices.caseSaved, before)
    this.#page.changed('cases', 0)
  }

  /** Adds a case that somebody has made. */
  add(made: TestCase): void {
    const before = workOf(this.#page.state)
    const { cases } = this.#page.state
    this.#page.store.update({ cases: [...cases, { id: newId(), testCase: { ...made, name: this.#caseName(made.name) } }] })
    this.#page.notify(this.#page.texts.notices.caseSaved, before)
    this.#page.changed('cases', 0)
  }

  #caseName(wanted: string): string {
    const names = new Set(this.#page.state.cases.map(({ testCase }) => testCase.name))
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted} (${number})`
      if (!names.has(name)) return name
    }
  }

  rename(id: number, name: string): void {
    this.#page.store.update({ cases: this.#page.state.cases.map((one) => (one.id === id ? { ...one, testCase: { ...one.testCase, name } } : one)) })
    this.#page.changed('cases')
  }

  delete(id: number): void {
    const before = workOf(this.#page.state)
    this.#page.store.update({ cases: this.#page.state.cases.filter((one) => one.id !== id) })
    this.#page.changed('cases')
    this.#page.notify(this.#page.texts.notices.caseDeleted, before)
  }

  /** Puts the events of a case in place of the events of the page. */
  open(id: number): void {
    const testCase = this.#page.state.cases.find((one) => one.id === id)?.testCase
    if (testCase === undefined) return
    const before = workOf(this.#page.state)
    let second = 0
    const opened = suiteCaseInputs(testCase).map(({ input: { event, log_format: format, location = '' }, at }) => {
      const wait = at - second
      second = at
      return newEvent(event, { format, location, wait })
    })
    const last = opened.at(-1) as EditedEvent
    const expected = expectedOf(testCase)
    this.#page.setEvents(opened.map((event) => (event === last ? { ...event, expected } : event)))
    this.#page.store.update({ list: 'events', session: opened.length > 1, now: nowOf(testCase) })
    this.#events.select(last.id)
    this.#page.notify(this.#page.texts.notices.caseOpened, before)
  }

  /** Puts another id in place of that of a rule, where cases and events expect it. */
  renameExpected(from: string, to: string): void {
    const { cases, events } = this.#page.state
    this.#page.store.update({
      cases: cases.map((one) => (one.isReadOnly === true ? one : { ...one, testCase: withRenamed(one.testCase, from, to) })),
      events: events.map((event) => (event.expected === from ? { ...event, expected: to } : event)),
    })
    this.#page.changed('cases')
  }
}
