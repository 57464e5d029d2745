/** The chosen event: its text with the colours of its fields, and how it arrives. */
import { useEffect, useRef } from 'preact/hooks'
import type { LogFormat } from '#engine'
import { EventEditor } from '../editor/event-editor.js'
import type { EditedEvent } from '../model/state.js'
import type { Captures } from '../pictures/index.js'
import type { Props } from './props.js'

const FORMATS: readonly LogFormat[] = ['auto', 'syslog', 'json', 'eventchannel', 'plain']
/** Seconds after which the event comes again: within the window of most rules. */
const AGAIN_SECONDS = 10
/** Longest time between two events on the clock: a year. */
const MOST_SECONDS = 31_536_000

interface EventDetailProps extends Props {
  readonly event: EditedEvent
  /** What the answer took out of the event; null: there is no answer. */
  readonly captures: Captures | null
  /** Number of the field at which somebody points. */
  readonly pointed: number | null
  readonly onPoint: (field: number | null) => void
}

export function EventDetail({ page, state, texts, event, captures, pointed, onPoint }: EventDetailProps) {
  const answer = state.answers.get(event.id)
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<EventEditor | null>(null)
  const current = useRef(event.id)
  current.current = event.id
  useEffect(() => {
    editor.current = new EventEditor(box.current as HTMLDivElement, { onChange: (text) => page.editEvent(current.current, { text }), onPoint })
    return () => editor.current?.destroy()
  }, [])
  useEffect(() => {
    editor.current?.show(event.id, event.text, texts.event.label)
    if (answer !== undefined && captures !== null) editor.current?.colour(answer.report.predecoded.raw_message, captures, pointed)
  }, [event.id, event.text, captures, pointed, texts])
  const { event: words } = texts
  const change = (part: Partial<Omit<EditedEvent, 'id'>>): void => page.editEvent(event.id, part)
  const inside = answer?.inside ?? null
  const isFirst = state.events[0] === event
  return (
    <div class="event-detail">
      <div class="event-text" ref={box} />
      {inside !== null && (
        <div class="inside">
          <span>{words.inside}</span>
          <button type="button" class="button" onClick={() => change({ text: inside.event, location: inside.location ?? event.location, format: inside.log_format })}>
            {words.useInside}
          </button>
        </div>
      )}
      <div class="event-options">
        <label class="field">
          <span>{words.expected}</span>
          <input
            type="text"
            class="short"
            inputMode="numeric"
            value={event.expected}
            placeholder={words.expectedHint}
            onInput={({ currentTarget: { value } }) => change({ expected: value.trim() })}
          />
        </label>
        <label class="field">
          <span>{words.format}</span>
          <select value={event.format} onChange={({ currentTarget: { value } }) => change({ format: FORMATS.find((one) => one === value) ?? 'auto' })}>
            {FORMATS.map((format) => (
              <option key={format} value={format}>
                {words.formats[format]}
              </option>
            ))}
          </select>
        </label>
        <label class="field grows">
          <span>{words.location}</span>
          <input type="text" value={event.location} placeholder="stdin" spellcheck={false} onInput={({ currentTarget: { value } }) => change({ location: value })} />
        </label>
        {state.session && !isFirst && (
          <label class="field">
            <span>{words.wait}</span>
            <input
              type="number"
              class="short"
              min={0}
              max={MOST_SECONDS}
              value={event.wait}
              onInput={({ currentTarget: { valueAsNumber } }) => {
                if (Number.isInteger(valueAsNumber) && valueAsNumber >= 0 && valueAsNumber <= MOST_SECONDS) change({ wait: valueAsNumber })
              }}
            />
          </label>
        )}
        {state.session && (
          <button type="button" class="button" onClick={() => page.repeatEvent(event.id, AGAIN_SECONDS)}>
            {texts.events.again(AGAIN_SECONDS)}
          </button>
        )}
      </div>
    </div>
  )
}
