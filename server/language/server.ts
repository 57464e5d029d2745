/**
 * The language server: documents, and an answer to each message. It knows no transport and no file system, so that it runs in a page as well; `connect.ts` joins
 * it to a connection. Invariants:
 *  1. every request on any text is answered; nothing throws because of a text
 *  2. only diagnostics need a compilation; everything else answers from the texts
 *  3. diagnostics are those of the newest texts: a change postpones them, and a compilation begins when there was none for a moment. Those that need a proof follow later
 */
import { type Locale, LOCALES, type Moment } from '#engine'
import { now } from '#in-thread'
import type { InitializeParams, ServerCapabilities } from 'vscode-languageserver-protocol'
import { CodeActionKind, type Diagnostic, type Position } from 'vscode-languageserver-types'
import type { ContentFolder } from './content/content-folder.js'
import type { ContentDocument } from './content/document.js'
import { type Snapshot, Workspace } from './content/workspace.js'
import { CaseLenses, inlayHints, type LensData } from './features/annotations.js'
import { CaseScores, MEASURE_ACTION, MEASURE_CASES, type MeasuredRule } from './features/case-scores.js'
import { codeActions, FIX_ALL } from './features/code-actions.js'
import { complete } from './features/completion.js'
import { DetectionChanges } from './features/detection-changes.js'
import { lspDiagnostics } from './features/diagnostics.js'
import { format } from './features/format.js'
import { hover } from './features/hover.js'
import { definitions, highlights, prepareRename, references, rename } from './features/navigation.js'
import { documentSymbols, foldingRanges, selectionRanges, semanticTokens, TOKEN_TYPES, workspaceSymbols } from './features/structure.js'
import type { Client, NotificationHandlers, RequestHandlers } from './protocol.js'
import { Positions } from './text/positions.js'

/** Milliseconds without a change before diagnostics are computed: shorter than a pause between two words, longer than one between two letters. */
const SETTLE_MS = 60

/** The same for what needs a proof. It is looked for in slices, between which messages are answered. */
const PROVE_SETTLE_MS = 400
const PROVE_SLICE_MS = 20

/** The same for the comparison with the last commit, which another thread makes: it takes a second, and nobody waits for it. */
const COMPARE_SETTLE_MS = 1000

/** Characters behind which the client asks for completion by itself. */
const TRIGGERS = ['<', '/', ' ', '"', "'", '=', '>', ',', '(', '|']

/** `FullDocument`, `UTF-16` and so on of the protocol, as far as they are numbers there. */
const INCREMENTAL = 2
const WARNING = 2
const INFO = 3

export interface LanguageServerOptions {
  readonly version: string
  /** Null: the client's language, or English. */
  readonly locale: Locale | null
  /** The folder, when the client has said which one. @param root URI of the client's folder; null: it has none */
  readonly openFolder: (root: string | null, settings: unknown) => ContentFolder
  /** The clock, which cases need. */
  readonly moment: () => Moment
  /** The address of the page about a code; null: there is none. */
  readonly helpOf: (code: string) => string | null
  /** Whether a hover has the pages of the diagnostics at its place, which need a compilation. */
  readonly hoversPages: boolean
  /** Called for `exit`. @param isOrderly whether `shutdown` came before */
  readonly onExit: (isOrderly: boolean) => void
}

/** The abilities of the client. */
interface ClientAbilities {
  readonly locale: Locale
  readonly snippets: boolean
  readonly pullsDiagnostics: boolean
  readonly refreshesDiagnostics: boolean
  readonly watchesFiles: boolean
  readonly createsFiles: boolean
  readonly renamesFiles: boolean
  readonly refreshesLenses: boolean
}

const UNKNOWN_CLIENT: ClientAbilities = {
  locale: 'en-US',
  snippets: false,
  pullsDiagnostics: false,
  refreshesDiagnostics: false,
  watchesFiles: false,
  createsFiles: false,
  renamesFiles: false,
  refreshesLenses: false,
}

export class LanguageServer {
  readonly #options: LanguageServerOptions
  readonly #client: Client
  readonly #lenses: CaseLenses
  readonly #scores = new CaseScores()
  #workspace: Workspace | null = null
  #abilities = UNKNOWN_CLIENT
  #settling: ReturnType<typeof setTimeout> | null = null
  #proving: ReturnType<typeof setTimeout> | null = null
  #comparing: ReturnType<typeof setTimeout> | null = null
  /** Since the last commit; null: not compared. They stay until the next comparison has ended. */
  #changes: DetectionChanges | null = null
  #comparisons = 0
  /** The one whose diagnostics somebody has got. */
  #diagnosed: Snapshot | null = null
  /** The last published diagnostics, as JSON, by URI. */
  readonly #published = new Map<string, string>()
  #isShutDown = false

  constructor(client: Client, options: LanguageServerOptions) {
    this.#client = client
    this.#options = options
    this.#lenses = new CaseLenses(options.moment)
  }

  readonly requests: RequestHandlers = {
    initialize: (params) => {
      this.#abilities = readAbilities(params, this.#options.locale)
      const root = params.workspaceFolders?.[0]?.uri ?? params.rootUri ?? null
      this.#workspace = new Workspace(this.#options.openFolder(root, params.initializationOptions))
      return { capabilities: this.#capabilities(), serverInfo: { name: 'detection-content', version: this.#options.version } }
    },
    shutdown: () => {
      this.#isShutDown = true
      this.#cancel()
      this.#workspace?.dispose()
      return null
    },
    'textDocument/completion': ({ textDocument, position }) =>
      this.#at(textDocument.uri, position, null, (document, offset, workspace) =>
        complete(workspace.snapshot(), document, offset, { locale: this.#abilities.locale, snippets: this.#abilities.snippets }),
      ),
    'textDocument/hover': ({ textDocument, position }) =>
      this.#at(textDocument.uri, position, null, (document, offset, workspace) =>
        hover(workspace.snapshot(), document, offset, this.#abilities.locale, this.#options.hoversPages, (rule) => this.#notesOn(workspace, rule)),
      ),
    'textDocument/definition': ({ textDocument, position }) =>
      this.#at(textDocument.uri, position, [], (document, offset, workspace) => definitions(workspace.snapshot(), document, offset)),
    'textDocument/references': ({ textDocument, position, context }) =>
      this.#at(textDocument.uri, position, [], (document, offset, workspace) => references(workspace.snapshot(), document, offset, context?.includeDeclaration === true)),
    'textDocument/documentHighlight': ({ textDocument, position }) =>
      this.#at(textDocument.uri, position, [], (document, offset) => highlights(document, offset).map((range) => ({ range }))),
    'textDocument/prepareRename': ({ textDocument, position }) =>
      this.#at(textDocument.uri, position, null, (document, offset, workspace) => prepareRename(workspace.snapshot(), document, offset, this.#abilities.locale)),
    'textDocument/rename': ({ textDocument, position, newName }) =>
      this.#at(textDocument.uri, position, null, (document, offset, workspace) => rename(workspace.snapshot(), document, offset, newName, workspace.cases, this.#abilities.locale)),
    'textDocument/documentSymbol': ({ textDocument }) => this.#in(textDocument.uri, [], documentSymbols),
    'textDocument/foldingRange': ({ textDocument }) => this.#in(textDocument.uri, [], foldingRanges),
    'textDocument/selectionRange': ({ textDocument, positions }) =>
      this.#in(textDocument.uri, [], (document) =>
        positions.map((position) => {
          const outer = { range: document.positions.range(0, document.text.length) }
          return selectionRanges(document, document.positions.offsetAt(position)).reduce((parent, range) => ({ range, parent }), outer)
        }),
      ),
    'textDocument/semanticTokens/full': ({ textDocument }) => this.#in(textDocument.uri, { data: [] }, (document) => ({ data: semanticTokens(document) })),
    'textDocument/semanticTokens/range': ({ textDocument, range }) =>
      this.#in(textDocument.uri, { data: [] }, (document) => ({
        data: semanticTokens(document, document.positions.offsetAt(range.start), document.positions.offsetAt(range.end)),
      })),
    'textDocument/formatting': ({ textDocument, options }) => this.#in(textDocument.uri, [], (document) => format(document, options)),
    'textDocument/codeAction': ({ textDocument, range, context }) =>
      this.#in(textDocument.uri, [], (document, workspace) => {
        const { locale, createsFiles, renamesFiles } = this.#abilities
        const snapshot = workspace.snapshot()
        return codeActions({
          snapshot,
          workspace,
          document,
          range,
          only: context.only ?? null,
          canCreate: createsFiles,
          canRename: renamesFiles,
          locale,
          helpOf: this.#options.helpOf,
          scores: workspace.isMeasured ? this.#scores : null,
        })
      }),
    'textDocument/codeLens': ({ textDocument }) =>
      this.#in(textDocument.uri, [], (document, workspace) => [
        ...(this.#changes?.lenses(document, this.#abilities.locale) ?? []),
        ...this.#lenses.lenses(document, workspace.cases),
        ...(workspace.isMeasured ? this.#scores.lenses(document, workspace.cases, (id) => this.#lenses.hasCases(workspace.cases, id), this.#abilities.locale) : []),
      ]),
    'codeLens/resolve': (lens) => {
      const workspace = this.#workspace
      const { id } = (lens.data ?? {}) as Partial<LensData>
      if (workspace === null || typeof id !== 'string') return lens
      return { ...lens, command: { title: this.#lenses.title(workspace.snapshot(), workspace.cases, id, this.#abilities.locale), command: '' } }
    },
    'textDocument/inlayHint': ({ textDocument, range }) =>
      this.#in(textDocument.uri, [], (document, workspace) =>
        inlayHints(workspace.snapshot(), document, document.positions.offsetAt(range.start), document.positions.offsetAt(range.end), this.#abilities.locale),
      ),
    'textDocument/diagnostic': ({ textDocument }) => ({
      kind: 'full',
      items: this.#in<Diagnostic[]>(textDocument.uri, [], (document, workspace) => this.#diagnosticsOf(workspace, document)),
    }),
    'workspace/diagnostic': () => {
      const workspace = this.#workspace
      if (workspace === null) return { items: [] }
      const { own } = workspace.snapshot()
      return { items: own.map((document) => ({ kind: 'full', uri: document.uri, version: null, items: this.#diagnosticsOf(workspace, document) })) }
    },
    'workspace/executeCommand': async ({ command, arguments: [measured] = [] }) => {
      const workspace = this.#workspace
      const { uri, rule } = (measured ?? {}) as Partial<MeasuredRule>
      if (command !== MEASURE_CASES || workspace === null || typeof uri !== 'string' || typeof rule !== 'string') return null
      const tell = (message: string, isWarning: boolean): void => this.#client.notify('window/showMessage', { type: isWarning ? WARNING : INFO, message })
      return this.#scores.measure(workspace, { uri, rule }, this.#abilities.locale, tell, () => this.#refreshLenses())
    },
    'workspace/symbol': ({ query }) => (this.#workspace === null ? [] : workspaceSymbols(this.#workspace.snapshot(), query)),
  }

  readonly notifications: NotificationHandlers = {
    initialized: () => {
      if (this.#abilities.watchesFiles) {
        const watchers = ['**/*.xml', '**/lists/**', '**/*.ini', '**/*.json'].map((globPattern) => ({ globPattern }))
        const registration = { id: 'watch', method: 'workspace/didChangeWatchedFiles', registerOptions: { watchers } }
        // A client that refuses it does not report changes.
        this.#client.request('client/registerCapability', { registrations: [registration] }).catch(() => {})
      }
      this.#changed()
    },
    exit: () => this.#options.onExit(this.#isShutDown),
    'textDocument/didOpen': ({ textDocument: { uri, text, languageId } }) => {
      this.#workspace?.open(uri, text, languageId)
      this.#changed()
    },
    'textDocument/didChange': ({ textDocument: { uri }, contentChanges }) => {
      const before = this.#workspace?.textOf(uri)
      if (before === undefined) return
      let text = before
      for (const change of contentChanges) {
        if (!('range' in change)) {
          text = change.text
          continue
        }
        const positions = new Positions(text)
        text = text.slice(0, positions.offsetAt(change.range.start)) + change.text + text.slice(positions.offsetAt(change.range.end))
      }
      this.#workspace?.change(uri, text)
      this.#changed()
    },
    'textDocument/didSave': () => this.#reload(),
    'textDocument/didClose': ({ textDocument: { uri } }) => {
      this.#workspace?.close(uri)
      this.#changed()
    },
    'workspace/didChangeWatchedFiles': () => this.#reload(),
    'workspace/didChangeConfiguration': () => {},
    '$/setTrace': () => {},
  }

  #capabilities(): ServerCapabilities {
    const isMeasured = this.#workspace?.isMeasured === true
    return {
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: true, change: INCREMENTAL, save: true },
      completionProvider: { triggerCharacters: TRIGGERS },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      documentHighlightProvider: true,
      renameProvider: { prepareProvider: true },
      documentSymbolProvider: true,
      workspaceSymbolProvider: true,
      foldingRangeProvider: true,
      selectionRangeProvider: true,
      semanticTokensProvider: { legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [] }, full: true, range: true },
      documentFormattingProvider: true,
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite, FIX_ALL, ...(isMeasured ? [MEASURE_ACTION] : [])] },
      ...(isMeasured ? { executeCommandProvider: { commands: [MEASURE_CASES] } } : {}),
      codeLensProvider: { resolveProvider: true },
      inlayHintProvider: true,
      ...(this.#abilities.pullsDiagnostics ? { diagnosticProvider: { identifier: 'detection-content', interFileDependencies: true, workspaceDiagnostics: true } } : {}),
    }
  }

  #in<T>(uri: string, otherwise: T, answer: (document: ContentDocument, workspace: Workspace) => T): T {
    const document = this.#workspace?.document(uri)
    return document === undefined || this.#workspace === null ? otherwise : answer(document, this.#workspace)
  }

  #at<T>(uri: string, position: Position, otherwise: T, answer: (document: ContentDocument, offset: number, workspace: Workspace) => T): T {
    return this.#in(uri, otherwise, (document, workspace) => answer(document, document.positions.offsetAt(position), workspace))
  }

  #diagnosticsOf(workspace: Workspace, document: ContentDocument): Diagnostic[] {
    this.#diagnosed = workspace.snapshot()
    return lspDiagnostics(this.#diagnosed, document, this.#abilities.locale, this.#options.helpOf)
  }

  #reload(): void {
    this.#workspace?.reload()
    this.#changed()
  }

  #cancel(): void {
    for (const timer of [this.#settling, this.#proving, this.#comparing]) if (timer !== null) clearTimeout(timer)
    this.#settling = null
    this.#proving = null
    this.#comparing = null
  }

  #changed(): void {
    this.#cancel()
    if (this.#isShutDown) return
    this.#settling = setTimeout(() => {
      this.#settling = null
      this.#publish()
    }, SETTLE_MS)
    this.#proving = setTimeout(() => this.#prove(null), PROVE_SETTLE_MS)
    if (this.#workspace?.isCompared === true) {
      this.#comparing = setTimeout(() => {
        this.#comparing = null
        void this.#compare()
      }, COMPARE_SETTLE_MS)
    }
  }

  /** Looks for what needs a proof, as long as nothing changes, and shows it. Nothing is compiled for a client that has not asked for diagnostics. @param begun null: it begins */
  #prove(begun: Generator<void, boolean> | null): void {
    this.#proving = null
    const snapshot = this.#workspace?.snapshot()
    if (snapshot === undefined || snapshot !== this.#diagnosed) return
    const steps = begun ?? snapshot.prove()
    const sliceEnd = now() + PROVE_SLICE_MS
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value ? this.#sendDiagnostics() : undefined
      if (now() < sliceEnd) continue
      this.#proving = setTimeout(() => this.#prove(steps))
      return
    }
  }

  /** Finds what the changes since the last commit do, and shows it. */
  async #compare(): Promise<void> {
    const workspace = this.#workspace
    if (workspace === null) return
    const turn = ++this.#comparisons
    const records = await workspace.compareWithHead().catch(() => null)
    // A newer comparison has begun, or is about to.
    if (this.#isShutDown || turn !== this.#comparisons || this.#comparing !== null) return
    this.#changes = records === null ? null : new DetectionChanges(records)
    this.#refreshLenses()
  }

  /** What is known of a rule beside what its text says. */
  #notesOn(workspace: Workspace, rule: string): readonly string[] {
    const { locale } = this.#abilities
    return [this.#changes?.describe(rule, locale) ?? null, this.#scores.describe(workspace, rule, locale)].filter((note) => note !== null)
  }

  #refreshLenses(): void {
    if (this.#abilities.refreshesLenses) this.#client.request('workspace/codeLens/refresh', undefined).catch(() => {})
  }

  #publish(): void {
    if (this.#workspace === null || this.#isShutDown) return
    this.#refreshLenses()
    this.#sendDiagnostics()
  }

  /** Sends the diagnostics that have changed, or asks a client that pulls them to do so. */
  #sendDiagnostics(): void {
    const workspace = this.#workspace
    if (workspace === null) return
    const { pullsDiagnostics, refreshesDiagnostics } = this.#abilities
    if (pullsDiagnostics) {
      if (refreshesDiagnostics) this.#client.request('workspace/diagnostic/refresh', undefined).catch(() => {})
      return
    }
    const { base, own, outside } = workspace.snapshot()
    const current = new Set<string>()
    for (const document of [...base, ...own, ...outside]) {
      const diagnostics = this.#diagnosticsOf(workspace, document)
      if (diagnostics.length === 0) continue
      current.add(document.uri)
      this.#send(document.uri, diagnostics)
    }
    for (const uri of [...this.#published.keys()]) if (!current.has(uri)) this.#send(uri, [])
  }

  #send(uri: string, diagnostics: readonly Diagnostic[]): void {
    const text = JSON.stringify(diagnostics)
    if ((this.#published.get(uri) ?? '[]') === text) return
    if (diagnostics.length === 0) this.#published.delete(uri)
    else this.#published.set(uri, text)
    this.#client.notify('textDocument/publishDiagnostics', { uri, diagnostics })
  }
}

function readAbilities({ capabilities, locale }: InitializeParams, chosen: Locale | null): ClientAbilities {
  const { textDocument, workspace } = capabilities
  const changesFiles = (operation: 'create' | 'rename'): boolean =>
    workspace?.workspaceEdit?.documentChanges === true && workspace.workspaceEdit.resourceOperations?.includes(operation) === true
  return {
    locale: chosen ?? localeOf(locale),
    snippets: textDocument?.completion?.completionItem?.snippetSupport === true,
    pullsDiagnostics: textDocument?.diagnostic !== undefined,
    refreshesDiagnostics: workspace?.diagnostics?.refreshSupport === true,
    watchesFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    createsFiles: changesFiles('create'),
    renamesFiles: changesFiles('rename'),
    refreshesLenses: workspace?.codeLens?.refreshSupport === true,
  }
}

/** The language of the texts for a tag such as `pt-br`. */
function localeOf(tag: string | undefined): Locale {
  const language = tag?.toLowerCase().split(/[-_]/)[0]
  return LOCALES.find((locale) => locale.split('-')[0] === language) ?? 'en-US'
}
