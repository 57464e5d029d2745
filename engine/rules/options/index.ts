/** The table of rule options, in the order of the schema. Parser, checks, comparison of contents and schema walk it; a new option is one file and one line here. */
import { findIn } from '../../xml/tag-option.js'
import { dstip, srcip } from './address.js'
import { category } from './category.js'
import { checkDiff } from './check-diff.js'
import { COMPARISON_OPTIONS } from './comparisons.js'
import { compiledRule } from './compiled-rule.js'
import { cve } from './cve.js'
import { decodedAs } from './decoded-as.js'
import { description } from './description.js'
import { field } from './field.js'
import { differentField, notSameField, sameField } from './field-comparisons.js'
import { globalFrequency } from './global-frequency.js'
import { group } from './group.js'
import { ifFts } from './if-fts.js'
import { ifGroup } from './if-group.js'
import { ifLevel } from './if-level.js'
import { ifMatchedGroup } from './if-matched-group.js'
import { ifMatchedRegex } from './if-matched-regex.js'
import { ifMatchedSid } from './if-matched-sid.js'
import { ifSid } from './if-sid.js'
import { checkIfIgnored, ignore } from './ignore.js'
import { info } from './info.js'
import { list } from './list.js'
import { mitre } from './mitre.js'
import type { RuleOption } from './option.js'
import { options } from './options.js'
import { PATTERN_OPTIONS } from './patterns.js'
import { notSameAgent, sameAgent } from './removed.js'
import { time } from './time.js'
import { weekday } from './weekday.js'

export const RULE_OPTIONS: readonly RuleOption[] = [
  ifSid,
  ifLevel,
  ifGroup,
  ifMatchedSid,
  ifMatchedGroup,
  ifMatchedRegex,
  srcip,
  dstip,
  decodedAs,
  category,
  time,
  weekday,
  list,
  compiledRule,
  ifFts,
  checkDiff,
  ...PATTERN_OPTIONS,
  field,
  ...COMPARISON_OPTIONS,
  sameField,
  differentField,
  notSameField,
  globalFrequency,
  sameAgent,
  notSameAgent,
  description,
  group,
  mitre,
  info,
  cve,
  options,
  ignore,
  checkIfIgnored,
]

/** Returns the option of a tag name; undefined if there is none. */
export const findRuleOption = findIn(RULE_OPTIONS)
