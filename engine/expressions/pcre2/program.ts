/**
 * The instructions of the backtracking machine. Each is an opcode followed by its operands in one Int32Array.
 */
import type { ByteSet } from './byte-set.js'
import type { NewlineKind } from './ast.js'

export const Op = {
  MATCH: 0,
  /** byte */
  BYTE: 1,
  /** set */
  SET: 2,
  /** first choice, second choice */
  SPLIT: 3,
  /** target */
  JUMP: 4,
  /** slot: store the position in it */
  MARK: 5,
  /** slot where the group began, group */
  CLOSE: 6,
  /** index into ASSERTIONS */
  ASSERT: 7,
  /** set, min, max (-1: none), 0 greedy 1 lazy 2 possessive */
  REPEAT_SET: 8,
  /** slot, target: jump there if nothing was consumed since MARK */
  IF_EMPTY: 9,
  /** slot */
  ATOMIC_BEGIN: 10,
  /** slot */
  ATOMIC_END: 11,
  /** slot */
  LOOK_BEGIN: 12,
  /** slot */
  LOOK_END: 13,
  /** slot, where to continue when the body fails */
  NOT_BEGIN: 14,
  /** slot */
  NOT_END: 15,
  /** characters */
  STEP_BACK: 16,
  /** fold 0 or 1, number of groups, groups */
  BACKREFERENCE: 17,
  /** group, address (filled in at the end) */
  CALL: 18,
  RETURN: 19,
  /** target if none is set, number of groups, groups */
  UNLESS_GROUP: 20,
  /** target otherwise, number of groups (0: any), groups */
  UNLESS_RECURSION: 21,
  FAIL: 22,
  /** slot: return to the position in it */
  RESTORE: 23,
  COMMIT: 24,
  PRUNE: 25,
  /** name or -1 */
  SKIP: 26,
  /** slot of the alternation it belongs to, or -1 */
  THEN: 27,
  /** name */
  NAME: 28,
  /** slot: store the height of the stack, for THEN */
  MARK_HEIGHT: 29,
  /** slot, where to continue when the condition fails */
  IF_BEGIN: 30,
} as const

/** Slot 0: the current call, as an index into the machine's calls; slot 1: the number of stored calls. */
export const CURRENT_CALL = 0
export const CALL_COUNT = 1
/** Start and end of group g are at 2g and 2g + 1 from here; "group 0" is never written. */
export const FIRST_GROUP_SLOT = 2

export interface Program {
  readonly code: Int32Array
  readonly sets: readonly ByteSet[]
  readonly slotCount: number
  /** The bytes that `\b` treats as parts of a word. */
  readonly word: ByteSet
  readonly newline: NewlineKind
  readonly utf: boolean
  readonly notEmpty: 'no' | 'always' | 'at_start'
  /** Where a match can begin: anywhere, only at 0, or at 0 and after each LF. */
  readonly starts: 'anywhere' | 'subject' | 'line'
  /** Bytes with which a match can begin; null when unknown. */
  readonly firstBytes: ByteSet | null
  /** The bytes with which every match begins; '' when unknown. */
  readonly lead: string
  readonly namesCrOrLf: boolean
}

/** Skips instructions that only record where groups begin and end. */
export function skipNotes(code: Int32Array, from: number): number {
  let pc = from
  for (;;) {
    const op = code[pc]
    if (op === Op.CLOSE) pc += 3
    else if (op === Op.MARK || op === Op.MARK_HEIGHT) pc += 2
    else return pc
  }
}

/** The bytes with which all attempts of a program begin. */
export function leadOf(code: Int32Array): string {
  let lead = ''
  for (let pc = skipNotes(code, 0); code[pc] === Op.BYTE; pc = skipNotes(code, pc + 2)) lead += String.fromCharCode(code[pc + 1])
  return lead
}
