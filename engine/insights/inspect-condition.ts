/** What an inspection says about one condition: the text that it tests, and where its pattern matches or stops. */
import type { Expression } from '../expressions/expression.js'
import { locateMatch, tryPattern } from '../expressions/try-pattern.js'
import type { InspectedCondition } from '../records/records.js'
import { fromByteString } from '../source/byte-string.js'
import { charactersBefore, cutText } from '../trace/text.js'
import { findStop } from './stopped-at.js'

/** Shown bytes of a text: twice what the search for the stop reads (`stopped-at.ts`). */
const TEXT_LIMIT = 4096
/** Texts in which the place of a match is searched. The search takes many times as long as the match. */
const LOCATED_LIMIT = 2048

export const UNTESTED: Omit<InspectedCondition, 'tag' | 'state' | 'holds'> = {
  field: null,
  pattern: '',
  negate: false,
  text: null,
  is_absent: false,
  text_offset: 0,
  match: null,
  stopped_at: null,
  events: null,
}

type Findings = Pick<InspectedCondition, 'text' | 'is_absent' | 'text_offset' | 'match' | 'stopped_at'>

/** Describes a pattern on a text. @param text a byte string; undefined: the event has none @param matches whether the pattern does @param from where the search begins */
export function patternFindings({ dialect, pattern }: Expression, text: string | undefined, matches: boolean, from = 0): Findings {
  if (text === undefined) return textFindings(text)
  const searched = text.slice(from)
  return {
    text: cutText(searched, TEXT_LIMIT),
    is_absent: false,
    text_offset: charactersBefore(text, from),
    match: matches && searched.length <= LOCATED_LIMIT ? locate(dialect, pattern, searched) : null,
    stopped_at: matches ? null : findStop(dialect, pattern, searched),
  }
}

/** Describes a text that is tested as a whole. */
export function textFindings(text: string | undefined): Findings {
  const { text_offset, match, stopped_at } = UNTESTED
  return { text: text === undefined ? null : cutText(text, TEXT_LIMIT), is_absent: text === undefined, text_offset, match, stopped_at }
}

function locate(engine: Expression['dialect'], pattern: string, bytes: string): InspectedCondition['match'] {
  const trial = { engine, pattern: fromByteString(pattern), input: fromByteString(bytes) }
  const range = locateMatch(trial, tryPattern(trial))
  return range === null ? null : { from: charactersBefore(bytes, range[0]), to: charactersBefore(bytes, range[1]) }
}

/** The states of conditions that are tested one after the other until one fails. */
export class ConditionStates {
  #isOpen: boolean

  /** @param isTested whether Wazuh comes to the first one */
  constructor(isTested: boolean) {
    this.#isOpen = isTested
  }

  /** Whether one of them failed, or none was tested. */
  get isClosed(): boolean {
    return !this.#isOpen
  }

  /** The state of the next one. */
  next(holds: boolean | null): Pick<InspectedCondition, 'state' | 'holds'> {
    if (!this.#isOpen || holds === null) return { state: 'skipped', holds }
    if (!holds) this.#isOpen = false
    return { state: holds ? 'met' : 'failed', holds }
  }
}
