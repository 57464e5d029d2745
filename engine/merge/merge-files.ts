/**
 * Merges the files of a repository with an edited content of them, by rule, decoder, variable and list:
 *
 *     base files ──┐
 *     ours (text) ─┼─► split-text ─► families ─► decisions ─► file-plan ─► files ─► compose ─► content
 *     theirs files ┘   items         by name     or conflicts   edits
 *
 * The result is `theirs` with the changes that ours makes to base. Invariants:
 *  1. a file that ours does not change is the same text, and in a changed file only the bytes of changed items change
 *  2. the position of an item in ours means nothing: people and programs move and reformat items. The order of items is that of the files, unless an item that
 *     ours added or changed would be loaded before what it refers to (`place-items.ts`)
 *  3. an item that both sides changed stays as in theirs and is a conflict, until a resolution decides it
 *  4. any input has an answer; the time is n log n in the texts
 */
import { compareBytes, toByteString } from '../source/byte-string.js'
import { composeFiles, inFileOrder, withoutMark } from './compose.js'
import type { KindMerge, KindTexts, Resolutions, TextFile } from './kind-merge.js'
import { mergeLists } from './merge-lists.js'
import type { MergeAnswer, MergeRequest, RepositoryFile } from './merge-request.js'
import { mergeTexts } from './merge-texts.js'
import type { TextKind } from './split-text.js'
import { findVariableClashes } from './variable-clashes.js'

/** Merges ours into theirs. */
export function mergeFiles(request: MergeRequest): MergeAnswer {
  const { theirs } = request
  const resolutions: Resolutions = new Map(request.resolutions.map(({ kind, name, take }) => [`${kind} ${name}`, take]))
  const merged = {
    rules: mergeTexts(textsOf('rules', request, resolutions)),
    decoders: mergeTexts(textsOf('decoders', request, resolutions)),
    lists: mergeLists(request, resolutions),
  }
  const kinds = Object.values(merged)
  const { files, changedPaths } = withContents(theirs, merged)
  return {
    files,
    changedPaths,
    content: withListsOfOurs(composeFiles(files, request.lists), request, merged.lists),
    conflicts: kinds.flatMap(({ conflicts }) => conflicts),
    changes: kinds.flatMap(({ changes }) => changes),
    variableClashes: findVariableClashes(files),
  }
}

function textsOf(kind: TextKind, { base, ours, theirs, newItems }: MergeRequest, resolutions: Resolutions): KindTexts {
  const read = (files: readonly RepositoryFile[]): TextFile[] =>
    inFileOrder(files.filter((file) => file.kind === kind)).map(({ path, content }) => ({ path, bytes: toByteString(content) }))
  const text = kind === 'rules' ? ours.rules_xml : ours.decoders_xml
  const taken = new Set(theirs.flatMap((file) => (file.kind === kind ? [] : [file.path])))
  return { kind, base: read(base), ours: toByteString(withoutMark(text).replaceAll('\r\n', '\n')), theirs: read(theirs), target: newItems[kind], taken, resolutions }
}

function withContents(theirs: readonly RepositoryFile[], merged: Readonly<Record<RepositoryFile['kind'], KindMerge>>): Pick<MergeAnswer, 'files' | 'changedPaths'> {
  const files = new Map(theirs.map((file) => [`${file.kind} ${file.path}`, file]))
  const changed = new Set<string>()
  for (const kind of ['rules', 'decoders', 'lists'] as const) {
    for (const [path, content] of merged[kind].contents) {
      const key = `${kind} ${path}`
      if (files.get(key)?.content === content) continue
      changed.add(path)
      if (content === null) files.delete(key)
      else files.set(key, { path, kind, content })
    }
  }
  return { files: [...files.values()].sort((a, b) => compareBytes(a.path, b.path)), changedPaths: [...changed].sort(compareBytes) }
}

/** Adds the lists that ours has and the repository cannot have. */
function withListsOfOurs(content: MergeAnswer['content'], { ours }: MergeRequest, { homeless }: { readonly homeless: ReadonlySet<string> }): MergeAnswer['content'] {
  if (homeless.size === 0) return content
  const lists = [...content.lists, ...ours.lists.filter(({ name }) => homeless.has(name))]
  return { ...content, lists: lists.sort((a, b) => compareBytes(a.name, b.name)) }
}
