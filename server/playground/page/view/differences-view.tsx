/** What the content does differently than what was opened: the kinds of differences, each with an event and both answers. */
import type { BehaviourAnswer, Difference } from '#engine'
import { Icon } from './icons.js'
import type { ViewsProps } from './views-dialog.js'

/** Items that are named of those with the same difference. */
const NAMED = 12
/** Characters of an event that are shown. */
const EVENT_CHARACTERS = 400

export function DifferencesView({ page, state, texts }: ViewsProps) {
  const { differences: words } = texts
  const { differences: found, home } = state
  const compared = home === null ? words.withOpened : words.withHome(home.name)
  if (found === null)
    return (
      <>
        <p class="muted">{compared}</p>
        <p class="muted" aria-live="polite">
          {words.searching}
        </p>
      </>
    )
  if (found === 'refused')
    return (
      <>
        <p class="muted">{compared}</p>
        <p role="alert">{words.refused}</p>
        <button type="button" class="button" onClick={() => page.views.searchAgain()}>
          {words.again}
        </button>
      </>
    )
  const { loads, differences, more, alerts, proven, searched, unknown, complete } = found
  const isEqual = differences.length + proven + searched + unknown === 0
  return (
    <>
      <p class="muted">{compared}</p>
      <div aria-live="polite">
        {!loads ? (
          <p>{words.notLoaded}</p>
        ) : isEqual ? (
          <p>{words.nothing}</p>
        ) : (
          <>
            {differences.length > 0 && <p>{words.alerts(alerts.lost, alerts.gained, alerts.changed)}</p>}
            <p class="muted">{words.others(proven, searched, unknown)}</p>
            {!complete && <p class="muted">{words.incomplete}</p>}
          </>
        )}
      </div>
      {differences.length > 0 && (
        <ul class="differences">
          {differences.map((difference) => (
            <li key={keyOf(difference)} class={`difference is-${difference.effect}`}>
              <DifferenceItem page={page} texts={texts} difference={difference} />
            </li>
          ))}
          {more > 0 && <li class="muted">{words.more(more)}</li>}
        </ul>
      )}
    </>
  )
}

function DifferenceItem({ page, texts, difference: { effect, record, others } }: Pick<ViewsProps, 'page' | 'texts'> & { readonly difference: Difference }) {
  const { differences: words } = texts
  const events = record.witness?.events ?? []
  const last = events.at(-1)?.event ?? ''
  const nameOf = (item: typeof record.item): string => ('rule_id' in item ? words.rule(item.rule_id) : words.decoder(item.decoder))
  const answer = (one: BehaviourAnswer | null): string =>
    one === null || (one.rule_id === null && one.decoder === null)
      ? texts.events.noRule
      : one.rule_id === null
        ? words.onlyDecoded(one.decoder ?? '')
        : words.answer(one.rule_id, one.level ?? 0)
  return (
    <>
      <p class="difference-title">
        <strong>{words.effects[effect]}</strong>
        <span>{nameOf(record.item)}</span>
      </p>
      <p>{words.answers(answer(record.old), answer(record.new))}</p>
      <code class="difference-event">{last.length > EVENT_CHARACTERS ? `${last.slice(0, EVENT_CHARACTERS)}…` : last}</code>
      {events.length > 1 && <p class="muted">{words.lastOf(events.length)}</p>}
      {record.lost_fields.map(({ name, renamed, readers }) => (
        <p key={name}>{words.lostField(name, renamed, readers.join(', '))}</p>
      ))}
      {others.length > 0 && <p class="muted">{words.likewise(others.slice(0, NAMED).map(nameOf).join(', '), Math.max(0, others.length - NAMED))}</p>}
      <button type="button" class="button" onClick={() => page.events.show(events)}>
        <Icon name="plus" />
        {words.show}
      </button>
    </>
  )
}

function keyOf({ effect, record: { item, old, new: now } }: Difference): string {
  return JSON.stringify([effect, item, old?.rule_id, now?.rule_id])
}
