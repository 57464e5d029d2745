/**
 * Prints a trace as JSON without building its entries. The parts of an entry that depend only on the rule or decoder are printed once and cached; the texts
 * of the event are inserted. Without the cache the dozens of entries of a trace take several times as long as the event itself.
 */
import type { Event } from '../event/event.js'
import { quoteJson } from '../json/quote.js'
import type { TraceEntry } from '../records/records.js'
import type { Capture } from './entries.js'
import { alertHostOf, decoderText, describeDecoderStep, describeHeader, describeRuleStep } from './entries.js'
import type { EventTexts } from './event-texts.js'
import { TextCache } from './event-texts.js'
import type { HeaderForm } from './header-form.js'
import type { RuleFailure } from '../rules/recorder.js'
import { failureText } from './rule-details.js'
import { cutText } from './text.js'
import type { DecoderStep, RuleStep, TraceRecorder } from './trace-recorder.js'

/** Limit of cached characters. A stock ruleset has about 2 million if every rule was tried. Above the limit the cache is cleared. */
const KEPT_CHARACTERS = 8 * 1024 * 1024
/** Overhead of a cached entry, counted as characters: a ruleset may have a hundred thousand short entries. */
const ENTRY_CHARACTERS = 200

/** Placeholder for a text of the event. It is an unpaired surrogate, which no text of a ruleset can contain, because these are from UTF-8. */
const HOLE = '\ud800'
const HOLE_JSON = JSON.stringify(HOLE)
const HOLES: EventTexts = { of: () => HOLE, known: () => HOLE, from: () => HOLE }
const NO_TEXTS = { timestamp: undefined, hostname: undefined, programName: undefined, log: '' }

/** An entry, split at its placeholders. */
type Pieces = readonly string[]

/** Entries of one rule or decoder, by the data on which they also depend; most rules fail on the same condition each time. */
interface KnownEntries {
  readonly key: unknown
  readonly pieces: Pieces
  others: Map<unknown, Pieces> | null
}

/** Prints traces and caches their constant parts. One per thread is enough: the cache is keyed by the objects of rules and decoders. */
export class TracePrinter {
  readonly #limit: number
  readonly #headers = new Map<HeaderForm, Pieces>()
  /** The same for events whose alert shows another host. */
  readonly #headersOfOtherHosts = new Map<HeaderForm, Pieces>()
  /** Weak, so that entries are collected with their ruleset. */
  #known = new WeakMap<object, KnownEntries>()
  #kept = 0

  /** @param limit of cached characters */
  constructor(limit = KEPT_CHARACTERS) {
    this.#limit = limit
  }

  /** Cached characters, including entries of collected rulesets. */
  get kept(): number {
    return this.#kept
  }

  /**
   * Returns the entries of `recorder.entries` as JSON, separated by commas, without brackets.
   * @param form the recognised header form
   */
  print(recorder: TraceRecorder, event: Event, form: HeaderForm): string {
    const texts = new TextCache((text) => quoteJson(cutText(text)))
    let json = this.#header(event, form, texts)
    for (const step of recorder.decoderSteps) {
      const pieces = this.#ofDecoder(step)
      json += pieces[0]
      if (pieces.length > 1) json += decoderText(step, event, texts) + pieces[1]
      if (pieces.length > 2) json += capturesJson(recorder.capturesOf(step)) + pieces[2]
    }
    for (const step of recorder.ruleSteps) {
      const pieces = this.#ofRule(step)
      json += pieces[0]
      if (pieces.length > 1) json += failureText(step.failure as RuleFailure, texts) + pieces[1]
    }
    return json
  }

  #header(event: Event, form: HeaderForm, texts: EventTexts): string {
    const alert = alertHostOf(event)
    const headers = alert === null ? this.#headers : this.#headersOfOtherHosts
    let pieces = headers.get(form)
    if (pieces === undefined) {
      pieces = cutAtHoles(describeHeader(NO_TEXTS, form, alert, HOLES))
      headers.set(form, pieces)
    }
    const { timestamp, hostname, programName, log } = event
    const json = `${pieces[0]}${texts.known(timestamp)}${pieces[1]}${texts.known(hostname)}${pieces[2]}${texts.known(programName)}${pieces[3]}${texts.of(log)}${pieces[4]}`
    return alert === null ? json : `${json}${texts.known(alert.hostname)}${pieces[5]}`
  }

  #ofDecoder(step: DecoderStep): Pieces {
    const { decoder } = step
    const key = step.step === 'regex' && step.matched ? 'regex matched' : step.step
    return this.#find(decoder, key) ?? this.#keep(decoder, key, describeDecoderStep(step, NO_TEXTS, HOLE, HOLES))
  }

  #ofRule(step: RuleStep): Pieces {
    const { rule, failure } = step
    const key = keyOf(failure)
    return this.#find(rule, key) ?? this.#keep(rule, key, describeRuleStep(step, HOLES))
  }

  #find(owner: object, key: unknown): Pieces | undefined {
    const known = this.#known.get(owner)
    if (known === undefined) return undefined
    return known.key === key ? known.pieces : known.others?.get(key)
  }

  #keep(owner: object, key: unknown, entry: TraceEntry): Pieces {
    // The entry of the header is the first; a comma precedes every other one.
    const pieces = cutAtHoles(entry)
    pieces[0] = flat(`,${pieces[0]}`)
    const characters = pieces.reduce((sum, { length }) => sum + length, ENTRY_CHARACTERS)
    if (this.#kept + characters > this.#limit) {
      this.#known = new WeakMap()
      this.#kept = 0
    }
    if (characters > this.#limit) return pieces
    this.#kept += characters
    const known = this.#known.get(owner)
    if (known === undefined) this.#known.set(owner, { key, pieces, others: null })
    else {
      known.others ??= new Map()
      known.others.set(key, pieces)
    }
    return pieces
  }
}

const printer = new TracePrinter()

/** Returns the decisions of a run as JSON, by `TracePrinter.print`. */
export function traceJson(recorder: TraceRecorder, event: Event, form: HeaderForm): string {
  return printer.print(recorder, event, form)
}

/** Returns the data on which an entry of a rule depends, besides the rule and the text of the event. */
function keyOf(failure: RuleFailure | null): unknown {
  if (failure === null) return null
  switch (failure.kind) {
    case 'condition':
      return failure.condition
    case 'list':
      return failure.list
    case 'history':
      return failure.counted
    default:
      return failure.kind
  }
}

function capturesJson(captures: readonly Capture[]): string {
  let json = ''
  for (const { name, value, at } of captures) json += `${json === '' ? '[' : ','}{"name":${quoteJson(name)},"value":${quoteJson(value)},"at":${at}}`
  return json === '' ? '[]' : `${json}]`
}

function cutAtHoles({ filename, ...entry }: TraceEntry): string[] {
  const pieces = JSON.stringify(entry).split(HOLE_JSON)
  // File names are from the caller and may contain unpaired surrogates.
  if (filename !== undefined) pieces.push(`${pieces.pop()?.slice(0, -1)},"filename":${JSON.stringify(filename)}}`)
  return pieces.map(flat)
}

/** Flattens a string. V8 would otherwise assemble a cut or joined string at each use, which takes twice as long. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string
}
