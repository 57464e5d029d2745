/** Where the values of a JSON text are, by the dotted path under which the JSON decoder stores them. */

export interface Span {
  readonly from: number
  readonly to: number
}

/** Longer texts are not read: no event has as many bytes. */
const TEXT_LIMIT = 131_072
/** Deeper levels are left out, as the decoder does. */
const DEPTH_LIMIT = 64
const ROOT = ''
/** No name of a member has this sign, because JSON escapes it. */
const NO_PATH = '\0'

/** @returns the first span of each path; none for a text that is no JSON */
export function jsonSpans(text: string, offset = 0): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>()
  if (text.length > TEXT_LIMIT) return spans
  try {
    new JsonSpans(text, offset, spans).read()
  } catch (error) {
    // What was read before the fault stays: the log may be cut.
    if (!(error instanceof SyntaxError)) throw error
  }
  return spans
}

class JsonSpans {
  #at = 0

  constructor(
    readonly text: string,
    readonly offset: number,
    readonly spans: Map<string, Span>,
  ) {}

  read(): void {
    this.#value(ROOT, 0)
  }

  /** @param path `NO_PATH`: an element of an array, which stays one field */
  #value(path: string, depth: number): void {
    if (depth > DEPTH_LIMIT) throw new SyntaxError()
    this.#blanks()
    const from = this.#at
    const first = this.text[from]
    if (first === '{') return this.#object(path, depth)
    if (first === '[') {
      this.#array(depth)
      return this.#keep(path, from, this.#at)
    }
    if (first === '"') {
      this.#string()
      return this.#keep(path, from + 1, this.#at - 1)
    }
    while (this.#at < this.text.length && !/[\s,\]}]/.test(this.text[this.#at])) this.#at++
    if (this.#at === from) throw new SyntaxError()
    this.#keep(path, from, this.#at)
  }

  #keep(path: string, from: number, to: number): void {
    if (path !== ROOT && path !== NO_PATH && !this.spans.has(path)) this.spans.set(path, { from: from + this.offset, to: to + this.offset })
  }

  #object(path: string, depth: number): void {
    this.#at++
    for (this.#blanks(); this.text[this.#at] !== '}'; this.#blanks()) {
      if (this.text[this.#at] === ',') {
        this.#at++
        continue
      }
      const name = this.#string()
      this.#blanks()
      this.#expect(':')
      this.#value(path === NO_PATH ? NO_PATH : path === ROOT ? name : `${path}.${name}`, depth + 1)
    }
    this.#at++
  }

  #array(depth: number): void {
    this.#at++
    for (this.#blanks(); this.text[this.#at] !== ']'; this.#blanks()) {
      if (this.text[this.#at] === ',') this.#at++
      else this.#value(NO_PATH, depth + 1)
    }
    this.#at++
  }

  #string(): string {
    const from = this.#at
    this.#expect('"')
    while (this.text[this.#at] !== '"') {
      if (this.#at >= this.text.length) throw new SyntaxError()
      this.#at += this.text[this.#at] === '\\' ? 2 : 1
    }
    this.#at++
    return JSON.parse(this.text.slice(from, this.#at)) as string
  }

  #blanks(): void {
    while (this.#at < this.text.length && /\s/.test(this.text[this.#at])) this.#at++
    if (this.#at >= this.text.length) throw new SyntaxError()
  }

  #expect(sign: string): void {
    if (this.text[this.#at] !== sign) throw new SyntaxError()
    this.#at++
  }
}
