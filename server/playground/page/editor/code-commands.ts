/** What people do with the code at the cursor, by keys and by the menu: go to what a name means, see its uses, rename it everywhere, format. */
import { type Extension, Prec, Text } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { type DocumentSymbol, type Location, type Range, SymbolKind, type TextEdit, type WorkspaceEdit } from 'vscode-languageserver-types'
import { addressOf, type FileAddress, readAddress } from '../../worker/addresses.js'
import { LanguageFault } from '../model/language.js'
import type { Playground } from '../model/playground.js'
import type { CodePlace, EditedFile } from '../model/state.js'
import type { Texts } from '../texts/index.js'
import { CODE_KEYS, type CodeCommand } from './code-keys.js'
import type { ContentEditor, EditorCursor } from './content-editor.js'
import { positionAt, spanOf } from './positions.js'

/** Units of an indentation. */
const INDENTATION = { tabSize: 2, insertSpaces: true } as const
/** Places that are listed; a person reads the first ones. */
const PLACES_LIMIT = 300

export class CodeCommands {
  readonly #page: Playground
  readonly #editor: ContentEditor
  /** Renamed ids by the step that did it: undoing it takes the expectations of cases back. */
  readonly #renamed = new Map<number, { readonly from: string; readonly to: string }>()

  constructor(page: Playground, editor: ContentEditor) {
    this.#page = page
    this.#editor = editor
  }

  get #texts(): Texts {
    return this.#page.texts
  }

  /** Keys, and a click with the key of commands. */
  extension(): Extension {
    const bindings = (Object.entries(CODE_KEYS) as [CodeCommand, string][]).map(([command, key]) => ({
      key,
      preventDefault: true,
      run: () => {
        void this.run(command)
        return true
      },
    }))
    return [
      Prec.high(keymap.of(bindings)),
      EditorView.clickAddsSelectionRange.of(({ altKey }) => altKey),
      EditorView.domEventHandlers({
        mousedown: (event, view) => {
          if (event.button !== 0 || !(event.ctrlKey || event.metaKey) || event.altKey) return false
          const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
          if (at === null) return false
          view.dispatch({ selection: { anchor: at } })
          void this.run('definition')
          return true
        },
      }),
    ]
  }

  /** Where the cursor is: characters before it. */
  get offset(): number {
    return this.#editor.view.state.selection.main.head
  }

  /** Does something at the cursor. What cannot be done is said. */
  async run(command: CodeCommand): Promise<void> {
    const cursor = this.#editor.cursor()
    if (cursor === null) return
    try {
      await this.#commands[command](cursor)
    } catch (error) {
      if (!(error instanceof LanguageFault)) throw error
      this.#page.notify(error.message, null)
    }
  }

  readonly #commands: Readonly<Record<CodeCommand, (cursor: EditorCursor) => void | Promise<void>>> = {
    outline: () => this.#page.store.update({ codeDialog: { kind: 'outline' } }),
    help: () => this.#editor.showHelp(),
    definition: async (cursor) => {
      const found = (await this.#page.askLanguage('textDocument/definition', at(cursor))) ?? []
      const elsewhere = found.filter((place) => !isHere(place, cursor))
      if (elsewhere.length === 1) this.open(readAddress(elsewhere[0].uri), elsewhere[0].range)
      else if (elsewhere.length > 1) await this.#list(this.#texts.code.definitions, elsewhere)
      // At a definition its uses are what one can go to.
      else if (found.length > 0) await this.#commands.uses(cursor)
      else this.#page.notify(this.#texts.code.noName, null)
    },
    uses: async (cursor) => {
      const found = await this.#page.askLanguage('textDocument/references', { ...at(cursor), context: { includeDeclaration: false } })
      if (found === null || found.length === 0) this.#page.notify(this.#texts.code.noUses, null)
      else await this.#list(this.#texts.code.usesTitle, found)
    },
    rename: async (cursor) => {
      const range = await this.#page.askLanguage('textDocument/prepareRename', at(cursor))
      if (range === null) return
      const { doc } = this.#editor.view.state
      const { from, to } = spanOf(doc, range)
      this.#page.store.update({ codeDialog: { kind: 'rename', name: doc.sliceString(from, to) } })
    },
    format: async ({ file }) => {
      if (this.#editor.view.state.readOnly) return this.#page.notify(this.#texts.code.readOnly, null)
      const edits = await this.#page.askLanguage('textDocument/formatting', { textDocument: { uri: addressOf(file) }, options: INDENTATION })
      if (edits === null || edits.length === 0) return this.#page.notify(this.#texts.code.notFormatted, null)
      this.#change(new Map([[addressOf(file), edits]]))
      this.#editor.view.focus()
    },
  }

  /** Renames the name at the cursor. @returns why it cannot be renamed; null: it is */
  async rename(name: string, written: string): Promise<string | null> {
    const cursor = this.#editor.cursor()
    const to = written.trim()
    if (cursor === null || to === name) return null
    try {
      const edit = await this.#page.askLanguage('textDocument/rename', { ...at(cursor), newName: to })
      if (edit === null) return this.#texts.code.noAnswer
      const edits = new Map(Object.entries(edit.changes ?? {}))
      const isReadOnly = [...edits.keys()].some((address) => this.#page.home.isReadOnly(this.#edited(address)?.id ?? 0))
      if (isReadOnly) return this.#texts.code.readOnly
      const step = this.#change(edits)
      const isId = /^\d+$/.test(name)
      if (isId) {
        this.#renamed.set(step, { from: name, to })
        this.#page.cases.renameExpected(name, to)
      }
      this.#page.notify(this.#texts.code.renamed(name, to, edits.size), () => {
        if (!this.#editor.undoStep(step)) this.#page.notify(this.#texts.code.changedSince, null)
      })
      return null
    } catch (error) {
      if (!(error instanceof LanguageFault)) throw error
      return error.message
    }
  }

  /** A step has been undone in the editor, or done again. */
  afterStep(step: number, isUndone: boolean): void {
    const renamed = this.#renamed.get(step)
    if (renamed === undefined) return
    if (isUndone) this.#page.cases.renameExpected(renamed.to, renamed.from)
    else this.#page.cases.renameExpected(renamed.from, renamed.to)
  }

  /** Copies a rule of the base that is shown into the own rules, with `overwrite`. @param line of the rule, from 1 */
  async override(id: string, line: number): Promise<void> {
    const cursor = this.#editor.cursor()
    if (cursor === null) return
    const { doc } = this.#editor.view.state
    const { from, text } = doc.line(line)
    const place = positionAt(doc, from + Math.max(0, text.indexOf(id)))
    const actions = await this.#page.askLanguage('textDocument/codeAction', {
      textDocument: { uri: addressOf(cursor.file) },
      range: { start: place, end: place },
      context: { diagnostics: [], only: ['refactor.rewrite'] },
    })
    const edit = actions?.[0]?.edit
    if (edit === undefined) return
    const [[address, edits]] = editsOf(edit)
    const written = edits
      .map(({ newText }) => newText)
      .join('')
      .trimStart()
    const target = this.#edited(address) ?? this.#page.store.state.files.find(({ id: file, kind }) => kind === 'rules' && !this.#page.home.isReadOnly(file))
    if (target === undefined) return this.#page.files.add('rules', written)
    const { content } = target
    const end = positionAt(textOf(target), textOf(target).length)
    const newText = (content.trim() === '' ? '' : content.endsWith('\n') ? '\n' : '\n\n') + written
    this.#editor.change(new Map([[target, [{ range: { start: end, end }, newText }]]]), this.#texts)
    const start = { line: end.line + newText.length - newText.trimStart().length, character: 0 }
    this.open({ ...target, isBase: false }, { start, end: start })
  }

  open(file: FileAddress, range: Range): void {
    const edited = this.#edited(addressOf(file))
    if (edited === undefined) return void this.#page.files.openBase(file.kind, file.filename, range.start.line + 1)
    const { from, to } = spanOf(textOf(edited), range)
    this.#page.files.goTo(edited.id, from, to)
  }

  /** Rules and decoders: those of the file that is shown, or of all files those whose id, name or description has every word. */
  async search(query: string): Promise<readonly CodePlace[]> {
    const cursor = this.#editor.cursor()
    if (cursor === null) return []
    if (query.trim() === '') return this.#symbols(addressOf(cursor.file))
    const found = (await this.#page.askLanguage('workspace/symbol', { query })) ?? []
    return found.slice(0, PLACES_LIMIT).flatMap(({ name, kind, location }) => {
      if (!('range' in location)) return []
      // A rule has its id and its description.
      const [id, ...description] = kind === SymbolKind.Function ? name.split(' ') : [name]
      return [{ file: readAddress(location.uri), range: location.range, name: id, detail: description.join(' ') }]
    })
  }

  async #symbols(address: string): Promise<CodePlace[]> {
    const file = readAddress(address)
    const found = (await this.#page.askLanguage('textDocument/documentSymbol', { textDocument: { uri: address } })) ?? []
    return flat(found).map(({ name, detail = '', selectionRange }) => ({ file, range: selectionRange, name, detail }))
  }

  /** Lists places by the rule or decoder around each. */
  async #list(title: string, locations: readonly Location[]): Promise<void> {
    const shown = locations.slice(0, PLACES_LIMIT)
    const addresses = [...new Set(shown.map(({ uri }) => uri))]
    const symbols = new Map(
      await Promise.all(addresses.map(async (uri) => [uri, flat((await this.#page.askLanguage('textDocument/documentSymbol', { textDocument: { uri } })) ?? [])] as const)),
    )
    const places = shown.map(({ uri, range }): CodePlace => {
      const around = symbols.get(uri)?.find((symbol) => symbol.range.start.line <= range.start.line && range.start.line <= symbol.range.end.line)
      return { file: readAddress(uri), range, name: around?.name ?? '', detail: around?.detail ?? '' }
    })
    this.#page.store.update({ codeDialog: { kind: 'places', title, places } })
  }

  #edited(address: string): EditedFile | undefined {
    return this.#page.store.state.files.find((file) => addressOf({ ...file, isBase: false }) === address)
  }

  #change(edits: ReadonlyMap<string, readonly TextEdit[]>): number {
    const files = new Map<EditedFile, readonly TextEdit[]>()
    for (const [address, changes] of edits) {
      const file = this.#edited(address)
      if (file !== undefined) files.set(file, changes)
    }
    return this.#editor.change(files, this.#texts)
  }
}

function at({ file, position }: EditorCursor): { textDocument: { uri: string }; position: EditorCursor['position'] } {
  return { textDocument: { uri: addressOf(file) }, position }
}

function isHere({ uri, range: { start, end } }: Location, { file, position: { line, character } }: EditorCursor): boolean {
  return uri === addressOf(file) && start.line === line && start.character <= character && character <= end.character
}

function flat(symbols: readonly DocumentSymbol[]): DocumentSymbol[] {
  return symbols.flatMap((symbol) => (symbol.kind === SymbolKind.Namespace ? flat(symbol.children ?? []) : [symbol]))
}

function editsOf({ changes = {}, documentChanges = [] }: WorkspaceEdit): [string, TextEdit[]][] {
  const created = documentChanges.flatMap((change): [string, TextEdit[]][] => ('edits' in change ? [[change.textDocument.uri, change.edits as TextEdit[]]] : []))
  return [...Object.entries(changes), ...created]
}

function textOf({ content }: EditedFile): Text {
  return Text.of(content.split(/\r\n?|\n/))
}
