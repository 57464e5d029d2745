/** The families `same_*` and `different_*`: a composite counts only events that have, or do not have, the same value in a field. One row per field. */
import type { Localized } from '../../diagnostics/text.js'
import type { StaticFieldName } from '../../event/static-fields.js'
import type { RuleReporter } from '../reporter.js'
import type { RuleDefinition } from '../rule.js'
import type { OtherOption, RuleExample } from './option.js'

/** A static field, a field of GeoIP builds, or the location of the event. */
export type ComparedField = StaticFieldName | 'srcgeoip' | 'dstgeoip' | 'location'
type Comparison = 'same' | 'different'

/** Tags that must be written in lower case, unlike all others. */
const EXACT_CASE: ReadonlySet<string> = new Set(
  [
    'same_id same_url same_data same_extra_data same_status same_system_name same_srcgeoip same_dstgeoip',
    'different_srcip not_same_source_ip different_protocol different_action different_id not_same_id different_url different_data',
    'different_extra_data different_status different_system_name different_srcgeoip different_dstgeoip',
  ].flatMap((line) => line.split(' ')),
)

/** Spellings of each comparison; the first is preferred. */
const ROWS: readonly (readonly [field: ComparedField, same: readonly string[], different: readonly string[]])[] = [
  ['srcip', ['same_srcip', 'same_source_ip'], ['different_srcip', 'not_same_source_ip']],
  ['dstip', ['same_dstip'], ['different_dstip']],
  ['srcport', ['same_srcport', 'same_src_port'], ['different_srcport', 'different_src_port']],
  ['dstport', ['same_dstport', 'same_dst_port'], ['different_dstport', 'different_dst_port']],
  ['srcuser', ['same_srcuser'], ['different_srcuser']],
  ['dstuser', ['same_user'], ['different_user', 'not_same_user']],
  ['protocol', ['same_protocol'], ['different_protocol']],
  ['action', ['same_action'], ['different_action']],
  ['id', ['same_id'], ['different_id', 'not_same_id']],
  ['url', ['same_url'], ['different_url']],
  ['data', ['same_data'], ['different_data']],
  ['extra_data', ['same_extra_data'], ['different_extra_data']],
  ['status', ['same_status'], ['different_status']],
  ['system_name', ['same_system_name'], ['different_system_name']],
  ['srcgeoip', ['same_srcgeoip'], ['different_srcgeoip']],
  ['dstgeoip', ['same_dstgeoip'], ['different_dstgeoip']],
  ['location', ['same_location'], ['different_location']],
]

const HELP: Readonly<Record<Comparison, (field: string) => Localized>> = {
  same: (field) => ({ 'en-US': `Counts only events whose ${field} is present and equal.`, 'pt-BR': `Conta só eventos em que ${field} existe e é igual.` }),
  different: (field) => ({
    'en-US': `Does not count events whose ${field} is equal; a missing one counts as different.`,
    'pt-BR': `Não conta eventos em que ${field} é igual; um campo ausente conta como diferente.`,
  }),
}

/** Returns examples that differ in the field, if an event can have it. */
function exampleOf(comparison: Comparison, field: ComparedField, name: string): RuleExample {
  const member = field === 'system_name' ? 'systemname' : field
  const event = (value: string): string => JSON.stringify({ text: 'login failed', [member]: value })
  const [equal, unequal] = [
    [event('a'), event('a')],
    [event('a'), event('b')],
  ]
  const neverDiffers = field === 'location' || field === 'srcgeoip' || field === 'dstgeoip'
  // All events of an example are from one place, and no event has a GeoIP field.
  const passes = field === 'location' ? comparison === 'same' : comparison === 'different'
  return {
    xml: `<${name} />`,
    around: '<if_matched_sid>5716</if_matched_sid>',
    attributes: 'frequency="2" timeframe="60"',
    before: '<rule id="5716" level="5"><match>login failed</match><description>a</description></rule>',
    matches: neverDiffers ? (passes ? [equal] : []) : [comparison === 'same' ? equal : unequal],
    misses: neverDiffers ? (passes ? [] : [equal]) : [comparison === 'same' ? unequal : equal],
  }
}

function comparison(set: Comparison, [field, same, different]: (typeof ROWS)[number], name: string): OtherOption {
  const [preferred] = set === 'same' ? same : different
  const isOld = name !== preferred && (name.includes('source_ip') || name.startsWith('not_same') || /_(?:src|dst)_port$/.test(name))
  return {
    name,
    part: 'correlation',
    repeat: 'once',
    ...(EXACT_CASE.has(name) ? { exactCase: true } : {}),
    help: HELP[set](field),
    attributes: [],
    values: [],
    examples: [exampleOf(set, field, name)],
    ...(isOld ? { deprecated: 'deprecated' as const, instead: preferred } : {}),
    read: (reader) => {
      reader.draft[set] = new Set(reader.draft[set]).add(field)
    },
    ...(set === 'same' ? { check: (reporter: RuleReporter) => checkConflict(reporter, field, name, [same, different]) } : {}),
    // The same for every spelling.
    meaning: (definition) => (name === preferred && definition[set].has(field) ? true : undefined),
  }
}

/** Reported at the first spelling that the rule has. */
function checkConflict(reporter: RuleReporter, field: ComparedField, name: string, spellings: readonly [same: readonly string[], different: readonly string[]]): void {
  if (!reporter.rule.definition.different.has(field)) return
  const [tag, other] = spellings.map((names) => reporter.owner.children.map((child) => child.name.toLowerCase()).find((written) => names.includes(written)))
  if (tag === name) reporter.at('rule_same_different_conflict', tag, { tag, other: other ?? '' })
}

/** Returns the element of a rule that requires the same value in a field. */
export function sameElementOf({ element }: RuleDefinition, field: ComparedField): RuleDefinition['element'] {
  const spellings = ROWS.find(([known]) => known === field)?.[1] ?? []
  return element.children.find(({ name }) => spellings.includes(name.toLowerCase())) ?? element
}

/** Returns the tag that compares a field. */
export function comparisonTag(comparison: Comparison, field: ComparedField): string {
  const row = ROWS.find(([known]) => known === field)
  return row === undefined ? '' : row[comparison === 'same' ? 1 : 2][0]
}

export const COMPARISON_OPTIONS: readonly OtherOption[] = ROWS.flatMap((row) => [
  ...row[1].map((name) => comparison('same', row, name)),
  ...row[2].map((name) => comparison('different', row, name)),
])

/** The compared field by the tag of each spelling. */
export const COMPARED_FIELDS: ReadonlyMap<string, ComparedField> = new Map(
  ROWS.flatMap(([field, same, different]) => [...same, ...different].map((name) => [name, field] as const)),
)
