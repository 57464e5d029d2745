/**
 * Lets comments between items follow ours. Invariants:
 *  1. no comment of theirs is removed: programs that write ours may drop comments
 *  2. a comment that ours changed between the same two items as in base is replaced, if theirs has it as in base
 *  3. any other comment that neither base nor theirs has is written above the next item, or below the one before
 */
import { type Comment, type CommentBlock, commentBlocks } from './comments.js'
import type { Family } from './families.js'
import { indentationOf, reindentedGap } from './item-text.js'
import type { Plans } from './plans.js'
import type { Sides } from './sides.js'
import type { Item } from './split-text.js'

/** Plans the changes of comments after those of items, and returns the items beside them with their files. */
export function mergeComments({ base, ours, theirs }: Sides, families: ReadonlyMap<string, Family>, plans: Plans): { readonly item: Item; readonly path: string }[] {
  const places = new Places(families)
  const [bases, heads] = [commentBlocks(base), commentBlocks(theirs)]
  const [baseBlocks, theirBlocks] = [places.index(bases), places.index(heads)]
  const known = new Set([...bases, ...heads].flatMap(({ comments }) => comments.map(({ text }) => text)))
  const beside: { item: Item; path: string }[] = []
  for (const block of commentBlocks(ours)) {
    const place = places.of(block)
    const old = place === null ? undefined : baseBlocks.get(place)?.comments
    const their = place === null ? undefined : theirBlocks.get(place)?.comments
    const isAligned = old?.length === block.comments.length && their?.length === block.comments.length
    const paths: string[] = []
    const added: Comment[] = []
    for (const [index, comment] of block.comments.entries()) {
      if (known.has(comment.text)) continue
      const at = isAligned && their[index].text === old[index].text ? their[index] : null
      const plan = at === null ? undefined : plans.at(at.source)
      if (at === null || plan === undefined) added.push(comment)
      else {
        plan.edit(at.start, at.end, writtenAt(comment, indentationOf(at.source.bytes, at.start) ?? ''))
        paths.push(plan.path)
      }
    }
    const path = added.length === 0 ? null : writeAdded(block, added, places, plans)
    if (path !== null) paths.push(path)
    const item = block.next ?? block.previous
    if (item !== null && paths.length > 0) beside.push({ item, path: paths[0] })
  }
  return beside
}

/** Writes new comments of a block. Returns the path of their file; null: theirs has neither of the items beside them. */
function writeAdded({ place, previous, next }: CommentBlock, comments: readonly Comment[], places: Places, plans: Plans): string | null {
  const texts = comments.map((comment) => writtenAt(comment, ''))
  const ofNew = next === null ? undefined : plans.ofNew(next)
  if (next !== null && ofNew !== undefined) {
    ofNew.annotate(next, texts)
    return ofNew.path
  }
  const above = next === null ? null : places.theirsOf(next)
  const item = above ?? (previous === null ? null : places.theirsOf(previous))
  const plan = item === null ? undefined : plans.at(item.source)
  if (item === null || plan === undefined) return null
  const isOutside = place === 'outside' && item.group?.items[0] === item
  if (above === null) plan.writeBelow(item, texts)
  else plan.writeAbove(isOutside && item.group !== null ? item.group : item, texts)
  return plan.path
}

/** Where items of one side are on the others. */
class Places {
  readonly #families: ReadonlyMap<string, Family>
  /** Where a member is in its family, by member. */
  readonly #members = new Map<Item, number>()

  constructor(families: ReadonlyMap<string, Family>) {
    this.#families = families
    for (const { base, ours, theirs } of families.values()) for (const items of [base, ours, theirs]) for (const [index, item] of items.entries()) this.#members.set(item, index)
  }

  /** The member of theirs that corresponds to an item of ours. */
  theirsOf(item: Item): Item | null {
    const theirs = this.#families.get(item.key)?.theirs ?? []
    return theirs[this.#members.get(item) ?? 0] ?? theirs.at(-1) ?? null
  }

  index(blocks: readonly CommentBlock[]): Map<string, CommentBlock> {
    const index = new Map<string, CommentBlock>()
    for (const block of blocks) {
      const place = this.of(block)
      if (place !== null) index.set(place, block)
    }
    return index
  }

  /** Identifies the place between two items on all sides; null: a family has not the same number of members on each. */
  of({ place, previous, next }: CommentBlock): string | null {
    const names: string[] = [place]
    for (const item of [previous, next]) {
      const family = item === null ? undefined : this.#families.get(item.key)
      if (family !== undefined && (family.base.length !== family.ours.length || family.theirs.length !== family.ours.length)) return null
      names.push(item === null ? '' : `${item.key} ${this.#members.get(item)}`)
    }
    return names.join('\0')
  }
}

/** The comment for a line with another indentation. */
function writtenAt({ source: { bytes }, start, end }: Comment, indentation: string): string {
  const before = indentationOf(bytes, start)
  const text = bytes.slice(start, end)
  return before === null || before === indentation ? text : reindentedGap(text, before, indentation)
}
