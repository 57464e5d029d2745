/** The content of a language server on disk: the ruleset of `--ruleset` and `--custom`, or the folder that is open in the editor. */
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, parse, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Locale, SourceFile } from '#engine'
import { isSameFile } from '#in-thread'
import { kindOfContent, kindOfFolder, looksLikeContent, nameInRuleset } from '../../language/content/file-kind.js'
import type { CaseText, ComparedItem, ContentFolder, FolderFile, Measurement } from '../../language/index.js'
import { readCaseText } from '../input/case-files.js'
import { type ContentFile, FOLDER_DEPTH } from '../input/content-files.js'
import { type NamedRuleset, RulesetSource } from '../ruleset-source.js'
import { UsageError } from '../usage-error.js'
import type { ComparisonQuestion } from './comparison-thread.js'
import { HeadContent } from './head-content.js'
import type { MeasurementQuestion } from './measurement-thread.js'
import { SideThread } from './side-thread.js'

/** The language id of rules and decoders; as `xml` they are recognized by their tags. */
const LANGUAGE_ID = 'wazuh-rules'
/** Larger files have no cases that a person writes. */
const CASE_FILE_LIMIT = 1024 * 1024
/** Files that are searched for cases. */
const CASE_FILES_LIMIT = 1000
/** For the measurement of one rule, with starting a thread, compiling, and running all cases once. */
const MEASUREMENT_MS = 40_000

export class DiskFolder implements ContentFolder {
  readonly #named: NamedRuleset
  /** The folder of the editor, if it is the content. */
  readonly #root: string | null
  readonly #locale: Locale
  #source: RulesetSource
  #paths: ReadonlyMap<string, SourceFile> = new Map()
  readonly #comparison = new SideThread<ComparisonQuestion, readonly ComparedItem[]>(new URL('./comparison-thread.js', import.meta.url), null)
  readonly #measurement = new SideThread<MeasurementQuestion, Measurement>(new URL('./measurement-thread.js', import.meta.url), MEASUREMENT_MS)
  /** Compares with the last commit; absent: nobody wants that, or there is no folder. */
  readonly compareWithHead?: (base: readonly SourceFile[], own: readonly SourceFile[]) => Promise<readonly ComparedItem[] | null>

  /**
   * @param root the folder of the editor; it is the content unless `named` has some @param comparesWithHead whether changes since the last commit are shown
   * @throws UsageError when a named file or folder has no content
   */
  constructor(named: NamedRuleset, root: string | null, locale: Locale, comparesWithHead: boolean) {
    this.#named = named
    this.#root = root === null || isTooWide(root) ? null : resolve(root)
    this.#locale = locale
    this.#source = this.#read()
    const isNamed = named.custom.length > 0
    const paths = isNamed ? named.custom.map((path) => resolve(path)) : this.#root === null ? [] : [this.#root]
    if (!comparesWithHead || paths.length === 0) return
    const head = new HeadContent(paths, isNamed, process.env)
    this.compareWithHead = async (base, own) => {
      const before = await head.read()
      return before === null || areEqual(before, own) ? null : this.#comparison.ask(base, { before, after: own })
    }
  }

  measureCases(base: readonly SourceFile[], own: readonly SourceFile[], cases: readonly CaseText[], rule: string, locale: Locale): Promise<Measurement | null> {
    const suites = cases.map((file) => file.cases.map(({ testCase }) => testCase))
    return this.#measurement.ask(base, { own, suites, rule, locale })
  }

  close(): void {
    this.#comparison.close()
    this.#measurement.close()
  }

  base(): readonly FolderFile[] {
    // The server reads the base first: both lists are then of one moment.
    this.#source = this.#readAgain()
    const { base, own } = this.#source.layers()
    this.#paths = new Map([...base, ...own].map(({ path, file }) => [resolve(path), file]))
    return base.map(toFolderFile)
  }

  own(): readonly FolderFile[] {
    return this.#source
      .layers()
      .own.filter((file) => this.#isContent(file))
      .map(toFolderFile)
  }

  cases(): readonly CaseText[] {
    const folders =
      this.#named.custom.length > 0 ? this.#named.custom.map((path) => (statSync(path).isDirectory() ? path : dirname(path))) : this.#root === null ? [] : [this.#root]
    const paths = new Set([...folders, ...(this.#root === null ? [] : [this.#root])].flatMap((folder) => [...listCaseFiles(resolve(folder), 0)]))
    return [...paths].slice(0, CASE_FILES_LIMIT).flatMap((path) => {
      const text = readFileSync(path, 'utf8')
      if (path.endsWith('.json') && !text.includes('"cases"')) return []
      const { cases } = readCaseText(path, text, this.#locale)
      return cases.length === 0 ? [] : [{ uri: pathToFileURL(path).href, text, cases }]
    })
  }

  fileOf(uri: string, text: string, languageId: string): SourceFile | null {
    const path = pathOf(uri)
    if (path === null) return null
    const known = this.#paths.get(path)
    const kind = kindOfFolder(dirname(path)) ?? (path.endsWith('.xml') || known !== undefined || languageId === LANGUAGE_ID ? kindOfContent(path, text) : null)
    if (kind === null) return null
    if (known !== undefined) return { ...known, kind, content: text }
    if (languageId !== LANGUAGE_ID && kindOfFolder(dirname(path)) === null && !looksLikeContent(text)) return null
    const scope = this.#isInFolder(path) ? 'custom' : 'adhoc'
    const filename = nameInRuleset(path, kind)
    const isTaken = [...this.#paths.values()].some((file) => file.kind === kind && file.filename === filename)
    return { kind, filename: isTaken ? path : filename, scope, content: text }
  }

  uriOfNew(filename: string): string | null {
    return this.#uriOf('rules', filename)
  }

  uriOfNewCases(filename: string): string | null {
    return this.#uriOf('tests', filename)
  }

  /** @param folder in that of the content */
  #uriOf(folder: string, filename: string): string | null {
    const content = this.#named.custom.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) ?? this.#root
    return content === null ? null : pathToFileURL(join(resolve(content), folder, filename)).href
  }

  #isInFolder(path: string): boolean {
    const folders = this.#named.custom.length > 0 ? this.#named.custom.map((folder) => resolve(folder)) : this.#root === null ? [] : [this.#root]
    return folders.some((folder) => path.startsWith(folder + sep))
  }

  /** In a folder that nobody named as content, other XML is no content. */
  #isContent({ path, file }: ContentFile): boolean {
    return this.#named.custom.length > 0 || file.kind === 'lists' || kindOfFolder(dirname(resolve(path))) !== null || looksLikeContent(file.content)
  }

  /** A folder may be gone while it is replaced; its last content stays. */
  #readAgain(): RulesetSource {
    try {
      return this.#read()
    } catch {
      return this.#source
    }
  }

  #read(): RulesetSource {
    if (this.#named.custom.length > 0 || this.#root === null) return new RulesetSource(this.#named)
    try {
      return new RulesetSource({ ...this.#named, custom: [this.#root] })
    } catch (fault) {
      // The folder of the editor may have no content yet.
      if (fault instanceof UsageError && fault.fault === 'folder_without_content') return new RulesetSource(this.#named)
      throw fault
    }
  }
}

/** Whether both are the same files, in any order. */
function areEqual(before: readonly SourceFile[], after: readonly SourceFile[]): boolean {
  const byName = new Map(before.map((file) => [`${file.kind} ${file.filename}`, file]))
  return (
    before.length === after.length && after.every((file) => isSameFile(byName.get(`${file.kind} ${file.filename}`) ?? file, file) && byName.has(`${file.kind} ${file.filename}`))
  )
}

/** Whether a search in the folder would read what does not belong to the content. */
function isTooWide(root: string): boolean {
  const path = resolve(root)
  return path === parse(path).root || path === homedir()
}

/** The path of a file on this machine; null: it is elsewhere, or not saved yet. */
function pathOf(uri: string): string | null {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : null
  } catch {
    return null
  }
}

function toFolderFile({ path, file }: ContentFile): FolderFile {
  return { uri: pathToFileURL(resolve(path)).href, file }
}

function* listCaseFiles(folder: string, depth: number): Generator<string> {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < FOLDER_DEPTH && !entry.name.startsWith('.') && entry.name !== 'node_modules') yield* listCaseFiles(path, depth + 1)
    } else if (/\.(?:ini|json)$/i.test(entry.name) && (statSync(path, { throwIfNoEntry: false })?.size ?? CASE_FILE_LIMIT) < CASE_FILE_LIMIT) yield path
  }
}
