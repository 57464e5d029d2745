/**
 * Splits texts and questions into terms. Invariants:
 *  1. a name with signs in it (`if_matched_sid`, `WD-1234`, `data.win.eventdata`) is a term as a whole, and its parts are terms too
 *  2. letter case and accents do not matter, except in escapes of patterns: `\s` and `\S` differ
 *  3. words of ordinary speech are reduced to their stem, and the most frequent ones are left out; names and numbers never are
 */
import { stemmer as stemEnglish } from '@orama/stemmers/english'
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese'
import { stopwords as englishStopwords } from '@orama/stopwords/english'
import { stopwords as portugueseStopwords } from '@orama/stopwords/portuguese'
import type { Locale } from '../../../core/i18n/locale.js'

/** Longer terms are no words, and would fill the memory. */
const TERM_CHARACTERS = 64

interface Language {
  readonly stem: (word: string) => string
  /** Folded. */
  readonly stopwords: ReadonlySet<string>
}

/** Words that every question has, which the lists of frequent words leave out; many are written as they are spoken. */
const QUESTION_WORDS = {
  'en-US':
    'doesnt dont cant isnt wont im ive whats hows please want wants need needs use uses used using get gets make makes work works way help tell show somebody someone something thing two',
  'pt-BR':
    'pra pro pras pros vc vcs ta ne faz fazer faço quero queria preciso precisa uso usar usa uso posso pode consigo tem ter dá dar coloco colocar qual quais quando onde serve significa ajuda favor coisa só',
} as const satisfies Readonly<Record<Locale, string>>
/** Frequent words that are names or values in rules and decoders (`same_srcip`, `after_parent`, `not_same_field`), or that only look like one (`id`: I'd). */
const TELLING = new Set('id shell same not no before after once only own mesmo mesma não sem antes depois'.split(' ').map(fold))

const LANGUAGES: Readonly<Record<Locale, Language>> = {
  'en-US': { stem: stemEnglish, stopwords: stopwordsOf(englishStopwords, 'en-US') },
  'pt-BR': { stem: stemPortuguese, stopwords: stopwordsOf(portugueseStopwords, 'pt-BR') },
}

function stopwordsOf(frequent: readonly string[], locale: Locale): ReadonlySet<string> {
  const words = [...frequent, ...QUESTION_WORDS[locale].split(' ')].map((word) => fold(word).replaceAll("'", ''))
  return new Set(words.filter((word) => !TELLING.has(word)))
}

/**
 * An escape of a pattern; a negative number; or a word with its joints.
 *
 *     \S+ never   -1   if_matched_sid
 *     ^^  ^^^^^   ^^   ^^^^^^^^^^^^^^
 */
const TERM = /\\[A-Za-z.]|(?<![\p{L}\p{N}_])-\d+|[\p{L}\p{N}]+(?:[_.:/-]+[\p{L}\p{N}]+)*/gu
/** Within a word: `doesn't` is the word that others write `doesnt`. */
const APOSTROPHE = /(?<=\p{L})['’](?=\p{L})/gu
const JOINT = /[_.:/-]+/

/** The terms of a text in a language, with repetitions. */
export function termsOf(text: string, locale: Locale): string[] {
  const terms: string[] = []
  for (const [found] of text.normalize('NFC').replace(APOSTROPHE, '').matchAll(TERM)) {
    if (found.length > TERM_CHARACTERS) continue
    if (found.startsWith('\\')) {
      terms.push(found)
      continue
    }
    // The stemmers know accents, the terms have none.
    const word = found.toLowerCase()
    const parts = found.startsWith('-') ? [word] : word.split(JOINT)
    if (parts.length > 1 || found.startsWith('-')) terms.push(fold(word))
    if (!found.startsWith('-')) for (const part of parts) terms.push(...wordTerms(part, locale))
  }
  return terms
}

/** Without letter case and accents. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Stems of words that were seen, for each language: half the time of a build. The built-in records have 6,000 words. */
const STEMS = new Map<string, string>()
const STEMS_LIMIT = 20_000

/** No term for a frequent word. */
function wordTerms(word: string, locale: Locale): string[] {
  const key = `${locale}${word}`
  let term = STEMS.get(key)
  if (term === undefined) {
    const { stem, stopwords } = LANGUAGES[locale]
    const folded = fold(word)
    term = stopwords.has(folded) ? '' : /\d/.test(word) ? folded : fold(stem(word))
    if (STEMS.size >= STEMS_LIMIT) STEMS.clear()
    STEMS.set(key, term)
  }
  return term === '' ? [] : [term]
}

/** Whether a term is a name with signs in it, or a number of three digits or more: a code, a tag, an id. */
export function isIdentifier(term: string): boolean {
  return /[_.:/-]|\\|^\d{3,}$/.test(term)
}

/** The language of whose frequent words a question has more; null: it has as many of each, or none. */
export function languageOf(question: string): Locale | null {
  // A part of a name (`if_sid`) is of no language.
  const words = fold(question.replace(APOSTROPHE, '')).match(/(?<![\p{L}_.:-])\p{L}+(?![\p{L}_:-])/gu) ?? []
  const [english, portuguese] = (['en-US', 'pt-BR'] as const).map((locale) => words.filter((word) => LANGUAGES[locale].stopwords.has(word)).length)
  return english === portuguese ? null : english > portuguese ? 'en-US' : 'pt-BR'
}
