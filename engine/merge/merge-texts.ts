/** Merges all files of rules, or all files of decoders. */
import { fromByteString } from '../source/byte-string.js'
import { decide, type Decision, type Family, familiesOf, isSame } from './families.js'
import type { KindMerge, KindTexts } from './kind-merge.js'
import { mergeComments } from './merge-comments.js'
import type { MergeChange, MergeConflict } from './merge-request.js'
import { mergeAllWhole, seenItems } from './merge-whole.js'
import { type DecidedFamily, placeItems } from './place-items.js'
import { planVariables } from './plan-variables.js'
import { freePath, Plans } from './plans.js'
import { renumberedRules } from './renumbered.js'
import { readSides } from './sides.js'
import type { Item } from './split-text.js'

export function mergeTexts(texts: KindTexts): KindMerge {
  const { kind, target, taken, resolutions } = texts
  const sides = readSides(texts)
  const whole = mergeAllWhole(sides.whole, texts, freePath(target, taken))
  const seen = seenItems(sides.unsplit)
  const unsplit = [...sides.unsplit, ...sides.whole.flatMap(({ files }) => files)].map(({ path }) => path)
  const families = familiesOf(sides.base, sides.ours, sides.theirs)
  const plans = new Plans(sides.theirs, new Set([...unsplit, ...taken]), kind, target)
  const renumbered = renumberedRules(families.values())
  const replaced = new Set(renumbered.values())
  const conflicts: MergeConflict[] = []
  const changes: MergeChange[] = []
  const variables: Item[] = []
  const decided: DecidedFamily[] = []
  for (const [key, family] of families) {
    const named = namedOf(family)
    const resolution = resolutions.get(`${named.kind} ${named.name}`)
    const place = renumbered.get(family)
    const decision = place === undefined ? decide(family, resolution) : replacing(place, family.ours[0])
    const hidden = family.theirs.length === 0 ? seen.get(key) : undefined
    if (hidden !== undefined) {
      // An item cannot be replaced in a file that cannot be split, so that only theirs can be taken.
      if (!isSame(family.ours, family.base) && resolution !== 'theirs') conflicts.push({ ...named, ...conflictOf(family), path: hidden.path, theirs: hidden.text })
    } else if (decision.conflict) conflicts.push({ ...named, ...conflictOf(family) })
    else if (named.kind === 'variable' && family.theirs.length === 0) variables.push(...decision.changes.flatMap((one) => (one.change === 'added' ? [one.item] : [])))
    else if (replaced.has(family.theirs[0])) changes.push({ ...named, change: 'removed', path: family.theirs[0].source.path ?? '' })
    else decided.push({ family, changes: decision.changes })
  }
  for (const one of decided) plans.apply(one.changes)
  const placed = placeItems(sides.ours, sides.theirs, decided, (family) => plans.endOf(family))
  for (const one of placed) plans.place(one)
  for (const one of decided) if (one.changes.length > 0) changes.push({ ...namedOf(one.family), ...plans.describe(one.family, one.changes) })
  const moved = placed.flatMap(({ item, from }) => (from === null ? [] : [{ item, path: plans.ofNew(item)?.path ?? target }]))
  const changed = new Set(changes.map(({ kind: itemKind, name }) => `${itemKind} ${name}`))
  for (const { item, path } of [...moved, ...mergeComments(sides, families, plans)]) {
    const named = { kind: item.kind, name: fromByteString(item.name) }
    const key = `${named.kind} ${named.name}`
    if (!changed.has(key)) changes.push({ ...named, change: 'changed', path })
    changed.add(key)
  }
  for (const { item, path } of planVariables(plans, sides.ours, variables)) changes.push({ kind: 'variable', name: fromByteString(item.name), change: 'added', path })
  return {
    contents: new Map([...plans.render(), ...whole.flatMap(({ contents }) => [...contents])]),
    conflicts: [...whole.flatMap((one) => one.conflicts), ...conflicts],
    changes: [...whole.flatMap((one) => one.changes), ...changes],
  }
}

function replacing(at: Item, text: Item): Decision {
  return { conflict: false, changes: [{ change: 'replaced', at, text, group: null }] }
}

function namedOf({ base, ours, theirs }: Family): Pick<Item, 'kind' | 'name'> {
  const { kind, name } = theirs[0] ?? ours[0] ?? base[0]
  return { kind, name: fromByteString(name) }
}

function conflictOf({ base, ours, theirs }: Family): Pick<MergeConflict, 'path' | 'base' | 'ours' | 'theirs'> {
  const textOf = (items: readonly Item[]): string | null => (items.length === 0 ? null : fromByteString(items.map(({ raw }) => raw).join('\n')))
  return { path: (theirs[0] ?? base[0])?.source.path ?? null, base: textOf(base), ours: textOf(ours), theirs: textOf(theirs) }
}
