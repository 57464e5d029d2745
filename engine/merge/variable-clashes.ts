/** Finds variables that mean something else in one text than in separate files. */
import { compareBytes, fromByteString, toByteString } from '../source/byte-string.js'
import type { MergeAnswer, RepositoryFile } from './merge-request.js'
import { splitText } from './split-text.js'

/** Returns variables that files of one kind define with different values. */
export function findVariableClashes(files: readonly RepositoryFile[]): MergeAnswer['variableClashes'] {
  return (['rules', 'decoders'] as const).flatMap((kind) => {
    const variables = new Map<string, { readonly name: string; readonly values: Set<string>; readonly paths: Set<string> }>()
    for (const file of files) {
      if (file.kind !== kind || !/<var\b/i.test(file.content)) continue
      const defined = new Set<string>()
      for (const item of splitText(toByteString(file.content), kind, file.path)?.items ?? []) {
        // The first definition of a file counts.
        if (item.kind !== 'variable' || defined.has(item.key)) continue
        defined.add(item.key)
        const known = variables.get(item.key) ?? { name: fromByteString(item.name), values: new Set(), paths: new Set() }
        variables.set(item.key, known)
        known.values.add(item.element.content)
        known.paths.add(file.path)
      }
    }
    return [...variables.values()].filter(({ values }) => values.size > 1).map(({ name, paths }) => ({ name, paths: [...paths].sort(compareBytes) }))
  })
}
