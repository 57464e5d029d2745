/** Decides whether files can be compiled on top of a compiled base. */
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { compareBytes, toByteString } from '../source/byte-string.js'
import { registeredName } from '../source/list-name.js'
import { baseName } from '../source/load-order.js'
import type { SourceFile } from '../source/source-file.js'

/**
 * Whether all files load after those of the base, and change nothing that the base decided. Otherwise `compileLayer` compiles everything at once. A list may
 * replace a list of the base, because rules find lists by name.
 */
export function canLayerOn(base: CompiledRuleset, files: readonly SourceFile[]): boolean {
  if (!base.loads) return false
  for (const kind of ['decoders', 'rules'] as const) {
    const last = base.files.filter((file) => file.kind === kind).at(-1)?.filename
    if (last !== undefined && files.some((file) => file.kind === kind && compareBytes(baseName(file.filename), baseName(last)) < 0)) return false
  }
  // The list may restore a base rule that was dropped without it.
  if (base.awaitedLists.size > 0 && files.some(({ kind, filename }) => kind === 'lists' && base.awaitedLists.has(toByteString(registeredName(filename))))) return false
  // A rule of the base may require a decoder of these files. Only a survey continues with such a rule.
  if (files.some(({ kind }) => kind === 'decoders') && base.loadDiagnostics.some(({ code }) => code === 'rule_decoded_as_unknown')) return false
  // A later file may have a parent that base rules lack.
  return base.awaited.size === 0 || !files.some(({ kind, content }) => kind === 'rules' && mentionsAny(content, base.awaited))
}

/** Whether the text has an `id` attribute with one of these values. In a comment it only causes an unnecessary full compilation. */
function mentionsAny(content: string, ids: ReadonlySet<number>): boolean {
  for (const [, digits] of content.matchAll(/\bid\s*=\s*["']([0-9]{1,6})["']/gi)) if (ids.has(Number(digits))) return true
  return false
}
