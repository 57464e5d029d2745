/**
 * The formats that schemas may name. Each check takes time linear in the length of the text, without backtracking. Long texts are refused before they are
 * examined (Ajv checks a format even if `maxLength` failed).
 */
import { EMAIL_LIMIT, isEmailAddress } from './email-address.js'

const URI_LIMIT = 4096

/** Maximum number of characters of a text with a format. */
export const FORMAT_CHARACTERS: Readonly<Record<string, number>> = { email: EMAIL_LIMIT, date: 10, 'date-time': 40, uuid: 36, uri: URI_LIMIT, 'http-uri': URI_LIMIT }

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2}))$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** How a text of the format `http-uri` begins (RFC 9110, 4.2). */
export const HTTP_URI_BEGINNING = '^[Hh][Tt][Tt][Pp][Ss]?://'
const HTTP_URI = new RegExp(HTTP_URI_BEGINNING)
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  email: isEmailAddress,
  date: isDate,
  'date-time': isDateTime,
  uuid: (text) => text.length === 36 && UUID.test(text),
  uri: isUri,
  /** Not part of JSON Schema: an address to which a browser or client may be sent. */
  'http-uri': (text) => isUri(text) && HTTP_URI.test(text) && URL.canParse(text),
}

function isDate(text: string): boolean {
  if (text.length !== 10) return false
  const match = DATE.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1).map(Number)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && !isLeap ? 28 : DAYS[month - 1])
}

/** RFC 3339, without leap seconds, which `Date` refuses. */
function isDateTime(text: string): boolean {
  if (text.length > FORMAT_CHARACTERS['date-time']) return false
  const match = DATE_TIME.exec(text)
  if (match === null || !isDate(match[1])) return false
  const [hour, minute, second, offsetHour, offsetMinute] = match.slice(2).map((part) => (part === undefined ? 0 : Number(part)))
  return hour <= 23 && minute <= 59 && second <= 59 && offsetHour <= 23 && offsetMinute <= 59
}

function isUri(text: string): boolean {
  return text.length <= URI_LIMIT && /^[a-z][a-z0-9+.-]*:/i.test(text) && !/[\s<>"{}|\\^`\p{Cc}]/u.test(text)
}
