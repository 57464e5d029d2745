/** The editor of one event, in which the values of fields have the numbers and colours of their names. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, keymap, WidgetType } from '@codemirror/view'
import { changeBetween } from '../model/text-change.js'
import { type CapturedField, type Captures, classOfField } from '../pictures/index.js'
import { editorTheme } from './theme.js'

const setPlaces = StateEffect.define<DecorationSet>()

/** Marks move with the text until the next answer. */
const places = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) => effects.reduce((found, effect) => (effect.is(setPlaces) ? effect.value : found), marks.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
})

const LOOK = EditorView.theme({
  '&': { height: 'auto', maxHeight: '12em' },
  '.cm-scroller': { overflow: 'auto' },
  '.cm-content': { padding: '10px 12px' },
  '.cm-line': { padding: '0' },
})

/** The number of a field behind its value. It is drawn by the style sheet, so that it is no part of the text. */
class FieldNumber extends WidgetType {
  readonly #number: number
  readonly #class: string

  constructor(field: CapturedField) {
    super()
    this.#number = field.number
    this.#class = classOfField(field)
  }

  override eq(other: FieldNumber): boolean {
    return this.#number === other.#number && this.#class === other.#class
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement('span')
    mark.className = `pic-number ${this.#class}`
    mark.dataset.number = String(this.#number)
    mark.setAttribute('aria-hidden', 'true')
    return mark
  }
}

export interface EventEditorEvents {
  readonly onChange: (text: string) => void
  /** The pointer is on the value of a field, by its number; null: on none. */
  readonly onPoint: (field: number | null) => void
}

export class EventEditor {
  readonly #view: EditorView
  readonly #events: EventEditorEvents
  #id: number | null = null
  #isSetting = false

  constructor(parent: HTMLElement, events: EventEditorEvents) {
    this.#view = new EditorView({ parent })
    this.#events = events
  }

  show(id: number, text: string, label: string): void {
    if (this.#id !== id) {
      this.#id = id
      this.#view.setState(this.#create(text, label))
      return
    }
    const changes = changeBetween(this.#view.state.doc.toString(), text)
    if (changes === null) return
    this.#isSetting = true
    this.#view.dispatch({ changes })
    this.#isSetting = false
  }

  /** @param captures of exactly this text; those of another one are not shown @param lit number of the field that is pointed at */
  colour(text: string, { segments }: Captures, lit: number | null): void {
    if (this.#view.state.doc.toString() !== text) return
    const builder = new RangeSetBuilder<Decoration>()
    let from = 0
    for (const { text: part, fields, ending } of segments) {
      const to = from + part.length
      const [field] = fields
      if (field !== undefined) {
        const isLit = fields.some(({ number }) => number === lit)
        const attributes = { title: fields.map(({ name }) => name).join(', '), 'data-field': String(field.number) }
        builder.add(from, to, Decoration.mark({ class: `pic-span ${classOfField(field)}${isLit ? ' pic-lit' : ''}`, attributes }))
      }
      for (const one of ending) builder.add(to, to, Decoration.widget({ widget: new FieldNumber(one), side: -1 }))
      from = to
    }
    this.#view.dispatch({ effects: setPlaces.of(builder.finish()) })
  }

  focus(): void {
    this.#view.focus()
  }

  destroy(): void {
    this.#view.destroy()
  }

  #create(text: string, label: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        history(),
        EditorView.lineWrapping,
        places,
        LOOK,
        editorTheme,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !this.#isSetting) this.#events.onChange(state.doc.toString())
        }),
        EditorView.domEventHandlers({
          mouseover: ({ target }) => {
            const field = target instanceof Element ? target.closest<HTMLElement>('[data-field]')?.dataset.field : undefined
            this.#events.onPoint(field === undefined ? null : Number(field))
          },
          mouseleave: () => this.#events.onPoint(null),
        }),
      ],
    })
  }
}
