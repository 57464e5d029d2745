import { setOf } from '../../expressions/meaning.js'
import type { RuleReporter } from '../reporter.js'
import { joinTag } from './joined-text.js'
import type { OtherOption } from './option.js'

export const ifSid: OtherOption = {
  name: 'if_sid',
  part: 'placement',
  repeat: 'joined',
  help: {
    'en-US': 'Ids of parent rules, separated by commas or blanks. The rule is tried after a parent matched.',
    'pt-BR': 'Ids das regras pai, separados por vírgulas ou espaços. A regra é tentada depois que um pai casou.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<if_sid>5710, 5716</if_sid>',
      before:
        '<rule id="5710" level="5"><match>unknown user</match><description>a</description></rule><rule id="5716" level="5"><match>wrong password</match><description>b</description></rule>',
      matches: ['unknown user', 'wrong password'],
      misses: ['hello'],
    },
  ],
  read: (reader, element) => {
    reader.draft.ifSid = joinTag(reader, reader.draft.ifSid, element, ' ,')
  },
  check: checkDuplicates,
  // A composite without own parents is placed under the rules that it counts; the meaning of its if_matched_* tag covers that.
  meaning: ({ ifSid: ids, ifMatchedSid, places }) => (ids !== null && (places.has('if_sid') || ids !== ifMatchedSid) ? setOf(parentIds(ids).map(String)) : undefined),
}

/** An id as it is written, and as Wazuh reads it: only 32 bits are kept. */
export interface ParentId {
  readonly value: string
  readonly read: number
}

/** Returns the ids that an `if_sid` names: a trailing separator adds an empty id, which is read as 0. @param text a checked text */
export function readParentIds(text: string): ParentId[] {
  return text
    .replace(/\n$/, '')
    .replace(/^[ ,]+/, '')
    .split(/[ ,]+/)
    .map((value) => ({ value, read: value === '' ? 0 : Number(BigInt.asIntN(32, BigInt(value))) }))
}

/** Returns the ids that an `if_sid` names, as Wazuh reads them. @param text a checked text */
export function parentIds(text: string): number[] {
  return readParentIds(text).map(({ read }) => read)
}

function checkDuplicates(reporter: RuleReporter): void {
  const { ifSid: ids, original } = reporter.rule.definition
  if (original !== null) return
  const seen = new Set<number>()
  for (const word of (ids ?? '').split(/[ ,\n]+/)) {
    if (word === '') continue
    if (seen.has(Number(word))) {
      reporter.at('rule_if_sid_duplicate_parent', 'if_sid', { parent: Number(word) })
      return
    }
    seen.add(Number(word))
  }
}
