/** The table of rule tags: the parser, the checker and `/analysis/schema` read nothing else. Order: as people write them. */
import { CORRELATION_OPTIONS } from './correlation.js'
import { FILTER_OPTIONS } from './filters.js'
import { METADATA_OPTIONS } from './metadata.js'
import type { RuleOption } from './option.js'
import { PATTERN_OPTIONS } from './patterns.js'
import { PLACEMENT_OPTIONS } from './placement.js'

export const RULE_OPTIONS: readonly RuleOption[] = [...PLACEMENT_OPTIONS, ...FILTER_OPTIONS, ...PATTERN_OPTIONS, ...CORRELATION_OPTIONS, ...METADATA_OPTIONS]

const BY_NAME = new Map(RULE_OPTIONS.map((option) => [option.name, option]))

/** The option that a tag name means, if any. */
export function findRuleOption(tag: string): RuleOption | undefined {
  const option = BY_NAME.get(tag.toLowerCase())
  return option?.exactCase === true && option.name !== tag ? undefined : option
}
