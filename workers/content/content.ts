/** Reads ruleset folders (`decoders/`, `rules/` and `lists/`, as in Wazuh's `ruleset/` folder), and identifies their content. */
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileScope, inLoadOrder, type SourceFile } from '#engine-data'
import type { DiskContent } from '../shared/protocol.js'
import { scopeOf, usedFolders } from './compose.js'

/** The ruleset in the package. It is not compiled code, so it is in the source folder. */
export const REFERENCE_RULESET_DIR = fileURLToPath(new URL('../../../engine/reference/', import.meta.url))

/** Versions of the disk content that are kept: the newest, and the previous one for requests that have begun and for rulesets known by hash. */
export const DISK_GENERATIONS = 2
/** The file `lists/X` is the list that rules call `etc/lists/X`. */
const LIST_PREFIX = 'etc/lists/'
/** Folders deeper than this below `lists/` are not read. */
const LIST_DEPTH = 4
/** Error codes of a folder that does not exist, or is not a folder. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])
/** Returns all files of a ruleset folder. A folder may lack one or two of the three subfolders. @throws if it lacks all of them */
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

/** Whether `readRulesetFolder` reads a file at this path of a ruleset folder. */
export function isInRuleset(steps: readonly string[]): boolean {
  const [folder, ...below] = steps
  const name = below.at(-1) ?? ''
  if (folder === 'lists') return below.length > 0 && below.length <= LIST_DEPTH + 1 && !below.some((step) => step.startsWith('.')) && !name.endsWith('.cdb')
  return (folder === 'decoders' || folder === 'rules') && below.length === 1 && name.endsWith('.xml')
}

/** Returns the content on disk. A custom folder that does not exist is empty. @throws if the default folder does not exist */
export function readDiskContent(defaultDir: string | null, customDir: string | null): DiskContent {
  const defaults = defaultDir === null ? [] : readRulesetFolder(defaultDir, 'default')
  const custom = customDir === null || !holdsRuleset(customDir) ? [] : readRulesetFolder(customDir, 'custom')
  return diskContent(defaults, custom)
}

/** Returns the content on disk with the ids that distinguish it from other content. */
export function diskContent(defaults: readonly SourceFile[], custom: readonly SourceFile[]): DiskContent {
  const defaultsId = hashContent([defaults])
  const customId = hashContent([custom])
  return { id: `${defaultsId}-${customId}`, defaultsId, customId, defaults, custom }
}

/** Returns the SHA-256 over groups of files, in the order in which each group loads. */
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
 * Returns the key under which a compiled ruleset is cached. It contains the organization, because `cache_hit` must depend on the organization's own content
 * only. A folder that is not used is not in the key, so a change of the custom folder does not affect requests without it. A folder of which nothing is
 * compiled is not in the key either, because rulesets with one `compiled_hash` must have one key.
 */
export function rulesetKey(organization: string, content: DiskContent, includeDefaults: boolean, includeCustom: boolean, files: readonly SourceFile[]): string {
  const { fromDefaults, fromCustom } = usedFolders(content, includeDefaults, includeCustom, files)
  return `${organization} ${fromDefaults ? content.defaultsId : '-'} ${fromCustom ? content.customId : '-'} ${hashContent([files])}`
}

export function holdsRuleset(folder: string): boolean {
  return ['decoders', 'rules', 'lists'].some((name) => listFolder(join(folder, name)) !== null)
}

function readLists(folder: string, path: string, scope: FileScope, depth: number): SourceFile[] {
  if (depth > LIST_DEPTH) return []
  return (listFolder(folder) ?? []).flatMap(({ name, isFile }): SourceFile[] => {
    // Also folders: those of version control, and those that some mounts add for their links.
    if (name.startsWith('.')) return []
    if (!isFile) return readLists(join(folder, name), `${path}${name}/`, scope, depth + 1)
    if (name.endsWith('.cdb')) return []
    return [{ filename: `${LIST_PREFIX}${path}${name}`, kind: 'lists', scope, content: readFileSync(join(folder, name), 'utf8') }]
  })
}

/**
 * Returns the entries of a folder; null: it does not exist. @throws the system's error if it cannot be read: treating it as empty would silently drop its
 * content
 */
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

/** Some mounts show a folder as a link to it. */
function isFolder(parent: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  return statSync(join(parent, entry.name), { throwIfNoEntry: false })?.isDirectory() === true
}
