/** HTML templates that escape their values: everything inserted into `html` is escaped, unless `html` created it. */

/** Text that is HTML already. Only `html` and `style` create it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Markup | readonly Markup[]

/** A markup template. Every value is escaped for element content and for attributes in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let text = strings[0]
  values.forEach((value, index) => {
    text += render(value) + strings[index + 1]
  })
  return new Markup(text)
}

/** User input for the `value` of an input element: invisible characters stay as they are, while `html` replaces them with visible names. */
export function verbatim(text: string): Markup {
  return new Markup(escapeMarkup(text))
}

/** A text whose `{name}` placeholders are replaced with escaped values. */
export function fillMarkup(text: string, values: Readonly<Record<string, Value>>): Markup {
  // Odd indexes hold the names.
  const parts = text.split(/\{(\w+)\}/)
  return new Markup(parts.map((part, index) => (index % 2 === 0 ? escapeText(part) : render(values[part]))).join(''))
}

/** A name chosen by a user, isolated so that its writing direction does not affect the surrounding text. */
export function isolated(name: string): Markup {
  return html`<bdi>${name}</bdi>`
}

function render(value: Value): string {
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return escapeText(String(value))
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Invisible characters that change how the surrounding text is displayed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function escapeText(text: string): string {
  return escapeMarkup(text).replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char])
}
