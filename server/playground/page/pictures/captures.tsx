/** The event with what header and decoders took out of it, linked to the list of fields. */
import { useState } from 'preact/hooks'
import type { Locale, LogtestReport } from '#engine'
import { type CapturedField, capturesOf, type Segment } from './captures-model.js'
import { PICTURE_WORDS } from './words.js'

export interface CapturesProps {
  /** An answer with its trace. */
  readonly answer: LogtestReport
  readonly locale: Locale
  /** Name of the field that is shown first, for a page that links it from elsewhere. */
  readonly highlighted?: string | null
}

/** Colours of `pictures.css`; with the five kinds of underline they repeat after forty fields. */
const COLOURS = 8
const UNDERLINES = 5

export function Captures({ answer, locale, highlighted = null }: CapturesProps) {
  const words = PICTURE_WORDS[locale]
  const [pointed, point] = useState<number | null>(null)
  const { fields, segments } = capturesOf(answer)
  const isLit = ({ number, name }: CapturedField): boolean => (pointed === null ? name === highlighted : number === pointed)
  const pointing = (field: CapturedField | undefined) => ({
    onMouseEnter: () => point(field?.number ?? null),
    onMouseLeave: () => point(null),
    onFocus: () => point(field?.number ?? null),
    onBlur: () => point(null),
  })
  return (
    <div class="pic pic-captures">
      <p class="pic-event">
        {segments.map((segment, index) => (
          <Part key={index} segment={segment} isLit={segment.fields.some(isLit)} pointing={pointing(segment.fields[0])} />
        ))}
      </p>
      {fields.length === 0 ? (
        <p class="pic-quiet">{words.noFields}</p>
      ) : (
        <ul class="pic-fields" aria-label={words.fields}>
          {fields.map((field) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus shows the part of the event, as the pointer does
            <li key={field.number} class={`pic-field ${colourOf(field)}${isLit(field) ? ' pic-lit' : ''}`} tabIndex={0} {...pointing(field)}>
              <span class="pic-number">{field.number}</span>
              <span class="pic-field-name">{field.name}</span>
              <span class="pic-field-value">{field.value}</span>
              {field.span === null && <span class="pic-quiet">{words.notInText}</span>}
              <span class="pic-field-source">{field.source === 'header' ? words.header : field.decoder}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface PartProps {
  readonly segment: Segment
  readonly isLit: boolean
  readonly pointing: object
}

function Part({ segment: { text, fields, ending }, isLit, pointing }: PartProps) {
  const [field] = fields
  if (field === undefined) return <>{text}</>
  const tail = text.length - (Array.from(text.slice(-2)).length === 1 ? 2 : 1)
  return (
    <span class={`pic-span ${colourOf(field)}${isLit ? ' pic-lit' : ''}`} title={fields.map(({ name }) => name).join(', ')} {...pointing}>
      {ending.length === 0 ? text : text.slice(0, tail)}
      {ending.length > 0 && (
        // A number stays in the line of the character before it.
        <span class="pic-tail">
          {text.slice(tail)}
          {ending.map(({ number }) => (
            <sup key={number} class="pic-number">
              {number}
            </sup>
          ))}
        </span>
      )}
    </span>
  )
}

/** Colour and underline of a field. Neither alone tells fields apart: the number does. */
function colourOf({ number, source }: CapturedField): string {
  return source === 'header' ? 'pic-of-header' : `pic-colour-${number % COLOURS} pic-underline-${number % UNDERLINES}`
}
