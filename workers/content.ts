/**
 * Reads ruleset folders (`decoders/`, `rules/` and `lists/`, as a Wazuh `ruleset/` folder holds them) and puts rulesets together: the default
 * folder, the instance's custom folder, and what a request brings.
 */
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canStandOn, type CompiledRuleset, type FileScope, inLoadOrder, type SourceFile } from '#engine'
import type { DiskContent } from './protocol.js'

/** The ruleset in the package; it isn't compiled, so it stays where the sources are. */
export const REFERENCE_RULESET_DIR = fileURLToPath(new URL('../../engine/reference/', import.meta.url))

/** Contents of the disk that are kept: the newest, and the one before it for what was begun on it, and for rulesets known by hash. */
export const DISK_GENERATIONS = 2
/** A list in `lists/X` is the list that rules call `etc/lists/X`. */
const LIST_PREFIX = 'etc/lists/'
/** Folders deeper than this below `lists/` are not looked into. */
const LIST_DEPTH = 4
/** What is told of a folder that isn't there, or isn't one. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])
/** Files that a narrower scope replaces when it brings one of the same name: what an administrator edits, rather than what Wazuh ships. */
const REPLACEABLE = /(?:^|\/)local_[^/]*\.xml$/

/** A merged folder holds the manager's own `local_*.xml` beside the stock files: those are the instance's content, not the reference. */
function scopeOf(name: string, scope: FileScope): FileScope {
  return scope === 'default' && REPLACEABLE.test(name) ? 'custom' : scope
}

/** All files of a ruleset folder. A folder that lacks one of the three is fine; one that lacks all of them is an error. */
export function readRulesetFolder(folder: string, scope: FileScope): SourceFile[] {
  const files: SourceFile[] = []
  let found = false
  for (const kind of ['decoders', 'rules'] as const) {
    const names = listFolder(join(folder, kind))
    if (names === null) continue
    found = true
    for (const { name, isFile } of names) {
      if (isFile && name.endsWith('.xml')) files.push({ filename: name, kind, scope: scopeOf(name, scope), content: readFileSync(join(folder, kind, name), 'utf8') })
    }
  }
  const lists = readLists(join(folder, 'lists'), '', scope, 0)
  if (!found && lists.length === 0) throw new Error(`${folder}: no decoders/, rules/ or lists/ in it`)
  return [...files, ...lists]
}

/** What is on disk. A custom folder that isn't there (yet) holds nothing; a default folder that isn't there is an error. */
export function readDiskContent(defaultDir: string | null, customDir: string | null): DiskContent {
  const defaults = defaultDir === null ? [] : readRulesetFolder(defaultDir, 'default')
  const custom = customDir === null || !holdsRuleset(customDir) ? [] : readRulesetFolder(customDir, 'custom')
  return diskContent(defaults, custom)
}

/** What is on disk, with the ids by which it is told from other content. */
export function diskContent(defaults: readonly SourceFile[], custom: readonly SourceFile[]): DiskContent {
  const defaultsId = hashContent([defaults])
  const customId = hashContent([custom])
  return { id: `${defaultsId}-${customId}`, defaultsId, customId, defaults, custom }
}

/** The default content that never changes from request to request: rulesets are compiled on top of it. */
export function baseFiles(defaults: readonly SourceFile[]): SourceFile[] {
  return defaults.filter(({ filename }) => !REPLACEABLE.test(filename))
}

/**
 * One set of files, broader scopes first. A `local_*.xml` of a narrower scope replaces the one of the same name and kind of a broader scope.
 * Everything else stands side by side, as the engine loads it; of lists of one name it takes the last.
 */
export function composeRuleset(defaultFiles: readonly SourceFile[], customFiles: readonly SourceFile[], inlineFiles: readonly SourceFile[]): SourceFile[] {
  const { ofDefaults, ofCustom } = stayingFiles(customFiles, inlineFiles)
  return [...defaultFiles.filter(ofDefaults), ...customFiles.filter(ofCustom), ...inlineFiles]
}

/** Tells the files of a folder that no narrower scope replaces. */
function stayingFiles(customFiles: readonly SourceFile[], inlineFiles: readonly SourceFile[]): Record<'ofDefaults' | 'ofCustom', (file: SourceFile) => boolean> {
  const custom = new Set(customFiles.map(nameOf))
  const inline = new Set(inlineFiles.map(nameOf))
  const ofCustom = (file: SourceFile): boolean => !isReplaceable(file) || !inline.has(nameOf(file))
  return { ofCustom, ofDefaults: (file) => ofCustom(file) && (!isReplaceable(file) || !custom.has(nameOf(file))) }
}

/** SHA-256 over groups of files, in the order in which each group loads. */
export function hashContent(groups: readonly (readonly SourceFile[])[]): string {
  const hash = createHash('sha256')
  for (const files of groups) {
    hash.update(`group ${files.length}\n`)
    for (const { kind, scope, filename, content } of inLoadOrder(files)) {
      hash.update(`${kind} ${scope} ${filename.length} ${content.length} ${filename}\n`)
      hash.update(content)
    }
  }
  return hash.digest('hex')
}

/**
 * For whom what is compiled, in one line: what an organization is told of the cache speaks of its own content alone. What isn't taken isn't in it: a change of the custom folder leaves those alone who work without it. Nor is a folder of
 * which nothing is compiled: whether it was asked for must not separate what has one `compiled_hash`, as a request by that hash gets what the first one
 * asked for.
 */
export function rulesetKey(organization: string, content: DiskContent, includeDefaults: boolean, includeCustom: boolean, files: readonly SourceFile[]): string {
  const { fromDefaults, fromCustom } = takenOf(content, includeDefaults, includeCustom, files)
  return `${organization} ${fromDefaults ? content.defaultsId : '-'} ${fromCustom ? content.customId : '-'} ${hashContent([files])}`
}

/** Whether anything of a folder is compiled: it may hold nothing, and all that it holds may be replaced. */
export function takenOf(
  { defaults, custom }: DiskContent,
  includeDefaults: boolean,
  includeCustom: boolean,
  files: readonly SourceFile[],
): { fromDefaults: boolean; fromCustom: boolean } {
  const { ofDefaults, ofCustom } = stayingFiles(includeCustom ? custom : [], files)
  return { fromDefaults: includeDefaults && defaults.some(ofDefaults), fromCustom: includeCustom && custom.some(ofCustom) }
}

function isReplaceable({ filename }: SourceFile): boolean {
  return REPLACEABLE.test(filename)
}

function nameOf({ filename, kind }: SourceFile): string {
  return `${kind} ${filename}`
}

/** Composing keeps the base's file objects as they are, so identity tells them. */
export function withoutBase(files: readonly SourceFile[], defaults: readonly SourceFile[]): SourceFile[] {
  const base = new Set(baseFiles(defaults))
  return files.filter((file) => !base.has(file))
}

/** What is compiled on top of what. */
export interface RulesetPlan {
  /** All that the two folders give, or the base alone; null: nothing. */
  readonly base: CompiledRuleset | null
  readonly files: readonly SourceFile[]
  /** False: the base is compiled again with the files. */
  readonly stands: boolean
}

/** What the folders give, and the base alone, each compiled when it is first asked for. */
export interface CompiledFolders {
  folders(): CompiledRuleset
  base(): CompiledRuleset | null
}

/** How a request's files are laid on the folders at the least cost. The result is the same on either, the time is not. */
export function planRuleset(defaults: readonly SourceFile[], custom: readonly SourceFile[], files: readonly SourceFile[], compiled: CompiledFolders): RulesetPlan {
  const folders = composeRuleset(defaults, custom, [])
  const all = composeRuleset(defaults, custom, files)
  const replaces = all.length !== folders.length + files.length
  if (!replaces) {
    const base = compiled.folders()
    if (canStandOn(base, files)) return { base, files, stands: true }
  }
  const base = compiled.base()
  const rest = withoutBase(all, defaults)
  return { base, files: rest, stands: base !== null && canStandOn(base, rest) }
}

function holdsRuleset(folder: string): boolean {
  return ['decoders', 'rules', 'lists'].some((name) => listFolder(join(folder, name)) !== null)
}

function readLists(folder: string, path: string, scope: FileScope, depth: number): SourceFile[] {
  if (depth > LIST_DEPTH) return []
  return (listFolder(folder) ?? []).flatMap(({ name, isFile }): SourceFile[] => {
    // Also folders: of a version control, or of a mount that puts what it holds under a link.
    if (name.startsWith('.')) return []
    if (!isFile) return readLists(join(folder, name), `${path}${name}/`, scope, depth + 1)
    if (name.endsWith('.cdb')) return []
    return [{ filename: `${LIST_PREFIX}${path}${name}`, kind: 'lists', scope, content: readFileSync(join(folder, name), 'utf8') }]
  })
}

/** Null: it isn't there. @throws what the system says of one that can't be read: to take it for empty would drop its content without a word */
function listFolder(folder: string): { name: string; isFile: boolean }[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFile: !isFolder(folder, entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return null
    throw error
  }
}

/** Mounts show a folder of theirs as a link to it. */
function isFolder(parent: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  return statSync(join(parent, entry.name), { throwIfNoEntry: false })?.isDirectory() === true
}
