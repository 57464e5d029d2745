/**
 * A trace as JSON, without its entries being made: what an entry says of a rule or decoder is the same whatever the event, and is printed once. For each
 * event only its texts are put in between. A trace is most of an answer: dozens of entries, which took several times as long as the event itself.
 */
import type { Event } from '../event/event.js'
import { quoteJson } from '../json/quote.js'
import type { TraceEntry } from '../records/records.js'
import type { Capture } from './entries.js'
import { decoderText, describeDecoderStep, describeHeader, describeRuleStep } from './entries.js'
import type { EventTexts } from './event-texts.js'
import { TextCache } from './event-texts.js'
import type { HeaderForm } from './header-form.js'
import type { RuleFailure } from '../rules/recorder.js'
import { failureText } from './rule-details.js'
import { cutText } from './text.js'
import type { DecoderStep, RuleStep, TraceRecorder } from './trace-recorder.js'

/** Characters of entries that are kept; a stock ruleset has some 2 million if every rule was asked. With more, all are let go and printed anew. */
const KEPT_CHARACTERS = 8 * 1024 * 1024
/** What an entry takes beside its characters, counted as such: a ruleset may have a hundred thousand short ones. */
const ENTRY_CHARACTERS = 200

/** Stands where something of the event goes. It is half a character: texts of rulesets come through UTF-8, where there is none, so nobody can write it. */
const HOLE = '\ud800'
const HOLE_JSON = JSON.stringify(HOLE)
const HOLES: EventTexts = { of: () => HOLE, known: () => HOLE, from: () => HOLE }
const NO_TEXTS = { timestamp: undefined, hostname: undefined, programName: undefined, log: '' }

/** An entry, cut where something of the event goes in. */
type Pieces = readonly string[]

/** Entries of one rule or decoder, by what they depend on besides; most rules fail on the same condition each time. */
interface KnownEntries {
  readonly key: unknown
  readonly pieces: Pieces
  others: Map<unknown, Pieces> | null
}

/** Prints traces, and keeps what is the same in all. One per thread is enough: a rule or decoder of a ruleset is one object, and no other ruleset's unless they share it. */
export class TracePrinter {
  readonly #limit: number
  readonly #headers = new Map<HeaderForm, Pieces>()
  /** Weak: a ruleset that is let go of takes its entries with it. */
  #known = new WeakMap<object, KnownEntries>()
  #kept = 0

  /** @param limit characters of entries to keep */
  constructor(limit = KEPT_CHARACTERS) {
    this.#limit = limit
  }

  /** Characters kept, those included whose ruleset is gone. */
  get kept(): number {
    return this.#kept
  }

  /**
   * The entries that `recorder.entries` makes, as JSON with commas between them and no brackets around.
   * @param form header that pre-decoding recognised
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
    let pieces = this.#headers.get(form)
    if (pieces === undefined) {
      pieces = cutAtHoles(describeHeader(NO_TEXTS, form, HOLES))
      this.#headers.set(form, pieces)
    }
    const { timestamp, hostname, programName, log } = event
    return `${pieces[0]}${texts.known(timestamp)}${pieces[1]}${texts.known(hostname)}${pieces[2]}${texts.known(programName)}${pieces[3]}${texts.of(log)}${pieces[4]}`
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
    // The header's entry is the first, and every other follows one.
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

/** The decisions of a run as JSON, by `TracePrinter.print`. */
export function traceJson(recorder: TraceRecorder, event: Event, form: HeaderForm): string {
  return printer.print(recorder, event, form)
}

/** What an entry of a rule depends on besides the rule and the event's text. */
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
  for (const { name, value } of captures) json += `${json === '' ? '[' : ','}{"name":${quoteJson(name)},"value":${quoteJson(value)}}`
  return json === '' ? '[]' : `${json}]`
}

function cutAtHoles({ filename, ...entry }: TraceEntry): string[] {
  const pieces = JSON.stringify(entry).split(HOLE_JSON)
  // The name of a file comes from the caller, and can hold anything, halves of characters too.
  if (filename !== undefined) pieces.push(`${pieces.pop()?.slice(0, -1)},"filename":${JSON.stringify(filename)}}`)
  return pieces.map(flat)
}

/** The same text in one piece of memory. What was cut or joined is put together at each use, which takes twice as long. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string
}
