/**
 * Finds patterns with single backslashes for fields of Windows events, whose values have two for each (BEHAVIOUR.md#windows-eventchannel). Only what cannot match
 * is found: a run of backslashes of odd length between characters that are none.
 */
import { suggestPattern } from '../diagnostics/suggest.js'
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { BYTE_CLASSES, CLASS_BIT } from '../expressions/osregex/classes.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { END, LIT, MARK, ONE, type OsRegexAlternative, STAR } from '../expressions/osregex/parse.js'
import type { Node } from '../expressions/pcre2/ast.js'
import { sizeOf } from '../expressions/pcre2/byte-set.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { field } from '../rules/options/field.js'
import type { RulePattern } from '../rules/options/pattern-text.js'
import type { RuleReporter } from '../rules/reporter.js'
import { fromByteString } from '../source/byte-string.js'
import { isOfDecoder } from './decoder-facts.js'

const BACKSLASH = 0x5c
/** Its values come from the escaped XML; the message does not. */
const DOUBLED_FIELD = /^win\.(?!system\.message$)/i
const EVENTCHANNEL = 'windows_eventchannel'
/** A path that is written with its own backslashes, which are escapes here: `Tools\sync.exe`. */
const UNESCAPED_PATH = /(?<!\\)(?:\\\\)*\\[A-Za-z][A-Za-z0-9_ -]{2,40}\.(?:exe|dll|sys|bat|cmd|ps1|vbs|msi|com|scr|hta|lnk)(?![a-z])/i
/** A single backslash as each kind of pattern has it, and two. */
const LITERAL = { single: /(?<!\\)\\(?!\\)/g, right: '\\\\' }
const ESCAPED = { single: /(?<!\\)\\\\(?!\\)/g, right: '\\\\\\\\' }
/** Characters that are quoted on each side of a backslash. */
const QUOTED_AROUND = 12

/** Reports patterns on such fields. */
export function checkBackslashes(reporter: RuleReporter): void {
  const { rule, nodes, tree } = reporter
  for (const condition of rule.conditions) {
    if (condition.test.kind !== 'pattern' || condition.field === null || !DOUBLED_FIELD.test(condition.field)) continue
    const { expression } = condition.test
    const { pattern, dialect } = expression
    if (!pattern.includes('\\') || !(requiresOddRun(expression) || (dialect !== 'osmatch' && UNESCAPED_PATH.test(pattern)))) continue
    if (!isOfDecoder(tree, nodes, EVENTCHANNEL)) continue
    for (const written of patternsOf(rule, condition, expression)) report(reporter, expression, condition.field, written)
  }
}

function patternsOf({ definition }: CompiledRule, { field: name }: Condition, { pattern }: Expression): readonly RulePattern[] {
  return (definition.valueOf(field)?.accepted ?? []).filter((one) => one.text === pattern && one.name === name)
}

function report(reporter: RuleReporter, { dialect, pattern }: Expression, name: string, { elements, negate }: RulePattern): void {
  const path = dialect === 'osmatch' ? null : UNESCAPED_PATH.exec(pattern)
  const { single, right } = dialect === 'osmatch' ? LITERAL : ESCAPED
  const found = path ?? new RegExp(single).exec(pattern)
  const start = found?.index ?? 0
  const end = start + (found?.[0].length ?? pattern.length)
  const value = pattern.slice(Math.max(0, start - QUOTED_AROUND), end + QUOTED_AROUND)
  const effect = negate ? 'so the negated condition holds for every text' : 'so it does not match'
  const suggestion = path === null ? suggestPattern(fromByteString(pattern), fromByteString(pattern.replace(single, right))) : null
  reporter.inPattern('rule_field_single_backslash', elements, start, end, { dialect, tag: `field name="${name}"`, value, right, effect }, { suggestion })
}

/** Whether no value matches, or whether one of several alternatives can never match and none is written with doubled backslashes. */
function requiresOddRun(expression: Expression): boolean {
  const alternatives = alternativesOf(expression).map(isOdd)
  if (alternatives.every(Boolean)) return alternatives.length > 0
  const doubled = expression.dialect === 'osmatch' ? '\\\\' : '\\\\\\\\'
  return alternatives.some(Boolean) && !expression.pattern.includes(doubled)
}

/** A part of an alternative: that many backslashes, characters that are none, an end of the text, or anything. `never`: it cannot match. */
type Piece = number | 'other' | 'edge' | 'any' | 'never'

function isOdd(pieces: readonly Piece[]): boolean {
  if (pieces.includes('never')) return true
  const isBorder = (piece: Piece | undefined): boolean => piece === 'other' || piece === 'edge'
  for (let at = 0; at < pieces.length; ) {
    let count = 0
    const before = pieces[at - 1]
    while (typeof pieces[at] === 'number') count += pieces[at++] as number
    if (count % 2 === 1 && isBorder(before) && isBorder(pieces[at])) return true
    at++
  }
  return false
}

function alternativesOf(expression: Expression): readonly (readonly Piece[])[] {
  if (expression instanceof OsMatchExpression) return expression.alternatives.map(osMatchPieces)
  if (expression instanceof OsRegexExpression) return expression.alternatives.map(osRegexPieces)
  if (!(expression instanceof Pcre2Expression)) return []
  const { root } = expression.tree
  return root.kind === 'alternation' ? root.branches.map(pcre2Pieces) : [pcre2Pieces(root)]
}

function osMatchPieces({ form, literal }: OsMatchExpression['alternatives'][number]): Piece[] {
  const inside = [...literal].map((char): Piece => (char === '\\' ? 1 : 'other'))
  return [form === 'starts' || form === 'equals' ? 'edge' : 'any', ...inside, form === 'ends' || form === 'equals' ? 'edge' : 'any']
}

function osRegexPieces({ kinds, values, anchoredStart, anchoredEnd }: OsRegexAlternative): Piece[] {
  const pieces: Piece[] = [anchoredStart ? 'edge' : 'any']
  for (let at = 0; kinds[at] !== END; at++) {
    if (kinds[at] === MARK) continue
    if (kinds[at] === LIT) pieces.push('other')
    else if (values[at] === CLASS_BIT[BACKSLASH]) pieces.push(kinds[at] === ONE ? 1 : 'any')
    else pieces.push(kinds[at] === STAR || (BYTE_CLASSES[BACKSLASH] & values[at]) !== 0 ? 'any' : 'other')
  }
  pieces.push(anchoredEnd ? 'edge' : 'any')
  return pieces
}

function pcre2Pieces(node: Node): Piece[] {
  return ['any', ...piecesOf(node), 'any']
}

function piecesOf(node: Node): Piece[] {
  switch (node.kind) {
    case 'empty':
      return []
    case 'set':
      if (node.set[BACKSLASH] === 0) return ['other']
      return [sizeOf(node.set) === 1 ? 1 : 'any']
    case 'sequence':
      return node.items.flatMap(piecesOf)
    case 'capture':
    case 'atomic':
      return piecesOf(node.body)
    case 'alternation': {
      const branches = node.branches.map(piecesOf)
      // In a group an alternative has unknown text around it.
      if (branches.every((pieces) => isOdd(['any', ...pieces, 'any']))) return ['never']
      const isPlain = branches.every((pieces) => pieces.length > 0 && pieces[0] === 'other' && pieces.at(-1) === 'other')
      return isPlain ? ['other', 'any', 'other'] : ['any']
    }
    case 'repeat': {
      const pieces = piecesOf(node.body)
      if (node.min === 0) return ['any']
      if (node.min === node.max && pieces.length === 1 && typeof pieces[0] === 'number') return [pieces[0] * node.min]
      if (isOdd(['any', ...pieces, 'any'])) return ['never']
      return pieces.length === 1 && pieces[0] === 'other' ? ['other'] : ['any']
    }
    case 'assertion':
      return node.test === 'subject_start' || node.test === 'subject_end' || node.test === 'final_end' ? ['edge'] : []
    default:
      return ['any']
  }
}
