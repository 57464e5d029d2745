/** A text in place of its editor, as long as that one is not loaded: in the same letters at the same places. */
import type { Ref } from 'preact'
import { classOfField, type Captures } from '../pictures/index.js'

/** Lines that are shown. The editor is there before anybody has read them. */
const LINES = 100
/** Characters of an event, of which the first lines are shown. */
const CHARACTERS = 4000

interface PlainProps {
  readonly label: string
  readonly text: string
  /** Whether it has the focus, which the editor gets then. */
  readonly hasFocus: Ref<boolean>
  readonly onWrite: () => void
}

/** What both have: a press or the focus asks for the editor. */
function attributesOf({ label, hasFocus, onWrite }: PlainProps) {
  const set = (value: boolean): void => {
    if (hasFocus !== null && typeof hasFocus === 'object') hasFocus.current = value
  }
  return {
    role: 'textbox',
    tabIndex: 0,
    'aria-label': label,
    'aria-multiline': true,
    'aria-readonly': true,
    onFocus: () => {
      set(true)
      onWrite()
    },
    // Without another one that gets it the text has been taken out of the page.
    onBlur: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) set(false)
    },
  } as const
}

export function PlainContent(props: PlainProps) {
  const lines = props.text.split('\n', LINES)
  return (
    <div class="plain">
      <pre class="plain-numbers" aria-hidden="true">
        {lines.map((_, index) => index + 1).join('\n')}
      </pre>
      <pre class="plain-text" {...attributesOf(props)}>
        {lines.join('\n')}
      </pre>
    </div>
  )
}

/** @param captures of an answer to the text; null: there is none */
export function PlainEvent({ captures, ...props }: PlainProps & { readonly captures: Captures | null }) {
  return (
    <pre class="plain-text" {...attributesOf(props)}>
      {captures === null
        ? props.text.slice(0, CHARACTERS)
        : captures.segments.map(({ text, fields, ending }, index) => (
            <span key={index}>
              <span class={fields.length === 0 ? '' : `pic-span ${classOfField(fields[0])}`}>{text}</span>
              {ending.map((field) => (
                <span key={field.number} class={`pic-number ${classOfField(field)}`} data-number={field.number} aria-hidden="true" />
              ))}
            </span>
          ))}
    </pre>
  )
}
