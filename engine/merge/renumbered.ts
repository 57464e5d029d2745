/** Finds rules of which ours changed the id, and the ids to which they refer, but nothing else: they keep their place. */
import { type Family, isSame } from './families.js'
import type { Item } from './split-text.js'

const OWN_ID = /^(<[^>]*?\sid\s*=\s*)(?:"[^"]*"|'[^']*')/i
const REFERENCES = /(<(if_sid|if_matched_sid)\b[^>]*>)[^<]*/gi

/** Returns the rules of theirs by the families of ours that replace them. Several rules with one text say nothing. */
export function renumberedRules(families: Iterable<Family>): Map<Family, Item> {
  const removed = new Map<string, Family | null>()
  const added = new Map<string, Family | null>()
  const add = (map: Map<string, Family | null>, item: Item, family: Family): void => {
    const text = `${item.tag}\0${item.text.replace(OWN_ID, '$1').replaceAll(REFERENCES, '$1')}`
    map.set(text, map.has(text) ? null : family)
  }
  for (const family of families) {
    const { base, ours, theirs } = family
    if (theirs.length === 1 && theirs[0].kind === 'rule' && ours.length === 0 && isSame(base, theirs)) add(removed, theirs[0], family)
    else if (ours.length === 1 && ours[0].kind === 'rule' && base.length === 0 && theirs.length === 0) add(added, ours[0], family)
  }
  const renumbered = new Map<Family, Item>()
  for (const [text, family] of added) {
    const before = removed.get(text)
    if (family && before) renumbered.set(family, before.theirs[0])
  }
  return renumbered
}
