/** A server in this process, over content in memory. */
import type { SourceFile } from '../../../engine/index.js'
import { kindOfContent, looksLikeContent, nameInRuleset } from '../../../server/language/content/file-kind.js'
import type { CaseText, ContentFolder, FolderFile } from '../../../server/language/index.js'
import { LanguageServer } from '../../../server/language/server.js'

export class MemoryFolder implements ContentFolder {
  readonly #base: readonly FolderFile[]
  readonly #own: readonly FolderFile[]

  constructor(base: readonly SourceFile[], own: readonly SourceFile[] = []) {
    this.#base = base.map((file) => ({ uri: uriOf(file), file }))
    this.#own = own.map((file) => ({ uri: uriOf(file), file }))
  }

  base(): readonly FolderFile[] {
    return this.#base
  }

  own(): readonly FolderFile[] {
    return this.#own
  }

  cases(): readonly CaseText[] {
    return []
  }

  fileOf(uri: string, text: string): SourceFile | null {
    const known = [...this.#base, ...this.#own].find((one) => one.uri === uri)
    if (known !== undefined) return { ...known.file, content: text }
    const kind = looksLikeContent(text) ? kindOfContent(uri, text) : null
    return kind === null ? null : { kind, filename: nameInRuleset(uri, kind), scope: 'adhoc', content: text }
  }

  uriOfNew(filename: string): string {
    return `memory:///rules/${filename}`
  }
}

export function uriOf({ kind, filename }: Pick<SourceFile, 'kind' | 'filename'>): string {
  return `memory:///${kind}/${encodeURIComponent(filename)}`
}

export interface MemorySession {
  readonly server: LanguageServer
  /** What the server has sent. */
  readonly sent: { readonly method: string; readonly params: unknown }[]
}

/** A server that has been initialized. */
export function startInMemory(folder: ContentFolder, locale: 'en-US' | 'pt-BR' = 'en-US'): MemorySession {
  const sent: { method: string; params: unknown }[] = []
  const server = new LanguageServer(
    {
      notify: (method, params) => void sent.push({ method, params }),
      request: () => Promise.resolve(null),
    },
    {
      version: '0.0.0',
      locale,
      openFolder: () => folder,
      moment: () => ({ seconds: 1_700_000_000, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }),
      helpOf: (code) => `https://docs.example/#${code}`,
      hoversPages: true,
      onExit: () => {},
    },
  )
  const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } }, diagnostic: {} } }
  server.requests.initialize({ processId: null, rootUri: null, capabilities, workspaceFolders: null })
  return { server, sent }
}
