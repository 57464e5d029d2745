/** What a change does with events, as a section of the page about an impact. */
import type { BehaviourAnswer, BehaviourEvent, ItemRecord } from '#workers'
import { html, type Markup } from '../../core/http/text/html.js'
import { fill } from '../../core/i18n/translate.js'
import { section } from '../../core/report-page/page.js'
import { list, type Row } from '../../core/report-page/table.js'
import { differencesIn } from '../semantic-diff/service.js'
import type { Words } from './document.js'
import type { ProjectImpactResponse } from './schema.js'

/** Characters of an event on the page; the JSON has all. */
const EVENT_CHARACTERS = 600

export function behaviourSection({ behaviour }: Pick<ProjectImpactResponse, 'behaviour'>, { texts, number, shown }: Words): Markup {
  const { behaviour: said, effects, impact, values } = texts
  if (behaviour === undefined || behaviour === null) return section(said.heading, html`<p>${said.notCompared}</p>`, 'whole')
  const { alerts, differing_count: differs, proven_count: proven, searched_count: searched, unknown_count: unknown, beyond_count: beyond } = behaviour
  if (differs + proven + searched + unknown === 0) return section(said.heading, html`<p>${impact.noChanges}</p>`, 'whole')
  const answer = (of: BehaviourAnswer | null): string => {
    if (of === null) return values.noRule
    if (of.rule_id !== null) return fill(said.answer, { id: of.rule_id, level: number(of.level ?? 0) })
    return of.decoder === null ? values.noRule : fill(said.onlyDecoded, { name: of.decoder })
  }
  const name = (item: ItemRecord): string => ('rule_id' in item ? fill(said.rule, { id: item.rule_id }) : fill(said.decoder, { name: item.decoder }))
  const event = (events: readonly BehaviourEvent[]): Markup => {
    const last = events.at(-1)?.event ?? ''
    const cut = last.length > EVENT_CHARACTERS ? `${last.slice(0, EVENT_CHARACTERS)}…` : last
    return html`<code>${cut}</code>${events.length > 1 ? html`<br><span class="quiet">${fill(said.events, { count: number(events.length) })}</span>` : ''}`
  }
  const differences = differencesIn(behaviour)
  const rows = differences.map(({ effect, record, others }): Row => {
    const more = others.length === 0 ? '' : html`<br><span class="quiet">${fill(said.likewise, { count: number(others.length) })}</span>`
    return [
      html`<b${effect === 'lost' ? html` class="bad"` : ''}>${effects[effect]}</b><br>${name(record.item)}${more}`,
      html`${answer(record.old)}<br>→ ${answer(record.new)}`,
      event(record.witness?.events ?? []),
    ]
  })
  const counts = fill(said.counts, { differs: number(differs), proven: number(proven), searched: number(searched), unknown: number(unknown) })
  const sentences = [
    ...(rows.length === 0 ? [] : [fill(said.alerts, { lost: number(alerts.lost_count), gained: number(alerts.gained_count), changed: number(alerts.changed_count) }), said.lead]),
    counts,
    ...(beyond === 0 ? [] : [fill(said.beyond, { count: number(beyond) })]),
    ...(behaviour.is_complete ? [] : [said.incomplete]),
  ]
  const table = list([impact.change, said.answers, said.event], rows, rows.length, shown)
  return section(said.heading, html`${sentences.map((sentence) => html`<p>${sentence}</p>\n`)}${table}`)
}
