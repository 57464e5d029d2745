/**
 * The instructions of the backtracking machine. Each is an opcode followed by its operands in one Int32Array.
 */
import {
  FIRST_GROUP,
  OP_ASSERT,
  OP_ATOMIC_BEGIN,
  OP_ATOMIC_END,
  OP_BYTE,
  OP_CLOSE,
  OP_IF_EMPTY,
  OP_JUMP,
  OP_LOOK_BEGIN,
  OP_LOOK_END,
  OP_MARK,
  OP_MATCH,
  OP_NOT_BEGIN,
  OP_NOT_END,
  OP_REPEAT_SET,
  OP_SET,
  OP_SPLIT,
  OP_STEP_BACK,
} from '../../kernel/pcre2.js'
import type { ByteSet } from './byte-set.js'
import type { NewlineKind } from './ast.js'

export const Op = {
  MATCH: OP_MATCH,
  /** byte */
  BYTE: OP_BYTE,
  /** set */
  SET: OP_SET,
  /** first choice, second choice */
  SPLIT: OP_SPLIT,
  /** target */
  JUMP: OP_JUMP,
  /** slot: store the position in it */
  MARK: OP_MARK,
  /** slot where the group began, group */
  CLOSE: OP_CLOSE,
  /** index into ASSERTIONS */
  ASSERT: OP_ASSERT,
  /** set, min, max (-1: none), 0 greedy 1 lazy 2 possessive */
  REPEAT_SET: OP_REPEAT_SET,
  /** slot, target: jump there if nothing was consumed since MARK */
  IF_EMPTY: OP_IF_EMPTY,
  /** slot */
  ATOMIC_BEGIN: OP_ATOMIC_BEGIN,
  /** slot */
  ATOMIC_END: OP_ATOMIC_END,
  /** slot */
  LOOK_BEGIN: OP_LOOK_BEGIN,
  /** slot */
  LOOK_END: OP_LOOK_END,
  /** slot, where to continue when the body fails */
  NOT_BEGIN: OP_NOT_BEGIN,
  /** slot */
  NOT_END: OP_NOT_END,
  /** characters */
  STEP_BACK: OP_STEP_BACK,
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
export const FIRST_GROUP_SLOT = FIRST_GROUP

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
