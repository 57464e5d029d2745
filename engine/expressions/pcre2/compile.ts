/**
 * Compiles a PCRE2 pattern to an Expression and chooses the engine that runs it.
 *
 * V8's RegExp is used where it is exact and its worst case is cheap; else the automaton, where it is exact; else the backtracking machine,
 * which runs everything. Engines are created on first use: a ruleset holds thousands of patterns, and most are never run. Where PCRE2
 * stops at its match limit, V8 and the automaton still find the result.
 */
import { type PLAIN, searchPcre2 } from '../../kernel/kernel.js'
import { SLOTS } from '../../kernel/layout.js'
import { type Packed, WORDS } from '../../kernel/memory.js'
import { FAILED, GAVE_UP } from '../../kernel/pcre2.js'
import { type SearchedText, searchedText } from '../../kernel/searched-text.js'
import type { CompileOutcome, Expression, Prefilter, MatchResult } from '../expression.js'
import { Literal } from '../literal.js'
import { anchoredExact, requiredLiteral, type ExactSubjects } from './analyze.js'
import { assemble } from './assemble.js'
import type { Pattern } from './ast.js'
import { Machine, MAX_STEPS } from './backtrack.js'
import { needsNoFinalNewline } from './emit.js'
import { assembleLinear, Automaton, isLinear } from './linear.js'
import { compileNative, longestNativeSubject } from './native.js'
import { type NativePrefix, nativePrefixes } from './native-prefix.js'
import { packProgram } from './pack.js'
import { parsePattern } from './parse.js'
import { decodeUtf8 } from './pattern-reader.js'
import { FIRST_GROUP_SLOT } from './program.js'
import { SyntaxFault } from './syntax-error.js'

export type Pcre2Engine = 'native' | 'linear' | 'backtrack'

/** `(*LIMIT_MATCH=n)` counts PCRE2's backtracking points. One of them is about this many steps of the machine. */
const STEPS_PER_LIMIT = 8
/** About 50 µs. A memoizing machine needs longer per step, and must clear its memory first. */
const FIRST_TRY_STEPS = 2000

/** On shorter subjects V8 is as fast as the search for a required literal. */
const UNFILTERED_LENGTH = 48

export function compilePcre2(pattern: string): CompileOutcome<Pcre2Expression> {
  const parsed = parsePattern(pattern)
  if (!parsed.ok) return parsed
  const expression = new Pcre2Expression(pattern, parsed.pattern)
  if (expression.needsBacktracking) {
    // only non-linear patterns can be too large for the machine: linear ones are smaller
    try {
      expression.prepareMachine()
    } catch (fault) {
      if (fault instanceof SyntaxFault) return { ok: false, error: fault.error }
      throw fault
    }
  }
  return { ok: true, expression }
}

export class Pcre2Expression implements Expression {
  readonly dialect = 'pcre2'
  /** Not computed: V8 finds the start as fast. */
  readonly firstBytes = null
  readonly pattern: string
  readonly groupCount: number
  /** Whether no automaton can run the pattern. */
  readonly needsBacktracking: boolean
  /** The syntax tree, for checks and explanations. */
  readonly tree: Pattern
  private readonly noFinalNewline: boolean
  private readonly stepLimit: number

  private requiredLiterals: Literal[] | null | undefined
  private exactSubjects: ExactSubjects | null | undefined
  /** Maximum length of a subject for V8; -1 until the first search. */
  private nativeLength = -1
  private nativeTest: RegExp | null | undefined
  private testsFolded = false
  private nativeSearch: RegExp | null | undefined
  private prefixes: NativePrefix[] | undefined
  private automaton: Automaton | null | undefined
  private rememberingMachine: Machine | null | undefined
  private machine: Machine | undefined
  /** The program in the memory of the kernel; null: the kernel cannot run it. */
  private packed: Packed | null | undefined
  private triedCopy: Pcre2Expression | undefined

  constructor(pattern: string, tree: Pattern) {
    this.pattern = pattern
    this.tree = tree
    this.groupCount = tree.groupCount
    this.needsBacktracking = !isLinear(tree, false)
    this.noFinalNewline = needsNoFinalNewline(tree.root)
    this.stepLimit = tree.limitMatch === null ? MAX_STEPS : Math.min(MAX_STEPS, tree.limitMatch * STEPS_PER_LIMIT)
  }

  get tried(): Pcre2Expression {
    this.triedCopy ??= new Pcre2Expression(this.pattern, this.tree)
    return this.triedCopy
  }

  /** Literals of which the lower-cased subject must contain one. */
  get required(): Literal[] | null {
    if (this.requiredLiterals === undefined) this.requiredLiterals = requiredLiteral(this.tree)?.literals.map((text) => new Literal(text)) ?? null
    return this.requiredLiterals
  }

  /** The subjects that the pattern matches, when they can be enumerated. */
  get exact(): ExactSubjects | null {
    if (this.exactSubjects === undefined) this.exactSubjects = anchoredExact(this.tree)
    return this.exactSubjects
  }

  /** `exact` where it is known, folded and with the final newline that `$` allows; else `required`. */
  get prefilter(): Prefilter | null {
    const { exact } = this
    if (exact !== null) {
      const values = [...new Set(exact.values.map(foldAscii))]
      return { kind: 'exact', values: exact.trailingNewline ? values.flatMap((value) => [value, `${value}\n`]) : values }
    }
    const { required } = this
    return required === null ? null : { kind: 'contains', values: required.map(({ text }) => text) }
  }

  /** The engine for a `test` on a log line of ordinary length. */
  get engine(): Pcre2Engine {
    this.prepareNative()
    if (this.nativeLength > 0 && this.nativeTest !== null) return 'native'
    return this.needsBacktracking ? 'backtrack' : 'linear'
  }

  test(text: string, lower: string, from: number): boolean {
    return this.matches(searchedText(text, lower), from)
  }

  search(text: string, lower: string, from: number, result: MatchResult): boolean {
    return this.find(searchedText(text, lower), from, result)
  }

  matches(searched: SearchedText, from: number): boolean {
    const { text } = searched
    if ((text.length - from > UNFILTERED_LENGTH || this.needsBacktracking) && this.lacksRequired(searched, from)) return false
    const subject = from === 0 ? text : text.slice(from)
    if (!this.noFinalNewline || subject.charCodeAt(subject.length - 1) !== 0x0a) {
      if (this.nativeLength < 0) this.prepareNative()
      if (subject.length <= this.nativeLength && this.nativeTest) {
        try {
          return this.nativeTest.test(this.testsFolded ? foldedFrom(searched, from) : subject)
        } catch {
          // V8 exceeded its backtracking stack: use another engine
        }
      }
      if (this.failsAtPrefix(subject)) return false
    }
    return this.testLinear(subject) ?? this.runMachine(subject) >= 0
  }

  find(searched: SearchedText, from: number, result: MatchResult): boolean {
    const { text } = searched
    if ((text.length - from > UNFILTERED_LENGTH || this.needsBacktracking) && this.lacksRequired(searched, from)) return false
    const subject = from === 0 ? text : text.slice(from)
    if (!this.noFinalNewline || subject.charCodeAt(subject.length - 1) !== 0x0a) {
      if (this.nativeLength < 0) this.prepareNative()
      if (this.nativeRejects(subject, from, searched) || this.failsAtPrefix(subject)) return false
    }
    const end = this.searchKernel(searched, from)
    if (end === FAILED) return false
    if (end !== GAVE_UP) {
      this.fillFromSlots(WORDS, SLOTS >> 2, end, from, result)
      return true
    }
    if (subject.length <= this.nativeLength && (!this.noFinalNewline || subject.charCodeAt(subject.length - 1) !== 0x0a)) {
      if (this.nativeSearch === undefined) this.nativeSearch = compileNative(this.tree, true)
      if (this.nativeSearch !== null) {
        try {
          return fillFromIndices(this.nativeSearch.exec(subject), from, result)
        } catch {
          // as above
        }
      }
    }
    return this.needsBacktracking ? this.fillFrom(this.prepareMachine(), subject, from, result) : this.searchLinear(subject, from, result)
  }

  /** Whether V8 finds that nothing matches, which takes it less time than what a group captures. */
  private nativeRejects(subject: string, from: number, searched: SearchedText): boolean {
    if (subject.length > this.nativeLength || !this.nativeTest) return false
    try {
      return !this.nativeTest.test(this.testsFolded ? foldedFrom(searched, from) : subject)
    } catch {
      return false // V8 exceeded its backtracking stack
    }
  }

  /** Returns the end of the match from `from` on, FAILED, or GAVE_UP: another engine must run the pattern. */
  private searchKernel(searched: SearchedText, from: number, search = searchPcre2): number {
    if (this.packed === undefined) this.packed = packProgram(this.prepareMachine().program)
    if (this.packed === null || from > searched.length || this.stepLimit < FIRST_TRY_STEPS) return GAVE_UP
    return search(this.packed.address, searched.receivedAddress + from, searched.length - from, FIRST_TRY_STEPS)
  }

  /**
   * The automaton quickly finds that nothing matches. Where it matches, the machine finds what the groups captured. A pattern that begins with a
   * literal runs on the machine alone if that finishes within its steps.
   */
  private searchLinear(subject: string, from: number, result: MatchResult): boolean {
    const machine = this.prepareMachine()
    if (!machine.hasLead && this.testLinear(subject) === false) return false
    if (this.fillFrom(machine, subject, from, result, FIRST_TRY_STEPS)) return true
    if (!machine.isUndecided || (machine.hasLead && this.testLinear(subject) === false)) return false
    if (!isLinear(this.tree, true)) {
      // its groups may differ in empty iterations, which is better than no match when the memoizing machine does not finish
      if (this.fillFrom(machine, subject, from, result)) return true
      if (!machine.isUndecided) return false
    }
    return this.fillFrom(this.prepareRemembering() ?? machine, subject, from, result)
  }

  /** Returns null when the pattern is not linear, or the subject creates too many states. */
  private testLinear(subject: string): boolean | null {
    if (this.automaton === undefined) {
      const program = assembleLinear(this.tree)
      this.automaton = program === null ? null : new Automaton(program)
    }
    return this.automaton === null ? null : this.automaton.test(subject)
  }

  private prepareRemembering(): Machine | null {
    if (this.rememberingMachine === undefined) {
      const program = assembleLinear(this.tree)
      this.rememberingMachine = program === null ? null : new Machine(program, true)
    }
    return this.rememberingMachine
  }

  /** Runs the given engine, at any cost. Returns null when it cannot run the pattern on the subject. For tests. @param engine a form of the kernel is one too */
  searchWith(engine: Pcre2Engine | Pick<typeof PLAIN, 'searchPcre2'>, subject: string, result: MatchResult): boolean | null {
    if (typeof engine === 'object') {
      const end = this.searchKernel(searchedText(subject, foldAscii(subject)), 0, engine.searchPcre2)
      if (end >= 0) this.fillFromSlots(WORDS, SLOTS >> 2, end, 0, result)
      return end === GAVE_UP ? null : end >= 0
    }
    if (engine === 'backtrack') return this.fillFrom(this.prepareMachine(), subject, 0, result)
    if (engine === 'linear') {
      const machine = isLinear(this.tree, true) ? this.prepareRemembering() : null
      return machine === null ? null : this.fillFrom(machine, subject, 0, result)
    }
    if (this.noFinalNewline && subject.endsWith('\n')) return null
    const compiled = compileNative(this.tree, true)
    return compiled === null ? null : fillFromIndices(compiled.exec(subject), 0, result)
  }

  /** Steps that a backtracking search takes, also if another engine runs the pattern; 0 if a text that it requires is absent. @param limit of the steps */
  countSteps(text: string, lower: string, from: number, limit: number): number {
    if (this.lacksRequired(searchedText(text, lower), from)) return 0
    const machine = this.prepareMachine()
    this.runMachine(from === 0 ? text : text.slice(from), Math.min(limit, this.stepLimit), machine)
    return machine.stepsTaken
  }

  /** Same as `searchWith`, for `test`. */
  testWith(engine: Pcre2Engine, subject: string): boolean | null {
    if (engine === 'backtrack') return this.runMachine(subject) >= 0
    if (engine === 'linear') return this.testLinear(subject)
    if (this.noFinalNewline && subject.endsWith('\n')) return null
    return compileNative(this.tree, false)?.test(subject) ?? null
  }

  /** @throws SyntaxFault for a pattern that the machine cannot run */
  prepareMachine(): Machine {
    this.machine ??= new Machine(assemble(this.tree))
    return this.machine
  }

  /** Patterns that ignore case run on the folded subject where possible: V8 finds `abc` faster than `[Aa][Bb][Cc]`. */
  private prepareNative(): void {
    this.nativeTest = compileNative(this.tree, false, true)
    this.testsFolded = this.nativeTest !== null
    if (this.nativeTest === null) this.nativeTest = compileNative(this.tree, false)
    this.nativeLength = this.nativeTest === null ? 0 : longestNativeSubject(this.tree)
  }

  /** Tests the start of the pattern on V8, which rejects most subjects that would need another engine for the whole. */
  private failsAtPrefix(subject: string): boolean {
    this.prefixes ??= nativePrefixes(this.tree)
    const prefix = this.prefixes.find(({ longest }) => subject.length <= longest)
    if (prefix === undefined) return false
    try {
      return !prefix.test.test(subject)
    } catch {
      return false // V8 exceeded its backtracking stack
    }
  }

  /** Whether the required literals are missing. This search takes a tenth of the time that any engine needs to reject a subject. */
  private lacksRequired(searched: SearchedText, from: number): boolean {
    const literals = this.required
    if (literals === null) return false
    for (let i = 0; i < literals.length; i++) if (literals[i].isIn(searched, from)) return false
    return true
  }

  private runMachine(subject: string, steps = this.stepLimit, machine = this.prepareMachine()): number {
    // PCRE2 needs two steps to match anything
    if (this.tree.limitMatch !== null && this.tree.limitMatch < 2) return -1
    if (this.tree.utf && !isUtf8(subject)) return -1
    return machine.run(subject, steps)
  }

  private fillFrom(machine: Machine, subject: string, from: number, result: MatchResult, steps?: number): boolean {
    const end = this.runMachine(subject, steps, machine)
    if (end < 0) return false
    this.fillFromSlots(machine.slots, 0, end, from, result)
    return true
  }

  /** @param first where the slots begin @param end of the match in the subject */
  private fillFromSlots(slots: Int32Array, first: number, end: number, from: number, result: MatchResult): void {
    const groups = first + FIRST_GROUP_SLOT
    let count = this.groupCount
    while (count > 0 && slots[groups + 2 * count] < 0) count--
    result.end = from + end - 1
    result.count = count
    for (let group = 1; group <= count; group++) {
      const start = slots[groups + 2 * group]
      setBounds(result, group - 1, start < 0 ? from : from + start, start < 0 ? from : from + slots[groups + 2 * group + 1])
    }
  }
}

function fillFromIndices(match: RegExpExecArray | null, from: number, result: MatchResult): boolean {
  if (match === null) return false
  const { indices } = match
  if (indices === undefined) {
    // without groups the end needs no indices, which cost more than the match
    result.end = from + match.index + match[0].length - 1
    result.count = 0
    return true
  }
  let count = indices.length - 1
  while (count > 0 && indices[count] === undefined) count--
  result.end = from + indices[0][1] - 1
  result.count = count
  for (let group = 1; group <= count; group++) {
    const bounds = indices[group] as [number, number] | undefined
    setBounds(result, group - 1, bounds === undefined ? from : from + bounds[0], bounds === undefined ? from : from + bounds[1])
  }
  return true
}

/** The folded text from an offset on. */
function foldedFrom({ lower }: SearchedText, from: number): string {
  return from === 0 ? lower : lower.slice(from)
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function setBounds(result: MatchResult, index: number, start: number, end: number): void {
  result.bounds[2 * index] = start
  result.bounds[2 * index + 1] = end
}

/** PCRE2 returns an error for a UTF pattern on an invalid subject, which counts as no match. */
function isUtf8(subject: string): boolean {
  for (let at = 0; at < subject.length; ) {
    const [, length] = decodeUtf8(subject, at)
    if (length === 0) return false
    at += length
  }
  return true
}
