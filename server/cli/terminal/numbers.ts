/** Formats numbers for text output. */
import type { Locale } from '#engine'

const FORMATS = new Map<string, Intl.NumberFormat>()

/** With the group separators of the language. @param digits decimal places */
export function formatNumber(value: number, locale: Locale, digits = 0): string {
  const key = `${locale} ${digits}`
  let format = FORMATS.get(key)
  if (format === undefined) {
    format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
    FORMATS.set(key, format)
  }
  return format.format(value)
}

/** Milliseconds; from 1,000 on in seconds. */
export function formatMs(ms: number, locale: Locale): string {
  if (ms >= 1000) return `${formatNumber(ms / 1000, locale, ms >= 10_000 ? 1 : 2)} s`
  return `${formatNumber(ms, locale, ms >= 10 ? 0 : 2)} ms`
}

/** A time that is left, coarsely: `42 s`, `3 min 10 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A percentage with one decimal place; `-`: the whole is zero. */
export function percent(part: number, whole: number, locale: Locale): string {
  return whole === 0 ? '-' : `${formatNumber((100 * part) / whole, locale, 1)} %`
}
