/** The mutation score and what survives, in the section of the gate of a report. */
import { html, type Markup } from '../../core/http/text/html.js'
import { fill, type reportTexts } from '../../core/i18n/translate.js'
import { table } from '../../core/report-page/table.js'
import type { QualityGateResult } from '../quality-gate/service.js'

/** Characters of an event on the page. */
const EVENT_CHARACTERS = 300

/** @param mutation null: it was not measured */
export function mutationPart(mutation: QualityGateResult['mutation'], texts: ReturnType<typeof reportTexts>, number: (value: number) => string): Markup {
  if (mutation === null) return html``
  const { mutation: words, behaviour } = texts
  const { score, killed_count: killed, survived_count: survived, unknown_count: unknown, equivalent_count: equivalent, untried_count: untried, survivors } = mutation
  if (score === null) return html`<p class="bad">${words.casesFail}</p>`
  const rows = survivors.map(({ rule_id: rule, decoder, file, line, before, after, killing_case: killer }) => [
    html`${rule === null ? fill(behaviour.decoder, { name: decoder ?? '' }) : fill(behaviour.rule, { id: rule })}<br><span class="quiet">${`${file}:${line}`}</span>`,
    html`<code>${before}</code><br>→ <code>${after}</code>`,
    html`<code>${eventOf(killer)}</code>`,
  ])
  return html`<p>${fill(words.score, { score: number(score), killed: number(killed), survived: number(survived), unknown: number(unknown), equivalent: number(equivalent) })}</p>
${untried === 0 ? '' : html`<p class="bad">${fill(words.untried, { count: number(untried) })}</p>`}
${rows.length === 0 ? '' : html`<p>${words.survivors}</p>\n${table([texts.columns.place, texts.impact.change, behaviour.event], rows)}`}`
}

/** The last event of a case. */
function eventOf(killer: Readonly<Record<string, unknown>> | null): string {
  const { event_text: single, events } = (killer ?? {}) as { event_text?: string; events?: readonly { event_text: string }[] }
  const event = events?.at(-1)?.event_text ?? single ?? ''
  return event.length > EVENT_CHARACTERS ? `${event.slice(0, EVENT_CHARACTERS)}…` : event
}
