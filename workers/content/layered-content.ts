/** Content that is compiled in the caller's own thread, in layers: more files on top of it cost only their own size. */
import { type CompiledRuleset, compileLayer, compileRuleset } from '#engine'
import type { SourceFile } from '#engine-data'
import { baseFiles, composeRuleset, planRuleset, withoutBase } from './compose.js'

export class LayeredContent {
  #base: CompiledRuleset | null = null
  #compiled: CompiledRuleset | null = null

  constructor(
    readonly defaults: readonly SourceFile[],
    readonly custom: readonly SourceFile[],
  ) {}

  /** Returns the part of the default content that nothing replaces, compiled once. */
  compileBase(): CompiledRuleset {
    this.#base ??= compileRuleset(baseFiles(this.defaults))
    return this.#base
  }

  /** Returns the whole content, compiled once. */
  compile(): CompiledRuleset {
    this.#compiled ??= compileLayer(this.compileBase(), withoutBase(composeRuleset(this.defaults, this.custom, []), this.defaults))
    return this.#compiled
  }

  /** Compiles more files on top. A file with the name of a `local_*.xml` of the content replaces it. */
  compileWith(files: readonly SourceFile[]): CompiledRuleset {
    const base = this.compileBase()
    const plan = planRuleset(this.defaults, this.custom, files, { folders: () => this.compile(), base: () => base })
    return compileLayer(plan.base ?? base, plan.files)
  }
}
