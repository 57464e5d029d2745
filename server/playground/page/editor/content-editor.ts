/**
 * The editor of the content: one view, and for each file a state with its own history, place and selection. What a language server knows of a file (completion,
 * help, definitions) is one more extension, which `setLanguage` puts in.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { xml } from '@codemirror/lang-xml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorSelection, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import type { FixRecord } from '../../worker/protocol.js'
import type { EditedFile, StockFile } from '../model/state.js'
import { changeBetween } from '../model/text-change.js'
import type { Texts } from '../texts/index.js'
import { markDiagnostics, type Problem } from './diagnostics.js'
import { phrasesOf } from './phrases.js'
import { editorTheme } from './theme.js'

/** What a file in the editor is. */
export type OpenFile = Pick<EditedFile, 'kind' | 'filename'>

/** Extensions for a file, such as those of a client of the language server. */
export type LanguageOf = (file: OpenFile) => Extension

export interface ContentEditorEvents {
  readonly onChange: (id: number, content: string) => void
  readonly onFix: (file: EditedFile, fix: FixRecord) => void
}

export class ContentEditor {
  readonly view: EditorView
  readonly #events: ContentEditorEvents
  readonly #states = new Map<number, EditorState>()
  readonly #words = new Compartment()
  readonly #languageSlot = new Compartment()
  #language: LanguageOf = () => []
  #file: EditedFile | null = null
  #stock: StockFile | null = null
  /** Marks as they were set last. */
  #marked: readonly Problem[] | null = null
  /** Whether a change comes from outside of the view. */
  #isSetting = false

  constructor(parent: HTMLElement, events: ContentEditorEvents) {
    this.#events = events
    this.view = new EditorView({ parent, state: EditorState.create() })
  }

  /** Puts a language in every file. */
  setLanguage(language: LanguageOf): void {
    this.#language = language
    // Files that are not shown get it with a new state.
    this.#states.clear()
    const file = this.#file ?? this.#stock
    if (file !== null) this.view.dispatch({ effects: this.#languageSlot.reconfigure(language(file)) })
  }

  /** Shows a file that is edited. Its text may have changed outside of the view. @param isReadOnly it cannot be edited where it lives */
  show(file: EditedFile, texts: Texts, isReadOnly = false): void {
    if (this.#file?.id !== file.id) {
      this.#leave()
      this.#setState(this.#states.get(file.id) ?? this.#create(file, texts, isReadOnly))
      this.#marked = null
      this.setTexts(texts, texts.files.editor(file.filename))
    }
    this.#file = file
    this.#stock = null
    const change = changeBetween(this.view.state.doc.toString(), file.content)
    if (change !== null) {
      this.#isSetting = true
      this.view.dispatch({ changes: change, userEvent: 'input.replace' })
      this.#isSetting = false
    }
  }

  /** Shows a file of the base. It cannot be changed. */
  showStock(stock: StockFile, texts: Texts): void {
    if (this.#stock === stock) return
    this.#leave()
    this.#file = null
    this.#stock = stock
    this.#marked = null
    this.#setState(this.#create(stock, texts, true))
    const line = this.view.state.doc.line(Math.min(stock.line, this.view.state.doc.lines))
    this.#select(line.from, line.from)
  }

  /** @param problems of all files, as one object as long as they are the same */
  mark(problems: readonly Problem[], texts: Texts): void {
    const file = this.#file
    if (file === null || this.#marked === problems) return
    this.#marked = problems
    this.view.dispatch(markDiagnostics(this.view.state, problems, file, texts, (fix) => this.#events.onFix(file, fix)))
  }

  setTexts(texts: Texts, label: string): void {
    this.view.dispatch({ effects: this.#words.reconfigure(wordsOf(texts, label)) })
  }

  goTo(from: number, to: number): void {
    this.#select(from, to)
    this.view.focus()
  }

  #select(from: number, to: number): void {
    const { length } = this.view.state.doc
    const range = EditorSelection.range(Math.min(from, length), Math.min(to, length))
    this.view.dispatch({ selection: range, effects: EditorView.scrollIntoView(range, { y: 'center' }) })
  }

  #leave(): void {
    if (this.#file !== null) this.#states.set(this.#file.id, this.view.state)
  }

  #setState(state: EditorState): void {
    this.view.setState(state)
  }

  #create(file: OpenFile & { readonly content: string }, texts: Texts, isReadOnly: boolean): EditorState {
    return EditorState.create({
      doc: file.content,
      extensions: [
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        highlightSelectionMatches(),
        search({ top: true }),
        EditorState.allowMultipleSelections.of(true),
        EditorState.readOnly.of(isReadOnly),
        file.kind === 'lists' ? [] : xml(),
        this.#languageSlot.of(this.#language(file)),
        this.#words.of(wordsOf(texts, texts.files.editor(file.filename))),
        editorTheme,
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged || this.#isSetting || this.#file === null) return
          this.#events.onChange(this.#file.id, state.doc.toString())
        }),
      ],
    })
  }
}

function wordsOf(texts: Texts, label: string): Extension {
  return [EditorState.phrases.of(phrasesOf(texts)), EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })]
}
