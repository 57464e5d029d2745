/**
 * The editor of the content: one view, and for each file a state with its own history, place and selection. What the language server knows of a file (completion,
 * help, levels) is one more extension, which `setLanguage` puts in. Invariant: a change of several files is one step of the histories of all of them, so that undoing
 * it in one file undoes it in the others, unless they have changed since.
 */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab, invertedEffects, isolateHistory, redo, undo } from '@codemirror/commands'
import { xml } from '@codemirror/lang-xml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorSelection, EditorState, type Extension, StateEffect, type Transaction } from '@codemirror/state'
import { activateHover, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import type { Position, TextEdit } from 'vscode-languageserver-types'
import type { FileAddress } from '../../worker/addresses.js'
import type { FixRecord } from '../../worker/protocol.js'
import type { EditedFile, StockFile } from '../model/state.js'
import { changeBetween } from '../model/text-change.js'
import type { Texts } from '../texts/index.js'
import { markDiagnostics } from './diagnostics.js'
import { phrasesOf } from './phrases.js'
import { positionAt, spanOf } from './positions.js'
import type { Problem } from './problems.js'
import { editorTheme } from './theme.js'

/** Extensions for a file, such as those of a client of the language server. */
export type LanguageOf = (file: FileAddress) => Extension

export interface ContentEditorEvents {
  /** @param contents new texts by id of their file */
  readonly onChange: (contents: ReadonlyMap<number, string>) => void
  readonly onFix: (file: EditedFile, fix: FixRecord) => void
  /** A step of several files has been undone, or done again. */
  readonly onStep: (step: number, isUndone: boolean) => void
  /** Asked for the page about a diagnostic. */
  readonly onExplain: (code: string) => void
  /** The text of a file in the page; null: there is no such file any more. */
  readonly contentOf: (id: number) => string | null
}

/** Pixels between the cursor and the edge. */
const MARGIN = 24

/** Marks a change as a part of a step that several files share. */
const sharedStep = StateEffect.define<number>()
let lastStep = 0

function hasStep({ effects }: Transaction, step: number): boolean {
  return effects.some((effect) => effect.is(sharedStep) && effect.value === step)
}

/** Where the cursor is. */
export interface EditorCursor {
  readonly file: FileAddress
  readonly position: Position
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
  /** Height of the visible part, in pixels. */
  #height = 0
  readonly #resized = new ResizeObserver(() => this.#keepCursor())
  /** Whether a change comes from outside of the view. */
  #isSetting = false

  constructor(parent: HTMLElement, events: ContentEditorEvents) {
    this.#events = events
    this.view = new EditorView({ parent, state: EditorState.create() })
    this.#resized.observe(this.view.scrollDOM)
  }

  destroy(): void {
    this.#resized.disconnect()
    this.view.destroy()
  }

  /** The list of problems takes its room from the editor while one types: the cursor stays in sight. */
  #keepCursor(): void {
    const { scrollDOM, state, hasFocus } = this.view
    const { clientHeight: height, scrollTop } = scrollDOM
    const before = this.#height
    this.#height = height
    if (!hasFocus || height >= before) return
    const { top, bottom } = this.view.lineBlockAt(state.selection.main.head)
    if (top < scrollTop + before && bottom > scrollTop + height - MARGIN) {
      this.view.dispatch({ effects: EditorView.scrollIntoView(state.selection.main, { y: 'nearest', yMargin: MARGIN }) })
    }
  }

  /** Puts a language in every file. */
  setLanguage(language: LanguageOf): void {
    this.#language = language
    this.#applyLanguage()
  }

  /** Files that are not shown get their language when they are. */
  #applyLanguage(): void {
    const file = this.#address()
    if (file !== null) this.view.dispatch({ effects: this.#languageSlot.reconfigure(this.#language(file)) })
  }

  #address(): FileAddress | null {
    const file = this.#file ?? this.#stock
    return file === null ? null : { kind: file.kind, filename: file.filename, isBase: this.#file === null }
  }

  /** Null: no file is shown. */
  cursor(): EditorCursor | null {
    const file = this.#address()
    return file === null ? null : { file, position: positionAt(this.view.state.doc, this.view.state.selection.main.head) }
  }

  /** Shows the help that is shown under the pointer, at the cursor. */
  showHelp(): void {
    activateHover(this.view, this.view.state.selection.main.head, 1)
    this.view.focus()
  }

  /** Changes files as one step. @returns the step, for `undoStep` */
  change(edits: ReadonlyMap<EditedFile, readonly TextEdit[]>, texts: Texts): number {
    const step = ++lastStep
    const contents = new Map<number, string>()
    for (const [file, changes] of edits) {
      const state = this.#currentState(file, texts)
      const transaction = state.update({
        changes: changes.map(({ range, newText }) => ({ ...spanOf(state.doc, range), insert: newText })),
        effects: sharedStep.of(step),
        annotations: isolateHistory.of('full'),
        userEvent: 'input.replace',
      })
      this.#put(file.id, transaction, contents)
    }
    this.#events.onChange(contents)
    return step
  }

  /** Undoes a step in each file in which nothing has changed since. @returns whether there was one */
  undoStep(step: number): boolean {
    const isUndone = this.#repeat(undo, step, null)
    if (isUndone) this.#events.onStep(step, true)
    return isUndone
  }

  /** Undoes or does again a step where it is the newest one. @param except id of a file that has done it @returns whether there was a file */
  #repeat(command: typeof undo, step: number, except: number | null): boolean {
    const contents = new Map<number, string>()
    for (const id of new Set([...this.#states.keys(), ...(this.#file === null ? [] : [this.#file.id])])) {
      if (id === except) continue
      const state = this.#file?.id === id ? this.view.state : (this.#states.get(id) as EditorState)
      if (state.doc.toString() !== this.#events.contentOf(id)) continue
      const dispatch = (transaction: Transaction): void => {
        if (hasStep(transaction, step)) this.#put(id, transaction, contents)
      }
      command({ state, dispatch })
    }
    if (contents.size > 0) this.#events.onChange(contents)
    return contents.size > 0
  }

  #put(id: number, transaction: Transaction, contents: Map<number, string>): void {
    contents.set(id, transaction.newDoc.toString())
    if (this.#file?.id === id) this.#dispatchOnly(transaction)
    else this.#states.set(id, transaction.state)
  }

  /** Changes the view without telling of it. */
  #dispatchOnly(transaction: Transaction): void {
    this.#isSetting = true
    this.view.dispatch(transaction)
    this.#isSetting = false
  }

  /** The state of a file with the text that the page has. */
  #currentState(file: EditedFile, texts: Texts): EditorState {
    if (this.#file?.id === file.id) return this.view.state
    const state = this.#states.get(file.id) ?? this.#create(file, texts, false)
    const change = changeBetween(state.doc.toString(), file.content)
    return change === null ? state : state.update({ changes: change }).state
  }

  /** Shows a file that is edited. Its text may have changed outside of the view. @param isReadOnly it cannot be edited where it lives */
  show(file: EditedFile, texts: Texts, isReadOnly = false): void {
    if (this.#file?.id !== file.id) {
      this.#leave()
      this.#setState(this.#states.get(file.id) ?? this.#create(file, texts, isReadOnly))
      this.#marked = null
      this.setTexts(texts, texts.files.editor(file.filename))
    }
    const isNew = this.#file?.id !== file.id || this.#file.filename !== file.filename
    this.#file = file
    this.#stock = null
    const change = changeBetween(this.view.state.doc.toString(), file.content)
    if (change !== null) this.#dispatchOnly(this.view.state.update({ changes: change, userEvent: 'input.replace' }))
    if (isNew) this.#applyLanguage()
  }

  /** Shows a file of the base. It cannot be changed. */
  showStock(stock: StockFile, texts: Texts): void {
    if (this.#stock === stock) return
    this.#leave()
    this.#file = null
    this.#stock = stock
    this.#marked = null
    this.#setState(this.#create(stock, texts, true))
    this.#applyLanguage()
    const line = this.view.state.doc.line(Math.min(stock.line, this.view.state.doc.lines))
    this.#select(line.from, line.from)
  }

  /** @param problems of all files, as one object as long as they are the same */
  mark(problems: readonly Problem[], texts: Texts): void {
    const file = this.#file
    if (file === null || this.#marked === problems) return
    this.#marked = problems
    const { onFix, onExplain } = this.#events
    this.view.dispatch(markDiagnostics(this.view.state, problems, file, texts, { onFix: (fix) => onFix(file, fix), onExplain }))
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

  #create(file: Pick<EditedFile, 'kind' | 'filename' | 'content'>, texts: Texts, isReadOnly: boolean): EditorState {
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
        highlightSelectionMatches(),
        search({ top: true }),
        EditorState.allowMultipleSelections.of(true),
        EditorState.readOnly.of(isReadOnly),
        file.kind === 'lists' ? [] : xml(),
        this.#languageSlot.of([]),
        invertedEffects.of(({ effects }) => effects.filter((effect) => effect.is(sharedStep))),
        this.#words.of(wordsOf(texts, texts.files.editor(file.filename))),
        editorTheme,
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (!docChanged || this.#isSetting || this.#file === null) return
          const { id } = this.#file
          this.#events.onChange(new Map([[id, state.doc.toString()]]))
          for (const transaction of transactions) {
            const isUndone = transaction.isUserEvent('undo')
            for (const effect of transaction.effects) {
              if (!effect.is(sharedStep)) continue
              this.#repeat(isUndone ? undo : redo, effect.value, id)
              this.#events.onStep(effect.value, isUndone)
            }
          }
        }),
      ],
    })
  }
}

function wordsOf(texts: Texts, label: string): Extension {
  return [EditorState.phrases.of(phrasesOf(texts)), EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })]
}
