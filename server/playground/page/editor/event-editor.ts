/** The editor of one event, in which the values of fields have the colours of their names. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, keymap } from '@codemirror/view'
import type { FieldPlace } from '../model/captures.js'
import { changeBetween } from '../model/text-change.js'
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

export class EventEditor {
  readonly #view: EditorView
  #id: number | null = null
  #isSetting = false

  constructor(parent: HTMLElement, onChange: (text: string) => void) {
    this.#view = new EditorView({ parent })
    this.#onChange = onChange
  }

  readonly #onChange: (text: string) => void

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

  /** @param found places in exactly this text; others are not shown */
  colour(text: string, found: readonly FieldPlace[]): void {
    if (this.#view.state.doc.toString() !== text) return
    const builder = new RangeSetBuilder<Decoration>()
    for (const { from, to, name, colour } of found) {
      const attributes = { 'data-colour': String(colour), title: name }
      builder.add(from, to, Decoration.mark({ class: 'captured', attributes }))
    }
    this.#view.dispatch({ effects: setPlaces.of(builder.finish()) })
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
          if (docChanged && !this.#isSetting) this.#onChange(state.doc.toString())
        }),
      ],
    })
  }
}
