/** Writes a pattern into the memory of the kernel, in the form that `kernel/osregex.ts` reads. */
import { BYTES, type Packed, packWords, take, WORDS } from '../../kernel/memory.js'
import { ANCHORED_END, ANCHORED_START, CAPTURING, FIRST_CLASS, KIND_BITS, LIT, MARK, NEXT, ONE, PATTERN_WORDS, PLUS, SHARES_LEAD } from '../../kernel/osregex.js'
import { packLiteral } from '../literal.js'
import { type AlternativeLiterals, literalsOf, othersOf } from './literals.js'
import type { OsRegexAlternative } from './parse.js'

/** A pattern in the memory of the kernel. */
export interface PackedPattern extends Packed {
  /** What else it refers to. */
  readonly parts: readonly Packed[]
  /** The only byte that can begin a match at the start of a text, folded; -1: `firstBytes` has them. An empty text is not excluded. */
  readonly firstByte: number
}

/** @param firstBytes 1 for each byte that can begin a match at the start of a text, null = any byte @param captures whether the groups of a match are wanted */
export function packPattern(alternatives: readonly OsRegexAlternative[], firstBytes: Uint8Array | null, captures: boolean): PackedPattern {
  const parts: Packed[] = []
  const literals = alternatives.map(literalsOf)
  const packed = new Map<string, number>()
  const addressOf = (text: string): number => {
    const known = packed.get(text)
    if (text === '') return 0
    if (known !== undefined) return known
    const literal = packLiteral(text)
    parts.push(literal)
    packed.set(text, literal.address)
    return literal.address
  }
  const sharesLead = (i: number): boolean =>
    i > 0 &&
    literals[i].lead === literals[i - 1].lead &&
    literals[i].leadOffset === literals[i - 1].leadOffset &&
    alternatives[i].anchoredStart === alternatives[i - 1].anchoredStart
  const programs = alternatives.map((alternative, i) => programOf(alternative, literals[i], captures, sharesLead(i), addressOf))
  const required = literals.some((one) => one.required === '') ? [] : [...new Set(literals.map((one) => one.required))].map(addressOf)
  const firstByte = onlyByteOf(firstBytes)
  const firsts = firstBytes === null || firstByte >= 0 ? null : take(firstBytes.length)
  if (firsts !== null) {
    BYTES.set(firstBytes as Uint8Array, firsts.address)
    parts.push(firsts)
  }
  const length = PATTERN_WORDS + programs.reduce((sum, words) => sum + words.length, 0) + required.length
  const { chunk, address } = take(4 * length)
  const list = address + 4 * (length - required.length)
  const words = [firstByte, firsts?.address ?? 0, required.length, list, programs.length === 0 ? 0 : address + 4 * PATTERN_WORDS]
  for (const [i, program] of programs.entries()) {
    if (i + 1 < programs.length) program[NEXT >> 2] = address + 4 * (words.length + program.length)
    words.push(...program)
  }
  WORDS.set([...words, ...required], address >> 2)
  return { chunk, address, parts, firstByte }
}

function programOf(alternative: OsRegexAlternative, literals: AlternativeLiterals, captures: boolean, sharesLead: boolean, addressOf: (literal: string) => number): number[] {
  const { kinds, values, anchoredStart, anchoredEnd } = alternative
  const { lead, leadOffset, required } = literals
  const others = othersOf(alternative, literals)
  const first = kinds[0] === MARK ? 1 : 0
  return [
    (anchoredStart ? ANCHORED_START : 0) | (anchoredEnd ? ANCHORED_END : 0) | (captures ? CAPTURING : 0) | (sharesLead ? SHARES_LEAD : 0),
    addressOf(lead),
    leadOffset,
    leadOffset === 0
      ? Math.min(
          lead.length,
          kinds.findIndex((kind) => kind !== LIT),
        )
      : 0,
    addressOf(required),
    addressOf(others[0] ?? ''),
    addressOf(others[1] ?? ''),
    kinds[first] === ONE || kinds[first] === PLUS ? values[first] : 0,
    captures ? kinds.filter((kind) => kind === MARK).length : 0,
    0,
    ...itemsOf(alternative),
  ]
}

/** The items of an alternative as the machine reads them. */
function itemsOf({ kinds, values }: Pick<OsRegexAlternative, 'kinds' | 'values'>): number[] {
  return Array.from(kinds, (kind, item) => kind | (values[item] << KIND_BITS))
}

/** Packs the items of an alternative alone. */
export function packItems(alternative: Pick<OsRegexAlternative, 'kinds' | 'values'>): Packed {
  return packWords(itemsOf(alternative))
}

const NO_LITERALS: AlternativeLiterals = { lead: '', leadOffset: 0, runs: [], required: '' }

/** Packs a pattern of one alternative without any shortcut, for tests. */
export function packPlain(alternative: OsRegexAlternative, captures: boolean): Packed {
  const program = programOf(alternative, NO_LITERALS, captures, false, () => 0)
  program[FIRST_CLASS >> 2] = 0
  const { chunk, address } = take(4 * (PATTERN_WORDS + program.length))
  WORDS.set([-1, 0, 0, 0, address + 4 * PATTERN_WORDS, ...program], address >> 2)
  return { chunk, address }
}

/** The byte of which the set has no other than its capital; -1: there is none, or the set is null. */
function onlyByteOf(set: Uint8Array | null): number {
  if (set === null) return -1
  const byte = set.lastIndexOf(1)
  const count = set.reduce((sum, one) => sum + one, 0)
  return count === 1 || (count === 2 && byte >= 0x61 && byte <= 0x7a && set[byte - 0x20] === 1) ? byte : -1
}
