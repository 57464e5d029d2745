/** Merges all files of rules, or all files of decoders. */
import { fromByteString } from '../source/byte-string.js'
import { joined } from './compose.js'
import { decide, type Family, familiesOf } from './families.js'
import type { KindMerge, KindTexts, TextFile } from './kind-merge.js'
import type { MergeChange, MergeConflict } from './merge-request.js'
import { planVariables } from './plan-variables.js'
import { Plans } from './plans.js'
import { type Item, type SplitText, splitText } from './split-text.js'

export function mergeTexts(texts: KindTexts): KindMerge {
  const { kind, target, resolutions } = texts
  const split = ({ path, bytes }: TextFile): SplitText[] => {
    const text = splitText(bytes, kind, path)
    return text === null ? [] : [text]
  }
  const base = texts.base.flatMap(split)
  const theirs = texts.theirs.flatMap(split)
  const ours = [splitText(texts.ours, kind, null)].filter((one) => one !== null)
  if (ours.length === 0 || base.length < texts.base.length) return mergeUnsplit(texts)
  const plans = new Plans(theirs, new Set(), kind, target, () => [])
  const conflicts: MergeConflict[] = []
  const changes: MergeChange[] = []
  const variables: Item[] = []
  for (const family of familiesOf(base, ours, theirs).values()) {
    const named = namedOf(family)
    const decision = decide(family, resolutions.get(`${named.kind} ${named.name}`))
    if (decision.conflict) conflicts.push({ ...named, ...conflictOf(family) })
    else if (named.kind === 'variable' && family.theirs.length === 0) variables.push(...decision.changes.flatMap((one) => (one.change === 'added' ? [one.item] : [])))
    else if (decision.changes.length > 0) changes.push({ ...named, ...plans.apply(family, decision.changes) })
  }
  for (const { item, path } of planVariables(plans, ours, variables)) changes.push({ kind: 'variable', name: fromByteString(item.name), change: 'added', path })
  return { contents: plans.render(), conflicts, changes }
}

/** Texts that cannot be split: theirs stays, and a conflict says so if ours has changed. */
function mergeUnsplit({ base, ours, theirs, target }: KindTexts): KindMerge {
  const composed = joined(base.map(({ bytes }) => bytes)).replaceAll('\r\n', '\n')
  const path = theirs[0]?.path ?? null
  const conflict: MergeConflict = { kind: 'file', name: path ?? target, path, base: null, ours: null, theirs: null }
  return { contents: new Map(), conflicts: ours === composed ? [] : [conflict], changes: [] }
}

function namedOf({ base, ours, theirs }: Family): Pick<Item, 'kind' | 'name'> {
  const { kind, name } = theirs[0] ?? ours[0] ?? base[0]
  return { kind, name: fromByteString(name) }
}

function conflictOf({ base, ours, theirs }: Family): Pick<MergeConflict, 'path' | 'base' | 'ours' | 'theirs'> {
  const textOf = (items: readonly Item[]): string | null => (items.length === 0 ? null : fromByteString(items.map(({ raw }) => raw).join('\n')))
  return { path: (theirs[0] ?? base[0])?.source.path ?? null, base: textOf(base), ours: textOf(ours), theirs: textOf(theirs) }
}
