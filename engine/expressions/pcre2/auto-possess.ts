/**
 * Makes repetitions possessive where PCRE2 does so and loses matches by it. PCRE2 has a table of pairs of escapes that have no character in common: it makes a
 * repetition of one possessive before the other. For the pairs in DISJOINT the table is wrong, and `.*\R` does not match a text that ends with CR. All other
 * pairs change no result. Items between the two escapes are skipped only if they may be absent and are such escapes.
 */
import type { Node, RepeatNode } from './ast.js'

/** The escapes of these pairs. */
export type AutoType = 'any' | 'not_space' | 'space' | 'horizontal' | 'vertical' | 'newline'

/** What may follow a repetition that PCRE2 then makes possessive. */
const DISJOINT: Readonly<Record<AutoType, readonly AutoType[]>> = {
  any: ['newline'],
  not_space: ['horizontal', 'vertical', 'newline'],
  space: [],
  horizontal: ['not_space'],
  vertical: ['not_space'],
  newline: ['any', 'space'],
}

/** Each pair has one of these. */
const NEEDED = /\\[Rhv]/

/** The escapes of one pattern by their nodes, and the repetitions of them. */
export class AutoTypes {
  readonly #types = new Map<Node, AutoType>()
  readonly #repeats = new Map<Node, AutoType>()

  /** Null: the pattern has no such pair. */
  static of(pattern: string): AutoTypes | null {
    return NEEDED.test(pattern) ? new AutoTypes() : null
  }

  note(node: Node, type: AutoType): void {
    this.#types.set(node, type)
  }

  typeOf(node: Node): AutoType | undefined {
    return this.#types.get(node)
  }

  /** Notes a repetition of an escape that stands in no group of its own. */
  noteRepeat(node: Node, type: AutoType): void {
    this.#repeats.set(node, type)
  }

  repeatedIn(node: Node): AutoType | undefined {
    return this.#repeats.get(node)
  }
}

/** What follows a node. `stop`: PCRE2 does not look further. */
type Following =
  | 'stop'
  | { readonly kind: 'items'; readonly items: readonly Node[]; readonly at: number; readonly rest: Following }
  /** The end of a group, which PCRE2 passes for greedy repetitions only. */
  | { readonly kind: 'group_end'; readonly rest: Following }

/** @param isCalled the pattern calls groups: PCRE2 then does not look behind the end of a capture */
export function possessify(root: Node, types: AutoTypes, isCalled: boolean): void {
  const visit = (node: Node, next: Following): void => {
    switch (node.kind) {
      case 'sequence':
        node.items.forEach((item, index) => {
          const rest: Following = { kind: 'items', items: node.items, at: index + 1, rest: next }
          // A sequence in another one is a group.
          visit(item, item.kind === 'sequence' ? endOf(rest) : rest)
        })
        break
      case 'alternation':
        for (const branch of node.branches) visit(branch, endOf(next))
        break
      case 'capture':
        visit(node.body, isCalled ? 'stop' : endOf(next))
        break
      case 'conditional':
        if (node.condition.kind === 'look') visit(node.condition.look, 'stop')
        visit(node.yes, endOf(next))
        if (node.no !== null) visit(node.no, endOf(next))
        break
      case 'look':
        for (const branch of node.branches) visit(branch, 'stop')
        break
      case 'atomic':
        visit(node.body, 'stop')
        break
      case 'repeat': {
        const type = types.repeatedIn(node)
        if (type === undefined) visit(node.body, 'stop')
        else if (node.mode !== 'possessive' && isFollowed(DISJOINT[type], node, next)) node.mode = 'possessive'
      }
    }
  }
  const isFollowed = (wanted: readonly AutoType[], { mode }: RepeatNode, next: Following): boolean => {
    for (let at = next; at !== 'stop'; at = at.rest) {
      if (at.kind === 'items') {
        const { items } = at
        let place = at.at
        // If an item may be absent, PCRE2 also looks at the next item.
        while (place < items.length && mayBeAbsent(items[place], wanted)) place++
        if (place < items.length) return beginsWith(items[place], wanted)
      } else if (mode !== 'greedy') return false
    }
    return false
  }
  /** Whether the node is nothing, or a repetition of one of the escapes that may be nothing. */
  const mayBeAbsent = (node: Node, wanted: readonly AutoType[]): boolean => {
    if (node.kind === 'empty') return true
    const type = types.repeatedIn(node)
    return type !== undefined && node.kind === 'repeat' && node.min === 0 && wanted.includes(type)
  }
  /** Whether all that a node can begin with is one of the escapes. */
  const beginsWith = (node: Node, wanted: readonly AutoType[]): boolean => {
    const type = types.typeOf(node)
    if (type !== undefined) return wanted.includes(type)
    switch (node.kind) {
      case 'repeat':
        return node.min > 0 && beginsWith(node.body, wanted)
      case 'capture':
      case 'atomic':
        return beginsWith(node.body, wanted)
      case 'sequence':
        return beginsWith(node.items[0], wanted)
      case 'alternation':
        return node.branches.every((branch) => beginsWith(branch, wanted))
      default:
        return false
    }
  }
  visit(root, 'stop')
}

function endOf(next: Following): Following {
  return next === 'stop' ? 'stop' : { kind: 'group_end', rest: next }
}
