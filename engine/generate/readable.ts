/**
 * Changes that make a composed event easier to read: what the search for texts fills with the likeliest byte gets the form that it has in logs. Each is a guess about the
 * text alone; the caller runs the event with it, and keeps it if nothing else changes.
 */
import { usualValue } from './usual-values.js'

/** Names of which a value of one byte says nothing. */
const MEMBER = /\b([A-Za-z][\w.]*)(=|=")([a1])(?=["\s,;]|$)/g

const CHANGES: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll(/\b\d\d?\/[A-Z][a-z]{2}\/\d{4}:/g, '23/Nov/2026:'),
  (text) => text.replaceAll(/ [-+](\d)\1{3}\b/g, ' +0000'),
  (text) => text.replace(/^(.*?\d) a a \[/, '$1 - - ['),
  (text) => text.replaceAll(/\b(\d)\1{3}([-/])(\d)\3\2(\d)\4\b/g, (_, __, separator: string) => `2026${separator}11${separator}23`),
  (text) => text.replaceAll(/\b(\d)\1?\/(\d)\2?\/(\d)\3{3}\b/g, '23/11/2026'),
  (text) => text.replaceAll(/\b(\d)\1?:(\d)\2?:(\d)\3?\b(?!:)/g, '10:11:12'),
  (text) => text.replaceAll(/\b1\.1\.1\.1\b/g, '203.0.113.7'),
  (text) => text.replaceAll(MEMBER, (_, name: string, open: string) => `${name}${open}${memberValue(name)}`),
  // A text that ends where a value follows.
  (text) => text.replace(/ (from|by|to|on) $/, ' $1 203.0.113.7'),
  (text) => text.replace(/ (user|for) $/, ' $1 alice'),
  (text) => text.replaceAll(/ {2,}/g, ' '),
  (text) => text.trimEnd(),
]

/** The texts of an event after each change that changes it. @param text Unicode */
export function* readableForms(text: string): Generator<(text: string) => string> {
  for (const change of CHANGES) if (change(text) !== text) yield change
}

function memberValue(name: string): string {
  if (/^date$/i.test(name)) return '2026-11-23'
  if (/^(?:time|eventtime)$/i.test(name)) return '10:11:12'
  if (/^dev(?:name|_name)$/i.test(name)) return 'fw1'
  const usual = usualValue(name)
  return usual === 'value' ? 'x' : usual
}
