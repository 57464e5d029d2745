/** A definition to a compiled rule: conditions, lists, description pieces, groups (engine-rules.md 2, 6). */
import type { Collector } from '../diagnostics/collector.js'
import type { LayeredNames } from '../event/layered-names.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { ExpressionPool } from '../expressions/compile.js'
import type { GateTable } from '../expressions/gate-table.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { foldCase } from '../source/byte-string.js'
import { reportWrongPattern } from '../xml/pattern-reporter.js'
import type { CompiledListCondition, CompiledRule, DescriptionPiece, HistorySearch } from './compiled-rule.js'
import type { Condition, ConditionPool, ConditionTest, Subject } from './condition.js'
import {
  SUBJECT_DYNAMIC,
  SUBJECT_HOSTNAME,
  SUBJECT_LIST_USER,
  SUBJECT_LOCATION,
  SUBJECT_LOG,
  SUBJECT_NEVER,
  SUBJECT_PROGRAM_NAME,
  SUBJECT_USER,
  staticSubject,
} from './condition.js'
import { LIST_STATIC_FIELDS } from './options/filters.js'
import { type ComparedField, isLeftOut, type PatternTag, type RuleDefinition, type RulePattern } from './rule.js'

/** The group string is read up to this length (6.3). */
const GROUPS_LIMIT = 1023
/** A description template is read up to this length (6.1). */
export const DESCRIPTION_LIMIT = 1024
/** Of several lists only the last ones are asked (5.4). */
export const LISTS_EVALUATED = 2
/** Level 0 sorts as the highest (3.5). */
const LEVEL_ZERO_RANK = 99

/** Tables that compiling fills or asks. */
export interface RuleTables {
  readonly expressions: ExpressionPool
  readonly conditions: ConditionPool
  readonly gates: GateTable
  readonly fieldNames: LayeredNames
  readonly identities: LayeredNames
}

const TEXT_SUBJECTS: Partial<Record<PatternTag, Subject>> = {
  match: SUBJECT_LOG,
  regex: SUBJECT_LOG,
  program_name: SUBJECT_PROGRAM_NAME,
  hostname: SUBJECT_HOSTNAME,
  location: SUBJECT_LOCATION,
  user: SUBJECT_USER,
  srcgeoip: SUBJECT_NEVER,
  dstgeoip: SUBJECT_NEVER,
}

/** Order in which conditions are tried: what the decoder fixed and what is cheap first. Pure tests may come in any order (4.3). */
const PATTERN_ORDER: readonly PatternTag[] = [
  'id',
  'status',
  'action',
  'program_name',
  'protocol',
  'system_name',
  'srcport',
  'dstport',
  'user',
  'hostname',
  'location',
  'url',
  'data',
  'extra_data',
  'match',
  'regex',
  'srcgeoip',
  'dstgeoip',
]

/**
 * Null when a pattern does not compile: the engine then refuses to load. A survey leaves out the pattern, and says that it is missing.
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
  const lists = compiler.lists()
  return {
    index,
    id: definition.id,
    level: effectiveLevel(definition),
    rank: rankOf(definition),
    definition,
    category: definition.category ?? 'syslog',
    identity: definition.decodedAs === null ? -1 : tables.identities.find(definition.decodedAs.name),
    conditions,
    lists,
    conditionsOnly: lists.length === 0 && search === null && !definition.checkDiff && !definition.ifFts,
    search,
    wired: search,
    same: [...definition.same].map(comparedSubject),
    different: [...definition.different].map(comparedSubject),
    sameKeys: definition.sameFields.map((name) => fieldKey(name, tables)),
    differentKeys: definition.differentFields.map((name) => fieldKey(name, tables)),
    description: compiler.description(),
    groupText: definition.groups.toLowerCase(),
    groups: splitGroups(definition.groups),
    mitreIds: definition.mitre.form === 'ids' ? definition.mitre.ids : definition.mitre.pairs.map(({ technique }) => technique),
  }
}

/** Order among siblings while loading (3.5). */
function rankOf({ level, accuracy }: RuleDefinition): number {
  const rank = level === 0 ? LEVEL_ZERO_RANK : level
  return accuracy ? rank * 100 : rank
}

/** After loading: quirk of 3.5, level 0 without accuracy ends up as 99. */
function effectiveLevel({ level, accuracy }: RuleDefinition): number {
  return level === 0 && !accuracy ? LEVEL_ZERO_RANK : level
}

/** The groups of a group string, as far as it is read. */
export function splitGroups(groups: string): string[] {
  return groups
    .slice(0, GROUPS_LIMIT)
    .split(',')
    .filter((word) => word !== '')
}

function fieldKey(name: string, tables: RuleTables): number {
  return tables.fieldNames.intern(foldCase(name))
}

function comparedSubject(field: ComparedField): Subject {
  if (field === 'srcgeoip' || field === 'dstgeoip') return SUBJECT_NEVER
  return field === 'location' ? SUBJECT_LOCATION : staticSubject(field)
}

class RuleCompiler {
  failed = false
  readonly #definition: RuleDefinition
  readonly #tables: RuleTables
  readonly #collector: Collector

  constructor(definition: RuleDefinition, tables: RuleTables, collector: Collector) {
    this.#definition = definition
    this.#tables = tables
    this.#collector = collector
  }

  conditions(): Condition[] {
    const definition = this.#definition
    const found: Condition[] = []
    const add = (condition: Condition | null): void => {
      if (condition !== null) found.push(condition)
    }
    for (const field of definition.fields) {
      add(this.#pattern('field', field, SUBJECT_DYNAMIC + fieldKey(field.name, this.#tables), field.name))
    }
    for (const field of definition.refusedFields) this.#pattern('field', field, SUBJECT_NEVER, field.name)
    for (const tag of PATTERN_ORDER) {
      const pattern = definition.patterns.get(tag)
      if (pattern !== undefined) add(this.#pattern(tag, pattern, TEXT_SUBJECTS[tag] ?? staticSubject(tag as Parameters<typeof staticSubject>[0]), null))
    }
    for (const [tag, { entries, negate }] of definition.addresses) {
      add(this.#condition(tag, staticSubject(tag), `${tag} ${negate} ${JSON.stringify(entries)}`, { kind: 'address', entries, negate }))
    }
    if (definition.maxsize > 0) add(this.#condition('maxsize', SUBJECT_LOG, `maxsize ${definition.maxsize}`, { kind: 'length', minimum: definition.maxsize }))
    if (definition.time !== null) add(this.#condition('time', SUBJECT_NEVER, `time ${JSON.stringify(definition.time)}`, { kind: 'time', range: definition.time }))
    if (definition.weekday !== null) {
      add(this.#condition('weekday', SUBJECT_NEVER, `weekday ${[...definition.weekday].sort().join()}`, { kind: 'weekday', days: definition.weekday }))
    }
    if (definition.compiledRule !== null) {
      add(this.#condition('compiled_rule', SUBJECT_LOG, `compiled ${definition.compiledRule}`, { kind: 'compiled', name: definition.compiledRule }))
    }
    return found
  }

  lists(): CompiledListCondition[] {
    return this.#definition.lists.slice(-LISTS_EVALUATED).map((condition): CompiledListCondition => {
      const checked = condition.checkValue === null ? null : this.#tables.expressions.compile('osmatch', condition.checkValue)
      return {
        path: condition.path,
        subject: this.#listSubject(condition.field),
        field: condition.field,
        lookup: condition.lookup,
        check: checked?.ok === true && checked.expression instanceof OsMatchExpression ? checked.expression : null,
      }
    })
  }

  #listSubject(field: string): Subject {
    const known = LIST_STATIC_FIELDS.find((name) => name === field.toLowerCase())
    if (known === undefined) return SUBJECT_DYNAMIC + fieldKey(field, this.#tables)
    if (known === 'user') return SUBJECT_LIST_USER
    if (known === 'hostname') return SUBJECT_HOSTNAME
    if (known === 'program_name') return SUBJECT_PROGRAM_NAME
    return staticSubject(known)
  }

  /** `$(name)` up to the next `)`; unterminated stays text. */
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
    return known === undefined ? SUBJECT_DYNAMIC + fieldKey(name, this.#tables) : staticSubject(known)
  }

  #pattern(tag: string, pattern: RulePattern, subject: Subject, field: string | null): Condition | null {
    if (pattern.dialect === 'exact') {
      const { text, negate } = pattern
      const gate = negate ? null : ({ kind: 'exact', values: [foldCase(text)] } as const)
      return this.#condition(tag, subject, `${subject} exact ${negate} ${text}`, { kind: 'exact', text, negate }, field, gate)
    }
    const outcome = this.#tables.expressions.compile(pattern.dialect, pattern.text)
    if (!outcome.ok) {
      this.failed = true
      const { source } = this.#definition
      const finding = reportWrongPattern(this.#collector, source, { tag, ...pattern }, outcome.error, { unread: isLeftOut(this.#definition) })
      this.#definition.fault ??= finding
      this.#definition.addUnsure(tag)
      return null
    }
    const { expression } = outcome
    return this.#condition(
      tag,
      subject,
      `${subject} ${pattern.dialect} ${pattern.negate} ${pattern.text}`,
      { kind: 'pattern', expression, negate: pattern.negate },
      field,
      pattern.negate ? null : expression.gate,
    )
  }

  #condition(tag: string, subject: Subject, key: string, test: ConditionTest, field: string | null = null, gate: Condition['gate'] = null): Condition {
    return this.#tables.conditions.get(key, (index) => ({ index, tag, field, subject, test, gate, logGate: subject === SUBJECT_LOG ? this.#tables.gates.intern(gate) : -1 }))
  }
}
