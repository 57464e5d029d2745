/** Shrinks content that fails: removes sessions, events, files, blocks, items and lines while it still fails. */
import type { Block, Item, RandomContent, RandomFile } from './content.js'

/** Maximum number of attempts; each takes some milliseconds. */
const TRIES = 2000

export function shrink(content: RandomContent, fails: (content: RandomContent) => boolean): RandomContent {
  const shrinker = new Shrinker(fails)
  let smaller = content
  for (let before = ''; before !== JSON.stringify(smaller); ) {
    before = JSON.stringify(smaller)
    smaller = shrinker.round(smaller)
  }
  return smaller
}

class Shrinker {
  readonly #fails: (content: RandomContent) => boolean
  #left = TRIES

  constructor(fails: (content: RandomContent) => boolean) {
    this.#fails = fails
  }

  round(content: RandomContent): RandomContent {
    let now = this.#list(content.sessions, (sessions) => ({ ...content, sessions }), content)
    for (let at = 0; at < now.sessions.length; at++) {
      const { sessions } = now
      now = this.#list(sessions[at].events, (events) => ({ ...now, sessions: sessions.with(at, { ...sessions[at], events }) }), now)
    }
    now = this.#list(now.explained, (explained) => ({ ...now, explained }), now)
    now = this.#list(now.files, (files) => ({ ...now, files }), now)
    for (let file = 0; file < now.files.length; file++) {
      const withBlocks = (blocks: readonly Block[]): RandomContent => ({ ...now, files: now.files.with(file, { ...now.files[file], blocks } satisfies RandomFile) })
      now = this.#list(now.files[file].blocks, withBlocks, now)
      for (let block = 0; block < now.files[file].blocks.length; block++) {
        const withItems = (items: readonly Item[]): RandomContent => withBlocks(now.files[file].blocks.with(block, { ...now.files[file].blocks[block], items }))
        now = this.#list(now.files[file].blocks[block].items, withItems, now)
        for (let item = 0; item < now.files[file].blocks[block].items.length; item++) {
          const { items } = now.files[file].blocks[block]
          now = this.#list(items[item].lines, (lines) => withItems(items.with(item, { ...items[item], lines })), now)
        }
      }
    }
    return now
  }

  /** Removes runs of a list, from long ones to single members. */
  #list<T>(list: readonly T[], put: (list: readonly T[]) => RandomContent, content: RandomContent): RandomContent {
    let kept = list
    let now = content
    for (let size = Math.max(1, kept.length >> 1); size >= 1; size = size === 1 ? 0 : size >> 1) {
      for (let at = 0; at < kept.length; ) {
        const less = [...kept.slice(0, at), ...kept.slice(at + size)]
        const candidate = put(less)
        if (this.#left > 0 && this.#left-- > 0 && this.#fails(candidate)) {
          kept = less
          now = candidate
        } else at += size
      }
    }
    return now
  }
}
