/**
 * Where the items of a PCRE2 pattern stand in its text: `(\w+)\s` is a group of one repeated item, and an item. The syntax tree has no places. What is rarely
 * written is not read; a wrong place does no harm, because each edit that is made of these places is compiled and compared.
 */

/** Items of a pattern that is edited. */
const ITEMS_LIMIT = 400

export interface PatternItem {
  readonly kind: 'literal' | 'escape' | 'class' | 'dot' | 'anchor' | 'group'
  readonly start: number
  /** End of the item itself, where its quantifier begins. */
  readonly bodyEnd: number
  readonly end: number
  /** `+`, `{2,}`; empty: none. Without the sign behind it that makes it lazy or possessive. */
  readonly quantifier: string
  readonly mode: '' | '?' | '+'
  /** The text that begins a group, as `(?:`, and its alternatives; empty for other items. */
  readonly head: string
  readonly branches: readonly PatternBranch[]
}

export interface PatternBranch {
  readonly start: number
  readonly end: number
  readonly items: readonly PatternItem[]
}

/** The alternatives of a pattern; null: it has something that is not read here. */
export function itemsOf(pattern: string): readonly PatternBranch[] | null {
  const scanner = new Scanner(pattern)
  const branches = scanner.branches()
  return branches === null || !scanner.isAtEnd ? null : branches
}

/** Escapes of more than one character. */
const LONG_ESCAPE = /^\\(?:x[0-9A-Fa-f]{1,2}|x\{[^}]*\}|o\{[^}]*\}|[pPNkg]\{[^}]*\}|k[<'][^>']*[>']|c.|0[0-7]{0,2})/s
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})/
const HEAD = /^\((?:\?(?:[imsn-]*:|>|=|!|P?<\w+>|'\w+'))?/
const FLAGS = /^\(\?[imsn-]+\)/
/** Texts that are not read: quotations, comments, free spacing, conditions, verbs, recursions. */
const UNREAD = /\\[QE]|\(\?#|(?<!\\)\(\*|\(\?[a-z^-]*x|\(\?[(R&+\-\d|^]|\(\?P[=>]/

class Scanner {
  readonly #text: string
  #at = 0
  #count = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  branches(): PatternBranch[] | null {
    if (this.#at === 0 && UNREAD.test(this.#text)) return null
    const found: PatternBranch[] = []
    for (;;) {
      const start = this.#at
      const items: PatternItem[] = []
      while (!this.isAtEnd && !'|)'.includes(this.#text[this.#at])) {
        // Counted before it is read, so that nested groups end, too.
        const item = ++this.#count > ITEMS_LIMIT ? null : this.#item()
        if (item === null) return null
        items.push(item)
      }
      found.push({ start, end: this.#at, items })
      if (this.#text[this.#at] !== '|') return found
      this.#at++
    }
  }

  #item(): PatternItem | null {
    const start = this.#at
    const rest = this.#text.slice(start)
    let kind: PatternItem['kind'] = 'literal'
    let head = ''
    let branches: readonly PatternBranch[] = []
    const flags = FLAGS.exec(rest)
    if (flags !== null) {
      this.#at += flags[0].length
      return { kind: 'anchor', start, bodyEnd: this.#at, end: this.#at, quantifier: '', mode: '', head, branches }
    }
    const [first] = rest
    if (first === '(') {
      kind = 'group'
      head = HEAD.exec(rest)?.[0] ?? '('
      this.#at += head.length
      const inner = this.branches()
      if (inner === null || this.#text[this.#at] !== ')') return null
      branches = inner
      this.#at++
    } else if (first === '[') {
      const end = endOfClass(rest)
      if (end < 0) return null
      kind = 'class'
      this.#at += end
    } else if (first === '\\') {
      kind = /^\\[bBAzZG]/.test(rest) ? 'anchor' : 'escape'
      this.#at += LONG_ESCAPE.exec(rest)?.[0].length ?? 2
      if (this.#at > this.#text.length) return null
    } else {
      kind = first === '.' ? 'dot' : first === '^' || first === '$' ? 'anchor' : 'literal'
      this.#at++
    }
    const bodyEnd = this.#at
    const quantifier = QUANTIFIER.exec(this.#text.slice(bodyEnd))?.[0] ?? ''
    this.#at += quantifier.length
    const sign = quantifier === '' ? '' : (this.#text[this.#at] ?? '')
    const mode = sign === '?' || sign === '+' ? sign : ''
    this.#at += mode.length
    return { kind, start, bodyEnd, end: this.#at, quantifier, mode, head, branches }
  }
}

/** The offset behind a class at the beginning of a text; -1: it has no end. */
function endOfClass(text: string): number {
  let at = text[1] === '^' ? 2 : 1
  // A bracket that stands first is a member.
  if (text[at] === ']') at++
  while (at < text.length && text[at] !== ']') {
    if (text[at] === '\\') at += 2
    else if (text.startsWith('[:', at)) {
      const end = text.indexOf(':]', at + 2)
      at = end < 0 ? at + 1 : end + 2
    } else at++
  }
  return at < text.length ? at + 1 : -1
}

/** Whether a quantifier has no upper limit. */
export function isUnlimited({ quantifier }: PatternItem): boolean {
  return quantifier === '*' || quantifier === '+' || quantifier.endsWith(',}')
}
