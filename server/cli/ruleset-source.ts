/**
 * The ruleset of a command: `--ruleset` (default: the shipped reference) and `--custom`, compiled in layers, so that files on top cost only their own
 * size. It is compiled in this process: a command has one stream of work, and moving it to a thread would cost more than it gains.
 */
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CompiledRuleset, FileScope, SourceFile } from '#engine'
import { countOf } from '#engine'
import { isSameFile, LayeredContent } from '#in-thread'
import { composeRuleset, holdsRuleset, readRulesetFolder, REFERENCE_RULESET_DIR } from '#workers'
import type { Arguments } from './arguments.js'
import { type ContentFile, distinct, readContentFiles } from './input/content-files.js'
import { UsageError } from './usage-error.js'

/** The value of `--ruleset` for no base at all. A folder of that name is `./none`. */
export const NO_BASE = 'none'

export interface CompiledSelection {
  readonly ruleset: CompiledRuleset
  /** Milliseconds that reading the files took. */
  readonly readMs: number
  readonly compileMs: number
}

/** How much content there is. */
export interface ContentSize {
  readonly files: number
  readonly characters: number
}

/** The base that `--ruleset` chooses. */
export interface ChosenBase {
  readonly kind: 'reference' | 'none' | 'folder'
  /** Null: there is none. */
  readonly folder: string | null
}

/** Reads nothing from the disk. @param named the value of the option */
export function chosenBase(named: string | null): ChosenBase {
  if (named === NO_BASE) return { kind: 'none', folder: null }
  const folder = named ?? REFERENCE_RULESET_DIR
  return { kind: resolve(folder) === resolve(REFERENCE_RULESET_DIR) ? 'reference' : 'folder', folder }
}

/** @throws UsageError when the folder contains no ruleset */
export function readBase({ folder }: ChosenBase): ContentFile[] {
  return folder === null ? [] : readFolder(folder, 'default')
}

/** The fields of a file, or of a diagnostic, that identify the file. */
export type FilePlace = Pick<SourceFile, 'scope' | 'kind' | 'filename'>

/** The content that a call names by `--ruleset` and `--custom`. */
export interface NamedRuleset {
  /** Null: the shipped reference. */
  readonly ruleset: string | null
  readonly custom: readonly string[]
}

/** The ruleset that the options of a command name. */
export function namedRuleset(args: Arguments): NamedRuleset {
  return { ruleset: args.text('ruleset'), custom: args.texts('custom') }
}

export class RulesetSource {
  readonly #defaultContent: readonly ContentFile[]
  readonly #content: LayeredContent
  /** Without files that another file replaces. */
  readonly #files: readonly ContentFile[]
  readonly #paths: ReadonlyMap<string, string>
  /** Milliseconds that reading the files took. */
  readonly readMs: number
  /** Whether the call named the base; then its diagnostics are reported too. */
  readonly namedBase: boolean
  readonly namedCustom: boolean
  readonly #isShipped: boolean

  /**
   * @param previous the same ruleset as it was before: what did not change is not compiled again @param keepsBase its base is not read again either
   * @throws UsageError when a file or folder does not exist, or contains no content
   */
  constructor({ ruleset: named, custom: customPaths }: NamedRuleset, previous: RulesetSource | null = null, keepsBase = false) {
    const started = performance.now()
    const base = chosenBase(named)
    this.namedBase = named !== null && base.kind !== 'none'
    this.namedCustom = customPaths.length > 0
    this.#isShipped = base.kind === 'reference'
    const former = previous === null ? [] : previous.#files
    const known = new Map(former.map((one) => [one.path, one]))
    const reuse = (one: ContentFile): ContentFile => {
      const before = known.get(one.path)
      return before !== undefined && isSameFile(before.file, one.file) ? before : one
    }
    const kept = previous !== null && keepsBase ? previous.#defaultContent : null
    const defaults = kept ?? readBase(base).map(reuse)
    const custom = distinct(customPaths.flatMap(readCustom)).map(reuse)
    this.#defaultContent = defaults
    this.#content = new LayeredContent(
      defaults.map(({ file }) => file),
      custom.map(({ file }) => file),
      previous === null ? null : previous.#content,
    )
    const staying = new Set(composeRuleset(this.defaults, this.custom, []))
    this.#files = [...defaults, ...custom].filter(({ file }) => staying.has(file))
    this.#paths = new Map(this.#files.map(({ file, path }) => [placeKey(file), path]))
    this.readMs = performance.now() - started
  }

  get defaults(): readonly SourceFile[] {
    return this.#content.defaults
  }

  get custom(): readonly SourceFile[] {
    return this.#content.custom
  }

  /** The files with their paths: those of the base, and those that are compiled on top of it. */
  layers(): { readonly base: readonly ContentFile[]; readonly own: readonly ContentFile[] } {
    const base = new Set(this.#content.base)
    return { base: this.#files.filter(({ file }) => base.has(file)), own: this.#files.filter(({ file }) => !base.has(file)) }
  }

  /** How many files there are, and their characters together. */
  size(): ContentSize {
    return { files: this.#files.length, characters: this.#files.reduce((sum, { file }) => sum + file.content.length, 0) }
  }

  /** Path of one of these files; for another file its name. */
  pathOf(place: FilePlace): string {
    return this.#paths.get(placeKey(place)) ?? place.filename
  }

  /** Number of diagnostics of the shipped ruleset, all of which are intended (`engine/reference/meant-findings.json`); 0: the base is another ruleset. */
  intendedDiagnostics(): number {
    return this.#isShipped ? countOf(this.#content.compileBase().diagnosticsWithoutAttacks) : 0
  }

  /** Replaces each named file that is already one of these files by that file. */
  recognize(named: readonly ContentFile[]): ContentFile[] {
    const byPath = new Map(this.#files.map(({ path, file }) => [realpathSync(path), file]))
    return named.map(({ path, file }) => ({ path, file: byPath.get(realpathSync(path)) ?? file }))
  }

  /** Compiles base and custom content. */
  compile(): CompiledSelection {
    const started = performance.now()
    const ruleset = this.#content.compile()
    return { ruleset, readMs: this.readMs, compileMs: performance.now() - started }
  }

  /** Compiles them with more files on top. A file with the name of one of their `local_*.xml` replaces it. */
  compileWith(files: readonly SourceFile[]): CompiledRuleset {
    return this.#content.compileWith(files)
  }
}

/** Key by which a file of a ruleset is found. */
export function placeKey({ scope, kind, filename }: FilePlace): string {
  return `${scope} ${kind} ${filename}`
}

/** Reads a folder with the structure of a ruleset, one with content at any depth, or one file. */
export function readCustom(path: string): ContentFile[] {
  return holdsRuleset(path) ? readFolder(path, 'custom') : readContentFiles([path], 'custom')
}

function readFolder(folder: string, scope: FileScope): ContentFile[] {
  try {
    return readRulesetFolder(folder, scope).map((file) => ({ path: pathIn(folder, file), file }))
  } catch {
    throw new UsageError('folder_without_ruleset', { folder })
  }
}

function pathIn(folder: string, { kind, filename }: SourceFile): string {
  return kind === 'lists' ? join(folder, 'lists', filename.replace(/^etc\/lists\//, '')) : join(folder, kind, filename)
}
