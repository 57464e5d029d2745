/** Finds the decoder that a mutant changes, in the original ruleset and in the mutant. */
import type { DecoderTree } from '../decoders/link.js'
import type { CompiledDecoder, DecoderDefinition } from '../event/decoder.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'

/** Each is undefined where the decoder is not in the tree. */
export interface ChangedDecoder {
  readonly before: CompiledDecoder | undefined
  readonly after: CompiledDecoder | undefined
}

/** @param definition of the original */
export function changedDecoder(definition: DecoderDefinition, original: CompiledRuleset, mutant: CompiledRuleset): ChangedDecoder {
  const known = new Set(original.decoders.definitions)
  return {
    before: decodersOf(original.decoders).find((decoder) => decoder.definition === definition),
    after: decodersOf(mutant.decoders).find((decoder) => !known.has(decoder.definition)),
  }
}

/** All decoders of a tree, each root before its children. */
export function decodersOf({ programRoots, plainRoots }: DecoderTree): readonly CompiledDecoder[] {
  return [...programRoots, ...plainRoots].flatMap((root) => [root, ...root.children])
}
