/** Changes of one pattern in its own dialect. What they make is compiled: a pattern that does not compile is a mutant that does not load. */
import type { Dialect } from '../expressions/expression.js'
import type { MutationOperator } from './mutant.js'

/** Changes of one kind in one pattern: patterns of attack tools have hundreds of alternatives. */
const CHANGES_OF_KIND = 12
/** A word at the end that may lose its last byte. */
const LONG_WORD = /(?<!\\)[A-Za-z0-9]{3,}$/

export interface PatternChange {
  readonly operator: MutationOperator
  readonly text: string
}

/** A group of a pattern, or the pattern itself, with the places of its bars. */
interface Alternation {
  readonly start: number
  end: number
  readonly bars: number[]
}

/** A part of a pattern that means something by itself: an escape, a class, a byte. */
interface Token {
  readonly start: number
  readonly text: string
}

const WIDER_OSREGEX: Readonly<Record<string, string>> = { '\\d': '\\w', '\\w': '\\S', '\\p': '\\.', '\\s': '\\.', '\\t': '\\s', '\\S': '\\.', '\\W': '\\.', '\\D': '\\.' }
const WIDER_PCRE2: Readonly<Record<string, string>> = { '\\d': '\\w', '\\w': '\\S', '\\h': '\\s', '\\s': '[\\s\\S]', '\\t': '\\s', '\\S': '.', '\\W': '.', '\\D': '.' }
const PCRE2_ANCHORS: ReadonlySet<string> = new Set(['^', '$', '\\b', '\\B', '\\A', '\\z', '\\Z'])

/** The changed patterns, each another text than the pattern. */
export function* changePattern(pattern: string, dialect: Dialect): Generator<PatternChange> {
  const { tokens, alternations } = read(pattern, dialect)
  const changes: Iterable<PatternChange>[] = [
    withoutAlternatives(pattern, alternations),
    withoutAnchors(pattern, dialect, tokens, alternations[0]),
    dialect === 'osmatch' ? [] : widerClasses(pattern, dialect, tokens),
    dialect === 'pcre2' ? otherCase(pattern, tokens) : [],
    loosened(pattern, dialect, tokens),
  ]
  for (const kind of changes) {
    let left = CHANGES_OF_KIND
    for (const change of kind) {
      if (change.text === pattern || change.text === '') continue
      yield change
      if (--left <= 0) break
    }
  }
}

function read(pattern: string, dialect: Dialect): { readonly tokens: readonly Token[]; readonly alternations: readonly Alternation[] } {
  const tokens: Token[] = []
  const whole: Alternation = { start: dialect === 'osmatch' && pattern.startsWith('!') ? 1 : 0, end: pattern.length, bars: [] }
  const alternations = [whole]
  const open: Alternation[] = [whole]
  for (let at = whole.start; at < pattern.length; ) {
    const end = dialect === 'osmatch' ? at + 1 : tokenEnd(pattern, at, dialect)
    const text = pattern.slice(at, end)
    tokens.push({ start: at, text })
    if (text === '|') open[open.length - 1].bars.push(at)
    else if (text === '(' && dialect === 'pcre2') {
      const start = at + (/^\((?:\?(?:[:>=!|]|<[=!]|P?<\w+>|'\w+'|[a-z-]*:))?/.exec(pattern.slice(at))?.[0].length ?? 1)
      const group: Alternation = { start, end: pattern.length, bars: [] }
      open.push(group)
      alternations.push(group)
      at = start
      continue
    } else if (text === ')' && dialect === 'pcre2' && open.length > 1) (open.pop() as Alternation).end = at
    at = end
  }
  return { tokens, alternations }
}

function tokenEnd(pattern: string, at: number, dialect: Dialect): number {
  if (pattern[at] === '\\') {
    if (dialect === 'pcre2' && pattern[at + 1] === 'Q') {
      const close = pattern.indexOf('\\E', at)
      return close < 0 ? pattern.length : close + 2
    }
    return Math.min(pattern.length, at + 2)
  }
  if (pattern[at] !== '[' || dialect !== 'pcre2') return at + 1
  let close = at + (pattern[at + 1] === '^' ? 3 : 2)
  while (close < pattern.length && pattern[close] !== ']') close += pattern[close] === '\\' ? 2 : 1
  return Math.min(pattern.length, close + 1)
}

function* withoutAlternatives(pattern: string, alternations: readonly Alternation[]): Generator<PatternChange> {
  for (const { start, end, bars } of alternations) {
    if (bars.length === 0) continue
    const edges = [start - 1, ...bars, end]
    for (let at = 0; at + 1 < edges.length; at++) {
      // The last alternative takes the bar before it along, any other the one behind it.
      const isLast = at + 2 === edges.length
      const text = isLast ? pattern.slice(0, edges[at]) + pattern.slice(end) : pattern.slice(0, edges[at] + 1) + pattern.slice(edges[at + 1] + 1)
      yield { operator: 'drop_alternative', text }
    }
  }
}

function* withoutAnchors(pattern: string, dialect: Dialect, tokens: readonly Token[], whole: Alternation): Generator<PatternChange> {
  const edges = new Set([whole.start, ...whole.bars.map((bar) => bar + 1)])
  const ends = new Set([whole.end, ...whole.bars])
  for (const { start, text } of tokens) {
    const isAnchor = dialect === 'pcre2' ? PCRE2_ANCHORS.has(text) : (text === '^' && edges.has(start)) || (text === '$' && ends.has(start + 1))
    if (isAnchor) yield { operator: 'drop_anchor', text: pattern.slice(0, start) + pattern.slice(start + text.length) }
  }
}

function* widerClasses(pattern: string, dialect: Dialect, tokens: readonly Token[]): Generator<PatternChange> {
  for (const { start, text } of tokens) {
    const wider = dialect === 'osregex' ? WIDER_OSREGEX[text] : text.startsWith('[') ? '.' : WIDER_PCRE2[text]
    if (wider !== undefined) yield { operator: 'widen_class', text: pattern.slice(0, start) + wider + pattern.slice(start + text.length) }
  }
}

function* otherCase(pattern: string, tokens: readonly Token[]): Generator<PatternChange> {
  if (pattern.startsWith('(?i)')) yield { operator: 'case', text: pattern.slice('(?i)'.length) }
  else if (tokens.some(({ text }) => /^[A-Za-z[]/.test(text))) yield { operator: 'case', text: `(?i)${pattern}` }
}

/** A repetition that may be empty, or a literal without its end. */
function* loosened(pattern: string, dialect: Dialect, tokens: readonly Token[]): Generator<PatternChange> {
  const operator = 'loosen'
  if (dialect !== 'osmatch') {
    const plus = tokens.find(({ text }, at) => text === '+' && at > 0)
    if (plus !== undefined) return yield { operator, text: `${pattern.slice(0, plus.start)}*${pattern.slice(plus.start + 1)}` }
  }
  const last = pattern.endsWith('$') ? pattern.slice(0, -1) : pattern
  if (dialect === 'osmatch' && /[^\s|]\s+[^\s|]+$/.test(last)) yield { operator, text: last.replace(/\s+[^\s|]+$/, '') + pattern.slice(last.length) }
  else if (LONG_WORD.test(last)) yield { operator, text: last.slice(0, -1) + pattern.slice(last.length) }
}
