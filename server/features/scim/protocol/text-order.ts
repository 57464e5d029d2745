/** Comparison of texts in filters and orders: letter case as the attribute says, order by code point, as the stores compare texts. */

/**
 * The form in which texts of attributes that ignore letter case are compared. A field that `planQuery` uses for such an attribute must hold this form.
 */
export function foldCase(text: string): string {
  return text.toLowerCase()
}

/** Compares by code point. JavaScript's operators compare UTF-16 units, which order emoji before some letters. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

/** The least text that is greater than every text with this prefix; null: there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = [...prefix].map((character) => character.codePointAt(0)!)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last >= LAST_CODE_POINT) continue
    // Surrogates are not characters.
    const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1
    return String.fromCodePoint(...points, next)
  }
  return null
}

const LAST_CODE_POINT = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff
