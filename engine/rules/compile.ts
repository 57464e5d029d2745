/** Turns a definition into a compiled rule. The options compile their own conditions through `RuleCompiler`. */
import type { Collector } from '../diagnostics/collector.js'
import type { LayeredNames } from '../event/layered-names.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { ExpressionPool } from '../expressions/compile.js'
import type { Expression } from '../expressions/expression.js'
import type { PrefilterTable } from '../expressions/prefilter-table.js'
import { foldCase } from '../source/byte-string.js'
import { reportWrongPattern } from '../xml/pattern-reporter.js'
import type { CompiledRule, DescriptionPiece, HistorySearch } from './compiled-rule.js'
import type { ConditionPool, ConditionTest, Subject } from './condition.js'
import { Condition, prefilterOf, SUBJECT_DYNAMIC, SUBJECT_HOSTNAME, SUBJECT_LOCATION, SUBJECT_LOG, SUBJECT_NEVER, SUBJECT_PROGRAM_NAME, staticSubject } from './condition.js'
import type { ComparedField } from './options/comparisons.js'
import { compileLists } from './options/list.js'
import type { ConditionKind } from './options/option.js'
import { isGeoip, keptGeoip } from './kept-geoip.js'
import type { RulePattern } from './options/pattern-text.js'
import { isLeftOut, type RuleDefinition } from './rule.js'

/** Wazuh reads at most this many bytes of the group string. */
const GROUPS_LIMIT = 1023
/** Wazuh reads at most this many bytes of a description. */
export const DESCRIPTION_LIMIT = 1024
/** Level 0 sorts before all other levels. */
const LEVEL_ZERO_RANK = 99
/** Shared by all rules: most lists of most rules are empty. */
const NO_ITEMS: readonly never[] = []

/** Tables of the ruleset that compiling reads and extends. */
export interface RuleTables {
  readonly expressions: ExpressionPool
  readonly conditions: ConditionPool
  readonly prefilters: PrefilterTable
  readonly fieldNames: LayeredNames
  readonly identities: LayeredNames
}

/**
 * Returns null when a pattern does not compile: Wazuh then refuses to load. A survey omits the pattern and marks its tag as unsure.
 *
 * @param index number of the rule in its ruleset
 */
export function compileRule(
  definition: RuleDefinition,
  index: number,
  search: HistorySearch | null,
  tables: RuleTables,
  collector: Collector,
  survey = false,
): CompiledRule | null {
  const compiler = new RuleCompiler(definition, tables, collector)
  const conditions = compiler.conditions()
  if (compiler.failed && !survey) return null
  const lists = compileLists(definition.lists, compiler)
  const description = kept(compiler.description())
  return {
    index,
    id: definition.id,
    level: effectiveLevel(definition),
    rank: rankOf(definition),
    definition,
    category: definition.category ?? 'syslog',
    identity: definition.decodedAs === null ? -1 : tables.identities.find(definition.decodedAs.name),
    conditions,
    lists: kept(lists),
    conditionsOnly: lists.length === 0 && search === null && !definition.checkDiff && !definition.ifFts,
    search,
    wired: search,
    same: kept([...definition.same].map(comparedSubject)),
    different: kept([...definition.different].map(comparedSubject)),
    sameKeys: kept(definition.sameFields.map(compiler.fieldKey)),
    differentKeys: kept(definition.differentFields.map(compiler.fieldKey)),
    description,
    fixedDescription: fixedText(description),
    groupText: foldCase(definition.groups),
    groups: kept(splitGroups(definition.groups)),
    mitreIds: definition.mitre.form === 'ids' ? definition.mitre.ids : definition.mitre.pairs.map(({ technique }) => technique),
  }
}

function fixedText(description: readonly DescriptionPiece[]): string | null {
  const [text] = description
  return description.length === 1 && typeof text === 'string' && text.length < DESCRIPTION_LIMIT ? text : null
}

/** Returns the list in the size in which thousands of rules keep it: a list that grew has room for 16 more items. */
function kept<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NO_ITEMS : list.slice()
}

/** Sort key among siblings while loading. */
function rankOf({ level, accuracy }: RuleDefinition): number {
  const rank = level === 0 ? LEVEL_ZERO_RANK : level
  return accuracy ? rank * 100 : rank
}

/** The level after loading: level 0 without accuracy becomes 99 (Wazuh quirk). */
function effectiveLevel({ level, accuracy }: RuleDefinition): number {
  return level === 0 && !accuracy ? LEVEL_ZERO_RANK : level
}

/** The groups in a group string, up to the length that Wazuh reads. */
export function splitGroups(groups: string): string[] {
  return groups
    .slice(0, GROUPS_LIMIT)
    .split(',')
    .filter((word) => word !== '')
}

function comparedSubject(field: ComparedField): Subject {
  if (field === 'srcgeoip' || field === 'dstgeoip') return SUBJECT_NEVER
  return field === 'location' ? SUBJECT_LOCATION : staticSubject(field)
}

/** A condition to add. */
interface NewCondition {
  /** Identifies the test across all rules: equal keys mean equal tests. */
  readonly key: string
  readonly subject: Subject
  readonly test: ConditionTest
  readonly shown?: string | null
  readonly field?: string | null
}

/** Collects the conditions of one rule. */
export class RuleCompiler {
  failed = false
  readonly tables: RuleTables
  readonly #definition: RuleDefinition
  readonly #collector: Collector
  readonly #added: Condition[] = []

  constructor(definition: RuleDefinition, tables: RuleTables, collector: Collector) {
    this.#definition = definition
    this.tables = tables
    this.#collector = collector
  }

  /** The conditions of the rule in evaluation order. */
  conditions(): readonly Condition[] {
    const definition = this.#definition
    const read = [...definition.conditions, ...keptGeoip(definition)].sort((a, b) => a.kind.cost - b.kind.cost)
    for (const condition of read) {
      const count = this.#added.length
      condition.kind.compile(condition.value, this)
      // Those that an overwrite does not replace are compiled for their mistakes only.
      if (definition.original !== null && isGeoip(condition) && definition.conditions.includes(condition)) this.#added.length = count
    }
    return kept(this.#added)
  }

  /** The number of a dynamic field. */
  fieldKey = (name: string): number => this.tables.fieldNames.intern(foldCase(name))

  dynamicSubject(name: string): Subject {
    return SUBJECT_DYNAMIC + this.fieldKey(name)
  }

  add(kind: ConditionKind, { key, subject, test, shown = null, field = null }: NewCondition): void {
    const { conditions, prefilters } = this.tables
    const condition = conditions.get(key, (index) => {
      const logPrefilter = subject === SUBJECT_LOG ? prefilters.intern(prefilterOf(test)) : -1
      return new Condition(index, kind, field, subject, test, shown, logPrefilter)
    })
    this.#added.push(condition)
  }

  /** Adds a condition on the text of a subject. @param field name of a dynamic field */
  addPattern(kind: ConditionKind, pattern: RulePattern, subject: Subject, field: string | null = null): void {
    const { text, dialect, negate } = pattern
    if (dialect === 'exact') return this.add(kind, { key: `${subject} exact ${negate} ${text}`, subject, test: { kind: 'exact', text, negate }, shown: text, field })
    const expression = this.compilePattern(kind, pattern)
    if (expression === null) return
    this.add(kind, { key: `${subject} ${dialect} ${negate} ${text}`, subject, test: { kind: 'pattern', expression, negate }, shown: expression.pattern, field })
  }

  /** Returns null after reporting a pattern that does not compile. */
  compilePattern({ name }: ConditionKind, pattern: RulePattern): Expression | null {
    if (pattern.dialect === 'exact') return null
    const outcome = this.tables.expressions.compile(pattern.dialect, pattern.text)
    if (outcome.ok) return outcome.expression
    this.failed = true
    const definition = this.#definition
    const diagnostic = reportWrongPattern(this.#collector, definition, { tag: name, ...pattern }, outcome.error, { unread: isLeftOut(definition) })
    definition.fault ??= diagnostic
    definition.addUnsure(name)
    return null
  }

  /** Splits the description at `$(name)`. A reference without `)` stays text. */
  description(): DescriptionPiece[] {
    const template = (this.#definition.description ?? '').slice(0, DESCRIPTION_LIMIT)
    const pieces: DescriptionPiece[] = []
    let at = 0
    for (;;) {
      const open = template.indexOf('$(', at)
      const close = open < 0 ? -1 : template.indexOf(')', open)
      if (close < 0) break
      if (open > at) pieces.push(template.slice(at, open))
      const name = template.slice(open + 2, close)
      pieces.push({ name, subject: this.#descriptionSubject(name) })
      at = close + 1
    }
    if (at < template.length) pieces.push(template.slice(at))
    return pieces
  }

  #descriptionSubject(name: string): Subject {
    if (name === 'program_name') return SUBJECT_PROGRAM_NAME
    if (name === 'hostname') return SUBJECT_HOSTNAME
    const known = STATIC_FIELDS.find((field) => field === name)
    return known === undefined ? this.dynamicSubject(name) : staticSubject(known)
  }
}
