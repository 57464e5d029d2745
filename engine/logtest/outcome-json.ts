/**
 * Writes what an event resulted in as JSON, without the records that `describe-outcome.ts` makes: the constant JSON of a rule or decoder is printed once and then
 * copied. When an event takes microseconds, its answer is as much work as its rules.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { DecoderTree } from '../decoders/link.js'
import { type JsonBytes, jsonBytes, type JsonPart, JsonWriter } from '../json/json-writer.js'
import { escapeBytes } from '../json/quote.js'
import { expandDescription } from '../match/describe-rule.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import { type DecoderRecord, LOG_FORMATS } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { describeCounts, describeDecoder, describeRule, matchedRules } from './describe-outcome.js'
import type { DetectedFormat } from './detect-format.js'

/** The JSON of a rule. It ends with the name of `firedtimes`, which only a final rule has. */
interface PrintedRule {
  /** The JSON before the description. */
  readonly head: JsonBytes
  /** What follows it. Null: the description is the same for every event, and `head` is everything. */
  readonly tail: JsonBytes | null
  /** Whether a final rule has a number of `firedtimes`, and what follows that. */
  readonly isCounted: boolean
  readonly afterCount: JsonBytes
}

/** Rules that matched one below the other, whose descriptions are the same for every event. */
interface PrintedPath {
  /** Their JSON, each followed by a comma. */
  readonly json: JsonBytes
  /** The paths that continue this one, by their next rule. Rules of a base thus keep nothing of the contents that were laid over it. */
  readonly below: WeakMap<CompiledRule, PrintedPath>
}

/** JSON between two values that are a text or null: without quotes, with that of the next text, with that of the text before, with both. */
type Between = readonly JsonBytes[]

const COMMA = 0x2c
const CLOSE_BRACE = 0x7d
/** Enough for the rules above most rules. */
const PATH_BYTES = 1024
const NEXT_IS_TEXT = 1
const LAST_IS_TEXT = 2

const TIMESTAMP = ['"predecoded":{"timestamp":null', '"predecoded":{"timestamp":"'].map(jsonBytes)
const HOSTNAME = between('hostname')
const PROGRAM_NAME = between('program_name')
const LOCATION = between('location')
const RAW_MESSAGE = jsonBytes('","raw_message":')
const NO_RULE = jsonBytes('null,"matched_rules":[')
const FIRED_TIMES = ',"firedtimes":'
const NULL = jsonBytes('null')
const NO_FREQUENCY = jsonBytes(afterCount(null))
const END_OF_RULES = jsonBytes('],"extracted_fields":')
const END_OF_RULE_AND_RULES = jsonBytes('}],"extracted_fields":')

/** A placed rule has no further parents, so its JSON is the same in all layers. */
const RULES = new WeakMap<CompiledRule, PrintedRule>()
const NO_PATH: PrintedPath = { json: jsonBytes(''), below: new WeakMap() }
/** The JSON from the format of an event to the name of its rule. */
const DECODERS = new WeakMap<DecoderTree, WeakMap<CompiledDecoder, Map<DetectedFormat, JsonBytes>>>()
const NO_DECODER = Object.fromEntries(LOG_FORMATS.map((format) => [format, formatJson(format, null)])) as Record<DetectedFormat, JsonBytes>

/** The descriptions of the rules of a path; null: they are the same for every event. */
export type PathDescriptions = readonly string[] | null

/** Expands the descriptions of the rules that matched. The event must be the runner's current one. */
export function expandedPath({ rule, path, description }: Outcome, { evaluator }: EventRunner): PathDescriptions {
  if (path.every((one) => one === rule || one.fixedDescription !== null)) return null
  return path.map((one) => (one === rule ? description : expandDescription(one, evaluator)))
}

/** Writes the members `predecoded` to `matched_rules`, and the name of `extracted_fields`. @param eventJson the received event as JSON */
export function writeOutcome(
  writer: JsonWriter,
  outcome: Outcome,
  descriptions: PathDescriptions,
  ruleset: CompiledRuleset,
  eventJson: JsonPart | string,
  format: DetectedFormat,
): void {
  const { event, rule } = outcome
  const { timestamp, hostname, programName } = event
  let kind = writeTextOrNull(writer, TIMESTAMP, 0, timestamp)
  kind = writeTextOrNull(writer, HOSTNAME, kind, hostname)
  kind = writeTextOrNull(writer, PROGRAM_NAME, kind, programName)
  writeTextOrNull(writer, LOCATION, kind, event.location)
  writer.constant(RAW_MESSAGE)
  if (typeof eventJson === 'string') writer.text(eventJson)
  else writer.part(eventJson)
  writer.constant(event.decoder === null ? NO_DECODER[format] : decoderJson(event.decoder, ruleset.decoders, format))
  if (rule !== null) writeFinalRule(writer, outcome, rule, descriptions, ruleset)
  else {
    writer.constant(NO_RULE)
    writePath(writer, outcome, descriptions, ruleset, 0, 0)
    writer.constant(END_OF_RULES)
  }
}

function between(name: string): Between {
  const next = [`,"${name}":null`, `,"${name}":"`]
  return [...next, ...next.map((json) => `"${json}`)].map(jsonBytes)
}

/** @param last whether the value before it is a text: `LAST_IS_TEXT`, else 0 @returns the same for this value, whose text lacks the quote at its end */
function writeTextOrNull(writer: JsonWriter, before: Between, last: number, bytes: string | undefined): number {
  if (bytes === undefined) {
    writer.constant(before[last])
    return 0
  }
  writer.constant(before[last + NEXT_IS_TEXT])
  writer.escaped(bytes)
  return LAST_IS_TEXT
}

function decoderJson(decoder: CompiledDecoder, tree: DecoderTree, format: DetectedFormat): JsonBytes {
  let known = DECODERS.get(tree)
  if (known === undefined) DECODERS.set(tree, (known = new WeakMap()))
  let byFormat = known.get(decoder)
  if (byFormat === undefined) known.set(decoder, (byFormat = new Map()))
  let json = byFormat.get(format)
  if (json === undefined) byFormat.set(format, (json = formatJson(format, describeDecoder(decoder, tree))))
  return json
}

function formatJson(format: string, decoder: DecoderRecord | null): JsonBytes {
  return jsonBytes(`,"detected_format":"${format}"},"decoder":${JSON.stringify(decoder)},"rule":`)
}

/** Writes the members `rule` and `matched_rules`, which both have the final rule. */
function writeFinalRule(writer: JsonWriter, outcome: Outcome, rule: CompiledRule, descriptions: PathDescriptions, ruleset: CompiledRuleset): void {
  const printed = printedRule(rule, ruleset)
  const start = writer.length
  writeRule(writer, printed, outcome.description)
  const end = writer.length - FIRED_TIMES.length
  if (printed.isCounted) writer.text(String(outcome.firedTimes))
  else writer.constant(NULL)
  writer.constant(printed.afterCount)
  const parents = descriptions === null ? parentsJson(outcome, rule, ruleset) : null
  if (parents === null) {
    writePath(writer, outcome, descriptions, ruleset, start, end)
    writer.constant(END_OF_RULES)
  } else {
    writer.constant(parents)
    writer.again(start, end)
    writer.constant(END_OF_RULE_AND_RULES)
  }
}

/** Writes the rules that matched. @param start where the final rule is written already @param end and where that ends */
function writePath(writer: JsonWriter, outcome: Outcome, descriptions: PathDescriptions, ruleset: CompiledRuleset, start: number, end: number): void {
  const path = matchedRules(outcome)
  for (let i = 0; i < path.length; i++) {
    if (i > 0) writer.byte(COMMA)
    if (path[i] === outcome.rule) {
      writer.again(start, end)
      writer.byte(CLOSE_BRACE)
    } else writePathRule(writer, printedRule(path[i], ruleset), descriptions === null ? '' : descriptions[i])
  }
}

function writePathRule(writer: JsonWriter, printed: PrintedRule, description: string): void {
  writeRule(writer, printed, description)
  writer.drop(FIRED_TIMES.length)
  writer.byte(CLOSE_BRACE)
}

/** The rules above the final one, whose descriptions are constant. Null: the final one is not the last, or the only one. */
function parentsJson({ path }: Outcome, rule: CompiledRule, ruleset: CompiledRuleset): JsonBytes | null {
  const last = path.length - 1
  if (last < 1 || path.indexOf(rule) !== last) return null
  let printed = NO_PATH
  for (let i = 0; i < last; i++) printed = printed.below.get(path[i]) ?? printBelow(printed, path[i], ruleset)
  return printed.json
}

function printBelow({ json, below }: PrintedPath, rule: CompiledRule, ruleset: CompiledRuleset): PrintedPath {
  const writer = new JsonWriter(PATH_BYTES)
  writer.constant(json)
  writePathRule(writer, printedRule(rule, ruleset), '')
  writer.byte(COMMA)
  const printed = { json: writer.copy(), below: new WeakMap<CompiledRule, PrintedPath>() }
  below.set(rule, printed)
  return printed
}

function printedRule(rule: CompiledRule, ruleset: CompiledRuleset): PrintedRule {
  let printed = RULES.get(rule)
  if (printed === undefined) {
    const { id, groups, attack_ids, parent_ids, filename, line } = describeRule(rule, ruleset.rules)
    const head = `{"id":"${id}","matched":true,"level":${rule.level},"description":"`
    const tail = `",${JSON.stringify({ groups, attack_ids, parent_ids, filename, line }).slice(1, -1)}${FIRED_TIMES}`
    const { firedtimes, frequency } = describeCounts(rule, 1)
    const constant = rule.fixedDescription
    printed = {
      head: jsonBytes(constant === null ? head : `${head}${escapeBytes(constant)}${tail}`),
      tail: constant === null ? jsonBytes(tail) : null,
      isCounted: firedtimes !== null,
      afterCount: frequency === null ? NO_FREQUENCY : jsonBytes(afterCount(frequency)),
    }
    RULES.set(rule, printed)
  }
  return printed
}

/** Prints what follows `firedtimes`. */
function afterCount(frequency: number | null): string {
  return `,"frequency":${frequency}},"matched_rules":[`
}

/** @param description not read if that of the rule is constant */
function writeRule(writer: JsonWriter, printed: PrintedRule, description: string): void {
  writer.constant(printed.head)
  if (printed.tail === null) return
  writer.escaped(description)
  writer.constant(printed.tail)
}
