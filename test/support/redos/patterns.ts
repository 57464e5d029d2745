/** Patterns of our own that an event blinds or stalls, and some that none does, for measurements with other programs. */

/** In the style of rules and decoders; `measure-pcre2.ts` prints what the library does with them. */
export const ATTACKED_PATTERNS: readonly string[] = [
  '^(\\w+\\s?)+$',
  '(a|a)*b',
  '(x+x+)+y',
  '^.*foo.*bar',
  '^.*a.*a.*a.*b$',
  '(?i)select.+from.+where',
  '"(\\w+)\\s(.+)"\\swith\\s\\{(.+)\\}\\sand',
  '(\\S+)\\[(\\d+)\\]:? trap',
  '\\s+$',
  'a[^b]*?b[^c]*?c',
]
