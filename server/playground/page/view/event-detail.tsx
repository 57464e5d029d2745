/** The chosen event: its text with the colours of its fields, and how it arrives. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LogFormat } from '#engine'
import type { EventEditor } from '../editor/event-editor.js'
import type { EditedEvent } from '../model/state.js'
import type { Captures } from '../pictures/index.js'
import { PlainEvent } from './plain-text.js'
import type { EditorProps } from './use-editors.js'

const FORMATS: readonly LogFormat[] = ['auto', 'syslog', 'json', 'eventchannel', 'plain']
/** Seconds after which the event comes again: within the window of most rules. */
const AGAIN_SECONDS = 10
/** Longest time between two events on the clock: a year. */
const MOST_SECONDS = 31_536_000

interface EventDetailProps extends EditorProps {
  readonly event: EditedEvent
  /** What the answer took out of the event; null: there is no answer. */
  readonly captures: Captures | null
  /** Number of the field at which somebody points. */
  readonly pointed: number | null
  readonly onPoint: (field: number | null) => void
}

export function EventDetail({ page, state, texts, editors, onWrite, event, captures, pointed, onPoint }: EventDetailProps) {
  const answer = state.answers.get(event.id)
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<EventEditor | null>(null)
  const current = useRef(event.id)
  current.current = event.id
  const hasFocus = useRef(false)
  // Before the next frame, so that the text stays in sight.
  useLayoutEffect(() => {
    if (editors === null) return
    editor.current = new editors.EventEditor(box.current as HTMLDivElement, { onChange: (text) => page.events.edit(current.current, { text }), onPoint })
    return () => editor.current?.destroy()
  }, [editors])
  useLayoutEffect(() => {
    editor.current?.show(event.id, event.text, texts.event.label)
    if (answer !== undefined && captures !== null) editor.current?.colour(answer.report.predecoded.raw_message, captures, pointed)
  }, [editors, event.id, event.text, captures, pointed, texts])
  useLayoutEffect(() => {
    if (hasFocus.current) editor.current?.focus()
  }, [editors])
  const { event: words } = texts
  const change = (part: Partial<Omit<EditedEvent, 'id'>>): void => page.events.edit(event.id, part)
  const inside = answer?.inside ?? null
  const isFirst = state.events[0] === event
  return (
    <div class="event-detail">
      <div class="event-text" ref={box}>
        {editors === null && (
          <PlainEvent
            label={words.label}
            text={event.text}
            captures={answer?.report.predecoded.raw_message === event.text ? captures : null}
            hasFocus={hasFocus}
            onWrite={onWrite}
          />
        )}
      </div>
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
          <button type="button" class="button" onClick={() => page.events.repeat(event.id, AGAIN_SECONDS)}>
            {texts.events.again(AGAIN_SECONDS)}
          </button>
        )}
      </div>
    </div>
  )
}
