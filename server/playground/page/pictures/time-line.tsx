/** The events of a session over time: what a rule counted, when its window ends, which event it fired on, and when it is silent. */
import type { Locale, RuleGraphNode } from '#engine'
import { levelClass } from './level-class.js'
import { Choice, type Choosing, Level } from './parts.js'
import { type Correlation, type TimedEvent, clockText, lanesOf, type TimeLineModel, ticksOf, timeLineOf } from './time-line-model.js'
import { PICTURE_WORDS, type PictureWords } from './words.js'

export interface TimeLineProps extends Choosing {
  /** The events of a session in their order; the last one with its trace, for what waits. */
  readonly events: readonly TimedEvent[]
  readonly rules: ReadonlyMap<string, RuleGraphNode>
  readonly locale: Locale
  /** Index of the event that the page shows. */
  readonly selectedEvent?: number | null
  readonly onSelectEvent?: (index: number) => void
}

/** Above this many events the dots have no numbers. */
const NUMBERED = 40
/** Events that are listed. */
const LISTED = 200
/** Percents at both ends, so that the outer dots are not cut. */
const MARGIN = 2.5
/** Dots that would hide each other are above each other, up to so many. */
const LANES = 4
const LANE = 20

export function TimeLine({ events, rules, locale, selectedEvent = null, onSelectEvent, selected, onSelect }: TimeLineProps) {
  const words = PICTURE_WORDS[locale]
  const model = timeLineOf(events, rules)
  const { correlations, silences } = model
  const x = scaleOf(model)
  // The others are only a part of the picture: pages list all events elsewhere.
  const noted = events.flatMap((event, index) => {
    const notes = notesOf(index, model, words)
    return notes.length === 0 ? [] : [{ event, index, notes }]
  })
  return (
    <figure class="pic pic-time" aria-label={words.timeLine}>
      <EventRow events={events} model={model} x={x} />
      {correlations.map((correlation) => (
        <div key={`${correlation.rule} ${correlation.fired}`} class="pic-time-row">
          <p class="pic-line">
            <Choice of={{ kind: 'rule', id: correlation.rule }} selected={selected} onSelect={onSelect}>
              {correlation.rule}
              <Level level={correlation.level} words={words} />
            </Choice>
            <strong>{correlation.fired === null ? words.waiting(correlation.missing) : words.firedOn(correlation.fired + 1)}</strong>
            {correlation.seconds !== null && (
              <span class="pic-quiet">
                {words.windowOf(words.duration(correlation.seconds))}
                {correlation.fired === null && `, ${words.windowEnds(clockText(correlation.to))}`}
              </span>
            )}
          </p>
          <CorrelationBar correlation={correlation} events={events} x={x} isCut={correlation.to > model.to} />
        </div>
      ))}
      {silences.map(({ rule, from, to }) => (
        <div key={`${rule} ${from}`} class="pic-time-row">
          <p class="pic-line">
            <Choice of={{ kind: 'rule', id: rule }} selected={selected} onSelect={onSelect}>
              {rule}
            </Choice>
            <span class="pic-quiet">{words.silentUntil(clockText(to))}</span>
          </p>
          <svg class="pic-bar" width="100%" height="18" aria-hidden="true" focusable="false">
            <rect class="pic-silence" x={percent(x(from))} width={percent(x(to) - x(from))} y="6" height="6" rx="3" />
          </svg>
        </div>
      ))}
      {noted.length > 0 && (
        <ol class="pic-time-list">
          {noted.slice(0, LISTED).map(({ event, index, notes }) => (
            <ListedEvent key={index} event={event} index={index} notes={notes} words={words} isSelected={index === selectedEvent} onSelectEvent={onSelectEvent} />
          ))}
          {noted.length > LISTED && <li class="pic-quiet">{words.more(noted.length - LISTED)}</li>}
        </ol>
      )}
    </figure>
  )
}

type Scale = (at: number) => number

function scaleOf({ from, to }: TimeLineModel): Scale {
  return (at) => MARGIN + (to === from ? 0 : ((Math.min(at, to) - from) / (to - from)) * (100 - 2 * MARGIN))
}

function percent(value: number): string {
  return `${Number(value.toFixed(2))}%`
}

interface EventRowProps {
  readonly events: readonly TimedEvent[]
  readonly model: TimeLineModel
  readonly x: Scale
}

/** The axis, and a dot for each event in the colour of its level. */
function EventRow({ events, model, x }: EventRowProps) {
  const lanes = lanesOf(events, model, LANES)
  const height = (Math.max(0, ...lanes) + 1) * LANE
  const isNumbered = events.length <= NUMBERED
  return (
    <svg class="pic-axis" width="100%" height={height + 26} aria-hidden="true" focusable="false">
      {ticksOf(model.from, model.to).map((at) => (
        <g key={at}>
          <line class="pic-tick" x1={percent(x(at))} x2={percent(x(at))} y1="0" y2={height + 6} />
          <text class="pic-tick-label" x={percent(x(at))} y={height + 20} text-anchor="middle">
            {clockText(at)}
          </text>
        </g>
      ))}
      {events.map(({ at, answer }, index) => {
        const y = height - lanes[index] * LANE - LANE / 2
        return (
          <g key={index} class={`pic-event-dot pic-fill-${answer.rule === null ? 'none' : levelClass(answer.rule.level)}${model.silenced.has(index) ? ' pic-event-silenced' : ''}`}>
            <circle cx={percent(x(at))} cy={y} r={isNumbered ? 9 : 4} />
            {isNumbered && (
              <text x={percent(x(at))} y={y + 3.5} text-anchor="middle">
                {index + 1}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}

interface BarProps {
  readonly correlation: Correlation
  readonly events: readonly TimedEvent[]
  readonly x: Scale
  /** Whether the window ends after the drawn time. */
  readonly isCut: boolean
}

/** The window as a bar: a filled dot counted, a ring may have, the diamond is the event on which the rule fired. */
function CorrelationBar({ correlation: { from, to, counted, fired }, events, x, isCut }: BarProps) {
  return (
    <svg class="pic-bar" width="100%" height="22" aria-hidden="true" focusable="false">
      <rect class={fired === null ? 'pic-window pic-window-open' : 'pic-window'} x={percent(x(from))} width={percent(x(to) - x(from))} y="6" height="10" rx="5" />
      {isCut && (
        <text class="pic-tick-label" x="100%" y="15" text-anchor="end">
          →
        </text>
      )}
      {counted.map((index) => (
        <circle key={index} class={fired === null ? 'pic-may-count' : 'pic-counted'} cx={percent(x(events[index].at))} cy="11" r="4.5" />
      ))}
      {fired !== null && (
        <svg x={percent(x(events[fired].at))} y="11" overflow="visible" aria-hidden="true" focusable="false">
          <path class="pic-fired" d="M0 -8 8 0 0 8 -8 0Z" />
        </svg>
      )}
    </svg>
  )
}

/** What happened to an event. */
function notesOf(index: number, model: TimeLineModel, words: PictureWords): readonly string[] {
  const notes = model.correlations.flatMap(({ rule, fired, counted }) => {
    if (fired === index) return [`◆ ${rule} ${words.fired}`]
    return counted.includes(index) ? [fired === null ? `○ ${rule}: ${words.mayCount}` : `● ${rule}: ${words.counts}`] : []
  })
  return model.silenced.has(index) ? [...notes, words.silenced] : notes
}

interface ListedEventProps {
  readonly event: TimedEvent
  readonly index: number
  readonly notes: readonly string[]
  readonly words: PictureWords
  readonly isSelected: boolean
  readonly onSelectEvent?: ((index: number) => void) | undefined
}

function ListedEvent({ event: { at, answer }, index, notes, words, isSelected, onSelectEvent }: ListedEventProps) {
  const number = `${index + 1}`
  return (
    <li>
      {onSelectEvent === undefined ? (
        <span class="pic-event-number">{number}</span>
      ) : (
        <button type="button" class="pic-event-number pic-choice" aria-pressed={isSelected} aria-label={`${words.event} ${number}`} onClick={() => onSelectEvent(index)}>
          {number}
        </button>
      )}
      <span class="pic-event-time">{clockText(at)}</span>
      {answer.rule === null ? (
        <span class="pic-quiet">{words.noRule}</span>
      ) : (
        <>
          <span class="pic-name">
            {answer.rule.id}
            <Level level={answer.rule.level} words={words} />
          </span>
          <span class="pic-description">{answer.rule.description}</span>
        </>
      )}
      <span class="pic-notes">{notes.join(' · ')}</span>
    </li>
  )
}
