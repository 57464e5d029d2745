/**
 * Constructs that the three dialects interpret differently. Users often write one dialect and mean another, so each construct that a
 * pattern contains is explained for all of them.
 */
import type { Locale, Localized } from '../diagnostics/text.js'
import type { Dialect } from '../expressions/expression.js'

interface Construct {
  /** Finds the construct in a pattern. */
  readonly found: RegExp
  /** Its name in the report. */
  readonly name: string
  readonly reads: Localized<Readonly<Record<Dialect, string>>>
}

/** An even number of backslashes before the construct: it is not escaped. */
const UNESCAPED = '(?<!\\\\)(?:\\\\\\\\)*'

const CONSTRUCTS: readonly Construct[] = [
  {
    found: /\\\./,
    name: '\\.',
    reads: {
      'en-US': { osregex: 'any character', osmatch: 'a backslash and a dot', pcre2: 'a dot' },
      'pt-BR': { osregex: 'qualquer caractere', osmatch: 'uma barra invertida e um ponto', pcre2: 'um ponto' },
    },
  },
  {
    found: new RegExp(`${UNESCAPED}\\.(?![*+])`),
    name: '.',
    reads: {
      'en-US': { osregex: 'a dot', osmatch: 'a dot', pcre2: 'any character but a line break' },
      'pt-BR': { osregex: 'um ponto', osmatch: 'um ponto', pcre2: 'qualquer caractere, menos a quebra de linha' },
    },
  },
  {
    found: new RegExp(`${UNESCAPED}\\.[*+]`),
    name: '.* .+',
    reads: {
      'en-US': { osregex: 'a dot, then the sign itself (any text is \\.* or \\.+)', osmatch: 'the two characters', pcre2: 'any text on the line' },
      'pt-BR': { osregex: 'um ponto, depois o próprio sinal (qualquer texto é \\.* ou \\.+)', osmatch: 'os dois caracteres', pcre2: 'qualquer texto na linha' },
    },
  },
  {
    found: /(?:^|[^\\.*+])(?<!\\[a-zA-Z.*+()$|<])[*+]/,
    name: 'x* x+',
    reads: {
      'en-US': { osregex: 'the sign itself: it repeats only after a \\ class', osmatch: 'the sign itself', pcre2: 'repeats what precedes it' },
      'pt-BR': { osregex: 'o próprio sinal: só repete depois de uma classe com \\', osmatch: 'o próprio sinal', pcre2: 'repete o que vem antes' },
    },
  },
  {
    found: new RegExp(`${UNESCAPED}\\?`),
    name: '?',
    reads: {
      'en-US': { osregex: 'a question mark', osmatch: 'a question mark', pcre2: 'what precedes it is optional' },
      'pt-BR': { osregex: 'um ponto de interrogação', osmatch: 'um ponto de interrogação', pcre2: 'o que vem antes é opcional' },
    },
  },
  {
    found: new RegExp(`${UNESCAPED}\\[[^\\]]*\\]`),
    name: '[...]',
    reads: {
      'en-US': { osregex: 'the brackets themselves: there are no sets', osmatch: 'the brackets themselves', pcre2: 'one character of the set' },
      'pt-BR': { osregex: 'os próprios colchetes: não há conjuntos', osmatch: 'os próprios colchetes', pcre2: 'um caractere do conjunto' },
    },
  },
  {
    found: new RegExp(`${UNESCAPED}\\{\\d+(?:,\\d*)?\\}`),
    name: '{n}',
    reads: {
      'en-US': { osregex: 'the braces themselves', osmatch: 'the braces themselves', pcre2: 'a number of repetitions' },
      'pt-BR': { osregex: 'as próprias chaves', osmatch: 'as próprias chaves', pcre2: 'um número de repetições' },
    },
  },
  {
    found: /\\d/,
    name: '\\d',
    reads: {
      'en-US': { osregex: 'a digit', osmatch: 'a backslash and "d"', pcre2: 'a digit' },
      'pt-BR': { osregex: 'um dígito', osmatch: 'uma barra invertida e "d"', pcre2: 'um dígito' },
    },
  },
  {
    found: /\\w/,
    name: '\\w',
    reads: {
      'en-US': { osregex: 'a letter, a digit, or one of - @ _', osmatch: 'a backslash and "w"', pcre2: 'a letter, a digit, or _' },
      'pt-BR': { osregex: 'uma letra, um dígito ou um destes: - @ _', osmatch: 'uma barra invertida e "w"', pcre2: 'uma letra, um dígito ou _' },
    },
  },
  {
    found: /\\s/,
    name: '\\s',
    reads: {
      'en-US': { osregex: 'a blank, and nothing else', osmatch: 'a backslash and "s"', pcre2: 'any white space' },
      'pt-BR': { osregex: 'um espaço, e nada mais', osmatch: 'uma barra invertida e "s"', pcre2: 'qualquer espaço em branco' },
    },
  },
  {
    found: /\\S/,
    name: '\\S',
    reads: {
      'en-US': { osregex: 'anything but a blank', osmatch: 'a backslash and "s" (letter case is ignored)', pcre2: 'anything but white space' },
      'pt-BR': { osregex: 'tudo menos um espaço', osmatch: 'uma barra invertida e "s" (sem distinguir maiúsculas)', pcre2: 'tudo menos espaço em branco' },
    },
  },
  {
    found: /\\p/,
    name: '\\p',
    reads: {
      'en-US': { osregex: 'one of ()*+,-.:;<=>?[]!"\'#$%&|{}', osmatch: 'a backslash and "p"', pcre2: 'a Unicode property: \\p{L}' },
      'pt-BR': { osregex: 'um destes: ()*+,-.:;<=>?[]!"\'#$%&|{}', osmatch: 'uma barra invertida e "p"', pcre2: 'uma propriedade Unicode: \\p{L}' },
    },
  },
  {
    found: /\\t/,
    name: '\\t',
    reads: { 'en-US': { osregex: 'a tab', osmatch: 'a backslash and "t"', pcre2: 'a tab' }, 'pt-BR': { osregex: 'um tab', osmatch: 'uma barra invertida e "t"', pcre2: 'um tab' } },
  },
  {
    found: new RegExp(`${UNESCAPED}\\((?!\\?)`),
    name: '(...)',
    reads: {
      'en-US': { osregex: 'a capture; no alternatives in it', osmatch: 'the parentheses themselves', pcre2: 'a capture' },
      'pt-BR': { osregex: 'uma captura; sem alternativas dentro', osmatch: 'os próprios parênteses', pcre2: 'uma captura' },
    },
  },
  {
    found: /\(\?/,
    name: '(?...)',
    reads: {
      'en-US': { osregex: 'the characters themselves, in a capture', osmatch: 'the characters themselves', pcre2: 'an option, a lookahead or lookbehind, or a group' },
      'pt-BR': { osregex: 'os próprios caracteres, em uma captura', osmatch: 'os próprios caracteres', pcre2: 'uma opção, um lookahead ou lookbehind, ou um grupo' },
    },
  },
  {
    found: /^!/,
    name: '!',
    reads: {
      'en-US': { osregex: 'an exclamation mark', osmatch: 'negation: matches if the rest does not', pcre2: 'an exclamation mark' },
      'pt-BR': { osregex: 'um ponto de exclamação', osmatch: 'negação: casa se o resto não casa', pcre2: 'um ponto de exclamação' },
    },
  },
  {
    found: /[A-Z]/,
    name: 'A-Z',
    reads: {
      'en-US': { osregex: 'any letter case', osmatch: 'any letter case', pcre2: 'upper case only ((?i) ignores case)' },
      'pt-BR': { osregex: 'maiúsculas ou minúsculas', osmatch: 'maiúsculas ou minúsculas', pcre2: 'só maiúsculas ((?i) não as distingue)' },
    },
  },
]

/** What each dialect reads in a construct. */
export interface DialectNote {
  readonly name: string
  readonly reads: Readonly<Record<Dialect, string>>
}

/** Every construct that the dialects interpret differently. */
export function dialectNotes(locale: Locale): DialectNote[] {
  return CONSTRUCTS.map(({ name, reads }) => ({ name, reads: reads[locale] }))
}

/** The constructs in the pattern that another dialect interprets differently. */
export function differentlyRead(pattern: string, locale: Locale): DialectNote[] {
  const letters = pattern.replace(/\\./g, '')
  return CONSTRUCTS.filter(({ found, name }) => found.test(name === 'A-Z' ? letters : pattern)).map(({ name, reads }) => ({ name, reads: reads[locale] }))
}
