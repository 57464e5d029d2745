/** Numbers for people. */
import type { Locale } from '#engine'

const FORMATS = new Map<string, Intl.NumberFormat>()

/** With group separators of the language. @param digits after the point */
export function formatNumber(value: number, locale: Locale, digits = 0): string {
  const key = `${locale} ${digits}`
  let format = FORMATS.get(key)
  if (format === undefined) {
    format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
    FORMATS.set(key, format)
  }
  return format.format(value)
}

/** Milliseconds, from a thousand on as seconds. */
export function formatMs(ms: number, locale: Locale): string {
  if (ms >= 1000) return `${formatNumber(ms / 1000, locale, ms >= 10_000 ? 1 : 2)} s`
  return `${formatNumber(ms, locale, ms >= 10 ? 0 : 2)} ms`
}

/** A share with one digit after the point; `-`: there is no whole. */
export function percent(part: number, whole: number, locale: Locale): string {
  return whole === 0 ? '-' : `${formatNumber((100 * part) / whole, locale, 1)} %`
}
