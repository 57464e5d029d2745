/** Texts of an event in a trace: as Unicode, or quoted for JSON. */
export interface EventTexts {
  of(text: string): string
  /** Returns an optional text of the event. */
  known(text: string | null | undefined): string | null
  /** Returns the log from an offset on. */
  from(log: string, offset: number): string
}

/** Texts of one event in one form, converted once: hundreds of conditions test the same few texts. */
export class TextCache implements EventTexts {
  readonly #form: (text: string) => string
  readonly #made = new Map<string, string>()
  readonly #fromOffset = new Map<number, string>()
  /** The last converted text: most conditions test the log, one after the other. */
  #lastText: string | null = null
  #lastForm = ''

  /** @param form converts a byte string to its shown form */
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
