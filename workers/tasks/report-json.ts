/**
 * A report as JSON, several times as fast as `JSON.stringify`: all that is told of a rule or decoder whatever the event is written once and then copied. The
 * trace and the fields come printed. Answers are most of what a thread does for an event, once the event itself takes microseconds.
 */
import type { DecoderRecord, FinalRuleRecord, MatchedRuleRecord, PredecodedRecord, PrintedReport } from '#engine'
import { quoteJson } from '#engine'

/** A description up to this length is kept with its rule: most are the same for every event, and those that are not may hold a whole log. */
const KEPT_DESCRIPTION = 256

/** What was printed of a rule, but for the closing brace. */
interface PrintedRule {
  readonly facts: string
  description: string | null
  json: string
}

/** By the list of a rule's groups: the engine hands out the same one each time. */
const RULES = new WeakMap<readonly string[], PrintedRule>()
const DECODERS = new WeakMap<DecoderRecord, string>()

function ruleJson({ id, level, description, groups, attack_ids, parent_ids, filename, line }: MatchedRuleRecord): string {
  let printed = RULES.get(groups)
  if (printed === undefined) {
    printed = { facts: JSON.stringify({ groups, attack_ids, parent_ids, filename, line }).slice(1, -1), description: null, json: '' }
    RULES.set(groups, printed)
  }
  if (printed.description === description) return printed.json
  const json = `{"id":"${id}","matched":true,"level":${level},"description":${quoteJson(description)},${printed.facts}`
  if (description.length <= KEPT_DESCRIPTION) {
    printed.description = description
    printed.json = json
  }
  return json
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

function textOrNull(text: string | null): string {
  return text === null ? 'null' : quoteJson(text)
}

function predecodedJson({ timestamp, hostname, program_name, location, raw_message, detected_format }: PredecodedRecord): string {
  return `{"timestamp":${textOrNull(timestamp)},"hostname":${textOrNull(hostname)},"program_name":${textOrNull(program_name)},"location":${quoteJson(location)},"raw_message":${quoteJson(raw_message)},"detected_format":"${detected_format}"}`
}

function textsJson(texts: readonly string[]): string {
  let json = ''
  for (const text of texts) json += `${json === '' ? '' : ','}${quoteJson(text)}`
  return json
}

/**
 * The report but for its diagnostics, and with another `ok`, without the closing brace, in two pieces: what was found, and what is said of it. To encode a text that has one
 * character beyond ASCII takes fifteen times as long as one that has none, and in most answers only what is said of it has any.
 */
export function reportJson({ report, traceJson, fieldsJson }: PrintedReport, ok: boolean): readonly [found: string, said: string] {
  const { predecoded, decoder, rule, matched_rules, insights, alert, previous_output } = report
  let matched = ''
  for (const one of matched_rules) matched += `${matched === '' ? '' : ','}${ruleJson(one)}}`
  return [
    `{"ok":${ok},"predecoded":${predecodedJson(predecoded)},"decoder":${decoder === null ? 'null' : decoderJson(decoder)},"rule":${
      rule === null ? 'null' : finalRuleJson(rule)
    },"matched_rules":[${matched}],"extracted_fields":${fieldsJson},"trace":[${traceJson}],`,
    `"insights":[${textsJson(insights)}],"alert":${alert},"previous_output":[${textsJson(previous_output)}]`,
  ]
}
