/**
 * The content with the texts that are open in the editor, compiled when somebody asks. Invariants:
 *  1. the result is that of `validate` on the same texts
 *  2. what did not change is not compiled again: the base, and in a large folder all files that load before the edited one
 *  3. documents outside of the folder see the folder, and change nothing in it
 */
import type { CompiledRuleset, Diagnostic, Locale, SourceFile } from '#engine'
import { compileLayer, ownDiagnostics } from '#engine'
import { areSame, IncrementalCompiler, isSameFile } from '#in-thread'
import type { CaseText, ComparedItem, ContentFolder, FolderFile, Measurement } from './content-folder.js'
import { ContentDocument } from './document.js'
import { NameIndex } from './name-index.js'
import { stepsWithProofs } from './proofs.js'

/** A text that is open in the editor. */
interface OpenText {
  /** As the client writes it. */
  readonly uri: string
  readonly text: string
  readonly languageId: string
}

/** Everything of one moment. It does not change, so what is computed from it is kept with it. */
export interface Snapshot {
  /** In load order of each kind. */
  readonly base: readonly ContentDocument[]
  readonly own: readonly ContentDocument[]
  /** Open documents outside of the folder. */
  readonly outside: readonly ContentDocument[]
  readonly names: NameIndex
  readonly byKey: ReadonlyMap<string, ContentDocument>
  /** The base with the own files. */
  ruleset(): CompiledRuleset
  /** Diagnostics that concern the author of a document, in document order. */
  diagnosticsOf(document: ContentDocument): readonly Diagnostic[]
  /** Looks for what needs a proof, with a pause after each rule. From then on `diagnosticsOf` has it. @returns whether there is any */
  prove(): Generator<void, boolean>
  /** The document of a file of the ruleset, such as that of a diagnostic. */
  documentOf(place: FilePlace): ContentDocument | undefined
}

type FilePlace = Pick<SourceFile, 'kind' | 'filename' | 'scope'>

export class Workspace {
  readonly #folder: ContentFolder
  readonly #open = new Map<string, OpenText>()
  #base: readonly FolderFile[] = []
  #own: readonly FolderFile[] = []
  #cases: readonly CaseText[] = []
  /** Documents by key, as long as their file is the same. */
  #documents = new Map<string, ContentDocument>()
  #snapshot: Snapshot | null = null
  #edited: string | null = null
  readonly #compiler = new IncrementalCompiler()
  #baseNames: { readonly of: readonly ContentDocument[]; readonly names: NameIndex } | null = null

  constructor(folder: ContentFolder) {
    this.#folder = folder
    this.reload()
  }

  /** Reads the folder again. */
  reload(): void {
    this.#base = reuse(this.#base, this.#folder.base())
    this.#own = reuse(this.#own, this.#folder.own())
    this.#cases = this.#folder.cases()
    this.#snapshot = null
  }

  get cases(): readonly CaseText[] {
    return this.#cases
  }

  open(uri: string, text: string, languageId: string): void {
    this.#open.set(keyOf(uri), { uri, text, languageId })
    this.#changed(uri)
  }

  change(uri: string, text: string): void {
    const open = this.#open.get(keyOf(uri))
    if (open === undefined) return
    this.#open.set(keyOf(uri), { ...open, text })
    this.#changed(uri)
  }

  close(uri: string): void {
    this.#open.delete(keyOf(uri))
    this.#changed(uri)
  }

  textOf(uri: string): string | undefined {
    return this.#open.get(keyOf(uri))?.text
  }

  document(uri: string): ContentDocument | undefined {
    return this.snapshot().byKey.get(keyOf(uri))
  }

  /** Null: there is nothing to say, or nobody can compare. */
  async compareWithHead(): Promise<readonly ComparedItem[] | null> {
    const { base, own } = this.snapshot()
    return (await this.#folder.compareWithHead?.(filesOf(base), filesOf(own))) ?? null
  }

  /** Null: it took too long, or nobody can measure. */
  async measureCases(rule: string, locale: Locale): Promise<Measurement | null> {
    const { base, own } = this.snapshot()
    return (await this.#folder.measureCases?.(filesOf(base), filesOf(own), this.#cases, rule, locale)) ?? null
  }

  get isMeasured(): boolean {
    return this.#folder.measureCases !== undefined
  }

  get isCompared(): boolean {
    return this.#folder.compareWithHead !== undefined
  }

  dispose(): void {
    this.#folder.close?.()
  }

  /** Where a new file of rules with this name belongs; null: nowhere. */
  uriOfNew(filename: string): string | null {
    return this.#folder.uriOfNew(filename)
  }

  /** Where a new file of cases with this name belongs; null: nowhere. */
  uriOfNewCases(filename: string): string | null {
    return this.#folder.uriOfNewCases?.(filename) ?? null
  }

  snapshot(): Snapshot {
    this.#snapshot ??= this.#take()
    return this.#snapshot
  }

  #changed(uri: string): void {
    this.#edited = keyOf(uri)
    this.#snapshot = null
  }

  #take(): Snapshot {
    const documents = new Map<string, ContentDocument>()
    const documentOf = ({ uri, file }: FolderFile): ContentDocument => {
      const key = keyOf(uri)
      const open = this.#open.get(key)
      const kind = open === undefined ? file.kind : (this.#folder.fileOf(uri, open.text, open.languageId)?.kind ?? file.kind)
      const current = open === undefined || (open.text === file.content && kind === file.kind) ? file : { ...file, kind, content: open.text }
      const shown = open?.uri ?? uri
      const before = this.#documents.get(key)
      const document = before !== undefined && before.uri === shown && isSameFile(before.file, current) ? before : new ContentDocument(shown, current)
      documents.set(key, document)
      return document
    }
    const base = this.#base.map(documentOf)
    const own = this.#own.map(documentOf)
    const outside: ContentDocument[] = []
    for (const [key, { uri, text, languageId }] of this.#open) {
      if (documents.has(key)) continue
      const file = this.#folder.fileOf(uri, text, languageId)
      if (file === null) continue
      // A file that is not saved yet belongs to the folder in which it will be.
      const document = documentOf({ uri, file })
      if (file.scope === 'adhoc') outside.push(document)
      else own.push(document)
    }
    this.#documents = documents
    if (this.#baseNames === null || !areSame(this.#baseNames.of, base)) this.#baseNames = { of: base, names: new NameIndex(base, null) }
    const names = new NameIndex([...own, ...outside], this.#baseNames.names)
    return this.#snapshotOf(base, own, outside, names, documents)
  }

  #snapshotOf(
    base: readonly ContentDocument[],
    own: readonly ContentDocument[],
    outside: readonly ContentDocument[],
    names: NameIndex,
    byKey: ReadonlyMap<string, ContentDocument>,
  ): Snapshot {
    const edited = this.#edited
    let ruleset: CompiledRuleset | null = null
    let grouped: ReadonlyMap<string, readonly Diagnostic[]> | null = null
    let places: ReadonlyMap<string, ContentDocument> | null = null
    const compile = (): CompiledRuleset => (ruleset ??= this.#compiler.compile(filesOf(base), filesOf(own), own.find(({ uri }) => keyOf(uri) === edited)?.file ?? null))
    const group = (ofMain?: readonly Diagnostic[]): ReadonlyMap<string, readonly Diagnostic[]> => {
      const main = compile()
      const found = new Map<string, Diagnostic[]>()
      const take = (diagnostics: readonly Diagnostic[]): void => {
        for (const diagnostic of diagnostics) {
          const key = placeKey(diagnostic)
          const list = found.get(key)
          if (list === undefined) found.set(key, [diagnostic])
          else list.push(diagnostic)
        }
      }
      // Those of the base are its author's, unless Wazuh does not start with it.
      take(ownDiagnostics(main, ofMain))
      if (outside.length > 0) take(compileLayer(main, filesOf(outside)).diagnostics.filter(({ scope }) => scope === 'adhoc'))
      return found
    }
    return {
      base,
      own,
      outside,
      names,
      byKey,
      ruleset: compile,
      diagnosticsOf: ({ file }) => (grouped ??= group()).get(placeKey(file)) ?? [],
      *prove() {
        const { diagnostics } = compile()
        const proven = yield* stepsWithProofs(compile())
        if (proven === diagnostics) return false
        grouped = group(proven)
        return true
      },
      documentOf: (place) => (places ??= new Map([...base, ...own, ...outside].map((document) => [placeKey(document.file), document]))).get(placeKey(place)),
    }
  }
}

/** Clients encode more or fewer characters of one address. */
function keyOf(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}

/** The files as they were, where they are equal, so that what was compiled from them is still theirs. */
function reuse(before: readonly FolderFile[], after: readonly FolderFile[]): readonly FolderFile[] {
  const known = new Map(before.map((one) => [one.uri, one]))
  return after.map((one) => {
    const old = known.get(one.uri)
    return old !== undefined && isSameFile(old.file, one.file) ? old : one
  })
}

function filesOf(documents: readonly ContentDocument[]): SourceFile[] {
  return documents.map(({ file }) => file)
}

function placeKey({ scope, kind, filename }: FilePlace): string {
  return `${scope} ${kind} ${filename}`
}
