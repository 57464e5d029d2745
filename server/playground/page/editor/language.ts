/** What the language server gives to a text while it is read and written: completion, help under the pointer, and the level behind each id that is named. */
import { autocompletion, type Completion, type CompletionContext, type CompletionResult, pickedCompletion, snippet } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, hoverTooltip, type PluginValue, type Tooltip, ViewPlugin, type ViewUpdate, WidgetType } from '@codemirror/view'
import type { CompletionItem, InlayHint } from 'vscode-languageserver-types'
import type { AskLanguage } from '../model/language.js'
import { renderMarkdown } from './markdown.js'
import { offsetAt, positionAt, spanOf } from './positions.js'

/** Milliseconds without a change before the levels are asked for again. */
const HINTS_MS = 200
/** What a person types when a list of words helps: letters, digits, and what begins a tag, a value or a word. */
const BEGINS = /[\w</"'=>,(|]$/
/** A template of the protocol with a choice, of which CodeMirror's have the first one only. */
const CHOICE = /\$\{(\d+)\|([^,|}]*)[^|}]*\|\}/g
/** A bare place of a template. */
const PLACE = /\$(\d+)/g

/** `InsertTextFormat.Snippet` of the protocol. */
const SNIPPET = 2

/** @param address of the file in the language server */
export function languageOf(address: string, ask: AskLanguage): Extension {
  const textDocument = { uri: address }
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { pos, state, explicit } = context
    if (!explicit && !BEGINS.test(state.sliceDoc(Math.max(0, pos - 1), pos))) return null
    const list = await ask('textDocument/completion', { textDocument, position: positionAt(state.doc, pos) })
    if (list === null || list.items.length === 0) return null
    const [{ textEdit }] = list.items
    const range = textEdit !== undefined && 'range' in textEdit ? spanOf(state.doc, textEdit.range) : { from: pos, to: pos }
    // Nothing is kept for the next letter: the server ranks by what is written, and answers within milliseconds.
    return { ...range, options: list.items.map(completionOf) }
  }
  const help = async (view: EditorView, at: number): Promise<Tooltip | null> => {
    const { doc } = view.state
    const found = await ask('textDocument/hover', { textDocument, position: positionAt(doc, at) })
    if (found === null || view.state.doc !== doc) return null
    const { contents, range } = found
    const { from, to } = range === undefined ? { from: at, to: at } : spanOf(doc, range)
    const text = typeof contents === 'object' && 'value' in contents ? contents.value : ''
    return { pos: from, end: to, above: true, create: () => ({ dom: helpBox(text) }) }
  }
  return [
    autocompletion({ override: [complete], icons: false, activateOnCompletion: ({ type }) => type === 'tag' }),
    hoverTooltip(help, { hideOnChange: true }),
    ViewPlugin.define((view) => new Levels(view, (range) => ask('textDocument/inlayHint', { textDocument, range })), { decorations: ({ shown }) => shown }),
  ]
}

function completionOf({ label, detail, filterText, sortText, documentation, textEdit, insertTextFormat }: CompletionItem): Completion {
  const text = textEdit?.newText ?? label
  const isTemplate = insertTextFormat === SNIPPET
  return {
    // What is written is compared with the label.
    label: filterText ?? label,
    ...(filterText === undefined || filterText === label ? {} : { displayLabel: label }),
    ...(detail === undefined ? {} : { detail }),
    ...(sortText === undefined ? {} : { sortText }),
    // A tag may have values of which one is chosen next.
    type: isTemplate ? 'tag' : 'word',
    ...(documentation === undefined ? {} : { info: () => helpBox(typeof documentation === 'string' ? documentation : documentation.value) }),
    apply: isTemplate
      ? snippet(text.replace(CHOICE, '$${$1:$2}').replace(PLACE, '$${$1}'))
      : (view, completion, from, to) =>
          view.dispatch({
            changes: { from, to, insert: text },
            selection: { anchor: from + text.length },
            userEvent: 'input.complete',
            annotations: pickedCompletion.of(completion),
          }),
  }
}

function helpBox(text: string): HTMLElement {
  const box = renderMarkdown(text)
  box.classList.add('code-help')
  return box
}

/** The level behind each id of a rule that is named, in the lines that are seen. */
class Levels implements PluginValue {
  shown: DecorationSet = Decoration.none
  readonly #view: EditorView
  readonly #ask: (range: InlayRange) => Promise<InlayHint[] | null>
  #timer: ReturnType<typeof setTimeout> | null = null
  #isGone = false

  constructor(view: EditorView, ask: (range: InlayRange) => Promise<InlayHint[] | null>) {
    this.#view = view
    this.#ask = ask
    this.#later()
  }

  update({ docChanged, viewportChanged, changes }: ViewUpdate): void {
    if (docChanged) this.shown = this.shown.map(changes)
    if (docChanged || viewportChanged) this.#later()
  }

  destroy(): void {
    this.#isGone = true
    this.#cancel()
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #later(): void {
    this.#cancel()
    this.#timer = setTimeout(() => void this.#read(), HINTS_MS)
  }

  async #read(): Promise<void> {
    const view = this.#view
    const { doc } = view.state
    const { from, to } = view.viewport
    const hints = await this.#ask({ start: positionAt(doc, from), end: positionAt(doc, to) })
    // A newer text is asked about again.
    if (hints === null || this.#isGone || view.state.doc !== doc) return
    const marks = hints.map(({ position, label }) => Decoration.widget({ widget: new LevelHint(String(label)), side: 1 }).range(offsetAt(doc, position)))
    this.shown = Decoration.set(marks, true)
    view.dispatch({})
  }
}

interface InlayRange {
  readonly start: { readonly line: number; readonly character: number }
  readonly end: { readonly line: number; readonly character: number }
}

class LevelHint extends WidgetType {
  constructor(readonly label: string) {
    super()
  }

  override eq({ label }: LevelHint): boolean {
    return label === this.label
  }

  override toDOM(): HTMLElement {
    const box = document.createElement('span')
    box.className = 'level-hint'
    box.textContent = this.label
    return box
  }
}
