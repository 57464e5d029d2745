/**
 * Composes rulesets from the default content, the instance's custom content and the files of a request. Nothing here needs Node.
 */
import type { CompiledRuleset } from '#engine'
import { canLayerOn, type FileScope, type SourceFile } from '#engine-data'
import type { DiskContent } from '../shared/protocol.js'

/** Files that a file of the same name in a narrower scope replaces. Administrators edit these files; Wazuh ships the others. */
const REPLACEABLE = /(?:^|\/)local_[^/]*\.xml$/

/** A merged folder has the manager's own `local_*.xml` beside the stock files. They are content of the instance, not reference content. */
export function scopeOf(name: string, scope: FileScope): FileScope {
  return scope === 'default' && REPLACEABLE.test(name) ? 'custom' : scope
}

/** Returns the default content that is the same for every request: rulesets are compiled on top of it. */
export function baseFiles(defaults: readonly SourceFile[]): SourceFile[] {
  return defaults.filter(({ filename }) => !REPLACEABLE.test(filename))
}

/**
 * Returns one set of files, broader scopes first. A `local_*.xml` of a narrower scope replaces the file of the same name and kind in a broader scope. All other
 * files are kept, as the engine loads them; it uses the last of several lists with one name.
 */
export function composeRuleset(defaultFiles: readonly SourceFile[], customFiles: readonly SourceFile[], inlineFiles: readonly SourceFile[]): SourceFile[] {
  const { ofDefaults, ofCustom } = unreplacedFiles(customFiles, inlineFiles)
  return [...defaultFiles.filter(ofDefaults), ...customFiles.filter(ofCustom), ...inlineFiles]
}

/** Returns the files of a folder that no narrower scope replaces. */
function unreplacedFiles(customFiles: readonly SourceFile[], inlineFiles: readonly SourceFile[]): Record<'ofDefaults' | 'ofCustom', (file: SourceFile) => boolean> {
  const custom = new Set(customFiles.map(nameOf))
  const inline = new Set(inlineFiles.map(nameOf))
  const ofCustom = (file: SourceFile): boolean => !isReplaceable(file) || !inline.has(nameOf(file))
  return { ofCustom, ofDefaults: (file) => ofCustom(file) && (!isReplaceable(file) || !custom.has(nameOf(file))) }
}

/** Whether anything of a folder is compiled: it may be empty, or all its files may be replaced. */
export function usedFolders(
  { defaults, custom }: DiskContent,
  includeDefaults: boolean,
  includeCustom: boolean,
  files: readonly SourceFile[],
): { fromDefaults: boolean; fromCustom: boolean } {
  const { ofDefaults, ofCustom } = unreplacedFiles(includeCustom ? custom : [], files)
  return { fromDefaults: includeDefaults && defaults.some(ofDefaults), fromCustom: includeCustom && custom.some(ofCustom) }
}

function isReplaceable({ filename }: SourceFile): boolean {
  return REPLACEABLE.test(filename)
}

function nameOf({ filename, kind }: SourceFile): string {
  return `${kind} ${filename}`
}

/** Composing keeps the file objects of the base, so they are recognized by identity. */
export function withoutBase(files: readonly SourceFile[], defaults: readonly SourceFile[]): SourceFile[] {
  const base = new Set(baseFiles(defaults))
  return files.filter((file) => !base.has(file))
}

/** How a ruleset is compiled: the base, and the files on top of it. */
export interface RulesetPlan {
  /** The content of the two folders, or the base alone; null: nothing. */
  readonly base: CompiledRuleset | null
  readonly files: readonly SourceFile[]
  /** Whether the files are a layer on the base. Otherwise the base is compiled again with the files. */
  readonly isLayer: boolean
}

/** The content of the folders, and the base alone. Each is compiled when it is first read. */
export interface CompiledFolders {
  folders(): CompiledRuleset
  base(): CompiledRuleset | null
}

/** Chooses the base for a request's files that takes the least time. The result is the same for each. */
export function planRuleset(defaults: readonly SourceFile[], custom: readonly SourceFile[], files: readonly SourceFile[], compiled: CompiledFolders): RulesetPlan {
  const folders = composeRuleset(defaults, custom, [])
  const all = composeRuleset(defaults, custom, files)
  const replaces = all.length !== folders.length + files.length
  if (!replaces) {
    const base = compiled.folders()
    if (canLayerOn(base, files)) return { base, files, isLayer: true }
  }
  const base = compiled.base()
  const rest = withoutBase(all, defaults)
  return { base, files: rest, isLayer: base !== null && canLayerOn(base, rest) }
}
