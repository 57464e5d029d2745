/** Merges files that cannot be split, as whole texts. */
import { fromByteString } from '../source/byte-string.js'
import { writtenLike } from './compose.js'
import type { KindMerge, KindTexts, TextFile } from './kind-merge.js'
import type { MergeChange, MergeConflict } from './merge-request.js'
import { joinedBytes, plain, type WholeFiles } from './sides.js'

/**
 * Text that stands for several files cannot be divided between them, and text without a file belongs nowhere: both are conflicts. Decided for ours, such a text
 * goes into the first of the files, and the others are deleted.
 */
export function mergeWhole({ files, ours }: WholeFiles, { theirs, target, resolutions }: KindTexts): KindMerge {
  const contents = new Map<string, string | null>()
  const paths = files.map(({ path }) => path)
  const head = theirs.filter(({ path }) => paths.includes(path))
  const [name = target, ...others] = paths
  const texts = { base: files.length === 0 ? null : joinedBytes(files), theirs: head.length === 0 ? null : joinedBytes(head) }
  if (files.length > 0 && isSame(texts.theirs, ours)) return { contents, conflicts: [], changes: [] }
  const isDecided = (files.length === 1 && isSame(texts.base, texts.theirs)) || (files.length === 0 && theirs.length === 0)
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
  const before = theirs.find((file) => file.path === name)
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
