/** Checks root decoders against each other and against the rules: the first root that matches takes the event (BEHAVIOUR.md#choice-of-decoders). */
import type { CompiledDecoder, DecoderDefinition, PatternSource } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import type { OsMatchAlternative } from '../expressions/osmatch/osmatch.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import type { OsRegexAlternative } from '../expressions/osregex/parse.js'
import { END, LIT } from '../expressions/osregex/parse.js'
import type { LayeredNames } from '../event/layered-names.js'
import { field } from '../rules/options/field.js'
import { patternOptionOf } from '../rules/options/patterns.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { isSure } from '../xml/unsure.js'
import type { CheckContext } from './context.js'
import { type DatedHead, datesOf, datesTakenBy } from './pattern-heads.js'
import { DecoderReporter } from '../decoders/reporter.js'
import { placeOf } from '../xml/definition-reporter.js'

/** Maximum number of earlier roots with which one root is compared. Shipped rulesets have a hundred of each kind. */
const COMPARED_LIMIT = 300
/** Maximum number of compared pairs of alternatives of two patterns. */
const ALTERNATIVES_LIMIT = 400

export function checkRoots(context: CheckContext): void {
  const { decoders } = context.ruleset
  const own = new Set(context.decoders)
  checkNames(context)
  for (const list of [decoders.programRoots, decoders.plainRoots]) checkOrder(context, list, own)
  if (context.complete) checkUse(context, own)
}

function checkNames({ ruleset, decoders, collector }: CheckContext): void {
  const own = new Set(decoders)
  const first = new Map<string, DecoderDefinition>()
  const parents = new Set<string>()
  for (const definition of ruleset.decoders.definitions) {
    if (definition.parent !== null) {
      parents.add(definition.parent)
      continue
    }
    const earlier = first.get(definition.name)
    if (earlier === undefined) first.set(definition.name, definition)
    // Consecutive roots of one name are one decoder in several parts. Their order matters only when children are between them.
    else if (own.has(definition) && parents.has(definition.name)) new DecoderReporter(definition, collector).at('decoder_duplicate_root', null, {}, { related: [placeOf(earlier)] })
  }
}

/** Reports roots of a list for which an earlier root takes all events. */
function checkOrder({ collector }: CheckContext, list: readonly CompiledDecoder[], own: ReadonlySet<DecoderDefinition>): void {
  const byCondition = new Map<string, CompiledDecoder>()
  const dates = new DateTakers(list)
  list.forEach((root, position) => {
    const { definition } = root
    const key = keyOf(definition)
    if (own.has(definition)) {
      let taker = byCondition.get(key) ?? byCondition.get(`${patternKey(definition.programName)}\n`)
      for (let i = 0; i < position && i < COMPARED_LIMIT && taker === undefined; i++) if (takes(list[i], root)) taker = list[i]
      const reporter = new DecoderReporter(definition, collector)
      if (taker === undefined) checkDates(reporter, root, dates.before(position))
      else reporter.at('decoder_shadowed', null, { other: fromByteString(taker.definition.name) }, { related: [placeOf(taker.definition)] })
    }
    // A plain root always has a prematch. A program root without one takes all events of its programs.
    if (definition.fault === null && !byCondition.has(key)) byCondition.set(key, root)
  })
}

/** The first root of a list that takes all logs that begin with a date, by date. */
class DateTakers {
  readonly #list: readonly CompiledDecoder[]
  readonly #takers = new Map<DatedHead, CompiledDecoder>()
  #next = 0

  constructor(list: readonly CompiledDecoder[]) {
    this.#list = list
  }

  /** A function, because most roots do not begin with a date. */
  before(position: number): () => ReadonlyMap<DatedHead, CompiledDecoder> {
    return () => {
      for (; this.#next < position && this.#next < COMPARED_LIMIT; this.#next++) {
        const { definition, programName, prematch } = this.#list[this.#next]
        if (definition.fault !== null || programName !== null || prematch === null) continue
        for (const head of datesTakenBy(prematch)) if (!this.#takers.has(head)) this.#takers.set(head, this.#list[this.#next])
      }
      return this.#takers
    }
  }
}

/** Reports a root for logs that begin with a date, if an earlier one takes all logs that begin with such a date. */
function checkDates(reporter: DecoderReporter, { definition, programName, prematch }: CompiledDecoder, takersBefore: () => ReadonlyMap<DatedHead, CompiledDecoder>): void {
  if (programName !== null || prematch === null) return
  const dates = datesOf(prematch).filter(({ kind }) => kind !== 'header')
  if (dates.length === 0) return
  const takers = takersBefore()
  const taken = dates.filter((head) => (takers.get(head)?.definition.name ?? definition.name) !== definition.name)
  const taker = taken.length === 0 ? undefined : takers.get(taken[0])
  if (taker === undefined) return
  const extra = { related: [placeOf(taker.definition)], ...(taken.length < dates.length ? { severity: 'info' as const } : {}) }
  reporter.at('decoder_date_taken', 'prematch', { other: fromByteString(taker.definition.name), log: taken[0].date, file: taker.definition.source.filename }, extra)
}

function keyOf(definition: DecoderDefinition): string {
  return `${patternKey(definition.programName)}\n${patternKey(definition.prematch)}`
}

function patternKey(pattern: PatternSource | null): string {
  return pattern === null ? '' : `${pattern.dialect} ${pattern.text}`
}

function takes(first: CompiledDecoder, later: CompiledDecoder): boolean {
  return first.definition.fault === null && covers(first.programName, later.programName) && covers(first.prematch, later.prematch)
}

/** Whether `wide` is certain to match everything that `narrow` matches. */
function covers(wide: Expression | null, narrow: Expression | null): boolean {
  if (wide === null) return true
  if (narrow === null) return false
  if (wide === narrow) return true
  if (wide instanceof OsMatchExpression && narrow instanceof OsMatchExpression) {
    if (wide.negated || narrow.negated || wide.alternatives.length * narrow.alternatives.length > ALTERNATIVES_LIMIT) return false
    return narrow.alternatives.every((alternative) => wide.alternatives.some((other) => coversAlternative(other, alternative)))
  }
  if (wide instanceof OsRegexExpression && narrow instanceof OsRegexExpression) {
    if (wide.alternatives.length * narrow.alternatives.length > ALTERNATIVES_LIMIT) return false
    return narrow.alternatives.every((alternative) => wide.alternatives.some((other) => coversPrefix(other, alternative)))
  }
  return false
}

function coversAlternative(wide: OsMatchAlternative, narrow: OsMatchAlternative): boolean {
  if (wide.form === 'always' || narrow.form === 'never') return true
  if (narrow.form === 'always' || wide.form === 'never') return false
  if (wide.form === 'contains') return narrow.literal.includes(wide.literal)
  if (wide.form === 'starts') return (narrow.form === 'starts' || narrow.form === 'equals') && narrow.literal.startsWith(wide.literal)
  if (wide.form === 'ends') return (narrow.form === 'ends' || narrow.form === 'equals') && narrow.literal.endsWith(wide.literal)
  return narrow.form === 'equals' && narrow.literal === wide.literal
}

/** An anchored literal matches every text that begins with it. */
function coversPrefix(wide: OsRegexAlternative, narrow: OsRegexAlternative): boolean {
  const length = wide.kinds.length - 1
  if (wide.kinds[0] === END) return !wide.anchoredEnd
  if (!wide.anchoredStart || wide.anchoredEnd || !narrow.anchoredStart) return false
  for (let i = 0; i < length; i++) if (wide.kinds[i] !== LIT || narrow.kinds[i] !== LIT || narrow.values[i] !== wide.values[i]) return false
  return true
}

/** Reports roots whose name, fields and category no rule uses. */
function checkUse({ ruleset, collector, rules, order }: CheckContext, own: ReadonlySet<DecoderDefinition>): void {
  const { programRoots, plainRoots } = ruleset.decoders
  let roots = [...programRoots, ...plainRoots].filter(({ definition }) => own.has(definition))
  // Rules of the same scope use most of them, and are few.
  for (const some of [rules, order]) {
    if (roots.length === 0) return
    const readers = readersOf(some, ruleset.rules.top, ruleset.identities)
    roots = roots.filter((root) => !isRead(root, readers))
  }
  for (const { definition } of roots) new DecoderReporter(definition, collector).at('decoder_unreachable', null, {})
}

interface Readers {
  readonly identities: ReadonlySet<number>
  /** Dynamic fields that rules name, folded. */
  readonly fields: ReadonlySet<string>
  /** Categories with rules that require no decoder. */
  readonly categories: ReadonlySet<string>
  /** All patterns for program names, folded. */
  readonly programs: string
}

const PROGRAM_NAME = patternOptionOf('program_name')

function readersOf(order: readonly CompiledRule[], top: readonly RuleNode[], known: LayeredNames): Readers {
  const identities = new Set<number>()
  const fields = new Set<string>()
  const categories = new Set<string>()
  const programs: string[] = []
  for (const rule of order) {
    const { definition } = rule
    if (rule.identity >= 0) identities.add(rule.identity)
    for (const { name } of definition.valueOf(field)?.accepted ?? []) fields.add(foldCase(name))
    for (const one of definition.lists) fields.add(foldCase(one.field))
    for (const name of [...definition.sameFields, ...definition.differentFields]) fields.add(foldCase(name))
    const program = definition.valueOf(PROGRAM_NAME)
    if (program !== undefined) programs.push(foldCase(program.text))
    // An unreadable tag may name any of these.
    for (const { content, attributes } of definition.unsure.size === 0 ? [] : definition.element.children) {
      identities.add(known.find(content))
      for (const text of [content, ...attributes.map(({ value }) => value)]) fields.add(foldCase(text))
      programs.push(foldCase(content))
    }
  }
  for (const template of top) {
    if (template.rule.category !== 'syslog' && template.children.some(({ rule }) => rule.identity < 0)) categories.add(template.rule.category)
  }
  return { identities, fields, categories, programs: programs.join('\n') }
}

function isRead(root: CompiledDecoder, { identities, fields, categories, programs }: Readers): boolean {
  for (const decoder of [root, ...root.children]) {
    const { definition } = decoder
    if (!isSure(definition.unsure, 'type', 'order', 'plugin_decoder')) return true
    if (identities.has(decoder.identity) || categories.has(definition.type) || definition.plugin !== null) return true
    if ((definition.order ?? []).some(({ name, staticIndex }) => staticIndex < 0 && fields.has(foldCase(name)))) return true
  }
  if (root.programName === null && root.definition.programName !== null) return true
  if (!(root.programName instanceof OsMatchExpression)) return root.programName !== null && programs !== ''
  return root.programName.alternatives.some(({ literal }) => literal === '' || programs.includes(literal))
}
