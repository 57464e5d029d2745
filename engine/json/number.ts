/** JSON numbers as the reference engine reads and prints them (engine-decoding.md 4.9.1). */

/** Longest run of number bytes that is read. */
const NUMBER_TEXT_LIMIT = 63
const INT32_MAX = 2_147_483_647
const INT32_MIN = -2_147_483_648
const STRTOD_PREFIX = /^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/

/** A number and the offset after it. Null: not a number. The run of number bytes is cut, then converted like C's `strtod`. */
export function readNumber(text: string, at: number): { value: number; end: number } | null {
  let end = at
  while (end < text.length && end - at < NUMBER_TEXT_LIMIT && isNumberByte(text.charCodeAt(end))) end++
  const match = STRTOD_PREFIX.exec(text.slice(at, end))
  if (match === null) return null
  return { value: Number(match[0]), end: at + match[0].length }
}

function isNumberByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65
}

/** A field's value: digits when it equals a 32-bit integer, else C's `%f` cut to 63 bytes. */
export function fieldNumber(value: number): string {
  if (Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX) return String(value === 0 ? 0 : value)
  return formatFixed(value).slice(0, NUMBER_TEXT_LIMIT)
}

/** C's `%f`. */
function formatFixed(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.000000`
  const text = value.toFixed(6)
  // C rounds an exact tie to the even digit, toFixed away from it. A tie at the 7th decimal is an odd number of 128ths.
  const scaled = Math.abs(value) * 128
  if (Number.isInteger(scaled) && scaled % 2 === 1 && Number(text.at(-1)) % 2 === 1) {
    const lower = Math.abs(value) - 1 / 1048576
    return (value < 0 ? '-' : '') + (Math.floor(lower * 1e6) / 1e6).toFixed(6)
  }
  return value < 0 && Number(text) === 0 && !text.startsWith('-') ? `-${text}` : text
}

/** An element of a re-printed array: the shorter of `%1.15g` and `%1.17g` that reads back the same; not finite = null. */
export function printedNumber(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  if (Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX) return String(value)
  const short = formatGeneral(value, 15)
  return readsBack(Number(short), value) ? short : formatGeneral(value, 17)
}

/** cJSON takes two numbers for equal when they differ by no more than the last bit or so. */
function readsBack(read: number, value: number): boolean {
  return Math.abs(read - value) <= Math.max(Math.abs(read), Math.abs(value)) * Number.EPSILON
}

/** C's `%.<precision>g`. */
function formatGeneral(value: number, precision: number): string {
  const exponential = value.toExponential(precision - 1)
  const exponent = Number(exponential.slice(exponential.indexOf('e') + 1))
  if (exponent < -4 || exponent >= precision) {
    const mantissa = stripZeros(exponential.slice(0, exponential.indexOf('e')))
    const digits = String(Math.abs(exponent)).padStart(2, '0')
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`
  }
  return stripZeros(value.toFixed(Math.max(0, precision - 1 - exponent)))
}

function stripZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
