/**
 * Compiles the tree to a program for the backtracking machine.
 *
 * 1. Repeats are unrolled as PCRE2 does it (`X{2,4}` is `XX(X(X)?)?`). This determines what a group captures and when an empty
 *    iteration ends a loop.
 * 2. A group that is called as a subroutine is assembled a second time and ends in RETURN. The called code and the inline code
 *    share only the capture slots.
 * 3. Slots hold everything that must be restored when the machine backtracks.
 */
import { someNode, type AssertionTest, type Condition, type LookNode, type Node, type Pattern, type RepeatNode } from './ast.js'
import { firstByte, setOf, sizeOf, WORD, type ByteSet } from './byte-set.js'
import { firstBytesOf, firstOf } from './first-bytes.js'
import { FIRST_GROUP_SLOT, leadOf, Op, type Program } from './program.js'
import { startsOf } from './starts.js'
import { SyntaxFault } from './syntax-error.js'
import { propertyRanges, propertySource } from './unicode-property.js'
import { utf8Sequences } from './utf8-ranges.js'

/** PCRE2 refuses patterns above 64 KB of its own code. This limit is about ten times as much in instructions of this machine. */
const MAX_CODE = 1 << 19
/** Limit for programs with all repetitions expanded to branches: 64 KB, some 3,000 instructions. */
const MAX_EXPANDED_CODE = 1 << 14

export const ASSERTIONS: readonly AssertionTest[] = ['subject_start', 'subject_end', 'final_end', 'line_start', 'line_end', 'word_boundary', 'not_word_boundary', 'not_newline']

/** Throws for a pattern that the machine cannot run. */
function refuse(message: string): never {
  throw new SyntaxFault(message, 0, 'pcre2_too_complex')
}

/** @param expanded expand every repetition to branches, so that each instruction consumes at most one byte */
export function assemble(pattern: Pattern, expanded = false): Program {
  return new Assembler(pattern, expanded).program()
}

class Assembler {
  private readonly pattern: Pattern
  private readonly expanded: boolean
  private readonly code: number[] = []
  private readonly sets: ByteSet[] = []
  private readonly setIndex = new Map<string, number>()
  private readonly names = new Map<string, number>()
  private slotCount: number
  /** For (*ACCEPT): the groups to close, and jumps to patch. */
  private openGroups: { group: number; slot: number }[] = []
  private accepts: number[] = []
  /** Innermost alternation with more than one branch, for (*THEN). */
  private thenSlot = -1
  private readonly calls: number[] = []
  private readonly addresses = new Map<number, number>()

  constructor(pattern: Pattern, expanded: boolean) {
    this.pattern = pattern
    this.expanded = expanded
    this.slotCount = FIRST_GROUP_SLOT + 2 * (pattern.groupCount + 1)
    if (pattern.utf && pattern.ucp && someNode(pattern.root, isWordTest)) refuse('\\b with both UTF and UCP is not supported')
  }

  program(): Program {
    const { pattern } = this
    this.context(() => this.node(pattern.root), Op.MATCH, -1)
    this.assembleCalled()
    const starts = startsOf(pattern)
    const code = Int32Array.from(this.code)
    return {
      code,
      sets: this.sets,
      slotCount: this.slotCount,
      word: pattern.ucp && !pattern.utf ? unicodeWord() : WORD,
      newline: pattern.newline,
      utf: pattern.utf,
      notEmpty: pattern.notEmpty,
      starts,
      firstBytes: pattern.startOptimizations ? firstBytesOf(pattern.root) : null,
      lead: pattern.startOptimizations && starts === 'anywhere' ? leadOf(code) : '',
      namesCrOrLf: pattern.namesCrOrLf,
    }
  }

  /** Assembles subroutines until every called address is known; a subroutine may call further ones. */
  private assembleCalled(): void {
    for (let i = 0; i < this.calls.length; i++) {
      const at = this.calls[i]
      const group = this.code[at + 1]
      let address = this.addresses.get(group)
      if (address === undefined) {
        address = this.code.length
        this.addresses.set(group, address)
        this.context(() => this.node(this.pattern.groups[group]), Op.RETURN, -1)
      }
      this.code[at + 2] = address
    }
  }

  private emit(...ints: number[]): number {
    const at = this.code.length
    if (at > (this.expanded ? MAX_EXPANDED_CODE : MAX_CODE)) refuse('the pattern is too large')
    for (const int of ints) this.code.push(int)
    return at
  }

  private here(): number {
    return this.code.length
  }

  private slot(): number {
    return this.slotCount++
  }

  /** Assembles `body` as a unit that (*ACCEPT) ends: the match, a subroutine or a lookaround. */
  private context(body: () => void, end: number, slot: number): void {
    const { openGroups, accepts, thenSlot } = this
    this.openGroups = []
    this.accepts = []
    this.thenSlot = -1
    body()
    for (const at of this.accepts) this.code[at + 1] = this.here()
    if (slot < 0) this.emit(end)
    else this.emit(end, slot)
    this.openGroups = openGroups
    this.accepts = accepts
    this.thenSlot = thenSlot
  }

  private setOperand(set: ByteSet): number {
    const key = set.join('')
    let index = this.setIndex.get(key)
    if (index === undefined) {
      index = this.sets.push(set) - 1
      this.setIndex.set(key, index)
    }
    return index
  }

  private byteSet(set: ByteSet): void {
    if (sizeOf(set) === 1) this.emit(Op.BYTE, firstByte(set))
    else this.emit(Op.SET, this.setOperand(set))
  }

  private node(node: Node): void {
    switch (node.kind) {
      case 'empty':
        return
      case 'set':
        return this.byteSet(node.set)
      case 'code_point': {
        const sequences = utf8Sequences(node.ranges)
        if (sequences.length === 0) this.emit(Op.FAIL)
        return this.choices(sequences, (ranges) => {
          for (const [low, high] of ranges) this.byteSet(setOf((byte) => byte >= low && byte <= high))
        })
      }
      case 'sequence':
        for (const item of node.items) this.node(item)
        return
      case 'alternation':
        return this.branches(node.branches, null)
      case 'capture': {
        const slot = this.slot()
        this.emit(Op.MARK, slot)
        this.openGroups.push({ group: node.index, slot })
        this.node(node.body)
        this.openGroups.pop()
        this.emit(Op.CLOSE, slot, node.index)
        return
      }
      case 'atomic':
        return this.atomic(() => this.node(node.body))
      case 'repeat':
        return this.repeat(node)
      case 'assertion':
        this.emit(Op.ASSERT, ASSERTIONS.indexOf(node.test))
        return
      case 'look':
        return this.look(node)
      case 'backreference':
        if (node.fold && this.pattern.utf) refuse('a caseless backreference is not supported in UTF mode')
        if (node.fold && this.pattern.ucp) refuse('a caseless backreference is not supported with UCP')
        this.emit(Op.BACKREFERENCE, node.fold ? 1 : 0, node.groups.length, ...node.groups)
        return
      case 'subroutine':
        this.calls.push(this.emit(Op.CALL, node.group, 0))
        return
      case 'conditional':
        return this.conditional(node.condition, node.yes, node.no)
      case 'verb':
        return this.verb(node.verb, node.name)
    }
  }

  private choices<T>(alternatives: readonly T[], body: (alternative: T, index: number) => void): void {
    const exits: number[] = []
    alternatives.forEach((alternative, i) => {
      if (i === alternatives.length - 1) return body(alternative, i)
      const split = this.emit(Op.SPLIT, 0, 0)
      this.code[split + 1] = this.here()
      body(alternative, i)
      exits.push(this.emit(Op.JUMP, 0))
      this.code[split + 2] = this.here()
    })
    for (const exit of exits) this.code[exit + 1] = this.here()
  }

  /** Assembles alternatives. In a lookbehind each begins with its own step back. */
  private branches(branches: readonly Node[], steps: readonly number[] | null): void {
    const outer = this.thenSlot
    const slot = branches.length > 1 ? this.slot() : outer
    this.thenSlot = slot
    this.choices(branches, (branch, i) => {
      if (branches.length > 1 && someNode(branch, (node) => node.kind === 'verb' && node.verb === 'then')) this.emit(Op.MARK_HEIGHT, slot)
      if (steps !== null && steps[i] > 0) this.emit(Op.STEP_BACK, steps[i])
      this.node(branch)
    })
    this.thenSlot = outer
  }

  private atomic(body: () => void): void {
    const slot = this.slot()
    this.emit(Op.ATOMIC_BEGIN, slot)
    body()
    this.emit(Op.ATOMIC_END, slot)
  }

  private repeat(node: RepeatNode): void {
    const { body, min, max, mode } = node
    if (max === 0) return
    if (body.kind === 'set' && !this.expanded) {
      const modes = { greedy: 0, lazy: 1, possessive: 2 }
      this.emit(Op.REPEAT_SET, this.setOperand(body.set), min, max === Number.POSITIVE_INFINITY ? -1 : max, modes[mode])
      return
    }
    if (mode === 'possessive') return this.atomic(() => this.unrolled(body, min, max, true))
    this.unrolled(body, min, max, mode === 'greedy')
  }

  private unrolled(body: Node, min: number, max: number, greedy: boolean): void {
    const infinite = max === Number.POSITIVE_INFINITY
    const fixed = infinite ? Math.max(min - 1, 0) : min
    for (let i = 0; i < fixed; i++) this.node(body)
    if (infinite) {
      const skip = min === 0 ? this.optional(greedy) : -1
      this.loop(body, greedy)
      if (skip >= 0) this.patchOptional(skip, greedy)
      return
    }
    const skips: number[] = []
    for (let i = min; i < max; i++) {
      skips.push(this.optional(greedy))
      this.node(body)
    }
    for (const skip of skips) this.patchOptional(skip, greedy)
  }

  /** Emits a SPLIT between the following code and a jump past it. */
  private optional(greedy: boolean): number {
    const split = this.emit(Op.SPLIT, 0, 0)
    this.code[split + (greedy ? 1 : 2)] = this.here()
    return split
  }

  private patchOptional(split: number, greedy: boolean): void {
    this.code[split + (greedy ? 2 : 1)] = this.here()
  }

  /** Emits a loop of one or more iterations. An iteration that consumes nothing is the last. */
  private loop(body: Node, greedy: boolean): void {
    const nullable = firstOf(body).nullable
    const slot = nullable ? this.slot() : -1
    const start = nullable ? this.emit(Op.MARK, slot) : this.here()
    this.node(body)
    const check = nullable ? this.emit(Op.IF_EMPTY, slot, 0) : -1
    const split = this.emit(Op.SPLIT, start, start)
    this.patchOptional(split, greedy)
    if (check >= 0) this.code[check + 2] = this.here()
  }

  private look(node: LookNode): void {
    const slot = this.slot()
    if (!node.atomic) {
      this.emit(Op.MARK, slot)
      this.context(() => this.lookBody(node), Op.RESTORE, slot)
      return
    }
    const begin = node.negative ? this.emit(Op.NOT_BEGIN, slot, 0) : this.emit(Op.LOOK_BEGIN, slot)
    this.context(() => this.lookBody(node), node.negative ? Op.NOT_END : Op.LOOK_END, slot)
    if (node.negative) this.code[begin + 2] = this.here()
  }

  private lookBody(node: LookNode): void {
    this.branches(node.branches, node.behind ? node.lengths : null)
  }

  private conditional(condition: Condition, yes: Node, no: Node | null): void {
    if (condition.kind === 'constant') {
      const taken = condition.value ? yes : no
      if (taken !== null) this.node(taken)
      return
    }
    if (condition.kind === 'look') return this.lookConditional(condition.look, yes, no)
    const groups = condition.groups ?? []
    const test = this.emit(condition.kind === 'group' ? Op.UNLESS_GROUP : Op.UNLESS_RECURSION, 0, groups.length, ...groups)
    this.node(yes)
    const exit = this.emit(Op.JUMP, 0)
    this.code[test + 1] = this.here()
    if (no !== null) this.node(no)
    this.code[exit + 1] = this.here()
  }

  /** The assertion is evaluated once: `(?:(?=c)yes|(?!c)no)` without testing `c` twice. */
  private lookConditional(look: LookNode, yes: Node, no: Node | null): void {
    const slot = this.slot()
    const begin = this.emit(Op.IF_BEGIN, slot, 0)
    const [held, failed] = look.negative ? [no, yes] : [yes, no]
    this.context(() => this.lookBody(look), Op.LOOK_END, slot)
    if (held !== null) this.node(held)
    const exit = this.emit(Op.JUMP, 0)
    this.code[begin + 2] = this.here()
    if (failed !== null) this.node(failed)
    this.code[exit + 1] = this.here()
  }

  private verb(verb: string, name: string | null): void {
    if (verb === 'fail') {
      this.emit(Op.FAIL)
      return
    }
    if (verb === 'accept') {
      for (const { group, slot } of this.openGroups.toReversed()) this.emit(Op.CLOSE, slot, group)
      this.accepts.push(this.emit(Op.JUMP, 0))
      return
    }
    const id = name === null ? -1 : this.nameId(name)
    if (verb === 'skip') {
      this.emit(Op.SKIP, id)
      return
    }
    if (id >= 0) this.emit(Op.NAME, id)
    if (verb === 'commit') this.emit(Op.COMMIT)
    else if (verb === 'prune') this.emit(Op.PRUNE)
    else if (verb === 'then') this.emit(Op.THEN, this.thenSlot)
  }

  private nameId(name: string): number {
    const known = this.names.get(name)
    if (known !== undefined) return known
    this.names.set(name, this.names.size)
    return this.names.size - 1
  }
}

function isWordTest(node: Node): boolean {
  return node.kind === 'assertion' && (node.test === 'word_boundary' || node.test === 'not_word_boundary')
}

function unicodeWord(): ByteSet {
  const ranges = propertyRanges(propertySource('Xwd'), 0xff)
  return setOf((byte) => ranges.some(([low, high]) => byte >= low && byte <= high))
}
