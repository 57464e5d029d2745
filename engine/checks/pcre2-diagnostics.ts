/** Checks PCRE2 patterns by their syntax trees: never matches, takes long, needs a slower matcher. */
import type { Node, Pattern } from '../expressions/pcre2/ast.js'
import { childrenOf } from '../expressions/pcre2/ast.js'
import { sizeOf } from '../expressions/pcre2/byte-set.js'
import type { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { startsOf } from '../expressions/pcre2/starts.js'
import type { PatternDiagnostic } from './pattern-diagnostics.js'

/** Minimum size of a set that counts as a dot. */
const DOT_SIZE = 255

const TOP_DOMAINS_AND_EXTENSIONS = 'exe|dll|com|sys|bat|cmd|ps1|vbs|js|php|asp|aspx|jsp|cgi|sh|py|pl|conf|cfg|ini|log|txt|xml|json|html?|zip|tmp|dmp|msc|scr|hta|org|net'
const UNESCAPED_DOT = new RegExp(`(?<![\\\\.*+?])[A-Za-z0-9_]\\.(?:${TOP_DOMAINS_AND_EXTENSIONS})(?![A-Za-z0-9_*+?])|\\b[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\b`)

export function pcre2Diagnostics(expression: Pcre2Expression, capturing: boolean): PatternDiagnostic[] {
  const { pattern: text, tree: pattern } = expression
  const found: PatternDiagnostic[] = []
  const whole = { start: 0, end: text.length }
  const never = reasonForNever(pattern.root)
  if (never !== null) found.push({ code: 'regex_never_matches', ...whole, params: { dialect: 'pcre2', value: text, reason: never } })
  else found.push(...deadAlternative(text, pattern.root))
  if (!capturing && startsOf(pattern) !== 'subject' && isLeadingDots(pattern)) {
    found.push({ code: 'regex_slow', start: 0, end: Math.min(2, text.length), params: { reason: `it begins with "${leadingText(text)}"` } })
  }
  if (expression.needsBacktracking && expression.engine === 'backtrack') {
    const value = slowConstruct(pattern.root)
    if (value !== null) found.push({ code: 'regex_re2_unsupported', ...whole, params: { value } })
  }
  const dot = UNESCAPED_DOT.exec(text.replace(/\\[\s\S]/g, '\u2400\u2400').replace(/\[[^\]]*\]/g, (set) => '\u2400'.repeat(set.length)))
  if (dot !== null) found.push({ code: 'regex_unescaped_dot', start: dot.index, end: dot.index + dot[0].length, params: {} })
  return found
}

/** An alternative that can never match, beside others that can. */
function deadAlternative(text: string, root: Node): PatternDiagnostic[] {
  if (root.kind !== 'alternation') return []
  const reasons = root.branches.map((branch) => reasonForNever(branch))
  const index = reasons.findIndex((reason) => reason !== null)
  const reason = reasons[index]
  if (reason == null) return []
  // Only where every bar separates alternatives the text of the dead one is known.
  const texts = text.split('|')
  if (texts.length !== reasons.length) return []
  const start = texts.slice(0, index).join('|').length + (index > 0 ? 1 : 0)
  const value = texts[index]
  return [{ code: 'regex_never_matches', start, end: start + value.length, params: { dialect: 'pcre2', value, reason } }]
}

/** Minimum number of bytes that a match of the node consumes. */
function minLength(node: Node): number {
  switch (node.kind) {
    case 'set':
    case 'code_point':
      return 1
    case 'sequence':
      return node.items.reduce((sum, item) => sum + minLength(item), 0)
    case 'alternation':
      return Math.min(...node.branches.map(minLength))
    case 'capture':
    case 'atomic':
      return minLength(node.body)
    case 'repeat':
      return node.min === 0 ? 0 : node.min * minLength(node.body)
    case 'conditional':
      return node.no === null ? 0 : Math.min(minLength(node.yes), minLength(node.no))
    default:
      return 0
  }
}

const TEXT_BEHIND_END = 'text must follow behind "$"'

function isFinalEnd(node: Node): boolean {
  return node.kind === 'assertion' && node.test === 'final_end'
}

/** The reason why no subject can match; null when that is not certain. */
function reasonForNever(node: Node, before = 0, after = 0): string | null {
  switch (node.kind) {
    case 'assertion':
      if (node.test === 'subject_start' && before > 0) return '"^" stands behind text that must be there'
      if ((node.test === 'subject_end' && after > 0) || (node.test === 'final_end' && after > 1)) return TEXT_BEHIND_END
      return null
    case 'sequence': {
      const lengths = node.items.map(minLength)
      let ahead = before
      let behind = after + lengths.reduce((sum, length) => sum + length, 0)
      for (let i = 0; i < node.items.length; i++) {
        behind -= lengths[i]
        // "$" also matches before a final newline, but no other byte can follow it.
        if (isFinalEnd(node.items[i]) && node.items.slice(i + 1).some((item) => item.kind === 'set' && item.set[0x0a] === 0)) return TEXT_BEHIND_END
        const reason = reasonForNever(node.items[i], ahead, behind)
        if (reason !== null) return reason
        ahead += lengths[i]
      }
      return null
    }
    case 'alternation': {
      const reasons = node.branches.map((branch) => reasonForNever(branch, before, after))
      return reasons.includes(null) ? null : reasons[0]
    }
    case 'capture':
    case 'atomic':
      return reasonForNever(node.body, before, after)
    case 'repeat':
      return node.min === 0 ? null : reasonForNever(node.body, before, after)
    default:
      return null
  }
}

function isLeadingDots({ root }: Pattern): boolean {
  // Alone it tests whether there is any text at all.
  if (root.kind !== 'sequence') return false
  const [first] = root.items
  return first.kind === 'repeat' && first.max === Number.POSITIVE_INFINITY && first.min <= 1 && first.body.kind === 'set' && sizeOf(first.body.set) >= DOT_SIZE
}

function leadingText(text: string): string {
  return /^(?:\(\?[a-z]+\))?(\S[*+]\??)/.exec(text)?.[1] ?? '.*'
}

/** The first construct that no automaton can run, or null. */
function slowConstruct(node: Node): string | null {
  if (node.kind === 'look') return node.behind ? 'a lookbehind' : 'a lookahead'
  if (node.kind === 'backreference') return 'a backreference'
  if (node.kind === 'atomic' || (node.kind === 'repeat' && node.mode === 'possessive')) return 'an atomic group or possessive quantifier'
  if (node.kind === 'conditional') return 'a conditional group'
  if (node.kind === 'subroutine') return 'a recursion'
  if (node.kind === 'verb') return 'a backtracking verb'
  for (const child of childrenOf(node)) {
    const found = slowConstruct(child)
    if (found !== null) return found
  }
  return null
}
