/**
 * A class under construction: sorted ranges of characters, in byte mode or in UTF mode.
 */
import type { CodeRange, Node } from './ast.js'
import { otherCase, setOfRanges, type ByteSet } from './byte-set.js'

const MAX_BYTE = 0xff
const MAX_CODE_POINT = 0x10ffff
/** Above this no character has another case (end of the Adlam block). */
const LAST_CASED = 0x1e943

export interface CharMode {
  readonly utf: boolean
  readonly ucp: boolean
}

export function maxChar(mode: CharMode): number {
  return mode.utf ? MAX_CODE_POINT : MAX_BYTE
}

export class CharClass {
  private ranges: CodeRange[] = []
  private readonly mode: CharMode

  constructor(mode: CharMode) {
    this.mode = mode
  }

  addRange(low: number, high: number): this {
    this.ranges.push([low, high])
    return this
  }

  addRanges(ranges: readonly CodeRange[]): this {
    for (const [low, high] of ranges) this.ranges.push([low, high])
    return this
  }

  /** Adds the characters below 256 whose bytes are in the set. */
  addSet(set: ByteSet): this {
    for (let low = set.indexOf(1); low >= 0; ) {
      const next = set.indexOf(0, low)
      const high = next < 0 ? set.length - 1 : next - 1
      this.ranges.push([low, high])
      low = set.indexOf(1, high + 1)
    }
    return this
  }

  /** Adds all characters except these. */
  addNegated(ranges: readonly CodeRange[]): this {
    return this.addRanges(complement(ranges, maxChar(this.mode)))
  }

  /** Adds every case of every character; ASCII letters only, unless the pattern enables Unicode. */
  fold(): this {
    const unicode = this.mode.utf || this.mode.ucp
    const max = maxChar(this.mode)
    const extra: CodeRange[] = []
    for (const [low, high] of normalized(this.ranges)) {
      const last = Math.min(high, unicode ? LAST_CASED : 0x7f)
      for (let char = low; char <= last; char++) {
        const others = unicode ? otherCases(char) : [otherCase(char)]
        for (const other of others) if (other <= max) extra.push([other, other])
      }
    }
    return this.addRanges(extra)
  }

  /** The members, or those of the complement, in order. */
  rangesOf(negate: boolean): readonly CodeRange[] {
    return negate ? complement(this.ranges, maxChar(this.mode)) : normalized(this.ranges)
  }

  toNode(negate: boolean): Node {
    const ranges = this.rangesOf(negate)
    // in UTF mode a set of bytes can only represent ASCII
    const lastHigh = ranges.at(-1)?.[1] ?? 0
    if (this.mode.utf && lastHigh > 0x7f) return { kind: 'code_point', ranges }
    return { kind: 'set', set: setOfRanges(ranges) }
  }
}

function normalized(ranges: readonly CodeRange[]): CodeRange[] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const out: [number, number][] = []
  for (const [low, high] of sorted) {
    const last = out.at(-1)
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else out.push([low, high])
  }
  return out
}

function complement(ranges: readonly CodeRange[], max: number): CodeRange[] {
  const out: CodeRange[] = []
  let next = 0
  for (const [low, high] of normalized(ranges)) {
    if (low > next) out.push([next, low - 1])
    next = high + 1
  }
  if (next <= max) out.push([next, max])
  return out
}

let caseTable: Map<number, number[]> | null = null

/** All characters that Unicode folding in PCRE2 treats as the same letter. Built on first use, because few patterns need it. */
export function otherCases(char: number): readonly number[] {
  caseTable ??= buildCaseTable()
  return caseTable.get(char) ?? [char]
}

function buildCaseTable(): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (let char = 0; char <= LAST_CASED; char++) {
    if (char >= 0xd800 && char <= 0xdfff) continue
    const key = foldKey(char)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [char])
    else group.push(char)
  }
  const table = new Map<number, number[]>()
  for (const group of groups.values()) if (group.length > 1) for (const char of group) table.set(char, group)
  return table
}

/** Equal keys mean that two characters are cases of each other. The dotted and the dotless i have keys of their own. */
function foldKey(char: number): number {
  if (char === 0x130 || char === 0x131) return char
  const upper = single(String.fromCodePoint(char).toUpperCase(), char)
  return single(String.fromCodePoint(upper).toLowerCase(), upper)
}

function single(text: string, otherwise: number): number {
  const char = text.codePointAt(0) as number
  return String.fromCodePoint(char).length === text.length ? char : otherwise
}
