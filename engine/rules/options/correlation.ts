/** Tags that compare the event with those that a composite rule counts (engine-rules.md 2.5, 4.5). */
import { append } from '../../source/append.js'
import type { ComparedField } from '../rule.js'
import type { RuleOption } from './option.js'

/** Tags that must be written in lower case, unlike all others (2.1). */
const EXACT_CASE: ReadonlySet<string> = new Set(
  [
    'same_id same_url same_data same_extra_data same_status same_system_name same_srcgeoip same_dstgeoip',
    'different_srcip not_same_source_ip different_protocol different_action different_id not_same_id different_url different_data',
    'different_extra_data different_status different_system_name different_srcgeoip different_dstgeoip',
  ].flatMap((line) => line.split(' ')),
)

/** Spellings of each comparison; the first is the one to write. `user` compares dstuser. */
const COMPARISONS: readonly (readonly [field: ComparedField, same: readonly string[], different: readonly string[]])[] = [
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

const BY_FIELD = new Map(COMPARISONS.map(([field, [same], [different]]) => [field, { same, different }]))

/** The tag to write for a comparison, of several spellings. */
export function comparisonTag(set: 'same' | 'different', field: ComparedField): string {
  return BY_FIELD.get(field)?.[set] ?? `${set}_${field}`
}

function comparison(set: 'same' | 'different', field: ComparedField, name: string, preferred: string): RuleOption {
  const old = name !== preferred && (name.includes('source_ip') || name.startsWith('not_same') || /_(?:src|dst)_port$/.test(name))
  return {
    name,
    part: 'correlation',
    repeat: 'once',
    ...(EXACT_CASE.has(name) ? { exactCase: true } : {}),
    help: set === 'same' ? `Counts only events whose ${field} is present and equal.` : `Does not count events whose ${field} is equal; a missing one counts as different.`,
    attributes: [],
    values: [],
    example: `<${name} />`,
    ...(old ? { deprecated: 'deprecated' as const, instead: preferred } : {}),
    read: (reader) => {
      reader.draft[set] = new Set(reader.draft[set]).add(field)
    },
  }
}

function fieldComparison(key: 'sameFields' | 'differentFields', name: string, instead?: string): RuleOption {
  return {
    name,
    part: 'correlation',
    repeat: 'each',
    help: key === 'sameFields' ? 'Counts only events in which this dynamic field is present and equal.' : 'Does not count events in which this dynamic field is equal.',
    attributes: [],
    values: [],
    example: `<${name}>win.eventdata.ipAddress</${name}>`,
    ...(instead === undefined ? {} : { deprecated: 'deprecated' as const, instead }),
    read: (reader, element) => {
      reader.draft[key] = append(reader.draft[key], element.content)
    },
  }
}

function removed(name: string): RuleOption {
  return {
    name,
    part: 'correlation',
    repeat: 'once',
    help: 'No longer has any effect: events of one agent are counted by default, see global_frequency.',
    attributes: [],
    values: [],
    example: `<${name} />`,
    deprecated: 'removed',
    read: () => {},
  }
}

export const CORRELATION_OPTIONS: readonly RuleOption[] = [
  ...COMPARISONS.flatMap(([field, same, different]) => [
    ...same.map((name) => comparison('same', field, name, same[0])),
    ...different.map((name) => comparison('different', field, name, different[0])),
  ]),
  fieldComparison('sameFields', 'same_field'),
  fieldComparison('differentFields', 'different_field'),
  fieldComparison('differentFields', 'not_same_field', 'different_field'),
  {
    name: 'global_frequency',
    part: 'correlation',
    repeat: 'once',
    help: 'Counts the events of all agents; otherwise only those of the same agent count.',
    attributes: [],
    values: [],
    example: '<global_frequency />',
    read: (reader) => {
      reader.draft.globalFrequency = true
    },
  },
  removed('same_agent'),
  removed('not_same_agent'),
]
