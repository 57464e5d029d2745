/**
 * Compiles a ruleset again after an edit, without what did not change: the base, and in a large folder all files that load before the edited one. The result is
 * that of compiling everything at once, as the engine promises of layers.
 */
import { type CompiledRuleset, compileLayer, compileRuleset } from '#engine'
import { inLoadOrder, type SourceFile } from '#engine-data'

/** Units of own content up to which it is compiled as one layer, in some milliseconds. */
const ONE_LAYER_SIZE = 100_000

export class IncrementalCompiler {
  readonly #base = new Compiled()
  readonly #stem = new Compiled()

  /** The base alone. */
  base(files: readonly SourceFile[]): CompiledRuleset {
    return this.#base.of(files, compileRuleset)
  }

  /** @param own the files on top of the base @param edited the one that changes most; null: none is known */
  compile(base: readonly SourceFile[], own: readonly SourceFile[], edited: SourceFile | null): CompiledRuleset {
    const compiledBase = this.base(base)
    const size = own.reduce((sum, { content }) => sum + content.length, 0)
    if (size <= ONE_LAYER_SIZE || edited === null) return compileLayer(compiledBase, own)
    const ordered = inLoadOrder(own)
    const at = ordered.indexOf(edited)
    const stem = this.#stem.of(ordered.slice(0, at), (below) => compileLayer(compiledBase, below), compiledBase)
    return compileLayer(stem, ordered.slice(at))
  }
}

/** The last ruleset of some files. */
class Compiled {
  #last: { readonly files: readonly SourceFile[]; readonly below: CompiledRuleset | null; readonly ruleset: CompiledRuleset } | null = null

  of(files: readonly SourceFile[], compile: (files: readonly SourceFile[]) => CompiledRuleset, below: CompiledRuleset | null = null): CompiledRuleset {
    const last = this.#last
    if (last !== null && last.below === below && areSame(last.files, files)) return last.ruleset
    const ruleset = compile(files)
    this.#last = { files, below, ruleset }
    return ruleset
  }
}

export function areSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

export function isSameFile(a: SourceFile, b: SourceFile): boolean {
  return a === b || (a.filename === b.filename && a.kind === b.kind && a.scope === b.scope && a.content === b.content)
}
