/** Content that is compiled in the caller's own thread, in layers: more files on top of it cost only their own size. */
import { type CompiledRuleset, compileLayer } from '#engine'
import { inLoadOrder, type SourceFile } from '#engine-data'
import { baseFiles, composeRuleset, planRuleset, withoutBase } from './compose.js'
import { areSame, IncrementalCompiler } from './incremental-compiler.js'

export class LayeredContent {
  readonly #compiler: IncrementalCompiler
  /** The part of the default content that nothing replaces. */
  readonly base: readonly SourceFile[]
  /** The files on top of the base. */
  readonly #own: readonly SourceFile[]
  /** The first of them that differs from the former content; null: none does, or there is no former content. */
  readonly #edited: SourceFile | null
  #compiled: CompiledRuleset | null = null

  /** @param former the content before an edit: files that are the same objects are not compiled again */
  constructor(
    readonly defaults: readonly SourceFile[],
    readonly custom: readonly SourceFile[],
    former: LayeredContent | null = null,
  ) {
    this.#compiler = former === null ? new IncrementalCompiler() : former.#compiler
    this.base = baseFiles(defaults)
    this.#own = withoutBase(composeRuleset(defaults, custom, []), defaults)
    const before = new Set(former === null ? [] : former.#own)
    this.#edited = former === null ? null : (inLoadOrder(this.#own).find((file) => !before.has(file)) ?? null)
    if (former !== null && areSame(former.#own, this.#own) && areSame(former.base, this.base)) this.#compiled = former.#compiled
  }

  /** Returns the base, compiled once. */
  compileBase(): CompiledRuleset {
    return this.#compiler.base(this.base)
  }

  /** Returns the whole content, compiled once. */
  compile(): CompiledRuleset {
    this.#compiled ??= this.#compiler.compile(this.base, this.#own, this.#edited)
    return this.#compiled
  }

  /** Compiles more files on top. A file with the name of a `local_*.xml` of the content replaces it. */
  compileWith(files: readonly SourceFile[]): CompiledRuleset {
    const base = this.compileBase()
    const plan = planRuleset(this.defaults, this.custom, files, { folders: () => this.compile(), base: () => base })
    return compileLayer(plan.base ?? base, plan.files)
  }
}
