/** Writes a program into the memory of the kernel, in the form that `kernel/pcre2.ts` reads. */
import { SLOTS_LIMIT } from '../../kernel/layout.js'
import { BYTES, type Packed, take, WORDS } from '../../kernel/memory.js'
import { CODE, STARTS_ANYWHERE, STARTS_LINE, STARTS_SUBJECT } from '../../kernel/pcre2.js'
import type { ByteSet } from './byte-set.js'
import { Op, type Program } from './program.js'

/** Words of an instruction that the kernel has, and which of its operands are targets or sets; other instructions are left to the machine in JavaScript. */
const OPERANDS: readonly (readonly ('number' | 'target' | 'set')[] | undefined)[] = Object.assign([], {
  [Op.MATCH]: [],
  [Op.BYTE]: ['number'],
  [Op.SET]: ['set'],
  [Op.SPLIT]: ['target', 'target'],
  [Op.JUMP]: ['target'],
  [Op.MARK]: ['number'],
  [Op.CLOSE]: ['number', 'number'],
  [Op.ASSERT]: ['number'],
  [Op.REPEAT_SET]: ['set', 'number', 'number', 'number'],
  [Op.IF_EMPTY]: ['number', 'target'],
  [Op.ATOMIC_BEGIN]: ['number'],
  [Op.ATOMIC_END]: ['number'],
  [Op.LOOK_BEGIN]: ['number'],
  [Op.LOOK_END]: ['number'],
  [Op.NOT_BEGIN]: ['number', 'target'],
  [Op.NOT_END]: ['number'],
  [Op.STEP_BACK]: ['number'],
})
const STARTS = { anywhere: STARTS_ANYWHERE, subject: STARTS_SUBJECT, line: STARTS_LINE }
const SET_WORDS = 8
/** Larger programs are left to the machine, which shares their memory with no other pattern. */
const CODE_LIMIT = 4096

/** Returns a program in the memory of the kernel; null: the kernel cannot run it. */
export function packProgram({ code, sets, slotCount, word, newline, utf, notEmpty, starts, firstBytes, lead }: Program): Packed | null {
  if (utf || newline !== 'lf' || notEmpty !== 'no' || slotCount > SLOTS_LIMIT || code.length > CODE_LIMIT) return null
  for (let pc = 0; pc < code.length; ) {
    const operands = OPERANDS[code[pc]]
    if (operands === undefined) return null
    pc += 1 + operands.length
  }
  const packed: ByteSet[] = [...sets, word]
  if (firstBytes !== null) packed.push(firstBytes)
  const begin = CODE / 4 + code.length
  const { chunk, address } = take(4 * (begin + SET_WORDS * packed.length) + lead.length)
  const setAddress = (set: number): number => address + 4 * (begin + SET_WORDS * set)
  const leadAddress = setAddress(packed.length)
  const words = [STARTS[starts], firstBytes === null ? 0 : setAddress(packed.length - 1), lead.length, leadAddress, slotCount, setAddress(sets.length)]
  for (let pc = 0; pc < code.length; ) {
    const operands = OPERANDS[code[pc]] ?? []
    words.push(code[pc])
    operands.forEach((operand, i) => {
      const value = code[pc + 1 + i]
      words.push(operand === 'target' ? address + CODE + 4 * value : operand === 'set' ? setAddress(value) : value)
    })
    pc += 1 + operands.length
  }
  for (const set of packed) words.push(...bitsOf(set))
  WORDS.set(words, address >> 2)
  for (let at = 0; at < lead.length; at++) BYTES[leadAddress + at] = lead.charCodeAt(at)
  return { chunk, address }
}

function bitsOf(set: ByteSet): number[] {
  const bits = new Array<number>(SET_WORDS).fill(0)
  for (let byte = 0; byte < 256; byte++) if (set[byte] === 1) bits[byte >> 5] |= 1 << (byte & 31)
  return bits
}
