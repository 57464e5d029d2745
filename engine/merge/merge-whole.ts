/** Merges files that cannot be split, as whole texts. */
import { fromByteString } from '../source/byte-string.js'
import { writtenLike } from './compose.js'
import type { KindMerge, KindTexts, TextFile } from './kind-merge.js'
import type { MergeChange, MergeConflict } from './merge-request.js'
import { joinedBytes, plain, type WholeFiles } from './sides.js'

/** Merges all of them. @param target path for text that has no file */
export function mergeAllWhole(whole: readonly WholeFiles[], { theirs, resolutions }: KindTexts, target: string): KindMerge[] {
  const places = new Map(theirs.map(({ path }, place) => [path, place]))
  const headOf = (paths: readonly string[]): TextFile[] => {
    const found = paths.map((path) => places.get(path)).filter((place) => place !== undefined)
    return found.sort((a, b) => a - b).map((place) => theirs[place])
  }
  return whole.map((files) => mergeWhole(files, { headOf, isEmpty: theirs.length === 0, target, resolutions }))
}

/** The files of theirs, and what decides where text goes. */
interface Head extends Pick<KindTexts, 'target' | 'resolutions'> {
  /** Returns the files of the head with these paths, in load order. */
  readonly headOf: (paths: readonly string[]) => readonly TextFile[]
  readonly isEmpty: boolean
}

/**
 * Text that stands for several files cannot be divided between them, and text without a file belongs nowhere: both are conflicts. Decided for ours, such a text
 * goes into the first of the files, and the others are deleted.
 */
function mergeWhole({ files, ours }: WholeFiles, { headOf, isEmpty, target, resolutions }: Head): KindMerge {
  const contents = new Map<string, string | null>()
  const paths = files.map(({ path }) => path)
  const head = headOf(paths)
  const [name = target, ...others] = paths
  const texts = { base: files.length === 0 ? null : joinedBytes(files), theirs: head.length === 0 ? null : joinedBytes(head) }
  if (files.length > 0 && isSame(texts.theirs, ours)) return { contents, conflicts: [], changes: [] }
  const isDecided = (files.length === 1 && isSame(texts.base, texts.theirs)) || (files.length === 0 && isEmpty)
  const take = isDecided ? 'ours' : resolutions.get(`file ${name}`)
  const path = head[0]?.path ?? files[0]?.path ?? null
  if (take === undefined) {
    const conflict: MergeConflict = {
      kind: 'file',
      name,
      path,
      base: texts.base && fromByteString(texts.base),
      ours: fromByteString(ours),
      theirs: texts.theirs && fromByteString(texts.theirs),
    }
    return { contents, conflicts: [conflict], changes: [] }
  }
  if (take === 'theirs') return { contents, conflicts: [], changes: [] }
  const before: TextFile | undefined = headOf([name])[0]
  const kept = files.length === 0 && before !== undefined ? ended(before.bytes) : ''
  const content = writtenLike(fromByteString(kept + ours), before === undefined ? '' : fromByteString(before.bytes))
  contents.set(name, content.trim() === '' ? null : content)
  for (const other of others) contents.set(other, null)
  const change: MergeChange['change'] = before === undefined ? 'added' : contents.get(name) === null ? 'removed' : 'changed'
  return { contents, conflicts: [], changes: [{ kind: 'file', name, change, path: name }] }
}

function isSame(left: string | null, right: string | null): boolean {
  return left === null || right === null ? left === right : ended(left) === ended(right)
}

function ended(text: string): string {
  const lines = plain(text)
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`
}

/** Names of the items that a file seems to have, with the beginnings of their texts. */
export interface SeenItem {
  readonly path: string
  readonly text: string
}

/** Maximum bytes of an opening tag that is searched for the name of its item. */
const TAG_BYTES = 1024
/** Maximum bytes of the text of an item that is shown. Rules have about 500. */
const SHOWN_BYTES = 4096

/** Finds the items of files that cannot be split, by the keys of items. They may be in comments, or be none. */
export function seenItems(files: readonly TextFile[]): Map<string, SeenItem> {
  const seen = new Map<string, SeenItem>()
  for (const { path, bytes } of files) {
    const starts = [...bytes.matchAll(/<(?:rule|decoder)(?=\s)/gi)].map(({ index }) => index)
    for (const [order, start] of starts.entries()) {
      const kind = bytes[start + 1].toLowerCase() === 'r' ? 'rule' : 'decoder'
      const attribute = kind === 'rule' ? /\sid\s*=\s*["']0*([0-9]+)["']/i : /\sname\s*=\s*["']([^"'<>]+)["']/i
      const name = attribute.exec(bytes.slice(start, start + TAG_BYTES).split('>', 1)[0])?.[1]
      if (name === undefined || seen.has(`${kind} ${name}`)) continue
      const end = Math.min(starts[order + 1] ?? bytes.length, start + SHOWN_BYTES)
      seen.set(`${kind} ${name}`, { path, text: fromByteString(bytes.slice(start, end)).trimEnd() })
    }
  }
  return seen
}
