/** Reads and prints JSON numbers as the reference engine does (BEHAVIOUR.md#json-numbers). */

/** Longest run of number bytes that is read. */
const NUMBER_TEXT_LIMIT = 63
const INT32_MAX = 2_147_483_647
const INT32_MIN = -2_147_483_648
/** Maximum number of digits that JavaScript prints; a double with fewer is exact. */
const TIE_DIGITS = 100
const STRTOD_PREFIX = /^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/

/** Reads a number; null: it is not one. The run of number bytes is cut, then converted like C's `strtod`. @returns the number and the offset after it */
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

/** Returns a field's value: digits if it equals a 32-bit integer, else C's `%f` cut to 63 bytes. */
export function fieldNumber(value: number): string {
  if (Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX) return String(value === 0 ? 0 : value)
  return formatFixed(value).slice(0, NUMBER_TEXT_LIMIT)
}

/** C's `%f`. */
function formatFixed(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.000000`
  // C rounds an exact tie to the even digit, toFixed away from it. A tie at the 7th decimal is an odd number of 128ths.
  const scaled = Math.abs(value) * 128
  if (Number.isInteger(scaled) && scaled % 2 === 1) {
    const millionths = (BigInt(scaled) * 78_125n) / 10n
    const digits = String(millionths + (millionths & 1n)).padStart(7, '0')
    return `${value < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
  }
  const text = value.toFixed(6)
  return value < 0 && Number(text) === 0 && !text.startsWith('-') ? `-${text}` : text
}

/** Returns an element of a re-printed array: the shorter of `%1.15g` and `%1.17g` that reads back as the same number; `null` if it is not finite. */
export function printedNumber(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  if (Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX) return String(value)
  const short = formatGeneral(value, 15)
  return readsBack(Number(short), value) ? short : formatGeneral(value, 17)
}

/** cJSON treats two numbers as equal if they differ by about the last bit. */
function readsBack(read: number, value: number): boolean {
  return Math.abs(read - value) <= Math.max(Math.abs(read), Math.abs(value)) * Number.EPSILON
}

/** C's `%.<precision>g`. */
function formatGeneral(value: number, precision: number): string {
  const [mantissa, power] = toEvenExponential(value, precision).split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= precision) {
    const digits = String(Math.abs(exponent)).padStart(2, '0')
    return `${stripZeros(mantissa)}e${exponent < 0 ? '-' : '+'}${digits}`
  }
  const sign = value < 0 ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '')
  if (exponent < 0) return stripZeros(`${sign}0.${'0'.repeat(-exponent - 1)}${digits}`)
  return exponent === precision - 1 ? sign + digits : stripZeros(`${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`)
}

/** Like `toExponential`, but rounds an exact tie to the even digit. */
function toEvenExponential(value: number, precision: number): string {
  const [longer, power] = value.toExponential(precision).split('e')
  const isTie = longer.endsWith('5') && value.toExponential(TIE_DIGITS).split('e')[0] === longer.padEnd(longer.length + TIE_DIGITS - precision, '0')
  return isTie && Number(longer.at(-2)) % 2 === 0 ? `${longer.slice(0, -1)}e${power}` : value.toExponential(precision - 1)
}

function stripZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
