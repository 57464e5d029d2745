/**
 * The ruleset that a command stands on: `--ruleset` (else the shipped reference) and `--custom`, compiled in layers so that what is put on top
 * costs only its own size. In this process: a command line has one stream of work, and copying it to a thread and back costs more than it gains.
 */
import { realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CompiledRuleset, FileScope, SourceFile } from '#engine'
import { compileLayer, compileRuleset } from '#engine'
import { baseFiles, composeRuleset, planRuleset, readRulesetFolder, REFERENCE_RULESET_DIR, withoutBase } from '#workers'
import type { Arguments } from './arguments.js'
import { type ContentFile, distinct, readContentFiles } from './input/content-files.js'
import { UsageError } from './usage-error.js'

export interface CompiledSelection {
  readonly ruleset: CompiledRuleset
  /** Milliseconds that it took. */
  readonly readMs: number
  readonly compileMs: number
}

/** What is needed of a file, or of a finding in it, to say where the file is. */
export type FilePlace = Pick<SourceFile, 'scope' | 'kind' | 'filename'>

export class RulesetSource {
  readonly #defaults: readonly SourceFile[]
  readonly #custom: readonly SourceFile[]
  /** Without those that another file replaces. */
  readonly #files: readonly ContentFile[]
  readonly #paths: ReadonlyMap<string, string>
  /** Milliseconds that reading the files took. */
  readonly readMs: number
  /** The base folder was named in the call: then its findings are of interest too. */
  readonly namedBase: boolean
  readonly namedCustom: boolean
  readonly #isShipped: boolean
  #base: CompiledRuleset | null = null
  #broader: CompiledRuleset | null = null

  /** @throws UsageError when a file or folder isn't there, or holds no content */
  constructor(args: Arguments) {
    const started = performance.now()
    const named = args.text('ruleset')
    const customPaths = args.texts('custom')
    this.namedBase = named !== null
    this.namedCustom = customPaths.length > 0
    this.#isShipped = named === null || resolve(named) === resolve(REFERENCE_RULESET_DIR)
    const defaults = readFolder(named ?? REFERENCE_RULESET_DIR, 'default')
    const custom = distinct(customPaths.flatMap(readCustom))
    this.#defaults = defaults.map(({ file }) => file)
    this.#custom = custom.map(({ file }) => file)
    const staying = new Set(composeRuleset(this.#defaults, this.#custom, []))
    this.#files = [...defaults, ...custom].filter(({ file }) => staying.has(file))
    this.#paths = new Map(this.#files.map(({ file, path }) => [placeKey(file), path]))
    this.readMs = performance.now() - started
  }

  get defaults(): readonly SourceFile[] {
    return this.#defaults
  }

  get custom(): readonly SourceFile[] {
    return this.#custom
  }

  /** Path of one of these files; another one is called by its name. */
  pathOf(place: FilePlace): string {
    return this.#paths.get(placeKey(place)) ?? place.filename
  }

  /** Findings of the shipped ruleset, each of which is meant (`engine/reference/meant-findings.json`); 0: the base is another one. */
  meantFindings(): number {
    return this.#isShipped ? this.#compileBase().diagnostics.length : 0
  }

  /** Files of the call; one that is among these files already is given as that file. */
  recognize(named: readonly ContentFile[]): ContentFile[] {
    const byPath = new Map(this.#files.map(({ path, file }) => [realpathSync(path), file]))
    return named.map(({ path, file }) => ({ path, file: byPath.get(realpathSync(path)) ?? file }))
  }

  /** What base and custom content give. */
  compile(): CompiledSelection {
    const started = performance.now()
    const ruleset = this.#compileBroader()
    return { ruleset, readMs: this.readMs, compileMs: performance.now() - started }
  }

  /** What they give with files on top; one that is called like a `local_*.xml` of them replaces it. */
  compileWith(files: readonly SourceFile[]): CompiledRuleset {
    const base = this.#compileBase()
    const plan = planRuleset(this.#defaults, this.#custom, files, { folders: () => this.#compileBroader(), base: () => base })
    return compileLayer(plan.base ?? base, plan.files)
  }

  #compileBase(): CompiledRuleset {
    this.#base ??= compileRuleset(baseFiles(this.#defaults))
    return this.#base
  }

  #compileBroader(): CompiledRuleset {
    this.#broader ??= compileLayer(this.#compileBase(), withoutBase(composeRuleset(this.#defaults, this.#custom, []), this.#defaults))
    return this.#broader
  }
}

/** Under which a file of a ruleset is found again. */
export function placeKey({ scope, kind, filename }: FilePlace): string {
  return `${scope} ${kind} ${filename}`
}

/** A folder like that of a ruleset, or one file. */
function readCustom(path: string): ContentFile[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true ? readFolder(path, 'custom') : readContentFiles([path], 'custom')
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
