/** Edits of a pattern after which it may read each text in one way. Whether it still accepts the same texts is for a proof to say (`repair-pattern.ts`). */
import { isUnlimited, type PatternBranch, type PatternItem } from '../expressions/pcre2/pattern-items.js'

/**
 *  - `possessive`: a repetition gives nothing back, `\w+` to `\w++`
 *  - `first`: a search for a text ends at the first one, `.+from` to `(?>.+?from)`
 *  - `anchor`: the pattern is tried once for each run of the bytes that it repeats first, `\s+$` to `(?:^|\S)\s+$`, `from.+to` to `(?:^|\n)(?>.*?from).+to`
 *  - `exclude`: a class has no longer what must follow it, `.*,` to `[^,\n]*,`
 *  - `shorten`: what is repeated at an end of the pattern is there once, `\w+@` to `\w@`
 *  - `unnest`: of a repetition in a repetition one is left
 *  - `alternative`: an alternative of a repeated group is left out
 */
export type EditKind = 'possessive' | 'first' | 'anchor' | 'exclude' | 'shorten' | 'unnest' | 'alternative'

/** Kinds that keep what groups capture in most texts. */
export const KEEPS_CAPTURES: ReadonlySet<EditKind> = new Set(['possessive', 'first', 'anchor', 'exclude'])

export interface PatternEdit {
  readonly kind: EditKind
  /** In ascending order, in the text of the pattern. */
  readonly replacements: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

export function editsOf(pattern: string, branches: readonly PatternBranch[]): PatternEdit[] {
  const edits: PatternEdit[] = []
  const replace = (kind: EditKind, ...replacements: PatternEdit['replacements']): void => {
    edits.push({ kind, replacements })
  }
  const ofBranches = (list: readonly PatternBranch[], isRepeated: boolean, outer: PatternItem | null): void => {
    for (const { items } of list)
      items.forEach((item, at) => {
        const { bodyEnd, end } = item
        if (item.kind === 'group') ofBranches(item.branches, isRepeated || isUnlimited(item), item)
        if (isUnlimited(item) && item.kind !== 'group' && item.mode !== '+') replace('possessive', { start: end - item.mode.length, end, text: '+' })
        const searched = soleRepeat(item)
        if (searched !== null && searched.mode === '') ofSearch(item, searched, items.slice(at + 1), replace, pattern)
        if (isUnlimited(item) && (isRepeated || (item.kind === 'group' && hasUnlimited(item)))) replace('unnest', { start: bodyEnd, end, text: '' })
        if (isUnlimited(item) && item.kind === 'group') withoutAlternatives(item, replace)
        else if (item.kind === 'group' && outer !== null && isRepeated) withoutAlternatives(item, replace)
      })
  }
  ofBranches(branches, false, null)
  for (const { items } of branches) ofEnds(pattern, items, replace)
  return edits
}

type Replace = (kind: EditKind, ...replacements: PatternEdit['replacements']) => void

/** What a repetition searches: the items behind it up to the next repetition. */
function ofSearch(item: PatternItem, searched: PatternItem, behind: readonly PatternItem[], replace: Replace, pattern: string): void {
  const stop = behind.findIndex((one) => one.quantifier !== '' || one.kind === 'anchor' || hasUnlimited(one))
  const fixed = stop < 0 ? behind : behind.slice(0, stop)
  const last = fixed.at(-1)
  if (last !== undefined && stop >= 0)
    replace('first', { start: item.start, end: item.start, text: '(?>' }, { start: searched.end, end: searched.end, text: '?' }, { start: last.end, end: last.end, text: ')' })
  const [next] = behind
  if (next === undefined || (next.kind !== 'literal' && next.kind !== 'escape') || (next.quantifier !== '' && next.quantifier !== '+')) return
  const text = excluding(pattern.slice(searched.start, searched.bodyEnd), pattern.slice(next.start, next.bodyEnd))
  if (text !== null) replace('exclude', { start: searched.start, end: searched.bodyEnd, text })
}

/** The repetition that an item is, or the only item of a group. */
function soleRepeat(item: PatternItem): PatternItem | null {
  if (item.kind !== 'group') return isUnlimited(item) ? item : null
  const [branch, ...others] = item.branches
  return item.quantifier === '' && others.length === 0 && branch.items.length === 1 && (item.head === '(' || item.head === '(?:') ? soleRepeat(branch.items[0]) : null
}

function hasUnlimited({ branches }: PatternItem): boolean {
  return branches.some(({ items }) => items.some((item) => isUnlimited(item) || hasUnlimited(item)))
}

/** A class without what a character or an escape stands for; null: it cannot be written so. */
function excluding(written: string, excluded: string): string | null {
  const member = excluded === ']' || excluded === '^' || excluded === '-' ? `\\${excluded}` : excluded
  if (written === '.') return `[^${member}\\n]`
  if (written.startsWith('[^') && !written.startsWith('[^]')) return `${written.slice(0, -1)}${member}]`
  return /^\\[SWD]$/.test(written) ? `[^${written.toLowerCase()}${member}]` : null
}

function withoutAlternatives({ branches }: PatternItem, replace: Replace): void {
  if (branches.length < 2) return
  branches.forEach(({ start, end }, at) => replace('alternative', at === 0 ? { start, end: end + 1, text: '' } : { start: start - 1, end, text: '' }))
}

/** Edits of what a branch of the whole pattern begins and ends with. */
function ofEnds(pattern: string, items: readonly PatternItem[], replace: Replace): void {
  const from = items.findIndex((item) => item.kind !== 'anchor' || pattern[item.start] !== '(')
  if (from < 0) return
  const at = items[from].start
  const leading = soleRepeat({ ...items[from], quantifier: items[from].kind === 'group' && items[from].quantifier === '?' ? '' : items[from].quantifier })
  const stop = items.findIndex((item, index) => index >= from && (item.quantifier !== '' || item.kind === 'anchor' || hasUnlimited(item)))
  const searched = leading ?? (stop < 0 ? null : soleRepeat(items[stop]))
  if (searched !== null) {
    const body = pattern.slice(searched.start, searched.bodyEnd)
    const begin = runBegin(body)
    const end = items[stop].start
    if (begin !== null && leading !== null) replace('anchor', { start: at, end: at, text: begin })
    else if (begin !== null) replace('anchor', { start: at, end: at, text: `${begin}(?>${body}*?` }, { start: end, end, text: ')' })
  }
  for (const item of [items[from], items[items.length - 1]]) {
    const repeated = isUnlimited(item) ? item : soleRepeat(item)
    if (repeated?.quantifier === '+') replace('shorten', { start: repeated.bodyEnd, end: repeated.end, text: '' })
    else if (repeated?.quantifier === '*') replace('shorten', { start: repeated.start, end: repeated.end, text: '' })
  }
}

/** What stands before the first byte of a run of the bytes of a class; null: it cannot be written so. Wazuh's XML has no place for a look behind, which begins with `<`. */
function runBegin(written: string): string | null {
  if (written === '\\w') return '\\b'
  const opposite = written === '.' ? '\\n' : oppositeOf(written)
  return opposite === null ? null : `(?:^|${opposite})`
}

function oppositeOf(written: string): string | null {
  if (/^\\[dDsSW]$/.test(written)) return `\\${written[1] === written[1].toLowerCase() ? written[1].toUpperCase() : written[1].toLowerCase()}`
  if (written.startsWith('[^') && !written.startsWith('[^]')) return `[${written.slice(2)}`
  return written.startsWith('[') && !written.startsWith('[]') ? `[^${written.slice(1)}` : null
}

/** The pattern after edits that do not touch each other; null: they do. */
export function applyEdits(pattern: string, edits: readonly PatternEdit[]): string | null {
  const all = edits.flatMap(({ replacements }) => replacements).sort((a, b) => a.start - b.start || a.end - b.end)
  let text = ''
  let at = 0
  for (const one of all) {
    if (one.start < at) return null
    text += pattern.slice(at, one.start) + one.text
    at = one.end
  }
  return text + pattern.slice(at)
}
