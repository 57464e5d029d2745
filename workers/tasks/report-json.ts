/**
 * Writes a report as JSON, several times as fast as `JSON.stringify`: the constant text of a rule or decoder is written once and then copied. The trace and the
 * fields are already JSON. When an event takes microseconds, writing answers is most of the work of a thread.
 */
import type { DecoderRecord, FinalRuleRecord, MatchedRuleRecord, PredecodedRecord, PrintedReport } from '#engine'
import { quoteJson } from '#engine'

/** Maximum length of a description that is cached with its rule: most are the same for every event, and the others may contain a whole log. */
const KEPT_DESCRIPTION = 256

/** The JSON of a rule, without the closing brace. */
interface PrintedRule {
  /** What precedes the description, and what follows it. */
  readonly head: string
  readonly tail: string
  description: string | null
  json: string
  isFlat: boolean
}

/** By the list of a rule's groups: the engine returns the same list each time. */
const RULES = new WeakMap<readonly string[], PrintedRule>()
const DECODERS = new WeakMap<DecoderRecord, string>()

function ruleJson({ id, level, description, groups, attack_ids, parent_ids, filename, line }: MatchedRuleRecord): string {
  let printed = RULES.get(groups)
  if (printed === undefined) {
    const head = flat(`{"id":"${id}","matched":true,"level":${level},"description":`)
    const tail = flat(`,${JSON.stringify({ groups, attack_ids, parent_ids, filename, line }).slice(1, -1)}`)
    printed = { head, tail, description: null, json: '', isFlat: false }
    RULES.set(groups, printed)
  }
  if (printed.description !== description) {
    const json = printed.head + quoteJson(description) + printed.tail
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

function predecodedJson({ timestamp, hostname, program_name, location, raw_message, detected_format }: PredecodedRecord, eventJson: string | null): string {
  return `{"timestamp":${textOrNull(timestamp)},"hostname":${textOrNull(hostname)},"program_name":${textOrNull(program_name)},"location":${quoteJson(location)},"raw_message":${eventJson ?? quoteJson(raw_message)},"detected_format":"${detected_format}"}`
}

function textsJson(texts: readonly string[]): string {
  let json = ''
  for (const text of texts) json += `${json === '' ? '' : ','}${quoteJson(text)}`
  return json
}

/**
 * Writes the report without its diagnostics and with another `ok`, without the closing brace, in two texts: the result, and the explanations. Encoding a text
 * with one character beyond ASCII takes fifteen times as long as one without, and in most answers only the explanations have any.
 * @param eventJson the event of the report as JSON, if it is known; else null
 */
export function reportJson({ report, traceJson, fieldsJson }: PrintedReport, ok: boolean, eventJson: string | null): readonly [found: string, said: string] {
  const { predecoded, decoder, rule, matched_rules, insights, alert, previous_output } = report
  let matched = ''
  for (const one of matched_rules) matched += `${matched === '' ? '' : ','}${ruleJson(one)}}`
  return [
    `{"ok":${ok},"predecoded":${predecodedJson(predecoded, eventJson)},"decoder":${decoder === null ? 'null' : decoderJson(decoder)},"rule":${
      rule === null ? 'null' : finalRuleJson(rule)
    },"matched_rules":[${matched}],"extracted_fields":${fieldsJson},"trace":[${traceJson}],`,
    `"insights":[${textsJson(insights)}],"alert":${alert},"previous_output":[${textsJson(previous_output)}]`,
  ]
}
