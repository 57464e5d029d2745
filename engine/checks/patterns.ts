/** Checks patterns, alone and in the place where they are used (BEHAVIOUR.md#expression-types). */
import { suggestPattern } from '../diagnostics/suggest.js'
import type { DecoderDefinition } from '../event/decoder.js'
import type { Dialect, Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import type { OsRegexAlternative } from '../expressions/osregex/parse.js'
import { END, LIT, MARK, PLUS, STAR } from '../expressions/osregex/parse.js'
import { ANY_BYTE, BYTE_CLASSES } from '../expressions/osregex/classes.js'
import { patternOptionOf } from '../rules/options/patterns.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import type { XmlElement } from '../xml/node.js'
import type { VariableIndex } from '../xml/variable-index.js'
import type { CheckContext } from './context.js'
import { lineBreak, literalDollar, literalExclamation } from './literal-signs.js'
import type { PatternDiagnostic } from './pattern-diagnostics.js'
import { patternDiagnosticsOf } from './pattern-diagnostics.js'
import type { RuleReporter } from '../rules/reporter.js'
import { DecoderReporter } from '../decoders/reporter.js'
import { patternsOf } from '../decoders/options/patterns.js'
import { writtenPatterns } from './written-patterns.js'

/** Conditions on texts that every event has. There a pattern that always matches does not test for presence. */
const ALWAYS_PRESENT: ReadonlySet<string> = new Set(['match', 'regex', 'location'])

const MATCH = patternOptionOf('match')

/** Cached by expression: all uses of a pattern share its expression. */
const FOUND = new WeakMap<Expression, { capturing: PatternDiagnostic[] | null; testing: PatternDiagnostic[] | null }>()

function cachedDiagnostics(expression: Expression, capturing: boolean): PatternDiagnostic[] {
  let found = FOUND.get(expression)
  if (found === undefined) FOUND.set(expression, (found = { capturing: null, testing: null }))
  return (found[capturing ? 'capturing' : 'testing'] ??= patternDiagnosticsOf(expression, capturing))
}

interface Reporter {
  inPattern: RuleReporter['inPattern']
}

/** Where a pattern is used. */
interface Use {
  readonly name: string
  /** The tag, with the name of a dynamic field. */
  readonly tag: string
  readonly elements: readonly XmlElement[]
  readonly negate: boolean
  readonly capturing: boolean
}

function reportDiagnostics(reporter: Reporter, expression: Expression, { name, tag, elements, negate, capturing }: Use): void {
  for (const { code, start, end, params } of cachedDiagnostics(expression, capturing)) {
    reporter.inPattern(code, elements, start, end, { name, ...params, ...(code === 'regex_never_matches' ? { tag, effect: neverEffect(params, expression, negate) } : {}) })
  }
}

function neverEffect({ value }: PatternDiagnostic['params'], expression: Expression, negate: boolean): string {
  if (value !== expression.pattern) return 'is an alternative that can never match'
  return negate ? 'can never match, so the negated condition holds for every text' : 'can never match'
}

function reportLineBreak(reporter: Reporter, expression: Expression, { tag, elements }: Use, edges: boolean): void {
  const found = lineBreak(expression, edges)
  if (found !== null) reporter.inPattern('regex_line_break', elements, found.start, found.end, { dialect: expression.dialect, tag, value: found.value })
}

/** Patterns that search a whole log. */
const FREE_TEXT: ReadonlySet<string> = new Set(['match', 'regex', 'prematch'])

function reportLiteralSigns(reporter: RuleReporter, expression: Expression, use: Use, variables: VariableIndex): void {
  const { dialect } = expression
  const { tag, elements } = use
  const exclamation = literalExclamation(expression)
  if (exclamation !== null) reporter.inPattern('regex_negation_literal', elements, exclamation.start, exclamation.end, { dialect, tag, value: exclamation.value })
  reportDollar(reporter, expression, use, variables)
}

function reportDollar(reporter: RuleReporter | DecoderReporter, expression: Expression, { name, tag, elements, negate }: Use, variables: VariableIndex): void {
  const { dialect } = expression
  const dollar = literalDollar(expression, FREE_TEXT.has(name))
  // The name of a variable is reported as one that is not replaced.
  if (dollar === null || variables.isKnown(/^\$(\w+)/.exec(dollar.value)?.[1] ?? '', reporter.source)) return
  const effect = negate ? 'so the negated condition holds for nearly every text' : 'so hardly any text matches'
  const { pattern } = expression
  const suggestion = pattern.lastIndexOf('$') === 0 && !pattern.includes('|') ? suggestPattern('', fromByteString(`${pattern.slice(1)}$`)) : null
  reporter.inPattern('regex_dollar_literal', elements, dollar.start, dollar.end, { dialect, tag, value: dollar.value, effect }, { suggestion })
}

export function checkRulePatterns(reporter: RuleReporter, { variables }: CheckContext): void {
  const { definition } = reporter.rule
  for (const { condition, expression, name, tag, written } of writtenPatterns(reporter.rule)) {
    const { elements, negate, text } = written
    const use: Use = { name, tag, elements, negate, capturing: false }
    reportDiagnostics(reporter, expression, use)
    reportLineBreak(reporter, expression, use, false)
    reportLiteralSigns(reporter, expression, use, variables)
    checkGroups(reporter, name, expression, elements)
    checkAlways(reporter, name, expression, written, condition.field === null && ALWAYS_PRESENT.has(name))
    if (name === 'regex' && definition.valueOf(MATCH) === undefined && definition.isSure('match') && isPlainText(expression) && !isForeign(expression))
      reporter.inPattern('regex_literal_only', elements, 0, text.length, { name: 'regex' })
  }
}

/** Whether the pattern looks like another dialect, so that it is not meant as plain text. */
function isForeign(expression: Expression): boolean {
  return cachedDiagnostics(expression, false).some(({ code }) => code === 'regex_wrong_dialect')
}

function isPlainText(expression: Expression): boolean {
  if (!(expression instanceof OsRegexExpression) || expression.pattern === '' || /[\\!]/.test(expression.pattern)) return false
  return expression.alternatives.every(({ kinds }) => kinds.every((kind) => kind === LIT || kind === END))
}

/** Reports groups that nothing reads. PCRE2 needs groups for alternatives, but in osregex their only purpose is to capture. */
function checkGroups(reporter: Reporter, tag: string, expression: Expression, elements: readonly XmlElement[]): void {
  if (!(expression instanceof OsRegexExpression) || expression.groupCount === 0) return
  const open = expression.alternatives.flatMap(({ kinds, offsets }) => [...offsets.filter((_, index) => kinds[index] === MARK)])[0] ?? 0
  reporter.inPattern('regex_unused_capture', elements, open, open + 1, { name: tag })
}

/** @param present whether every event has the text; if not, a pattern that always matches tests for its presence */
function checkAlways(
  reporter: RuleReporter,
  tag: string,
  expression: Expression,
  pattern: { elements: readonly XmlElement[]; negate: boolean; text: string },
  present: boolean,
): void {
  const { alternatives } = alternativesOf(expression)
  if (alternatives === 0 || pattern.negate) return
  const matching = matchingEverything(expression)
  if (matching === null) return
  // One of several alternatives that matches everything is a mistake in any tag.
  if (!present && alternatives === 1) return
  if (matching === '') {
    if (expression.pattern === '' && tag !== 'match' && tag !== 'regex') return
    reporter.report('rule_condition_always_true', pattern.elements[0], { tag, reason: expression.pattern === '' ? 'it is empty' : 'it has an empty alternative' })
  } else reporter.report('rule_condition_always_true', pattern.elements[0], { tag, reason: `"${matching}" matches anything` })
}

function alternativesOf(expression: Expression): { alternatives: number } {
  if (expression instanceof OsMatchExpression) return { alternatives: expression.negated ? 0 : expression.alternatives.length }
  if (expression instanceof OsRegexExpression) return { alternatives: expression.alternatives.length }
  return { alternatives: 0 }
}

/** The alternative that matches every text, or null. */
export function matchingEverything(expression: Expression): string | null {
  if (expression instanceof OsMatchExpression) {
    const index = expression.alternatives.findIndex(({ form }) => form === 'always')
    return index < 0 ? null : expression.pattern.split('|')[index]
  }
  if (!(expression instanceof OsRegexExpression)) return null
  const found = expression.alternatives.find(matchesAnything)
  return found === undefined ? null : expression.pattern.slice(found.offsets[0], found.offsets[found.offsets.length - 1])
}

/** Whether the alternative is empty or consists of stars over any byte. */
function matchesAnything({ kinds, values, anchoredStart, anchoredEnd }: OsRegexAlternative): boolean {
  let marks = 0
  for (let i = 0; kinds[i] !== END; i++) {
    if (kinds[i] === MARK) marks++
    else if (kinds[i] !== STAR || values[i] !== ANY_BYTE) return false
  }
  if (kinds.length === 1) return !(anchoredStart && anchoredEnd)
  return marks < kinds.length - 1 && marks <= 2
}

export function checkDecoderPatterns(context: CheckContext): void {
  if (context.decoders.length === 0) return
  const { expressions, decoders } = context.ruleset
  const parents = new Map<string, DecoderDefinition[]>()
  const followers = new Map<string, DecoderDefinition[]>()
  const add = (map: Map<string, DecoderDefinition[]>, key: string, value: DecoderDefinition): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, [value])
    else known.push(value)
  }
  for (const definition of decoders.definitions) {
    if (definition.parent === null) add(parents, definition.name, definition)
    else add(followers, definition.parent, definition)
  }
  const compile = (dialect: Dialect, text: string, capturing: boolean): Expression | null => {
    const outcome = expressions.compile(dialect, text, capturing)
    return outcome.ok ? outcome.expression : null
  }
  for (const definition of context.decoders) {
    const reporter = new DecoderReporter(definition, context.collector)
    for (const { tag, pattern } of patternsOf(definition)) {
      const expression = compile(pattern.dialect, pattern.text, tag === 'regex')
      if (expression === null) continue
      const use: Use = { name: tag, tag, elements: pattern.elements, negate: false, capturing: tag === 'regex' }
      reportDiagnostics(reporter, expression, use)
      reportLineBreak(reporter, expression, use, true)
      reportDollar(reporter, expression, use, context.variables)
      if (tag === 'program_name') checkProgramName(reporter, expression, pattern.elements)
      else checkEmptyAlternative(reporter, tag, expression, pattern.elements)
      if (tag === 'prematch') checkGroups(reporter, tag, expression, pattern.elements)
      const name = definition.parent
      if (pattern.offset === 'after_parent' && name !== null) checkAnchor(reporter, tag, expression, pattern.elements, parents.get(name) ?? [])
      const after = tag === 'program_name' ? [] : continuing(definition, tag, definition.parent === null ? (followers.get(definition.name) ?? []) : [])
      if (after.length > 0) checkOpenEnd(reporter, tag, expression, pattern.elements, after)
    }
  }
}

function checkProgramName(reporter: DecoderReporter, expression: Expression, elements: readonly XmlElement[]): void {
  if (reporter.definition.parent !== null || !(expression instanceof OsMatchExpression) || expression.negated) return
  if (expression.alternatives.some(({ form }) => form === 'contains'))
    reporter.inPattern('regex_unanchored_program_name', elements, 0, expression.pattern.length, { value: expression.pattern })
}

/** Reports an alternative that matches every log for which the others fail. */
function checkEmptyAlternative(reporter: DecoderReporter, tag: string, expression: Expression, elements: readonly XmlElement[]): void {
  if (!(expression instanceof OsRegexExpression) || expression.alternatives.length < 2) return
  const index = expression.alternatives.findIndex(matchesAnything)
  if (index < 0) return
  const { offsets } = expression.alternatives[index]
  const end = offsets[offsets.length - 1]
  reporter.inPattern('decoder_empty_alternative', elements, offsets[0], end, { name: tag, value: expression.pattern.slice(offsets[0], end) })
}

/** Reports a "^" after the parent's match that is followed by the text that the parent has matched: it was meant as the start of the log. */
function checkAnchor(reporter: DecoderReporter, tag: string, expression: Expression, elements: readonly XmlElement[], parents: readonly DecoderDefinition[]): void {
  const { pattern } = expression
  if (!pattern.startsWith('^')) return
  const repeated =
    parents.length > 0 &&
    parents.every(({ prematch }) => {
      const text = prematch === null ? '' : prematch.text
      // A single character may occur twice in a row.
      return text.startsWith('^') && text.length > 4 && foldCase(pattern).startsWith(foldCase(text))
    })
  if (repeated) reporter.inPattern('regex_anchor_after_offset', elements, 0, 1, { name: tag })
}

/** Patterns that start where this one ends. */
function continuing(definition: DecoderDefinition, tag: 'prematch' | 'regex', children: readonly DecoderDefinition[]): string[] {
  if (tag !== 'prematch') return []
  const found: string[] = []
  if (definition.regex?.offset === 'after_prematch') found.push(definition.regex.text)
  for (const { prematch, regex } of children) {
    if (prematch?.offset === 'after_parent') found.push(prematch.text)
    if (regex?.offset === 'after_parent') found.push(regex.text)
  }
  return found
}

/**
 * Reports a repetition at the end of a pattern, because the next pattern starts one byte after it, or in its middle (BEHAVIOUR.md#osregex-results).
 * It is only a mistake when the next pattern begins with a character that the repetition cannot match: the separator, which is already consumed.
 */
function checkOpenEnd(reporter: DecoderReporter, tag: string, expression: Expression, elements: readonly XmlElement[], after: readonly string[]): void {
  if (!(expression instanceof OsRegexExpression)) return
  for (const { kinds, values, offsets, anchoredEnd } of expression.alternatives) {
    let last = kinds.length - 2
    if (kinds[last] === MARK) last--
    if (anchoredEnd || last < 0 || kinds[last] !== PLUS) continue
    const tied = after.some((text) => {
      const next = /^\^(\\s|[^\\^$|()])/.exec(text)?.[1]
      if (next === undefined) return false
      const byte = next === '\\s' ? 0x20 : next.charCodeAt(0)
      return (BYTE_CLASSES[byte] & values[last]) === 0
    })
    if (tied)
      reporter.inPattern('regex_open_end_before_offset', elements, offsets[last], offsets[last] + 3, {
        name: tag,
        value: expression.pattern.slice(offsets[last], offsets[last] + 3),
      })
    return
  }
}
