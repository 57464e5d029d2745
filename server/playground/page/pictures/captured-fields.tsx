/** What header and decoders took out of an event. Its numbers and colours are those of the parts of the event, which the page draws (`classOfField`). */
import type { Locale } from '#engine'
import { type CapturedField, type Captures, classOfField } from './captures-model.js'
import { PICTURE_WORDS } from './words.js'

export interface CapturedFieldsProps {
  readonly captures: Captures
  readonly locale: Locale
  /** Number of the field at which somebody points, in the event or here; null: none. */
  readonly pointed: number | null
  readonly onPoint: (field: number | null) => void
}

export function CapturedFields({ captures: { fields }, locale, pointed, onPoint }: CapturedFieldsProps) {
  const words = PICTURE_WORDS[locale]
  if (fields.length === 0) return <p class="pic pic-quiet">{words.noFields}</p>
  return (
    <ul class="pic pic-fields" aria-label={words.fields}>
      {fields.map((field) => (
        <Field
          key={field.number}
          field={field}
          isLit={field.number === pointed}
          source={field.source === 'header' ? words.header : field.decoder}
          words={words}
          onPoint={onPoint}
        />
      ))}
    </ul>
  )
}

interface FieldProps {
  readonly field: CapturedField
  readonly isLit: boolean
  readonly source: string | null
  readonly words: { readonly notInText: string }
  readonly onPoint: (field: number | null) => void
}

function Field({ field, isLit, source, words, onPoint }: FieldProps) {
  const { number, name, value, span } = field
  return (
    <li class={`pic-field ${classOfField(field)}${isLit ? ' pic-lit' : ''}`} onMouseEnter={() => onPoint(number)} onMouseLeave={() => onPoint(null)}>
      <span class="pic-number">{number}</span>
      <span class="pic-field-name">{name}</span>
      <span class="pic-field-value">{value}</span>
      {span === null && <span class="pic-quiet">{words.notInText}</span>}
      <span class="pic-field-source">{source}</span>
    </li>
  )
}
