/**
 * The ruleset that a command stands on: `--ruleset` (else the shipped reference) and `--custom`, compiled in layers so that what is put on top
 * costs only its own size. In this process: a command line has one stream of work, and copying it to a thread and back costs more than it gains.
 */
import { join, resolve } from 'node:path'
import type { CompiledRuleset, FileScope, SourceFile } from '#engine'
import { compileLayer, compileRuleset } from '#engine'
import { baseFiles, composeRuleset, planRuleset, readRulesetFolder, REFERENCE_RULESET_DIR, withoutBase } from '#workers'
import type { Arguments } from './arguments.js'
import { UsageError } from './usage-error.js'

export interface CompiledSelection {
  readonly ruleset: CompiledRuleset
  /** Milliseconds that it took. */
  readonly readMs: number
  readonly compileMs: number
}

export class RulesetSource {
  readonly #defaults: readonly SourceFile[]
  readonly #custom: readonly SourceFile[]
  /** Milliseconds that reading the folders took. */
  readonly readMs: number
  /** The base folder was named in the call: then its findings are of interest too. */
  readonly namedBase: boolean
  readonly customDir: string | null
  readonly baseDir: string
  #base: CompiledRuleset | null = null
  #broader: CompiledRuleset | null = null

  /** @throws UsageError when a folder isn't there, or holds no content */
  constructor(args: Arguments) {
    const started = performance.now()
    const named = args.text('ruleset')
    this.namedBase = named !== null
    this.baseDir = named ?? REFERENCE_RULESET_DIR
    this.customDir = args.text('custom')
    this.#defaults = readFolder(this.baseDir, 'default')
    this.#custom = this.customDir === null ? [] : readFolder(this.customDir, 'custom')
    this.readMs = performance.now() - started
  }

  get defaults(): readonly SourceFile[] {
    return this.#defaults
  }

  get custom(): readonly SourceFile[] {
    return this.#custom
  }

  /** Path of a file of one of the two folders. */
  pathOf({ scope, kind, filename }: Pick<SourceFile, 'scope' | 'kind' | 'filename'>): string {
    const folder = scope === 'custom' ? (this.customDir ?? '') : this.baseDir
    return kind === 'lists' ? join(folder, 'lists', filename.replace(/^etc\/lists\//, '')) : join(folder, kind, filename)
  }

  /** What the two folders give. */
  compile(): CompiledSelection {
    const started = performance.now()
    const ruleset = this.#compileBroader()
    return { ruleset, readMs: this.readMs, compileMs: performance.now() - started }
  }

  /**
   * What the folders give with files on top; one that is named like a `local_*.xml` of the folders replaces it.
   * @param replaced paths of the folders' files that are among the files, and must not load twice
   */
  compileWith(files: readonly SourceFile[], replaced: ReadonlySet<string> = new Set()): CompiledRuleset {
    const without = (some: readonly SourceFile[]): readonly SourceFile[] => (replaced.size === 0 ? some : some.filter((file) => !replaced.has(resolve(this.pathOf(file)))))
    const custom = without(this.#custom)
    const defaults = without(this.#defaults)
    if (defaults.length < this.#defaults.length) return compileRuleset(composeRuleset(defaults, custom, files))
    if (custom.length < this.#custom.length) return compileLayer(this.#compileBase(), withoutBase(composeRuleset(defaults, custom, files), defaults))
    const plan = planRuleset(defaults, custom, files)
    return compileLayer(plan.on === 'folders' ? this.#compileBroader() : this.#compileBase(), plan.files)
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

function readFolder(folder: string, scope: FileScope): SourceFile[] {
  try {
    return readRulesetFolder(folder, scope)
  } catch {
    throw new UsageError('folder_without_ruleset', { folder })
  }
}
