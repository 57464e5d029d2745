/** The two contents of a comparison: folders or files on disk, or `REV:path` of a Git repository. */
import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import type { CompiledRuleset, FileKind, SourceFile } from '#engine'
import { describeDiagnostics, type Locale } from '#engine'
import { LayeredContent } from '#in-thread'
import { holdsRuleset, isInRuleset, readRulesetFolder } from '#workers'
import { kindOfContent, kindOfFolder, nameInRuleset } from '../../language/content/file-kind.js'
import { chosenBase, type NamedRuleset, readBase } from '../ruleset-source.js'
import { UsageError } from '../usage-error.js'
import { type ContentFile, isContentName, isSkipped, readContentFiles, uniqueNames } from './content-files.js'
import { type GitRepository, readRevision } from './git-files.js'

/** Ids of the templates with which a whole ruleset begins: content on top of one has none of them. */
const TEMPLATE = /<rule\b[^>]*\bid\s*=\s*["']0*[1-9]["']/

/** One of the contents, before it is compiled. */
export interface ComparedContent {
  /** As the caller named it. */
  readonly name: string
  readonly files: readonly SourceFile[]
}

/** Whether files have the templates with which a whole ruleset begins. */
export function isWholeRuleset(files: readonly SourceFile[]): boolean {
  return files.some(({ kind, content }) => kind === 'rules' && TEMPLATE.test(content))
}

/** @throws UsageError when there is nothing at the place */
export async function readCompared(name: string, git: GitRepository): Promise<ComparedContent> {
  if (existsSync(name)) return { name, files: readDisk(name) }
  const written = readRevision(name)
  if (written === null) throw new UsageError('file_not_found', { file: name })
  const [commit, path] = [await git.resolve(written.revision), await git.pathInRepository(written.path)]
  const files = await readGit(git, commit, path)
  if (files.length === 0) throw new UsageError('folder_without_content', { folder: name })
  return { name, files }
}

function readDisk(name: string): SourceFile[] {
  return holdsRuleset(name) ? readRulesetFolder(name, 'custom') : readContentFiles([name], 'custom').map(({ file }) => file)
}

/** The content at a path of a commit, as a folder on disk is read. Empty: there is none. */
export async function readGit(git: GitRepository, commit: string, path: string): Promise<SourceFile[]> {
  const below = path === '' ? '' : `${path}/`
  const listed = await git.readCommit(commit, path, (file) => file.startsWith(below) && isContent(file.slice(below.length).split('/')))
  const isRuleset = listed.some((file) => isInRuleset(file.path.slice(below.length).split('/')))
  const nameOf = uniqueNames()
  return listed.flatMap(({ path: file, content }): SourceFile[] => {
    const steps = file.slice(below.length).split('/')
    if (isRuleset && file !== path && !isInRuleset(steps)) return []
    const kind = kindIn(file) ?? kindOfContent(file, content)
    if (kind === null) return []
    const own: SourceFile = { kind, scope: 'custom', filename: nameInRuleset(file, kind), content }
    return [{ ...own, filename: nameOf(file, own) }]
  })
}

function isContent(steps: readonly string[]): boolean {
  return !steps.some(isSkipped) && isContentName(steps[steps.length - 1], kindIn(steps.join('/')))
}

/** The kind of a file by the folders above it; lists may be in folders of their own. */
function kindIn(file: string): FileKind | null {
  const folders = posix.dirname(file).split('/')
  return folders.includes('lists') ? 'lists' : kindOfFolder(posix.dirname(file))
}

/** Compiles contents on the same base, so that they share it. */
export class ComparedRulesets {
  readonly #base: readonly SourceFile[]
  readonly #custom: readonly SourceFile[]
  #former: LayeredContent | null = null

  /** @param samples contents that are compared; without `--ruleset` they have no base if each of them is a whole ruleset */
  constructor({ ruleset, custom }: NamedRuleset, samples: readonly ComparedContent[]) {
    const isWhole = ruleset === null && samples.every(({ files }) => isWholeRuleset(files))
    this.#base = isWhole ? [] : filesOf(readBase(chosenBase(ruleset)))
    this.#custom = custom.flatMap((path) => (holdsRuleset(path) ? readRulesetFolder(path, 'custom') : filesOf(readContentFiles([path], 'custom'))))
  }

  /** Null: Wazuh would not start with it. */
  compile(files: readonly SourceFile[]): CompiledRuleset | null {
    const { ruleset } = this.#compiled(files)
    return ruleset.loads ? ruleset : null
  }

  /** @throws UsageError when Wazuh would not start with the content */
  require({ name, files }: ComparedContent, locale: Locale): CompiledRuleset {
    const { ruleset } = this.#compiled(files)
    requireLoading(name, ruleset, locale)
    return ruleset
  }

  #compiled(files: readonly SourceFile[]): { readonly ruleset: CompiledRuleset } {
    const layered = new LayeredContent(this.#base, [...this.#custom, ...files], this.#former)
    this.#former = layered
    return { ruleset: layered.compile() }
  }
}

/** @param name of the content @throws UsageError when Wazuh would not start with it */
export function requireLoading(name: string, ruleset: CompiledRuleset, locale: Locale): void {
  if (ruleset.loads) return
  const fault = describeDiagnostics(ruleset, { locale, includeBaseline: true, loadedFromDisk: true }).diagnostics.find(({ severity }) => severity === 'error')
  throw new UsageError('content_not_loaded', { content: name, reason: fault === undefined ? '' : `${fault.filename}:${fault.line}: ${fault.message.replace(/\.$/, '')}` })
}

function filesOf(content: readonly ContentFile[]): SourceFile[] {
  return content.map(({ file }) => file)
}
