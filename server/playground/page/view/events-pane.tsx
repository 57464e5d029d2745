/** The events, a row each with its outcome; and the cases, which share the place with them. */
import { Component } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { EventAnswer } from '../../worker/protocol.js'
import { outcomeOf } from '../model/expectation.js'
import type { EditedEvent } from '../model/state.js'
import { Level, PICTURE_WORDS, type PictureWords } from '../pictures/index.js'
import type { Texts } from '../texts/index.js'
import { CasesList } from './cases-list.js'
import { Icon } from './icons.js'
import type { Props } from './props.js'

export function EventsPane(props: Props) {
  const { page, state, texts } = props
  const { list, events, cases, outcomes } = state
  const failed = cases.filter(({ id }) => outcomes.get(id)?.passed === false).length
  const choose = (chosen: typeof list): void => page.store.update({ list: chosen })
  return (
    <>
      <div class="bar">
        <div class="tabs" role="tablist" aria-label={texts.parts.events}>
          <button type="button" class="tab" role="tab" aria-selected={list === 'events'} aria-controls="list" onClick={() => choose('events')}>
            {texts.events.label} <span class="count">{events.length}</span>
          </button>
          <button type="button" class="tab" role="tab" aria-selected={list === 'cases'} aria-controls="list" onClick={() => choose('cases')}>
            {texts.cases.label} <span class={`count ${cases.length === 0 ? '' : failed > 0 ? 'is-red' : 'is-green'}`}>{cases.length}</span>
          </button>
        </div>
        <span class="space" />
        {list === 'events' && <SessionSwitch {...props} />}
      </div>
      <div id="list" class="list" role="tabpanel" aria-label={list === 'events' ? texts.events.label : texts.cases.label}>
        {list === 'events' ? <EventsTable {...props} /> : <CasesList {...props} />}
      </div>
      {list === 'events' && <AddEvents {...props} />}
    </>
  )
}

function SessionSwitch({ page, state, texts }: Props) {
  const { session, now } = state
  const { events: words } = texts
  const isInvalid = state.refusal?.code === 'clock_invalid'
  return (
    <>
      {session && (
        <label class="field clock">
          <span>{words.clock}</span>
          <input
            type="text"
            value={now ?? ''}
            placeholder={words.clockMachine}
            aria-invalid={isInvalid}
            title={words.clockInvalid}
            onInput={({ currentTarget: { value } }) => page.events.setNow(value.trim() === '' ? null : value.trim())}
          />
        </label>
      )}
      <label class="switch-label" title={words.sessionHelp}>
        <input type="checkbox" role="switch" checked={session} aria-checked={session} onChange={({ currentTarget: { checked } }) => page.events.setSession(checked)} />
        <span class="switch-track" aria-hidden="true" />
        {words.session}
      </label>
    </>
  )
}

function EventsTable({ page, state, texts }: Props) {
  const { events, answers, selectedEvent, session } = state
  const { columns } = texts.events
  // What was added is at the end of the list.
  useEffect(() => document.getElementById(`event-${selectedEvent}`)?.scrollIntoView({ block: 'nearest' }), [selectedEvent])
  if (events.length === 0) return <p class="empty">{texts.events.empty}</p>
  const move = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement) return
    const at = events.findIndex(({ id }) => id === selectedEvent)
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Delete' && at >= 0) page.events.delete(events[at].id)
    else if (event.key === 'Enter') page.store.update({ part: 'answer' })
    else if (step !== 0) {
      const next = events[Math.max(0, Math.min(events.length - 1, at + step))]
      page.events.select(next.id)
      document.getElementById(`event-${next.id}`)?.focus()
    } else return
    event.preventDefault()
  }
  let second = 0
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is a table.
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be chosen is a grid.
    <table class="events" role="grid" aria-label={texts.events.label} onKeyDown={move}>
      <thead>
        <tr>
          <th scope="col" class="cell-outcome">
            <span class="hidden-text">{columns.outcome}</span>
          </th>
          {session && (
            <th scope="col" class="cell-time">
              {columns.time}
            </th>
          )}
          <th scope="col">{columns.event}</th>
          <th scope="col" class="cell-decoder">
            {columns.decoder}
          </th>
          <th scope="col" class="cell-rule">
            {columns.rule}
          </th>
          <th scope="col" class="cell-level">
            {columns.level}
          </th>
          <th scope="col" class="cell-fields">
            {columns.fields}
          </th>
          <th scope="col" class="cell-actions" />
        </tr>
      </thead>
      <tbody>
        {events.map((event, index) => {
          second += index === 0 ? 0 : event.wait
          return (
            <EventRow
              key={event.id}
              event={event}
              answer={answers.get(event.id)}
              second={session ? second : null}
              isSelected={event.id === selectedEvent}
              texts={texts}
              words={PICTURE_WORDS[state.locale]}
              onSelect={() => {
                page.events.select(event.id)
                page.store.update({ part: 'answer' })
              }}
              onDelete={() => page.events.delete(event.id)}
            />
          )
        })}
      </tbody>
    </table>
  )
}

interface RowProps {
  readonly event: EditedEvent
  readonly answer: EventAnswer | undefined
  /** Null: the events share no session. */
  readonly second: number | null
  readonly isSelected: boolean
  readonly texts: Texts
  readonly words: PictureWords
  readonly onSelect: () => void
  readonly onDelete: () => void
}

/** Drawn again only when its event or its answer changes: there may be a thousand of them. */
class EventRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { event, answer, second, isSelected, texts } = this.props
    return event !== next.event || answer !== next.answer || second !== next.second || isSelected !== next.isSelected || texts !== next.texts
  }

  override render({ event, answer, second, isSelected, texts, words: pictureWords, onSelect, onDelete }: RowProps) {
    const { events: words } = texts
    // Content that does not load decides nothing.
    const report = answer?.report.ok === true ? answer.report : undefined
    const outcome = outcomeOf(event, report)
    const said = outcome === 'met' ? words.met : outcome === 'unmet' ? words.unmet(event.expected) : ''
    const rule = report?.rule ?? null
    return (
      <tr id={`event-${event.id}`} class={`event ${outcome ?? ''}`} aria-selected={isSelected} tabIndex={isSelected ? 0 : -1} onClick={onSelect}>
        <td class="cell-outcome" title={said}>
          {outcome === 'met' && <Icon name="check" />}
          {outcome === 'unmet' && <Icon name="cross" />}
          <span class="hidden-text">{said}</span>
        </td>
        {second !== null && <td class="cell-time">{`${second} ${words.seconds}`}</td>}
        <td class="cell-event">
          <code>{event.text === '' ? '…' : event.text}</code>
        </td>
        <td class="cell-decoder">{report?.decoder?.name ?? <span class="faint">{report === undefined ? '' : words.noDecoder}</span>}</td>
        <td class="cell-rule">{rule === null ? <span class="faint">{report === undefined ? '' : words.noRule}</span> : rule.id}</td>
        <td class="cell-level">{rule !== null && <Level level={rule.level} words={pictureWords} />}</td>
        <td class="cell-fields">{report === undefined ? '' : Object.keys(report.extracted_fields).join(', ')}</td>
        <td class="cell-actions">
          <button
            type="button"
            class="button quiet icon-only"
            tabIndex={isSelected ? 0 : -1}
            aria-label={words.remove}
            title={words.remove}
            onClick={(click) => {
              click.stopPropagation()
              onDelete()
            }}
          >
            <Icon name="close" />
          </button>
        </td>
      </tr>
    )
  }
}

function AddEvents({ page, state, texts }: Props) {
  const [text, setText] = useState('')
  const { events: words } = texts
  const add = (written: string): void => {
    setText('')
    void page.events.add(written)
  }
  return (
    <form
      class="add-events"
      onSubmit={(event) => {
        event.preventDefault()
        add(text)
      }}
    >
      <textarea
        id="add-events"
        rows={1}
        value={text}
        aria-label={words.add}
        placeholder={words.addHint}
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => setText(value)}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData('text') ?? ''
          // One line goes to the field, where it can be changed first.
          if (text !== '' || !pasted.trim().includes('\n')) return
          event.preventDefault()
          add(pasted)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          add(text)
        }}
      />
      <button type="submit" class="button" disabled={text.trim() === ''}>
        {words.addButton}
      </button>
      {state.events.length > 0 && (
        <button type="button" class="button quiet icon-only" aria-label={words.clear} title={words.clear} onClick={() => page.events.clear()}>
          <Icon name="trash" />
        </button>
      )}
    </form>
  )
}
