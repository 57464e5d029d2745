/** The conditions of one rule as parts of a Sigma detection: selections, which are joined by `and`, `or` and `not`. */
import type { AddressEntry } from '../conditions/address.js'
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression, type OsMatchAlternative } from '../expressions/osmatch/osmatch.js'
import { type CdbList, compileList } from '../lists/list.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { CompiledListCondition, CompiledRule } from '../rules/compiled-rule.js'
import {
  type Condition,
  type Subject,
  SUBJECT_DYNAMIC,
  SUBJECT_HOSTNAME,
  SUBJECT_LIST_USER,
  SUBJECT_LOCATION,
  SUBJECT_LOG,
  SUBJECT_NEVER,
  SUBJECT_PROGRAM_NAME,
  SUBJECT_STATIC,
  SUBJECT_USER,
} from '../rules/condition.js'
import { minimumLength } from '../rules/options/maxsize.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { NORMALIZED_NAMES } from './normalized-event.js'
import { regexText } from './regex-text.js'

/** Keys of a list that are written into a rule. */
const KEYS_LIMIT = 500

/** Constructs that Sigma, or a single event, cannot express. */
export const CONSTRUCTS = [
  'counts',
  'time',
  'weekday',
  'if_fts',
  'check_diff',
  'compiled_rule',
  'list',
  'regex',
  'geoip',
  'address',
  'field_name',
  'parents',
  'never',
  'compares',
] as const
export type Construct = (typeof CONSTRUCTS)[number]

export type SelectionValue = string | boolean | readonly string[]
/** All keys of a map hold. */
export type Selection = Readonly<Record<string, SelectionValue>>

export type Term =
  /** One of the maps holds; with one map it is written as that map. */
  | { readonly kind: 'selection'; readonly maps: readonly Selection[] }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Term[] }
  | { readonly kind: 'not'; readonly term: Term }

export type RuleTerm = { readonly ok: true; readonly terms: readonly Term[] } | { readonly ok: false; readonly constructs: readonly Construct[] }

/** The conditions of a rule on an event, without those of its parents and without its decoder, which is the log source. */
export function termsOf(rule: CompiledRule, ruleset: CompiledRuleset): RuleTerm {
  const { definition, search, conditions, lists } = rule
  const terms: Term[] = []
  const constructs = new Set<Construct>()
  const add = (term: Term | Construct): void => {
    if (typeof term === 'string') constructs.add(term)
    else terms.push(term)
  }
  if (search !== null) constructs.add('counts')
  if (definition.ifFts) constructs.add('if_fts')
  if (definition.checkDiff) constructs.add('check_diff')
  for (const condition of conditions) add(conditionTerm(condition, rule, ruleset))
  for (const list of lists) add(listTerm(list, ruleset))
  return constructs.size > 0 ? { ok: false, constructs: [...constructs] } : { ok: true, terms }
}

function conditionTerm({ test, subject, option }: Condition, { definition }: CompiledRule, ruleset: CompiledRuleset): Term | Construct {
  if (test.kind === 'event') {
    const minimum = option.name === minimumLength.name ? definition.valueOf(minimumLength) : undefined
    if (minimum !== undefined) return selection({ [`${NORMALIZED_NAMES.log}|re|s`]: `.{${minimum},}` })
    return option.name === 'time' || option.name === 'weekday' ? option.name : 'compiled_rule'
  }
  return onSubject(subject, ruleset, (field) => {
    const isAlways = subject === SUBJECT_LOG || subject === SUBJECT_LOCATION
    if (test.kind === 'pattern') return patternTerm(field, test.expression, test.negate, isAlways)
    if (test.kind === 'exact') return negatable(selection({ [`${field}|cased`]: plain(fromByteString(test.text)) }), test.negate, field, isAlways)
    const entries = addressEntries(definition.conditions.find(({ kind }) => kind === option)?.value)
    const networks = entries?.map(networkOf) ?? [null]
    return networks.every((network) => network !== null) ? negatable(selection({ [`${field}|cidr`]: one(networks) }), test.negate, field, isAlways) : 'address'
  })
}

/** A test of a text by its name; a rule on the user reads the target, or the acting one where there is no target. */
function onSubject(subject: Subject, ruleset: CompiledRuleset, test: (field: string) => Term | Construct): Term | Construct {
  if (subject === SUBJECT_NEVER) return 'geoip'
  if (subject !== SUBJECT_USER && subject !== SUBJECT_LIST_USER) {
    const field = fieldOf(subject, ruleset)
    return field.includes('|') ? 'field_name' : test(field)
  }
  const users = [NORMALIZED_NAMES.dstuser, NORMALIZED_NAMES.srcuser]
  const [first, second] = subject === SUBJECT_USER ? users : users.reverse()
  const [one, other] = [test(first), test(second)]
  if (typeof one === 'string' || typeof other === 'string') return typeof one === 'string' ? one : (other as Construct)
  return { kind: 'or', terms: [one, { kind: 'and', terms: [{ kind: 'not', term: exists(first) }, other] }] }
}

/** The name of a text in a normalized event. */
export function fieldOf(subject: Subject, ruleset: CompiledRuleset): string {
  if (subject >= SUBJECT_DYNAMIC) return fromByteString(writtenName(ruleset.fieldNames.names()[subject - SUBJECT_DYNAMIC] ?? '', ruleset))
  if (subject >= SUBJECT_STATIC) return NORMALIZED_NAMES[STATIC_FIELDS[subject - SUBJECT_STATIC]]
  const texts: Readonly<Record<number, keyof typeof NORMALIZED_NAMES>> = { [SUBJECT_PROGRAM_NAME]: 'program_name', [SUBJECT_HOSTNAME]: 'hostname', [SUBJECT_LOCATION]: 'location' }
  return NORMALIZED_NAMES[texts[subject] ?? 'log']
}

const WRITTEN = new WeakMap<CompiledRuleset, ReadonlyMap<string, string>>()

/** A field as decoders and rules write it: its name is folded in the engine, and Sigma's names are not. */
function writtenName(folded: string, ruleset: CompiledRuleset): string {
  let names = WRITTEN.get(ruleset)
  if (names === undefined) {
    const found = new Map<string, string>()
    const note = (name: string): void => void (found.has(name.toLowerCase()) || found.set(name.toLowerCase(), name))
    for (const { order } of ruleset.decoders.definitions) for (const { name } of order ?? []) note(name)
    for (const { conditions, lists } of ruleset.rules.inOrder()) {
      for (const { field } of conditions) if (field !== null) note(field)
      for (const { field } of lists) note(field)
    }
    WRITTEN.set(ruleset, (names = found))
  }
  return names.get(folded) ?? folded
}

function selection(map: Selection): Term {
  return { kind: 'selection', maps: [map] }
}

function exists(field: string): Term {
  return selection({ [`${field}|exists`]: true })
}

/** A condition on a field that is absent fails, also when it is negated. @param isAlways whether every event has the text */
function negatable(term: Term, negate: boolean, field: string, isAlways: boolean): Term {
  if (!negate) return term
  return isAlways ? { kind: 'not', term } : { kind: 'and', terms: [exists(field), { kind: 'not', term }] }
}

function patternTerm(field: string, expression: Expression, negate: boolean, isAlways: boolean): Term | Construct {
  const isNegated = negate !== (expression instanceof OsMatchExpression && expression.negated)
  const positive = expression instanceof OsMatchExpression ? wordsTerm(field, expression.alternatives) : regexTerm(field, expression)
  return typeof positive === 'string' ? positive : negatable(positive, isNegated, field, isAlways)
}

const FORMS: Readonly<Record<Exclude<OsMatchAlternative['form'], 'always' | 'never'>, string>> = { contains: '|contains', starts: '|startswith', ends: '|endswith', equals: '' }

function wordsTerm(field: string, alternatives: readonly OsMatchAlternative[]): Term | Construct {
  if (alternatives.some(({ form }) => form === 'always')) return exists(field)
  const values = new Map<string, string[]>()
  for (const { form, literal } of alternatives) {
    if (form === 'never' || form === 'always') continue
    const key = field + FORMS[form]
    values.set(key, [...(values.get(key) ?? []), plain(fromByteString(literal))])
  }
  return values.size === 0 ? 'never' : { kind: 'selection', maps: [...values].map(([key, texts]) => ({ [key]: one(texts) })) }
}

function regexTerm(field: string, expression: Expression): Term | 'regex' {
  const regex = regexText(expression)
  return regex === null ? 'regex' : selection({ [`${field}|re${regex.ignoresCase ? '|i' : ''}`]: regex.text })
}

function listTerm({ path, subject, lookup, check }: CompiledListCondition, ruleset: CompiledRuleset): Term | Construct {
  const list: CdbList = ruleset.lists.get(path) ?? compileList(path, '')
  const keys = [...list.entries].filter(([, value]) => lookup !== 'match_key_value' || check?.test(value, foldCase(value), 0) === true).map(([key]) => fromByteString(key))
  if (keys.length === 0 || keys.length > KEYS_LIMIT || lookup === 'address_match_key_value') return 'list'
  const isAddress = lookup.includes('address')
  const networks = isAddress ? keys.map(networkOfKey) : keys.map(plain)
  if (!networks.every((network) => network !== null)) return 'list'
  return onSubject(subject, ruleset, (field) => negatable(selection({ [`${field}|${isAddress ? 'cidr' : 'cased'}`]: one(networks) }), lookup.startsWith('not_'), field, false))
}

/** A value without wildcards: both, and a backslash, are escaped. */
function plain(text: string): string {
  return text.replace(/[\\*?]/g, '\\$&')
}

function one(values: readonly string[]): string | readonly string[] {
  return values.length === 1 ? values[0] : values
}

function addressEntries(value: unknown): readonly AddressEntry[] | null {
  const entries = (value as { readonly entries?: unknown } | undefined)?.entries
  return Array.isArray(entries) ? (entries as readonly AddressEntry[]) : null
}

/** Null: no network in CIDR notation. */
function networkOf(entry: AddressEntry): string | null {
  if (entry.family === 'any') return null
  if (entry.family === 4) {
    const bits = prefixOf([24, 16, 8, 0].map((shift) => (entry.mask >>> shift) & 0xff))
    return bits === null ? null : `${[24, 16, 8, 0].map((shift) => (entry.address >>> shift) & 0xff).join('.')}/${bits}`
  }
  const bits = prefixOf(entry.mask)
  const groups = Array.from({ length: 8 }, (_, at) => (((entry.address[2 * at] ?? 0) << 8) | (entry.address[2 * at + 1] ?? 0)).toString(16))
  return bits === null ? null : `${groups.join(':')}/${bits}`
}

function prefixOf(mask: readonly number[]): number | null {
  const bits = mask.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return /^1*0*$/.test(bits) ? bits.lastIndexOf('1') + 1 : null
}

/** A key of a list of addresses: one that ends in a dot is the beginning of addresses. */
function networkOfKey(key: string): string | null {
  const octets = key.replace(/\.$/, '').split('.')
  if (!octets.every((octet) => /^\d{1,3}$/.test(octet)) || octets.length > 4 || (key.endsWith('.') ? octets.length === 4 : octets.length !== 4)) return null
  return `${[...octets, '0', '0', '0'].slice(0, 4).join('.')}/${octets.length * 8}`
}
