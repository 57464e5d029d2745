/**
 * Which repetitions PCRE2's compiler makes possessive, because what follows them can't begin with what they repeat: they give nothing back, so they cost no calls.
 * PCRE2 looks into groups and behind what is optional, and gives up at the end of a repeated group. Where this differs, too few calls are counted.
 */
import type { ByteSet } from '../expressions/pcre2/byte-set.js'
import { ASSERTIONS } from '../expressions/pcre2/assemble.js'
import { Op, type Program } from '../expressions/pcre2/program.js'

/** Instructions that are visited behind one repetition; where more follow, PCRE2 gives up as well. */
const VISITED_LIMIT = 1000

/** Whether the repetition at an address is possessive. */
export function isPossessive({ code, sets }: Program, at: number): boolean {
  const repeated = sets[code[at + 1]]
  const isLazy = code[at + 4] === 1
  const isFree = (set: ByteSet): boolean => set.every((flag, byte) => flag === 0 || repeated[byte] === 0)
  const visited = new Set<number>()
  const open: { readonly pc: number; readonly entered: boolean }[] = [{ pc: at + 5, entered: false }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pc, entered } = next
    if (visited.has(pc)) continue
    if (visited.size >= VISITED_LIMIT) return false
    visited.add(pc)
    switch (code[pc]) {
      case Op.MATCH:
        if (isLazy) return false
        break
      case Op.BYTE:
        if (repeated[code[pc + 1]] === 1) return false
        break
      case Op.SET:
        if (!isFree(sets[code[pc + 1]])) return false
        break
      case Op.REPEAT_SET:
        if (!isFree(sets[code[pc + 1]])) return false
        if (code[pc + 2] === 0) open.push({ pc: pc + 5, entered })
        break
      case Op.ASSERT: {
        const test = ASSERTIONS[code[pc + 1]]
        if (test !== 'subject_end' && ((test !== 'final_end' && test !== 'line_end') || repeated[0x0a] === 1)) return false
        break
      }
      case Op.MARK:
      case Op.MARK_HEIGHT:
        open.push({ pc: pc + 2, entered: true })
        break
      case Op.CLOSE:
        open.push({ pc: pc + 3, entered })
        break
      case Op.ATOMIC_BEGIN:
        open.push({ pc: pc + 2, entered: true })
        break
      case Op.ATOMIC_END:
      case Op.LOOK_END:
      case Op.NOT_END:
        if (entered) return false
        break
      case Op.JUMP:
        open.push({ pc: code[pc + 1], entered })
        break
      case Op.SPLIT:
        // The end of a repeated group.
        if (code[pc + 1] <= pc || code[pc + 2] <= pc) return false
        open.push({ pc: code[pc + 1], entered: true }, { pc: code[pc + 2], entered: true })
        break
      default:
        return false
    }
  }
  return true
}
