/** Whether an event may get fields from what earlier events captured (BEHAVIOUR.md#captures-kept-between-searches). */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { type Node, someNode } from '../expressions/pcre2/ast.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'

/**
 * Whether a decoder of the ruleset may assign captures of an earlier event: a decoder with an `order` whose PCRE2 `regex` may match without a group. Roots are tried in
 * their order, and each OSRegex clears the captures, so only decoders before the first one that is always searched count.
 */
export function inheritsCaptures({ decoders: { programRoots, plainRoots } }: CompiledRuleset): boolean {
  return beforeForgetting(programRoots, ({ programName }) => programName).some(mayInherit) || beforeForgetting(plainRoots, ({ prematch }) => prematch).some(mayInherit)
}

/** @param first the expression that is tested whenever the root is tried */
function beforeForgetting(roots: readonly CompiledDecoder[], first: (root: CompiledDecoder) => Expression | null): readonly CompiledDecoder[] {
  const forgets = roots.findIndex((root) => first(root)?.dialect === 'osregex')
  return forgets < 0 ? roots : roots.slice(0, forgets)
}

function mayInherit(root: CompiledDecoder): boolean {
  return [root, ...root.children].some(({ order, regex }) => order !== null && regex !== null && mayMatchWithoutGroup(regex))
}

function mayMatchWithoutGroup(expression: Expression): boolean {
  return expression instanceof Pcre2Expression && (someNode(expression.tree.root, endsEarly) || !alwaysCaptures(expression.tree.root))
}

function endsEarly(node: Node): boolean {
  return node.kind === 'verb' && node.verb === 'accept'
}

/** Whether each match of the node takes part in a group. False where that is not obvious. */
function alwaysCaptures(node: Node): boolean {
  switch (node.kind) {
    case 'capture':
      return true
    case 'sequence':
      return node.items.some(alwaysCaptures)
    case 'alternation':
      return node.branches.every(alwaysCaptures)
    case 'atomic':
      return alwaysCaptures(node.body)
    case 'repeat':
      return node.min > 0 && alwaysCaptures(node.body)
    default:
      return false
  }
}
