/**
 * A search by words in the records of one language: BM25 over name, title, keywords and text, on MiniSearch. The README says by which questions the weights
 * were chosen, and what they find.
 */
import MiniSearch from 'minisearch'
import { differentlyRead } from '#engine-data'
import type { Locale } from '../../../core/i18n/locale.js'
import type { KnowledgeKind, KnowledgeRecord } from './knowledge.js'
import { conceptsOf } from './thesaurus.js'
import { isIdentifier, termsOf } from './tokens.js'

/** A word in the name of a record (a tag, a code) tells more than one in its title, and that more than one in its text. */
const FIELD_WEIGHT = { name: 3, title: 2.5, keywords: 2, text: 1 } as const
/** An identifier that was asked for (`if_matched_sid`, `7613`) is what the question is about. */
const IDENTIFIER_WEIGHT = 3
/** A small number in a question is an amount of the asker's own, and that a record has it is mostly chance. */
const AMOUNT = /^\d{1,2}$/
const AMOUNT_WEIGHT = 0.3
/** The whole name of a record was asked for. */
const WHOLE_NAME_WEIGHT = 2
/** A concept counts less than the word itself: its other words mean nearly the same. */
const CONCEPT_WEIGHT = 0.7
/** A word that has concepts counts less than one without: that a record says it with this very word is mostly chance. */
const WORD_WEIGHT = 0.4
/** Codes are many and alike; options, templates and commands are what most questions are about. */
const KIND_WEIGHT: Readonly<Record<KnowledgeKind, number>> = {
  diagnostic: 0.85,
  rule_option: 1.2,
  decoder_option: 1.2,
  regex: 1,
  template: 1,
  reference: 0.9,
  behaviour: 0.8,
  command: 1.1,
  interface: 0.8,
  operator: 1,
}

/** A term that no record has may be misspelled: terms within a quarter of its letters, at most two, are searched, and longer words that begin with it. */
const FUZZINESS = 0.25
const FUZZY_LETTERS = 2
const CORRECTION_WEIGHTS = { fuzzy: 0.9, prefix: 0.7 } as const
const CORRECTED_MIN = 5
/** A correction looks at a large part of the index: longer and further terms of a hostile question are searched as they are. */
const CORRECTED_MAX = 20
const CORRECTED_TERMS = 4
/** Terms of a question that are searched; a usual question has ten. */
const TERM_LIMIT = 48
/** Records of all searched terms together. A usual question has fewer; of a longer one the terms of the fewest records are searched, which tell most. */
const POSTINGS_LIMIT = 2000
/** Records, best first by MiniSearch, that are ranked by how much of the question they have. */
const RANKED_LIMIT = 300
/** Words of a question that are looked at as patterns, and their length. */
const PATTERN_WORDS = 12
const PATTERN_CHARACTERS = 80

/** The kind at the beginning of a name, which says nothing about the record. */
const NAME_KIND = /^(?:attribute|tag_attribute|element|construct|setting|error|route|rules|decoders|document\.\w+)\./
/** XML of examples and templates repeats what the prose says, among the names of many other options. */
const XML_LINE = /^\s*<.*$/gm
/** Words that every diagnostic has, at the beginning of its text and before its examples. */
const LABEL_LINE = /^(?:(?:Severity|Severidade): .*|Wrong:|Right:|Errado:|Certo:)$/gm
const FENCED = /^```.*\n[\s\S]*?^```$/gm
/** Words of a question that are patterns: an escape, a set, a repetition or a group with an option. */
const PATTERN_WORD = /[\\[{]|\.[*+]|\(\?/
/** The score of a record about a construct in the question, as a part of the best score. */
const CONSTRUCT_SCORE = 0.9

/** How much of an asked term a record has that has one of its concepts. */
const CONCEPT_COVERAGE = 0.85

interface AskedTerm {
  readonly term: string
  readonly weight: number
  readonly concepts: readonly string[]
}

export interface WordHit {
  readonly record: KnowledgeRecord
  readonly score: number
  /** Part of the asked terms that the record has. */
  readonly coverage: number
}

export class WordIndex {
  readonly #locale: Locale
  readonly #index: MiniSearch<KnowledgeRecord>
  readonly #records = new Map<string, KnowledgeRecord>()
  readonly #names = new Map<string, string>()
  /** Records by term. */
  readonly #counts = new Map<string, number>()
  /** The record that is added. */
  #added: KnowledgeRecord | null = null
  #addedTerms = new Set<string>()

  constructor(locale: Locale) {
    this.#locale = locale
    this.#index = new MiniSearch<KnowledgeRecord>({
      idField: 'uid',
      fields: Object.keys(FIELD_WEIGHT),
      extractField: (record, field) => this.#fieldOf(record, field as keyof typeof FIELD_WEIGHT | 'uid'),
      tokenize: (text) => this.#termsOfText(text),
      processTerm: (term) => term,
    })
  }

  add(record: KnowledgeRecord): void {
    this.#records.set(record.uid, record)
    this.#names.set(record.uid, nameOf(record))
    this.#added = record
    this.#addedTerms = new Set()
    this.#index.add(record)
    for (const term of this.#addedTerms) this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1)
  }

  /** Records with any of the terms, best first. */
  search(question: string): WordHit[] {
    const asked = this.#askedTerms(question)
    const weights = new Map<string, number>(asked.map(({ term, weight }) => [term, weight]))
    for (const { term, concepts, weight } of asked) {
      // The concept stands for a word that no record has.
      const share = weight * (this.#counts.has(term) ? CONCEPT_WEIGHT : 1)
      for (const concept of concepts) weights.set(concept, Math.max(weights.get(concept) ?? 0, share))
      if (concepts.length > 0) weights.set(term, weight * WORD_WEIGHT)
    }
    const searched = this.#rarest(weights.keys())
    const corrected = new Set(asked.flatMap(({ term }) => (this.#isMisspelled(term) ? [term] : [])).slice(0, CORRECTED_TERMS))
    const found = this.#index.search(question, {
      tokenize: () => searched,
      processTerm: (term) => term,
      boost: FIELD_WEIGHT,
      fuzzy: (term) => corrected.has(term) && FUZZINESS,
      maxFuzzy: FUZZY_LETTERS,
      prefix: (term) => corrected.has(term),
      weights: CORRECTION_WEIGHTS,
      boostTerm: (term) => weights.get(term) ?? 1,
      boostDocument: (uid: string, term) => this.#weightOf(this.#of(uid), term),
    })
    const shares = asked.map(({ term, weight }) => weight * this.#rarity(term))
    const total = shares.reduce((sum, share) => sum + share, 0)
    const hits = found
      .slice(0, RANKED_LIMIT)
      .map(({ id, score, queryTerms }) => {
        const has = new Set(queryTerms)
        const covered = asked.reduce(
          (sum, { term, concepts }, index) => sum + (has.has(term) ? 1 : concepts.some((concept) => has.has(concept)) ? CONCEPT_COVERAGE : 0) * shares[index],
          0,
        )
        const coverage = total === 0 ? 0 : covered / total
        // MiniSearch multiplies by the number of terms, of which concepts are too many.
        return { record: this.#of(id as string), score: (score / queryTerms.length) * coverage, coverage }
      })
      .sort((a, b) => b.score - a.score)
    return this.#withConstructs(question, hits)
  }

  /** The terms of the fewest records, in the order of the question. */
  #rarest(terms: Iterable<string>): string[] {
    const all = [...terms]
    let postings = 0
    const kept = new Set(
      all
        .map((term) => ({ term, count: this.#counts.get(term) ?? 0 }))
        .sort((a, b) => a.count - b.count)
        .filter(({ count }) => (postings += count) <= POSTINGS_LIMIT)
        .map(({ term }) => term),
    )
    return all.filter((term) => kept.has(term))
  }

  /** The terms of a question, each with its concepts. */
  #askedTerms(question: string): AskedTerm[] {
    const terms = termsOf(question, this.#locale)
    const asked = new Map<string, AskedTerm>()
    for (const [index, concepts] of conceptsOf(terms, this.#locale).entries()) {
      const term = terms[index]
      if (!asked.has(term) && asked.size === TERM_LIMIT) break
      const known = asked.get(term)?.concepts ?? []
      asked.set(term, { term, weight: isIdentifier(term) ? IDENTIFIER_WEIGHT : AMOUNT.test(term) ? AMOUNT_WEIGHT : 1, concepts: [...new Set([...known, ...concepts])] })
    }
    return [...asked.values()]
  }

  #fieldOf(record: KnowledgeRecord, field: keyof typeof FIELD_WEIGHT | 'uid'): string {
    if (field === 'uid') return record.uid
    if (field === 'name') return this.#names.get(record.uid) ?? ''
    if (field === 'title') return record.title
    return field === 'keywords' ? (record.keywords ?? '') : proseOf(record)
  }

  /** The terms of a record's text, and their concepts. English records are asked in Portuguese, too: by their concepts, and by words of both languages. */
  #termsOfText(text: string): string[] {
    const record = this.#added
    const own = record?.locale ?? (record?.kind === 'operator' ? this.#locale : 'en-US')
    const terms = termsOf(text, own)
    const all = [...terms, ...conceptsOf(terms, own).flat()]
    const other = record?.kind === 'operator' ? (this.#locale === 'en-US' ? 'pt-BR' : 'en-US') : this.#locale
    if (record?.locale === null && own !== other) {
      const known = new Set(terms)
      const others = termsOf(text, other)
      all.push(...others.filter((term) => !known.has(term)))
      if (record.kind === 'operator') all.push(...conceptsOf(others, other).flat())
    }
    for (const term of all) this.#addedTerms.add(term)
    return all
  }

  /** The inverse document frequency. A term that no record has is as rare as one that a single record has. */
  #rarity(term: string): number {
    const count = this.#counts.get(term) ?? 1
    return Math.log(1 + (this.#records.size - count + 0.5) / (count + 0.5))
  }

  /** Adds the records about constructs of patterns in the question: `[a-z]` is no word of the record about `[...]`. */
  #withConstructs(question: string, hits: readonly WordHit[]): WordHit[] {
    const words = question
      .split(/\s+/)
      .filter((word) => word.length <= PATTERN_CHARACTERS && PATTERN_WORD.test(word))
      .slice(0, PATTERN_WORDS)
    const names = new Set(words.flatMap((word) => differentlyRead(word, this.#locale).map(({ name }) => name)))
    if (names.size === 0) return [...hits]
    const score = (hits[0]?.score ?? 1) * CONSTRUCT_SCORE
    const constructs = [...names].flatMap((name) => {
      const record = this.#records.get(`regex:construct.${name}:${this.#locale}`)
      return record === undefined ? [] : [{ record, score, coverage: CONSTRUCT_SCORE }]
    })
    const better = hits.filter((hit) => !constructs.some(({ record }) => record === hit.record && score > hit.score))
    const missing = constructs.filter(({ record }) => !better.some((hit) => hit.record === record))
    return [...better, ...missing].sort((a, b) => b.score - a.score)
  }

  #weightOf({ uid, kind }: KnowledgeRecord, term: string): number {
    return KIND_WEIGHT[kind] * (this.#names.get(uid) === term ? WHOLE_NAME_WEIGHT : 1)
  }

  #isMisspelled(term: string): boolean {
    return term.length >= CORRECTED_MIN && term.length <= CORRECTED_MAX && !/\d/.test(term) && !this.#counts.has(term)
  }

  #of(uid: string): KnowledgeRecord {
    const record = this.#records.get(uid)
    if (record === undefined) throw new Error(`no record ${uid}`)
    return record
  }
}

/** `if_matched_sid`, `versions.publish`. Records of the operator have none, because their uids are paths. */
function nameOf({ uid, kind, locale }: KnowledgeRecord): string {
  if (kind === 'operator') return ''
  const end = locale === null ? uid.length : uid.lastIndexOf(`:${locale}`)
  return uid
    .slice(uid.indexOf(':') + 1, end)
    .replace(NAME_KIND, '')
    .toLowerCase()
}

function proseOf({ text }: KnowledgeRecord): string {
  return text.replace(FENCED, '').replace(XML_LINE, '').replace(LABEL_LINE, '')
}
