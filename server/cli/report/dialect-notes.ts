/**
 * Where the three dialects read the same characters differently. People write one and mean another all the time, so each construct found in a
 * pattern is told in the words of all of them.
 */
import type { Dialect } from '#engine'

interface Construct {
  /** Finds it in a pattern. */
  readonly found: RegExp
  /** How it is named in the report. */
  readonly name: string
  readonly reads: Readonly<Record<Dialect, string>>
}

/** Of a backslash that another one stands before, nothing is told. */
const UNESCAPED = '(?<!\\\\)(?:\\\\\\\\)*'

const CONSTRUCTS: readonly Construct[] = [
  { found: /\\\./, name: '\\.', reads: { osregex: 'any character', osmatch: 'a backslash and a dot', pcre2: 'a dot' } },
  { found: new RegExp(`${UNESCAPED}\\.(?![*+])`), name: '.', reads: { osregex: 'a dot', osmatch: 'a dot', pcre2: 'any character but a line break' } },
  {
    found: new RegExp(`${UNESCAPED}\\.[*+]`),
    name: '.* .+',
    reads: { osregex: 'a dot, then the sign itself (any text is \\.* or \\.+)', osmatch: 'the two characters', pcre2: 'any text on the line' },
  },
  {
    found: /(?:^|[^\\.*+])(?<!\\[a-zA-Z.*+()$|<])[*+]/,
    name: 'x* x+',
    reads: { osregex: 'the sign itself: it repeats only after a \\ class', osmatch: 'the sign itself', pcre2: 'repeats what stands before it' },
  },
  { found: new RegExp(`${UNESCAPED}\\?`), name: '?', reads: { osregex: 'a question mark', osmatch: 'a question mark', pcre2: 'what stands before it may be missing' } },
  {
    found: new RegExp(`${UNESCAPED}\\[[^\\]]*\\]`),
    name: '[...]',
    reads: { osregex: 'the brackets themselves: there are no sets', osmatch: 'the brackets themselves', pcre2: 'one character of the set' },
  },
  { found: new RegExp(`${UNESCAPED}\\{\\d+(?:,\\d*)?\\}`), name: '{n}', reads: { osregex: 'the braces themselves', osmatch: 'the braces themselves', pcre2: 'so many times' } },
  { found: /\\d/, name: '\\d', reads: { osregex: 'a digit', osmatch: 'a backslash and "d"', pcre2: 'a digit' } },
  { found: /\\w/, name: '\\w', reads: { osregex: 'a letter, a digit, or one of - @ _', osmatch: 'a backslash and "w"', pcre2: 'a letter, a digit, or _' } },
  { found: /\\s/, name: '\\s', reads: { osregex: 'a blank, and nothing else', osmatch: 'a backslash and "s"', pcre2: 'any white space' } },
  { found: /\\S/, name: '\\S', reads: { osregex: 'anything but a blank', osmatch: 'a backslash and "s" (letter case is ignored)', pcre2: 'anything but white space' } },
  { found: /\\p/, name: '\\p', reads: { osregex: 'one of ()*+,-.:;<=>?[]!"\'#$%&|{}', osmatch: 'a backslash and "p"', pcre2: 'a Unicode property: \\p{L}' } },
  { found: /\\t/, name: '\\t', reads: { osregex: 'a tab', osmatch: 'a backslash and "t"', pcre2: 'a tab' } },
  { found: new RegExp(`${UNESCAPED}\\((?!\\?)`), name: '(...)', reads: { osregex: 'a capture; no alternatives in it', osmatch: 'the parentheses themselves', pcre2: 'a capture' } },
  {
    found: /\(\?/,
    name: '(?...)',
    reads: { osregex: 'the characters themselves, in a capture', osmatch: 'the characters themselves', pcre2: 'a setting, a look around, or a group' },
  },
  { found: /^!/, name: '!', reads: { osregex: 'an exclamation mark', osmatch: 'not: holds where the rest does not', pcre2: 'an exclamation mark' } },
  { found: /[A-Z]/, name: 'A-Z', reads: { osregex: 'any letter case', osmatch: 'any letter case', pcre2: 'upper case only ((?i) ignores case)' } },
]

/** What in the pattern another dialect reads differently. */
export function differentlyRead(pattern: string): readonly { readonly name: string; readonly reads: Readonly<Record<Dialect, string>> }[] {
  const letters = pattern.replace(/\\./g, '')
  return CONSTRUCTS.filter(({ found, name }) => found.test(name === 'A-Z' ? letters : pattern))
}
