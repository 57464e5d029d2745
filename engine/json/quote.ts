/** Characters that JSON cannot carry as they are: quote, backslash, control characters; and halves of characters, which may stand alone. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** What `JSON.stringify` makes of a text. Most have nothing to escape, and looking for it is half of the work. */
export function quoteJson(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`
}
