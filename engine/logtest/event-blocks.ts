/**
 * Joins lines that are one event: JSON and XML of Windows over several lines, and entries of alerts.log. Lines that turn out to be none of these are events of
 * their own, as all others are. A block is limited, so nothing waits for long, and nothing is kept without end.
 *
 *     {                    ** Alert 1767607872.123: - syslog,
 *       "a": 1             2026 Jan 05 10:11:12 gate1->/var/log/secure
 *     }                    …
 *     ^ one event          ^ one event, up to an empty line
 */
import { isWindowsXml } from './detect-format.js'

/** An event has at most 64 KB; written over several lines it has a few thousand. */
const LINES_LIMIT = 5000
const CHARACTERS_LIMIT = 1024 * 1024
/** Empty lines that end a block at a terminal, where the end of the input cannot be awaited. The text of a Windows event has single ones. */
const EMPTY_LINES_LIMIT = 2

const JSON_START = /^\s*\{\s*(?:"|$)/
const XML_PROLOG = /^\s*<\?xml[^>]*>\s*$/
const XML_END = /<\/(?:\w+:)?Event>/
const XML_LIST = /<(?:\w+:)?Events[\s>]/
const XML_LIST_END = /<\/(?:\w+:)?Events>/
const ALERT_START = /^\*\* Alert \d+\.\d+:/

type Kind = 'json' | 'xml' | 'alert'

/** The kind of block that a line begins; null: it is an event. */
function kindOf(line: string): Kind | null {
  if (JSON_START.test(line)) return new JsonDepth().add(line) === 'open' ? 'json' : null
  if (isWindowsXml(line)) return endsXml(line, line) ? null : 'xml'
  if (XML_PROLOG.test(line)) return 'xml'
  return ALERT_START.test(line) ? 'alert' : null
}

/** Whether a line is only the first one of an event over several lines. */
export function beginsBlock(line: string): boolean {
  const kind = kindOf(line)
  return kind === 'json' || kind === 'xml'
}

/** Joins the lines of one input to events. */
export class EventBlocks {
  readonly #isTerminal: boolean
  #lines: string[] = []
  #characters = 0
  #kind: Kind | null = null
  #depth = new JsonDepth()
  #emptyLines = 0

  /** @param isTerminal whether empty lines end a block */
  constructor(isTerminal: boolean) {
    this.#isTerminal = isTerminal
  }

  /** Whether lines wait for the end of their event. */
  get isOpen(): boolean {
    return this.#kind !== null
  }

  /** Adds a line. @returns the events that are complete */
  add(line: string): readonly string[] {
    if (this.#kind === null) {
      this.#kind = kindOf(line)
      if (this.#kind === null) return [line]
      this.#depth = new JsonDepth()
      this.#emptyLines = 0
      return this.#keep(line)
    }
    if (this.#kind === 'alert') {
      if (line.trim() === '') return this.#take('\n')
      if (ALERT_START.test(line)) return [...this.#take('\n'), ...this.add(line)]
    }
    this.#emptyLines = line.trim() === '' ? this.#emptyLines + 1 : 0
    if (this.#isTerminal && this.#emptyLines >= EMPTY_LINES_LIMIT) return this.#giveUp()
    return this.#keep(line)
  }

  /** Ends the input. @returns the events that are left */
  end(): readonly string[] {
    return this.#kind === 'alert' ? this.#take('\n') : this.#giveUp()
  }

  #keep(line: string): readonly string[] {
    this.#lines.push(line)
    this.#characters += line.length
    if (this.#kind === 'json') {
      const state = this.#depth.add(line)
      if (state === 'closed') return isJson(this.#lines.join('\n')) ? this.#take('', (each) => each.trim()) : this.#giveUp()
      if (state === 'broken') return this.#giveUp()
    } else if (this.#kind === 'xml' && endsXml(this.#lines[XML_PROLOG.test(this.#lines[0]) ? 1 : 0] ?? '', line)) return this.#take('\n')
    return this.#lines.length >= LINES_LIMIT || this.#characters >= CHARACTERS_LIMIT ? this.#giveUp() : []
  }

  /** The lines as one event. Without line breaks JSON is what a source would send in one line. */
  #take(separator: string, change: (line: string) => string = (line) => line): readonly string[] {
    return [this.#reset().map(change).join(separator)]
  }

  /** The lines as events of their own. */
  #giveUp(): readonly string[] {
    return this.#reset()
  }

  #reset(): string[] {
    const lines = this.#lines
    this.#lines = []
    this.#characters = 0
    this.#kind = null
    return lines
  }
}

/** @param first the first line with an element */
function endsXml(first: string, line: string): boolean {
  return (XML_LIST.test(first) ? XML_LIST_END : XML_END).test(line)
}

/** Counts the open brackets of JSON, line by line. */
class JsonDepth {
  #open = 0

  /** `broken`: the text is no JSON. */
  add(line: string): 'open' | 'closed' | 'broken' {
    let inText = false
    for (let at = 0; at < line.length; at++) {
      const char = line[at]
      if (inText) {
        if (char === '\\') at++
        else if (char === '"') inText = false
      } else if (char === '"') inText = true
      else if (char === '{' || char === '[') this.#open++
      else if (char === '}' || char === ']') {
        this.#open--
        if (this.#open <= 0) return line.slice(at + 1).trim() === '' && this.#open === 0 ? 'closed' : 'broken'
      }
    }
    // A text does not reach beyond its line.
    return inText ? 'broken' : 'open'
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
