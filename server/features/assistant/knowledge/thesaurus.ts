/**
 * Concepts of the subject, with the words that people say for them in both languages. A word is indexed and asked for as itself and as its concepts, so that
 * `prioridade` finds `level`, and a question in Portuguese the records that exist in English only. A concept is general: a word that means something else in
 * many records belongs to no concept.
 */
import { LOCALES, type Locale } from '../../../core/i18n/locale.js'
import type { Pauses } from './pauses.js'
import { termsOf } from './tokens.js'
import vocabulary from './words.json' with { type: 'json' }

/**
 * The concepts, in groups that are for readers only. `a+b` is two words in this order, between which only frequent words may stand. Words that both languages use
 * stand once.
 */
const CONCEPTS: readonly Readonly<Record<Locale, string>>[] = Object.values(vocabulary.concepts).flat()

interface Table {
  readonly words: ReadonlyMap<string, readonly string[]>
  /** By the two terms, joined by a blank. */
  readonly pairs: ReadonlyMap<string, readonly string[]>
}

/** Begins every concept: no term of a text has this sign. */
const MARK = '~'

const TABLES = new Map<Locale, Table>()

/** The concepts of each of the terms. Those of a pair are at its second term. */
export function conceptsOf(terms: readonly string[], locale: Locale): string[][] {
  const { words, pairs } = tableOf(locale)
  return terms.map((term, index) => [...(words.get(term) ?? []), ...(pairs.get(`${terms[index - 1]} ${term}`) ?? [])])
}

/** Words of the table that no text can have, because they are frequent ones. */
export function unusableWords(): string[] {
  return CONCEPTS.flatMap((both) => LOCALES.flatMap((locale) => both[locale].split(' ').filter((word) => word.split('+').some((part) => termsOf(part, locale).length === 0))))
}

/** Makes the table of a language in slices, so that the first text does not wait for it. */
export async function prepareConcepts(locale: Locale, pauses: Pauses): Promise<void> {
  if (TABLES.has(locale)) return
  const steps = tableSteps(locale)
  while (steps.next().done !== true) await pauses.ifDue()
}

function tableOf(locale: Locale): Table {
  const known = TABLES.get(locale)
  if (known !== undefined) return known
  for (const step of tableSteps(locale)) void step
  return tableOf(locale)
}

/** A text in one language has words of the other one, such as names of tags: both are looked up, as they are stemmed there. */
function* tableSteps(locale: Locale): Generator<void, void> {
  const words = new Map<string, string[]>()
  const pairs = new Map<string, string[]>()
  for (const [index, both] of CONCEPTS.entries()) {
    const concept = `${MARK}${index}`
    for (const word of new Set(LOCALES.flatMap((each) => both[each].split(' ')))) {
      const [first, second] = word.split('+').map((part) => termsOf(part, locale)[0])
      const isPair = word.includes('+')
      if (first === undefined || (isPair && second === undefined)) continue
      const [map, key] = isPair ? [pairs, `${first} ${second}`] : [words, first]
      const concepts = map.get(key) ?? []
      if (!concepts.includes(concept)) map.set(key, [...concepts, concept])
    }
    yield
  }
  TABLES.set(locale, { words, pairs })
}
