/** What people do with the events: add them, put them in order, and ask what happens to one. */
import type { BehaviourEvent, DiagnosticRecord } from '#engine'
import { EVENTS_LIMIT } from '../../worker/limits.js'
import type { Selection } from '../pictures/index.js'
import type { PageCore } from './page-core.js'
import { type EditedEvent, type EditedFile, newEvent, newId, workOf } from './state.js'

/** Seconds before an event that is added with those above it in one session. */
const DAY = 86_400

export class EventEdits {
  readonly #page: PageCore

  constructor(page: PageCore) {
    this.#page = page
  }

  select(id: number | null): void {
    if (id === this.#page.state.selectedEvent) return
    this.#page.store.update({ selectedEvent: id, inspected: null })
    this.#page.changed('events', 0)
  }

  edit(id: number, change: Partial<Omit<EditedEvent, 'id'>>): void {
    this.#page.setEvents(this.#page.state.events.map((event) => (event.id === id ? { ...event, ...change } : event)))
  }

  /** Adds what somebody has typed or pasted. */
  async add(text: string): Promise<void> {
    if (text.trim() === '') return
    await this.#page.answers.asking(
      (port) => port.split({ text }),
      ({ events, inside }) => {
        const before = workOf(this.#page.state)
        const room = EVENTS_LIMIT - this.#page.state.events.length
        const records = inside.filter((one) => one !== null).length
        const added = events.slice(0, room).map((event, index) => {
          const log = inside[index]
          return log === null ? newEvent(event) : newEvent(log.event, { location: log.location ?? '', format: log.log_format })
        })
        if (added.length > 0) {
          this.#page.setEvents([...this.#page.state.events, ...added])
          this.#page.store.update({ list: 'events' })
          this.select(added[0].id)
        }
        if (events.length > room) this.#page.notify(this.#page.texts.notices.eventsCut(EVENTS_LIMIT), null)
        else if (records > 0) this.#page.notify(this.#page.texts.notices.unwrapped(records), before)
      },
    )
  }

  delete(id: number): void {
    const { events, selectedEvent } = this.#page.state
    const index = events.findIndex((event) => event.id === id)
    if (index < 0) return
    const before = workOf(this.#page.state)
    const left = events.filter((event) => event.id !== id)
    this.#page.setEvents(left)
    if (selectedEvent === id) this.select((left[index] ?? left.at(-1))?.id ?? null)
    this.#page.notify(this.#page.texts.notices.eventDeleted, before)
  }

  clear(): void {
    const before = workOf(this.#page.state)
    this.#page.setEvents([])
    this.select(null)
    this.#page.notify(this.#page.texts.notices.eventsDeleted, before)
  }

  /** Adds the same event once more, some seconds later. */
  repeat(id: number, seconds: number): void {
    const { events } = this.#page.state
    const index = events.findIndex((event) => event.id === id)
    if (index < 0 || events.length >= EVENTS_LIMIT) return
    const copy = { ...events[index], id: newId(), wait: seconds, expected: '' }
    this.#page.setEvents([...events.slice(0, index + 1), copy, ...events.slice(index + 1)])
    this.select(copy.id)
  }

  setSession(session: boolean): void {
    this.#page.store.update({ session })
    this.#page.changed('events', 0)
  }

  setNow(now: string | null): void {
    this.#page.store.update({ now })
    this.#page.changed('events')
  }

  /** Shows why a rule or decoder matches the chosen event, or does not. */
  inspect(target: Selection): void {
    const { selectedEvent } = this.#page.state
    if (selectedEvent === null) return
    this.#page.store.update({ inspected: { target, event: selectedEvent, inspection: null }, views: null, part: 'answer' })
    this.#page.answers.inspect()
  }

  closeInspection(): void {
    this.#page.store.update({ inspected: null })
  }

  /** Adds the event with the attack that a problem tells of, brought to the pattern; where that is not found, its text alone. */
  async showAttack(record: DiagnosticRecord, { kind, filename }: EditedFile): Promise<void> {
    const { attack, line, column } = record
    if (attack === undefined || line === null || column === null || this.#page.state.attacked === record) return
    this.#page.store.update({ attacked: record })
    await this.#page.answers.asking(
      (port) => port.attack({ kind, filename, line, column }),
      (event) => {
        const alone = { event: attack.prefix + attack.pump.repeat(attack.copies) + attack.suffix, log_format: 'syslog' } as const
        this.show([event ?? alone], event === null ? this.#page.texts.problems.attackAlone : undefined)
      },
    )
    if (this.#page.state.attacked === record) this.#page.store.update({ attacked: null })
  }

  /** Adds events that show a difference or fire a rule, and chooses the last one. @param text what is told, beside that they were added */
  show(events: readonly BehaviourEvent[], text?: string): void {
    const { events: known, session } = this.#page.state
    if (known.length + events.length > EVENTS_LIMIT) return this.#page.notify(this.#page.texts.notices.eventsCut(EVENTS_LIMIT), null)
    const before = workOf(this.#page.state)
    const added = events.map(({ event, log_format: format, location = '', advance = 1 }, index) =>
      // What stands above does not count with them.
      newEvent(event, { format, location, wait: index > 0 ? advance : known.length > 0 ? DAY : 0 }),
    )
    this.#page.setEvents([...known, ...added])
    this.#page.answers.stopAudit()
    this.#page.store.update({ list: 'events', views: null, part: 'answer', session: session || added.length > 1 })
    this.select(added.at(-1)?.id ?? null)
    this.#page.notify([this.#page.texts.differences.added(added.length), ...(text === undefined ? [] : [text])].join(' '), before)
  }
}
