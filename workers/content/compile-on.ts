/** Compiles files on top of a compiled ruleset. */
import { type CompiledRuleset, compileLayer, compileRuleset, type SourceFile } from '#engine'
import { composeRuleset } from './compose.js'

/** A `local_*.xml` replaces the file of that name in the base; all other files are added to the base. @param base null: there is none */
export function compileOn(base: CompiledRuleset | null, files: readonly SourceFile[]): CompiledRuleset {
  if (base === null) return compileRuleset(files)
  const baseFiles = base.files.map(({ file }) => file)
  const all = composeRuleset(baseFiles, [], files)
  return all.length === baseFiles.length + files.length ? compileLayer(base, files) : compileRuleset(all)
}
