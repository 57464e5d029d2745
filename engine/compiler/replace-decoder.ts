/** A compiled ruleset with another decoder in place of one of its own. The rules stay as they are compiled: they name decoders and fields by numbers, which stay too. */
import { DecoderLinker, EMPTY_TREE } from '../decoders/link.js'
import { parseDecoders } from '../decoders/parse.js'
import { Collector } from '../diagnostics/collector.js'
import type { DecoderDefinition } from '../event/decoder.js'
import { LayeredNames } from '../event/layered-names.js'
import { ExpressionPool } from '../expressions/compile.js'
import { PrefilterTable } from '../expressions/prefilter-table.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { SourceFile } from '../source/source-file.js'
import { SourceText } from '../source/source-text.js'
import { parseXml } from '../xml/parse.js'

const NO_LATER: ReadonlyMap<string, string> = new Map()

/**
 * Links all decoders again. Null: Wazuh would not load them.
 * @param file one decoder, of the name and the parent that the replaced one has
 */
export function replaceDecoder(ruleset: CompiledRuleset, replaced: DecoderDefinition, file: SourceFile): CompiledRuleset | null {
  const source = new SourceText(file)
  const outcome = parseXml(source.bytes)
  if (!outcome.ok) return null
  const collector = new Collector([source])
  const { definitions, refused } = parseDecoders(source, outcome.document.elements, collector, false)
  const [definition] = definitions
  if (refused || definitions.length !== 1 || definition.name !== replaced.name) return null
  const tables = {
    identities: new LayeredNames(ruleset.identities),
    fieldNames: new LayeredNames(ruleset.fieldNames),
    expressions: new ExpressionPool(ruleset.expressions),
    prefilters: new PrefilterTable(ruleset.prefilters),
  }
  const linker = new DecoderLinker(EMPTY_TREE, tables, collector, null)
  for (const known of ruleset.decoders.definitions) linker.add(known === replaced ? definition : known, NO_LATER)
  const decoders = linker.finish()
  if (linker.refused) return null
  // The diagnostics of the ruleset are computed on demand, and nobody asks for those of this one.
  const changed: Partial<CompiledRuleset> = { ...tables, decoders }
  return Object.create(ruleset, Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, { value, enumerable: true }]))) as CompiledRuleset
}
