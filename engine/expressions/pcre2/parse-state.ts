/**
 * The state of the parser: active options, groups so far, and references that wait for later groups.
 */
import { AutoTypes } from './auto-possess.js'
import type { BackreferenceNode, Condition, ConditionalNode, Node, Pattern, SubroutineNode } from './ast.js'
import { setOf, singleByte } from './byte-set.js'
import { CharClass, maxChar, type CharMode } from './char-class.js'
import { NO_OPTIONS, PatternReader, type InlineOptions } from './pattern-reader.js'
import { readStartOptions, type StartOptions } from './start-options.js'
import { SyntaxFault } from './syntax-error.js'

/** PCRE2's PARENS_NEST_LIMIT. */
const MAX_NESTING = 250
const NO_SUCH_GROUP = 'reference to non-existent subpattern'

export class ParseState {
  readonly start: StartOptions
  readonly reader: PatternReader
  readonly mode: CharMode
  /** Null: PCRE2 makes no repetition possessive that could give back what follows. */
  readonly autoTypes: AutoTypes | null
  /** Whether the pattern calls a group, or itself. */
  isCalled = false
  options: InlineOptions = NO_OPTIONS
  groupCount = 0
  lookDepth = 0
  inQuote = false
  namesCrOrLf = false
  private nesting = 0
  private highestGroup = 0
  private readonly groups: Node[] = []
  private readonly names = new Map<string, number[]>()
  private readonly nameOfGroup = new Map<number, string>()
  /** Called after the whole pattern is read. */
  private readonly pending: (() => void)[] = []

  constructor(pattern: string) {
    this.start = readStartOptions(pattern)
    this.reader = new PatternReader(pattern, this.start.end, this.start.utf)
    this.mode = { utf: this.start.utf, ucp: this.start.ucp }
    this.autoTypes = this.start.autoPossess ? AutoTypes.of(pattern) : null
  }

  /** A reader over generated syntax, to read a type letter. */
  readerFor(text: string): PatternReader {
    return new PatternReader(text, 0, false)
  }

  /** Runs `parse` one level deeper. Options set inside end there. */
  nested<T>(parse: () => T): T {
    if (++this.nesting > MAX_NESTING) this.reader.fail('parentheses are too deeply nested')
    const outer = this.options
    const result = parse()
    this.options = outer
    this.nesting--
    return result
  }

  openGroup(name: string | null): number {
    const number = ++this.groupCount
    this.highestGroup = Math.max(this.highestGroup, number)
    if (name !== null) this.nameGroup(name, number)
    return number
  }

  private nameGroup(name: string, number: number): void {
    const numbers = this.names.get(name)
    if (numbers?.includes(number)) return
    if (numbers !== undefined && !this.options.duplicateNames) {
      this.reader.fail('two named subpatterns have the same name (PCRE2_DUPNAMES not set)')
    }
    const other = this.nameOfGroup.get(number)
    if (other !== undefined && other !== name) {
      this.reader.fail('different names for subpatterns of the same number are not allowed')
    }
    if (numbers === undefined) this.names.set(name, [number])
    else numbers.push(number)
    this.nameOfGroup.set(number, name)
  }

  closeGroup(number: number, body: Node): void {
    this.groups[number] ??= body
  }

  backreference(to: number | string, pos: number): Node {
    const node: BackreferenceNode = { kind: 'backreference', groups: [], fold: this.options.caseless }
    this.later(() => {
      node.groups = this.groupsOf(to, pos)
    })
    return node
  }

  subroutine(to: number | string, pos: number): Node {
    const node: SubroutineNode = { kind: 'subroutine', group: 0 }
    this.isCalled = true
    this.later(() => {
      if (to !== 0) node.group = this.groupsOf(to, pos)[0]
    })
    return node
  }

  conditional(condition: () => Condition, yes: Node, no: Node | null): Node {
    const node: ConditionalNode = { kind: 'conditional', condition: { kind: 'constant', value: false }, yes, no }
    this.later(() => {
      node.condition = condition()
    })
    return node
  }

  private later(resolve: () => void): void {
    this.pending.push(resolve)
  }

  hasName(name: string): boolean {
    return this.names.has(name)
  }

  /** The groups that a number or a name refers to. Valid only after the whole pattern is read. */
  groupsOf(to: number | string, pos: number): readonly number[] {
    if (typeof to === 'number') {
      if (to < 1 || to > this.highestGroup) this.reader.fail(NO_SUCH_GROUP, pos)
      return [to]
    }
    return this.names.get(to) ?? this.reader.fail(NO_SUCH_GROUP, pos)
  }

  resolveReferences(): void {
    for (const resolve of this.pending) resolve()
  }

  finish(root: Node): Pattern {
    const { start } = this
    this.groups[0] = root
    return {
      root,
      groupCount: this.highestGroup,
      groups: this.groups,
      newline: start.newline,
      utf: start.utf,
      ucp: start.ucp,
      notEmpty: start.notEmpty,
      startOptimizations: start.startOptimizations,
      limitMatch: start.limitMatch,
      namesCrOrLf: this.namesCrOrLf,
    }
  }

  /** Length of the newline at `pos` in the pattern, or 0. A newline ends a `#` comment. */
  newlineAt(pos: number): number {
    const { chars } = this.reader
    const [char, next] = [chars[pos], chars[pos + 1]]
    switch (this.start.newline) {
      case 'lf':
        return char === 0x0a ? 1 : 0
      case 'cr':
        return char === 0x0d ? 1 : 0
      case 'nul':
        return char === 0 ? 1 : 0
      case 'crlf':
        return char === 0x0d && next === 0x0a ? 2 : 0
      case 'anycrlf':
        return char === 0x0d ? (next === 0x0a ? 2 : 1) : char === 0x0a ? 1 : 0
      case 'any':
        if (char === 0x0d && next === 0x0a) return 2
        return (char >= 0x0a && char <= 0x0d) || char === 0x85 || char === 0x2028 || char === 0x2029 ? 1 : 0
    }
  }

  /** `.` with (?s), and other items that match any character. */
  anyCharacter(): Node {
    return new CharClass(this.mode).addRange(0, maxChar(this.mode)).toNode(false)
  }

  /** `\C`: in UTF mode it may stop inside a character, which only the backtracking machine can do. */
  anyByte(): Node {
    return { kind: 'set', set: setOf(() => true) }
  }

  /** `.` and `\N`. */
  notNewline(): Node {
    const except = new CharClass(this.mode)
    switch (this.start.newline) {
      case 'crlf':
        return { kind: 'sequence', items: [{ kind: 'assertion', test: 'not_newline' }, this.anyCharacter()] }
      case 'lf':
        except.addRange(0x0a, 0x0a)
        break
      case 'cr':
        except.addRange(0x0d, 0x0d)
        break
      case 'nul':
        except.addRange(0, 0)
        break
      case 'anycrlf':
        except.addRange(0x0a, 0x0a).addRange(0x0d, 0x0d)
        break
      case 'any':
        except.addRange(0x0a, 0x0d).addRange(0x85, 0x85)
        if (this.mode.utf) except.addRange(0x2028, 0x2029)
    }
    return except.toNode(true)
  }

  /** `\R`: CRLF as one, or one newline. It never backtracks to exclude the LF. */
  newlineSequence(): Node {
    const one = new CharClass(this.mode).addRange(0x0a, 0x0a).addRange(0x0d, 0x0d)
    if (!this.start.bsrAnycrlf) {
      one.addRange(0x0a, 0x0d).addRange(0x85, 0x85)
      if (this.mode.utf) one.addRange(0x2028, 0x2029)
    }
    return { kind: 'atomic', body: { kind: 'alternation', branches: [CRLF, one.toNode(false)] } }
  }

  /** `\X`: among code points below 256 only CRLF is a cluster of two. */
  graphemeCluster(): Node {
    if (this.mode.utf) throw new SyntaxFault('\\X is not supported in UTF mode', this.reader.offsetOf(this.reader.pos), 'pcre2_too_complex')
    return { kind: 'atomic', body: { kind: 'alternation', branches: [CRLF, this.anyByte()] } }
  }
}

const CRLF: Node = {
  kind: 'sequence',
  items: [
    { kind: 'set', set: singleByte(0x0d) },
    { kind: 'set', set: singleByte(0x0a) },
  ],
}
