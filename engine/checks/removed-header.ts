/**
 * Finds patterns that begin with a part of the header. Wazuh removes date, host and program name before decoders and rules read the log
 * (BEHAVIOUR.md#predecoding), so such a pattern can only match other forms of dates, or nothing.
 */
import type { CompiledDecoder, DecoderDefinition } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { patternsOf } from '../decoders/options/patterns.js'
import { DecoderReporter } from '../decoders/reporter.js'
import type { ConditionKind } from '../rules/options/option.js'
import type { RulePattern } from '../rules/options/pattern-text.js'
import { patternOptionOf } from '../rules/options/patterns.js'
import type { RuleReporter } from '../rules/reporter.js'
import { SUBJECT_LOG, SUBJECT_PROGRAM_NAME } from '../rules/condition.js'
import { foldCase } from '../source/byte-string.js'
import type { CheckContext } from './context.js'
import { datesOf } from './pattern-heads.js'
import { PLACEMENT_LIMIT, placesAbove } from './decoder-facts.js'

/** The part of the header that a pattern begins with. */
export interface RemovedPart {
  readonly part: 'the date of a header' | 'the program name of a header'
  /** The beginning of a log that loses it. */
  readonly log: string
  /** The pattern may match other logs. */
  readonly isUnsure: boolean
}

function removedDate(expression: Expression): RemovedPart | null {
  const accepted = datesOf(expression)
  const header = accepted.find(({ kind }) => kind === 'header')
  if (header === undefined || accepted.some(({ kind }) => kind === 'kept')) return null
  return { part: 'the date of a header', log: header.date, isUnsure: accepted.some(({ kind }) => kind === 'near') }
}

/** A program name at the head of a pattern, with what stands behind it in a header: `lanternd: `, `lanternd[7]: `. */
const PROGRAM_HEAD = /^(?:\(\?[a-z]+\))?\^?(?<blank> |\\s[+*]?)?(?<name>[A-Za-z](?:[\w/-]|\\?\.(?=\w))*)(?:\\?\[\\?(?:d|[0-9])|:(?= |\\s|$))/

function programHead({ pattern }: Expression): { readonly name: string; readonly hasBlank: boolean } | null {
  const groups = pattern.includes('|') ? undefined : PROGRAM_HEAD.exec(pattern)?.groups
  return groups === undefined ? null : { name: groups.name.replaceAll('\\', ''), hasBlank: groups.blank !== undefined && pattern.slice(0, 2) !== '^ ' }
}

/** Whether the pattern is for this very program: one for a prefix also accepts names that the program writes behind its own. */
function isForProgram(expression: Expression | null, name: string): boolean {
  const folded = foldCase(name)
  if (expression === null || !expression.test(name, folded, 0)) return false
  if (expression instanceof OsMatchExpression) return !expression.negated && expression.alternatives.some(({ literal }) => literal === folded)
  return (
    foldCase(expression.pattern)
      .replace(/^\^|\$$/g, '')
      .replaceAll('\\', '') === folded
  )
}

function removedProgram(name: string, isUnsure: boolean): RemovedPart {
  return { part: 'the program name of a header', log: `Jan 15 10:11:12 gate1 ${name}:`, isUnsure }
}

/** Reports patterns of decoders that begin the search at the beginning of the log. */
export function checkDecoderHeads(context: CheckContext): void {
  if (context.decoders.length === 0) return
  const { expressions, decoders } = context.ruleset
  const roots = new Map<string, CompiledDecoder[]>()
  for (const root of [...decoders.programRoots, ...decoders.plainRoots]) {
    const known = roots.get(root.definition.name)
    if (known === undefined) roots.set(root.definition.name, [root])
    else known.push(root)
  }
  for (const definition of context.decoders) {
    for (const { tag, pattern } of patternsOf(definition)) {
      if (tag === 'program_name' || pattern.offset !== 'none') continue
      const outcome = expressions.compile(pattern.dialect, pattern.text, tag === 'regex')
      if (!outcome.ok) continue
      const found = removedDate(outcome.expression) ?? removedByRoots(outcome.expression, rootsOf(definition, roots))
      if (found !== null) report(new DecoderReporter(definition, context.collector), tag, pattern.dialect, pattern, found)
    }
  }
}

function rootsOf(definition: DecoderDefinition, roots: ReadonlyMap<string, readonly CompiledDecoder[]>): readonly CompiledDecoder[] {
  const all = roots.get(definition.parent ?? definition.name) ?? []
  return definition.parent === null ? all.filter((root) => root.definition === definition) : all
}

/** A root without a program name is tried only for logs in which no header with one was found. */
function removedByRoots(expression: Expression, roots: readonly CompiledDecoder[]): RemovedPart | null {
  const head = roots.length === 0 ? null : programHead(expression)
  if (head === null) return null
  const { name, hasBlank } = head
  if (roots.every(({ programName }) => isForProgram(programName, name))) return removedProgram(name, false)
  return hasBlank && roots.every(({ definition }) => definition.programName === null) ? removedProgram(name, true) : null
}

const LOG_CONDITIONS: readonly ConditionKind<RulePattern>[] = [patternOptionOf('match'), patternOptionOf('regex')]

/** Reports conditions of a rule on the log. */
export function checkRuleHeads(reporter: RuleReporter): void {
  for (const { option, subject, test } of reporter.rule.conditions) {
    if (subject !== SUBJECT_LOG || test.kind !== 'pattern') continue
    const kind = LOG_CONDITIONS.find(({ name }) => name === option.name)
    const pattern = kind === undefined ? undefined : reporter.rule.definition.valueOf(kind)
    if (pattern === undefined || pattern.negate) continue
    const found = removedDate(test.expression) ?? removedByProgram(reporter, test.expression)
    if (found !== null) report(reporter, option.name, test.expression.dialect, pattern, found)
  }
}

/** Whether the rule, or one above it on each path, requires that program name. */
function removedByProgram({ rule, nodes, tree }: RuleReporter, expression: Expression): RemovedPart | null {
  const head = programHead(expression)
  if (head === null || nodes.length > PLACEMENT_LIMIT) return null
  const requires = (other: RuleReporter['rule']): boolean =>
    other.conditions.some(({ subject, test }) => subject === SUBJECT_PROGRAM_NAME && test.kind === 'pattern' && !test.negate && isForProgram(test.expression, head.name))
  const isRequired = requires(rule) || (nodes.length > 0 && nodes.every((node) => [...placesAbove(tree, node)].some((above) => requires(above.rule))))
  return isRequired ? removedProgram(head.name, false) : null
}

function report(reporter: DecoderReporter | RuleReporter, tag: string, dialect: string, { text, elements }: Pick<RulePattern, 'text' | 'elements'>, found: RemovedPart): void {
  const { part, log, isUnsure } = found
  const effect = isUnsure ? 'so it matches only logs without such a header' : 'so it cannot match'
  const severity = isUnsure ? { severity: 'info' as const } : {}
  reporter.inPattern('regex_header_removed', elements, 0, text.length, { dialect, tag, part, log, effect }, severity)
}
