/**
 * A report as JSON, several times as fast as `JSON.stringify`: what is the same in every answer (patterns, names of files, all that is told of a rule but
 * its description) is written once and then copied. Answers are most of what a thread does for an event, once the event itself takes microseconds.
 */
import type { DecoderRecord, FinalRuleRecord, LogtestReport, MatchedRuleRecord, TraceEntry } from '#engine'

/** Texts of rulesets that are kept quoted; a stock ruleset has some thousand that events meet. */
const KEPT_LIMIT = 8192
const kept = new Map<string, string>()

/** A text of a ruleset. */
function keptJson(text: string): string {
  let json = kept.get(text)
  if (json === undefined) {
    json = JSON.stringify(text)
    if (kept.size >= KEPT_LIMIT) kept.clear()
    kept.set(text, json)
  }
  return json
}

/** What is told of a rule whatever the event, by the list of its groups: the engine hands out the same one each time. */
const RULE_FACTS = new WeakMap<readonly string[], string>()
const DECODERS = new WeakMap<DecoderRecord, string>()

function factsJson({ groups, attack_ids, parent_ids, filename, line }: MatchedRuleRecord): string {
  let json = RULE_FACTS.get(groups)
  if (json === undefined) {
    json = JSON.stringify({ groups, attack_ids, parent_ids, filename, line }).slice(1, -1)
    RULE_FACTS.set(groups, json)
  }
  return json
}

function ruleJson(rule: MatchedRuleRecord): string {
  return `{"id":"${rule.id}","matched":true,"level":${rule.level},"description":${JSON.stringify(rule.description)},${factsJson(rule)}`
}

function finalRuleJson(rule: FinalRuleRecord): string {
  return `${ruleJson(rule)},"firedtimes":${rule.firedtimes},"frequency":${rule.frequency}}`
}

function decoderJson(decoder: DecoderRecord): string {
  let json = DECODERS.get(decoder)
  if (json === undefined) {
    json = JSON.stringify(decoder)
    DECODERS.set(decoder, json)
  }
  return json
}

/** Details whose texts are the ruleset's: the whole member is kept, by its name. Fewer pieces are put together faster. */
const RULESET_DETAILS = new Map(['condition', 'pattern', 'field', 'list', 'lookup', 'plugin', 'expected'].map((name) => [name, new Map<string, string>()]))

function keptMember(members: Map<string, string>, name: string, text: string): string {
  let json = members.get(text)
  if (json === undefined) {
    json = `"${name}":${JSON.stringify(text)}`
    if (members.size >= KEPT_LIMIT) members.clear()
    members.set(text, json)
  }
  return json
}

/** Beginnings and ends of entries of rules, by file, line and id: hundreds of rules are asked for every event. */
interface RuleEntry {
  readonly line: number | undefined
  readonly filename: string | undefined
  readonly matched: string
  readonly rejected: string
  readonly end: string
}

const RULE_ENTRIES = new Map<string, RuleEntry>()

function ruleEntry({ name, line, filename }: TraceEntry): RuleEntry {
  let entry = RULE_ENTRIES.get(name)
  // Rulesets of many callers define the same id in different places.
  if (entry === undefined || entry.line !== line || entry.filename !== filename) {
    const head = (matched: boolean) => `{"phase":"rule","name":${JSON.stringify(name)},"matched":${matched},"details":{`
    entry = { line, filename, matched: head(true), rejected: head(false), end: endOf(line, filename) }
    if (RULE_ENTRIES.size >= KEPT_LIMIT) RULE_ENTRIES.clear()
    RULE_ENTRIES.set(name, entry)
  }
  return entry
}

function endOf(line: number | undefined, filename: string | undefined): string {
  return line === undefined ? '}}' : `},"line":${line},"filename":${keptJson(filename ?? '')}}`
}

/** @param quoted texts of this event: hundreds of conditions look at the same few */
function traceJson(trace: readonly TraceEntry[], quoted: Map<string, string>): string {
  let json = ''
  for (const entry of trace) {
    const { phase, name, matched, details } = entry
    if (json !== '') json += ','
    const known = phase === 'rule' ? ruleEntry(entry) : null
    json += known === null ? `{"phase":"${phase}","name":${keptJson(name)},"matched":${matched},"details":{` : matched ? known.matched : known.rejected
    let isFirst = true
    for (const key in details) {
      if (!isFirst) json += ','
      isFirst = false
      json += memberJson(key, details[key], quoted)
    }
    json += known === null ? endOf(entry.line, entry.filename) : known.end
  }
  return json
}

function memberJson(key: string, value: unknown, quoted: Map<string, string>): string {
  if (typeof value === 'string') {
    const members = RULESET_DETAILS.get(key)
    if (members !== undefined) return keptMember(members, key, value)
    let text = quoted.get(value)
    if (text === undefined) {
      text = JSON.stringify(value)
      quoted.set(value, text)
    }
    return `"${key}":${text}`
  }
  if (value === false) return key === 'negate' ? '"negate":false' : `"${key}":false`
  return `"${key}":${JSON.stringify(value)}`
}

/** The report but for its diagnostics, without the closing brace. */
export function reportJson({ ok, predecoded, decoder, rule, matched_rules, extracted_fields, trace, insights, alert, previous_output }: LogtestReport): string {
  let matched = ''
  for (const one of matched_rules) matched += `${matched === '' ? '' : ','}${ruleJson(one)}}`
  return `{"ok":${ok},"predecoded":${JSON.stringify(predecoded)},"decoder":${decoder === null ? 'null' : decoderJson(decoder)},"rule":${
    rule === null ? 'null' : finalRuleJson(rule)
  },"matched_rules":[${matched}],"extracted_fields":${JSON.stringify(extracted_fields)},"trace":[${trace.length === 0 ? '' : traceJson(trace, new Map<string, string>())}],"insights":${
    insights.length === 0 ? '[]' : JSON.stringify(insights)
  },"alert":${alert},"previous_output":${previous_output.length === 0 ? '[]' : JSON.stringify(previous_output)}`
}
