/** What a trace shows of an event's texts: to people as they read them, in JSON quoted. */
export interface EventTexts {
  of(text: string): string
  /** A text that an event need not have. */
  known(text: string | null | undefined): string | null
  /** The log from an offset on. */
  from(log: string, offset: number): string
}

/** Texts of one event in one form, made once: hundreds of conditions look at the same few. */
export class TextCache implements EventTexts {
  readonly #form: (text: string) => string
  readonly #made = new Map<string, string>()
  readonly #fromOffset = new Map<number, string>()
  /** What was asked for last: most conditions look at the log, one after the other. */
  #lastText: string | null = null
  #lastForm = ''

  /** @param form makes of a byte string what is to be shown */
  constructor(form: (text: string) => string) {
    this.#form = form
  }

  of(text: string): string {
    if (text === this.#lastText) return this.#lastForm
    let form = this.#made.get(text)
    if (form === undefined) {
      form = this.#form(text)
      this.#made.set(text, form)
    }
    this.#lastText = text
    this.#lastForm = form
    return form
  }

  known(text: string | null | undefined): string | null {
    return text === undefined || text === null ? null : this.of(text)
  }

  from(log: string, offset: number): string {
    if (offset === 0) return this.of(log)
    let form = this.#fromOffset.get(offset)
    if (form === undefined) {
      form = this.#form(log.slice(offset))
      this.#fromOffset.set(offset, form)
    }
    return form
  }
}
