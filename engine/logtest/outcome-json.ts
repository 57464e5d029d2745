/**
 * Writes what an event resulted in as JSON, without the records that `describe-outcome.ts` makes: the constant JSON of a rule or decoder is printed once and then
 * copied. When an event takes microseconds, its answer is as much work as its rules.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { DecoderTree } from '../decoders/link.js'
import { type JsonBytes, jsonBytes, type JsonPart, type JsonWriter } from '../json/json-writer.js'
import { escapeBytes } from '../json/quote.js'
import { expandDescription } from '../match/describe-rule.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import { LOG_FORMATS } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { describeCounts, describeDecoder, describeRule, matchedRules } from './describe-outcome.js'
import type { DetectedFormat } from './detect-format.js'

/** The JSON of a rule. It lacks the closing brace, because a final rule has further members. */
interface PrintedRule {
  /** The JSON before the description. */
  readonly head: JsonBytes
  /** What follows it. Null: the description is the same for every event, and `head` is everything. */
  readonly tail: JsonBytes | null
  /** Whether a final rule has a number of `firedtimes`, and what follows that. */
  readonly isCounted: boolean
  readonly afterCount: JsonBytes
}

const COMMA = 0x2c
const QUOTE = 0x22
const CLOSE_BRACE = 0x7d

const TIMESTAMP = jsonBytes('"predecoded":{"timestamp":')
const HOSTNAME = jsonBytes(',"hostname":')
const PROGRAM_NAME = jsonBytes(',"program_name":')
const LOCATION = jsonBytes(',"location":"')
const RAW_MESSAGE = jsonBytes('","raw_message":')
const FORMAT = Object.fromEntries(LOG_FORMATS.map((format) => [format, jsonBytes(`,"detected_format":"${format}"},"decoder":`)])) as Record<DetectedFormat, JsonBytes>
const NULL = jsonBytes('null')
const NO_RULE = jsonBytes(',"rule":null,"matched_rules":[')
const RULE = jsonBytes(',"rule":')
const FIRED_TIMES = jsonBytes(',"firedtimes":')
const END_OF_RULES = jsonBytes(']')

/** A placed rule has no further parents, so its JSON is the same in all layers. */
const RULES = new WeakMap<CompiledRule, PrintedRule>()
const DECODERS = new WeakMap<DecoderTree, WeakMap<CompiledDecoder, JsonBytes>>()

/** The descriptions of the rules of a path; null: they are the same for every event. */
export type PathDescriptions = readonly string[] | null

/** Expands the descriptions of the rules that matched. The event must be the runner's current one. */
export function expandedPath({ rule, path, description }: Outcome, { evaluator }: EventRunner): PathDescriptions {
  if (path.every((one) => one === rule || one.fixedDescription !== null)) return null
  return path.map((one) => (one === rule ? description : expandDescription(one, evaluator)))
}

/** Writes the members `predecoded` to `matched_rules`. @param eventJson the received event as JSON */
export function writeOutcome(
  writer: JsonWriter,
  outcome: Outcome,
  descriptions: PathDescriptions,
  ruleset: CompiledRuleset,
  eventJson: JsonPart | string,
  format: DetectedFormat,
): void {
  const { event, rule } = outcome
  writer.constant(TIMESTAMP)
  writeTextOrNull(writer, event.timestamp)
  writer.constant(HOSTNAME)
  writeTextOrNull(writer, event.hostname)
  writer.constant(PROGRAM_NAME)
  writeTextOrNull(writer, event.programName)
  writer.constant(LOCATION)
  writer.escaped(event.location)
  writer.constant(RAW_MESSAGE)
  if (typeof eventJson === 'string') writer.text(eventJson)
  else writer.part(eventJson)
  writer.constant(FORMAT[format])
  writer.constant(event.decoder === null ? NULL : decoderJson(event.decoder, ruleset.decoders))
  if (rule === null) {
    writer.constant(NO_RULE)
    writePath(writer, outcome, descriptions, ruleset, 0, 0)
  } else writeFinalRule(writer, outcome, rule, descriptions, ruleset)
  writer.constant(END_OF_RULES)
}

function writeTextOrNull(writer: JsonWriter, bytes: string | undefined): void {
  if (bytes === undefined) writer.constant(NULL)
  else {
    writer.byte(QUOTE)
    writer.escaped(bytes)
    writer.byte(QUOTE)
  }
}

function decoderJson(decoder: CompiledDecoder, tree: DecoderTree): JsonBytes {
  let known = DECODERS.get(tree)
  if (known === undefined) DECODERS.set(tree, (known = new WeakMap()))
  let json = known.get(decoder)
  if (json === undefined) known.set(decoder, (json = jsonBytes(JSON.stringify(describeDecoder(decoder, tree)))))
  return json
}

/** Writes the members `rule` and `matched_rules`, which both have the final rule. */
function writeFinalRule(writer: JsonWriter, outcome: Outcome, rule: CompiledRule, descriptions: PathDescriptions, ruleset: CompiledRuleset): void {
  const printed = printedRule(rule, ruleset)
  writer.constant(RULE)
  const start = writer.length
  writeRule(writer, printed, outcome.description)
  const end = writer.length
  writer.constant(FIRED_TIMES)
  if (printed.isCounted) writer.text(String(outcome.firedTimes))
  else writer.constant(NULL)
  writer.constant(printed.afterCount)
  writePath(writer, outcome, descriptions, ruleset, start, end)
}

/** Writes the rules that matched. @param start where the final rule is written already @param end and where that ends */
function writePath(writer: JsonWriter, outcome: Outcome, descriptions: PathDescriptions, ruleset: CompiledRuleset, start: number, end: number): void {
  const path = matchedRules(outcome)
  for (let i = 0; i < path.length; i++) {
    if (i > 0) writer.byte(COMMA)
    if (path[i] === outcome.rule) writer.again(start, end)
    else writeRule(writer, printedRule(path[i], ruleset), descriptions === null ? '' : descriptions[i])
    writer.byte(CLOSE_BRACE)
  }
}

function printedRule(rule: CompiledRule, ruleset: CompiledRuleset): PrintedRule {
  let printed = RULES.get(rule)
  if (printed === undefined) {
    const { id, groups, attack_ids, parent_ids, filename, line } = describeRule(rule, ruleset.rules)
    const head = `{"id":"${id}","matched":true,"level":${rule.level},"description":"`
    const tail = `",${JSON.stringify({ groups, attack_ids, parent_ids, filename, line }).slice(1, -1)}`
    const { firedtimes, frequency } = describeCounts(rule, 1)
    const constant = rule.fixedDescription
    printed = {
      head: jsonBytes(constant === null ? head : `${head}${escapeBytes(constant)}${tail}`),
      tail: constant === null ? jsonBytes(tail) : null,
      isCounted: firedtimes !== null,
      afterCount: jsonBytes(`,"frequency":${frequency}},"matched_rules":[`),
    }
    RULES.set(rule, printed)
  }
  return printed
}

/** @param description not read if that of the rule is constant */
function writeRule(writer: JsonWriter, printed: PrintedRule, description: string): void {
  writer.constant(printed.head)
  if (printed.tail === null) return
  writer.escaped(description)
  writer.constant(printed.tail)
}
