/**
 * The language server of the page. It is a chunk of its own, loaded when the page asks for the first time, and its methods are called: messages of JSON-RPC in a
 * worker that has messages already would be a protocol inside of a protocol. It compiles nothing, because diagnostics are the engine's.
 */
import type { Locale, SourceFile } from '#engine'
import { areSame, momentNow } from '#in-thread'
import type { CaseText, ContentFolder, FolderFile } from '../../language/index.js'
import { NotRenamed } from '../../language/features/navigation.js'
import { LanguageServer } from '../../language/server.js'
import { addressOf } from './addresses.js'
import type { ContentFile, LanguageAnswer, LanguageMethod, LanguageRequest } from './protocol.js'

export class PageLanguage {
  readonly #folder = new PageFolder()
  #server: LanguageServer | null = null
  #locale: Locale | null = null

  /** @param base files of the base, as one object as long as they are the same */
  answer<M extends LanguageMethod>(base: readonly SourceFile[], { locale, files, ask, params }: LanguageRequest<M>): LanguageAnswer<M> {
    const isChanged = this.#folder.set(base, files)
    if (this.#server === null || locale !== this.#locale) {
      this.#server = startServer(this.#folder, locale)
      this.#locale = locale
    } else if (isChanged) this.#server.notifications['workspace/didChangeWatchedFiles']({ changes: [] })
    try {
      return { answer: this.#server.requests[ask](params) }
    } catch (error) {
      if (error instanceof NotRenamed) return { fault: error.message }
      throw error
    }
  }
}

function startServer(folder: ContentFolder, locale: Locale): LanguageServer {
  const server = new LanguageServer(
    { notify: () => {}, request: () => Promise.resolve(null) },
    { version: '', locale, openFolder: () => folder, moment: momentNow, helpOf: () => null, hoversPages: false, onExit: () => {} },
  )
  // A client that asks for diagnostics gets none by itself, so nothing is compiled.
  const capabilities = {
    textDocument: { completion: { completionItem: { snippetSupport: true } }, diagnostic: {} },
    workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create' as const] } },
  }
  server.requests.initialize({ processId: null, rootUri: null, workspaceFolders: null, capabilities })
  return server
}

/** The content in the page. No file is opened by messages: the folder has the newest texts. */
class PageFolder implements ContentFolder {
  #baseFiles: readonly SourceFile[] = []
  #base: readonly FolderFile[] = []
  #own: readonly FolderFile[] = []

  /** @param own null: as before @returns whether something has changed */
  set(base: readonly SourceFile[], own: readonly ContentFile[] | null): boolean {
    const isChanged = own !== null || !areSame(base, this.#baseFiles)
    if (own !== null) this.#own = own.map(({ kind, filename, content }) => folderFile({ kind, filename, content, scope: 'custom' }))
    if (base !== this.#baseFiles) {
      this.#baseFiles = base
      // A file of the base is not edited, so its names can't be changed in any scope.
      this.#base = base.map((file) => folderFile({ ...file, scope: 'default' }))
    }
    return isChanged
  }

  base(): readonly FolderFile[] {
    // The content replaces some files of the base.
    const own = new Set(this.#own.map(({ file }) => `${file.kind} ${file.filename}`))
    return this.#base.filter(({ file }, index) => this.#baseFiles[index].scope === 'default' || !own.has(`${file.kind} ${file.filename}`))
  }

  own(): readonly FolderFile[] {
    return this.#own
  }

  /** Those of the page are no texts: it changes them itself. */
  cases(): readonly CaseText[] {
    return []
  }

  fileOf(): null {
    return null
  }

  uriOfNew(filename: string): string {
    return addressOf({ kind: 'rules', filename, isBase: false })
  }
}

function folderFile(file: SourceFile): FolderFile {
  return { uri: addressOf({ ...file, isBase: file.scope === 'default' }), file }
}
