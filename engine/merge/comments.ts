/** Finds the comments of a text between its items. Comments inside of an item are part of it. */
import { Item, type SplitText } from './split-text.js'

export interface Comment {
  readonly source: SplitText
  readonly start: number
  readonly end: number
  /** Without the notation of white space. */
  readonly text: string
}

/**
 * The comments between two neighbouring items; the end of a file and the beginning of the next are one place, because a composed content has no files.
 *  - `above`: before an item, inside of its group or without a group
 *  - `outside`: before the group of an item, of which it is the first
 *  - `below`: after the last item of a group or of all files
 */
export interface CommentBlock {
  readonly place: 'above' | 'outside' | 'below'
  readonly previous: Item | null
  readonly next: Item | null
  readonly comments: readonly Comment[]
}

/** Returns the blocks of comments in the order of the texts. Places without comments are left out. */
export function commentBlocks(splits: readonly SplitText[]): CommentBlock[] {
  const blocks: CommentBlock[] = []
  const add = (place: CommentBlock['place'], previous: Item | null, next: Item | null, comments: readonly Comment[]): void => {
    if (comments.length > 0) blocks.push({ place, previous, next, comments })
  }
  let previous: Item | null = null
  let waiting: Comment[] = []
  for (const split of splits) {
    const reader = new CommentReader(split)
    for (const root of split.roots) {
      waiting.push(...reader.upTo(root.start))
      const items = !(root instanceof Item) ? root.items : [root]
      if (items.length > 0) {
        add(!(root instanceof Item) ? 'outside' : 'above', previous, items[0], waiting)
        waiting = []
      }
      if (!(root instanceof Item)) {
        for (const [index, item] of items.entries()) {
          add('above', index === 0 ? null : previous, item, reader.upTo(item.start))
          reader.skipTo(item.end)
          previous = item
        }
        const last = reader.upTo(root.end)
        if (items.length > 0) add('below', previous, null, last)
        else waiting.push(...last)
      } else {
        reader.skipTo(root.end)
        previous = root
      }
    }
    waiting.push(...reader.upTo(split.bytes.length))
  }
  add('below', previous, null, waiting)
  return blocks
}

/** Reads comments in linear time over all calls: offsets do not decrease. */
class CommentReader {
  readonly #split: SplitText
  #at = 0
  #next = -1
  #bangEnd = -1
  #dashEnd = -1

  constructor(split: SplitText) {
    this.#split = split
    this.#next = split.bytes.indexOf('<!')
  }

  /** Returns the comments between the current offset and another one. */
  upTo(end: number): Comment[] {
    const { bytes } = this.#split
    const comments: Comment[] = []
    this.skipTo(this.#at)
    while (this.#next >= 0 && this.#next < end) {
      const start = this.#next
      const after = this.#endOf(start)
      comments.push({ source: this.#split, start, end: after, text: bytes.slice(start, after).replaceAll(/\s+/g, ' ') })
      this.skipTo(after)
    }
    this.skipTo(end)
    return comments
  }

  skipTo(at: number): void {
    this.#at = at
    if (this.#next >= 0 && this.#next < at) this.#next = this.#split.bytes.indexOf('<!', at)
  }

  /** A comment ends at the first `!>` or `-->` (BEHAVIOUR.md#xml-dialect). Every comment of a text that was split has an end. */
  #endOf(start: number): number {
    const { bytes } = this.#split
    const find = (end: string, known: number): number => {
      if (known >= start + 2) return known
      const found = bytes.indexOf(end, start + 2)
      return found < 0 ? bytes.length : found
    }
    this.#bangEnd = find('!>', this.#bangEnd)
    this.#dashEnd = find('-->', this.#dashEnd)
    return Math.min(this.#bangEnd + 2, this.#dashEnd + 3, bytes.length)
  }
}
