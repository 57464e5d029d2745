/**
 * Prints what an event resulted in as JSON, without the records that `describe-outcome.ts` makes: the constant text of a rule or decoder is printed once and then
 * copied. When an event takes microseconds, answers are most of the work of a thread.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Event } from '../event/event.js'
import type { DecoderTree } from '../decoders/link.js'
import { escapeBytes } from '../json/quote.js'
import { constantDescription, expandDescription } from '../match/describe-rule.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { FileScope } from '../source/source-file.js'
import { describeCounts, describeDecoder, describeRule, matchedRules } from './describe-outcome.js'
import type { DetectedFormat } from './detect-format.js'

/** Maximum length of a description that is kept with its rule: most are the same for many events, and the others may contain a whole log. */
const KEPT_DESCRIPTION = 256

/** The other rules of a path, printed. */
interface Around {
  readonly path: readonly CompiledRule[]
  /** What precedes the final rule in the list, and what follows it. */
  readonly before: string
  readonly after: string
}

const ALONE: Around = { path: [], before: '', after: '' }

/** The JSON of a rule. It lacks the closing brace, because a final rule has further members. */
interface PrintedRule {
  /** What precedes the description, and what follows it. */
  readonly head: string
  readonly tail: string
  /** Whether the description is the same for every event. */
  readonly isConstant: boolean
  /** The last description, a byte string, and the JSON with it. */
  description: string | null
  json: string
  isFlat: boolean
  /** The path on which it was last final, if the descriptions of the others are constant, and the rule does not outlive them. */
  around: Around | null
}

/** A placed rule has no further parents, so its JSON is the same in all layers. */
const RULES = new WeakMap<CompiledRule, PrintedRule>()
const DECODERS = new WeakMap<DecoderTree, WeakMap<CompiledDecoder, string>>()

/** The descriptions of the rules of a path; null: they are the same for every event. */
export type PathDescriptions = readonly string[] | null

/** Expands the descriptions of the rules that matched. The event must be the runner's current one. */
export function expandedPath({ rule, path, description }: Outcome, { evaluator }: EventRunner): PathDescriptions {
  if (path.every((one) => one === rule || constantDescription(one) !== null)) return null
  return path.map((one) => (one === rule ? description : expandDescription(one, evaluator)))
}

/** Returns the members `predecoded` to `matched_rules`. @param eventJson the received event as JSON */
export function outcomeJson(outcome: Outcome, descriptions: PathDescriptions, ruleset: CompiledRuleset, eventJson: string, format: DetectedFormat): string {
  const { event, rule, path } = outcome
  return `${predecodedJson(event, eventJson, format)},"decoder":${decoderJson(event.decoder, ruleset.decoders)},${
    rule === null
      ? `"rule":null,"matched_rules":[${path.map((one, at) => `${pathRuleJson(one, descriptions?.[at] ?? '', ruleset)}}`).join(',')}]`
      : finalRuleJson(outcome, rule, descriptions, ruleset)
  }`
}

function predecodedJson({ timestamp, hostname, programName, location }: Event, eventJson: string, format: DetectedFormat): string {
  return `"predecoded":{"timestamp":${textOrNull(timestamp)},"hostname":${textOrNull(hostname)},"program_name":${textOrNull(programName)},"location":"${escapeBytes(location)}","raw_message":${eventJson},"detected_format":"${format}"}`
}

function textOrNull(bytes: string | undefined): string {
  return bytes === undefined ? 'null' : `"${escapeBytes(bytes)}"`
}

function decoderJson(decoder: CompiledDecoder | null, tree: DecoderTree): string {
  if (decoder === null) return 'null'
  let known = DECODERS.get(tree)
  if (known === undefined) DECODERS.set(tree, (known = new WeakMap()))
  let json = known.get(decoder)
  if (json === undefined) known.set(decoder, (json = flat(JSON.stringify(describeDecoder(decoder, tree)))))
  return json
}

/** The members `rule` and `matched_rules`, which both have the final rule. */
function finalRuleJson(outcome: Outcome, rule: CompiledRule, descriptions: PathDescriptions, ruleset: CompiledRuleset): string {
  const printed = printedRule(rule, ruleset)
  const json = ruleJson(printed, outcome.description)
  const { before, after } = aroundOf(outcome, printed, rule, descriptions, ruleset)
  const { firedtimes, frequency } = describeCounts(rule, outcome.firedTimes)
  return `"rule":${json},"firedtimes":${firedtimes},"frequency":${frequency}},"matched_rules":[${before}${json}}${after}]`
}

function aroundOf(outcome: Outcome, printed: PrintedRule, rule: CompiledRule, descriptions: PathDescriptions, ruleset: CompiledRuleset): Around {
  const path = matchedRules(outcome)
  if (path.length === 1) return ALONE
  const known = printed.around
  if (known !== null && areSame(known.path, path)) return known
  const at = path.indexOf(rule)
  let before = ''
  let after = ''
  let isKept = true
  for (let i = 0; i < path.length; i++) {
    if (i === at) continue
    if (constantDescription(path[i]) === null || outlives(rule, path[i])) isKept = false
    const json = pathRuleJson(path[i], descriptions?.[i] ?? '', ruleset)
    if (i < at) before += `${json}},`
    else after += `,${json}}`
  }
  if (!isKept) return { path, before, after }
  printed.around = { path, before: flat(before), after: flat(after) }
  return printed.around
}

/** Whether the rule is still used when the other one is not: it must not keep it. Content of requests is compiled on that of the instance, and that on the default. */
function outlives(rule: CompiledRule, other: CompiledRule): boolean {
  return LIFETIMES[rule.definition.source.scope] < LIFETIMES[other.definition.source.scope]
}

const LIFETIMES: Readonly<Record<FileScope, number>> = { default: 0, custom: 1, adhoc: 2 }

function areSame(a: readonly CompiledRule[], b: readonly CompiledRule[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** @param description not read if that of the rule is constant */
function pathRuleJson(rule: CompiledRule, description: string, ruleset: CompiledRuleset): string {
  return ruleJson(printedRule(rule, ruleset), description)
}

function printedRule(rule: CompiledRule, ruleset: CompiledRuleset): PrintedRule {
  let printed = RULES.get(rule)
  if (printed === undefined) {
    const { id, groups, attack_ids, parent_ids, filename, line } = describeRule(rule, ruleset.rules)
    const head = flat(`{"id":"${id}","matched":true,"level":${rule.level},"description":`)
    const tail = flat(`,${JSON.stringify({ groups, attack_ids, parent_ids, filename, line }).slice(1, -1)}`)
    const constant = constantDescription(rule)
    const json = constant === null ? '' : flat(`${head}"${escapeBytes(constant)}"${tail}`)
    printed = { head, tail, isConstant: constant !== null, description: null, json, isFlat: false, around: null }
    RULES.set(rule, printed)
  }
  return printed
}

function ruleJson(printed: PrintedRule, description: string): string {
  if (printed.isConstant) return printed.json
  if (printed.description !== description) {
    const json = `${printed.head}"${escapeBytes(description)}"${printed.tail}`
    if (description.length > KEPT_DESCRIPTION) return json
    printed.description = description
    printed.json = json
    printed.isFlat = false
  } else if (!printed.isFlat) {
    printed.json = flat(printed.json)
    printed.isFlat = true
  }
  return printed.json
}

/** Returns the text in one piece of memory. V8 stores joined texts as trees, and visits each node whenever the text is written. */
function flat(text: string): string {
  return Buffer.from(text).toString()
}
