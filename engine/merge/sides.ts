/**
 * Reads the texts of the three sides into items. If ours or a file of base cannot be split, ours is cut where files of base are unchanged in it, so that
 * a fault concerns its own file only:
 *
 *     ours:   │ a.xml │ text with a fault │ c.xml │
 *     base:   │ a.xml │ b.xml             │ c.xml │     the text between a.xml and c.xml is b.xml as a whole
 *
 * Invariant: every line of ours is in an item, in the text of a whole file, or outside of all items of a text that was split.
 */
import { joined } from './compose.js'
import type { KindTexts, TextFile } from './kind-merge.js'
import { findLines, hasLinesAt, LineNumbers, nextLine } from './line-search.js'
import { type SplitText, splitText, type TextKind } from './split-text.js'

/** Maximum number of files of base that are searched in ours beyond the expected place: each search reads the rest of ours. */
const SEARCHES_LIMIT = 64
/** Minimum number of lines of a file that is searched: fewer lines may be anywhere by chance. */
const SEARCHED_LINES = 3

/** Files that are merged as one text, because they or their text in ours cannot be split. */
export interface WholeFiles {
  /** In load order, with their texts in base. Empty: ours has a text without any file of base. */
  readonly files: readonly TextFile[]
  readonly ours: string
}

export interface Sides {
  readonly base: readonly SplitText[]
  readonly ours: readonly SplitText[]
  readonly theirs: readonly SplitText[]
  readonly whole: readonly WholeFiles[]
  /** Files of theirs that cannot be split and are not in `whole`. */
  readonly unsplit: readonly TextFile[]
}

export function readSides(texts: KindTexts): Sides {
  const { kind, base, ours, theirs } = texts
  const split = ({ path, bytes }: TextFile): SplitText | null => splitText(bytes, kind, path)
  const bases = base.map(split)
  const whole = splitText(ours, kind, null)
  const cut = whole !== null && bases.every((one) => one !== null) ? { base: bases, ours: [whole], whole: [] } : cutOurs(texts, bases)
  const taken = new Set(cut.whole.flatMap(({ files }) => files.map(({ path }) => path)))
  const theirSplits: SplitText[] = []
  const unsplit: TextFile[] = []
  for (const file of theirs) {
    if (taken.has(file.path)) continue
    const one = split(file)
    if (one === null) unsplit.push(file)
    else theirSplits.push(one)
  }
  return { ...cut, theirs: theirSplits, unsplit }
}

/** A part of ours: an unchanged file, or text in place of files. */
interface Part {
  readonly files: readonly number[]
  readonly text: string
  readonly isUnchanged: boolean
}

function cutOurs({ kind, base: files, ours }: KindTexts, bases: readonly (SplitText | null)[]): Pick<Sides, 'base' | 'ours' | 'whole'> {
  const sides: { base: SplitText[]; ours: SplitText[]; whole: WholeFiles[] } = { base: [], ours: [], whole: [] }
  for (const part of withOwnFiles(partsOf(files, ours), kind)) {
    const ofBase = part.files.map((index) => bases[index])
    // A file that cannot be split and is unchanged has no items on either side.
    const ofOurs = part.isUnchanged ? ofBase : [splitText(part.text, kind, null)]
    if (part.isUnchanged || [...ofBase, ...ofOurs].every((one) => one !== null)) {
      for (const one of ofBase) if (one !== null) sides.base.push(one)
      for (const one of ofOurs) if (one !== null) sides.ours.push(one)
    } else sides.whole.push({ files: part.files.map((index) => files[index]), ours: part.text })
  }
  return sides
}

/** Joins a text that has no file and cannot be split with the file before it: it was added to its end. */
function withOwnFiles(parts: readonly Part[], kind: TextKind): Part[] {
  const joinedParts: Part[] = []
  for (const part of parts) {
    const before = joinedParts.at(-1)
    if (part.files.length > 0 || before === undefined || splitText(part.text, kind, null) !== null) joinedParts.push(part)
    else joinedParts.splice(-1, 1, { files: before.files, text: before.text + part.text, isUnchanged: false })
  }
  return joinedParts
}

function partsOf(files: readonly TextFile[], ours: string): Part[] {
  const numbers = new LineNumbers()
  const lines = numbers.of(ours)
  const parts: Part[] = []
  let searches = 0
  let line = 0
  let offset = 0
  /** Returns the text up to a line. */
  const textTo = (end: number): string => {
    const start = offset
    for (; line < end; line++) offset = nextLine(ours, offset)
    return ours.slice(start, offset)
  }
  let passed: number[] = []
  const addChanged = (text: string): void => {
    if (passed.length > 0 || text.trim() !== '') parts.push({ files: passed, text, isUnchanged: false })
    passed = []
  }
  for (const [index, { bytes }] of files.entries()) {
    const wanted = numbers.of(plain(bytes))
    if (wanted.length === 0) continue
    let found = passed.length === 0 && hasLinesAt(lines, wanted, line) ? line : -1
    if (found < 0 && wanted.length >= SEARCHED_LINES && searches < SEARCHES_LIMIT) {
      searches++
      found = findLines(lines, wanted, line)
    }
    if (found < 0) passed.push(index)
    else {
      addChanged(textTo(found))
      parts.push({ files: [index], text: textTo(found + wanted.length), isUnchanged: true })
    }
  }
  addChanged(textTo(lines.length))
  return parts
}

const BYTE_ORDER_MARK = '\xef\xbb\xbf'

/** The text of a file as ours has it: without its byte order mark, with `\n` as line end. */
export function plain(bytes: string): string {
  return (bytes.startsWith(BYTE_ORDER_MARK) ? bytes.slice(BYTE_ORDER_MARK.length) : bytes).replaceAll('\r\n', '\n')
}

/** The texts of files as one. */
export function joinedBytes(files: readonly TextFile[]): string {
  return joined(files.map(({ bytes }) => plain(bytes)))
}
