/**
 * A search by words in the records of one language: BM25 over name, title and text, on MiniSearch. The weights were chosen by the table of questions
 * (`test/server/knowledge/questions.ts`); the README has the figures.
 */
import MiniSearch from 'minisearch'
import { differentlyRead } from '#engine'
import type { Locale } from '../i18n/locale.js'
import type { KnowledgeKind, KnowledgeRecord } from './knowledge.js'
import { expandTerms } from './thesaurus.js'
import { isIdentifier, termsOf } from './tokens.js'

/** A word in the name of a record (a tag, a code) tells more than one in its title, and that more than one in its text. */
const FIELD_WEIGHT = { name: 3, title: 2.5, text: 1 } as const
/** An identifier that was asked for (`if_matched_sid`, `7613`) is what the question is about. */
const IDENTIFIER_WEIGHT = 3
/** The whole name of a record was asked for. */
const WHOLE_NAME_WEIGHT = 2
/** Terms that the thesaurus adds count less than those that were asked. */
const ADDED_WEIGHT = 0.5
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
const CORRECTED_TERMS = 8
/** Terms of a question that are searched; a usual question has ten. */
const TERM_LIMIT = 48

/** The kind at the beginning of a name, which says nothing about the record. */
const NAME_KIND = /^(?:attribute|tag_attribute|element|construct|setting|error|route|rules|decoders|document\.\w+)\./
/** XML of examples and templates repeats what the prose says, among the names of many other options. */
const XML_LINE = /^\s*<.*$/gm
const FENCED = /^```.*\n[\s\S]*?^```$/gm
/** Words of a question that are patterns: an escape, a set, a repetition or a group with an option. */
const PATTERN_WORD = /[\\[{]|\.[*+]|\(\?/
/** The score of a record about a construct in the question, as a part of the best score. */
const CONSTRUCT_SCORE = 0.9

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
  readonly #terms = new Set<string>()

  constructor(locale: Locale) {
    this.#locale = locale
    this.#index = new MiniSearch<KnowledgeRecord>({
      idField: 'uid',
      fields: Object.keys(FIELD_WEIGHT),
      extractField: (record, field) => (field === 'uid' ? record.uid : field === 'name' ? (this.#names.get(record.uid) ?? '') : field === 'title' ? record.title : proseOf(record)),
      tokenize: (text) => this.#note(termsOf(text, locale)),
      processTerm: (term) => term,
    })
  }

  add(record: KnowledgeRecord): void {
    this.#records.set(record.uid, record)
    this.#names.set(record.uid, nameOf(record))
    this.#index.add(record)
  }

  /** Records with any of the terms, best first. */
  search(question: string): WordHit[] {
    const asked = [...new Set(termsOf(question, this.#locale))].slice(0, TERM_LIMIT)
    const added = expandTerms(asked, this.#locale)
    const corrected = new Set(asked.filter((term) => this.#isMisspelled(term)).slice(0, CORRECTED_TERMS))
    const found = this.#index.search(question, {
      tokenize: () => [...asked, ...added],
      processTerm: (term) => term,
      boost: FIELD_WEIGHT,
      fuzzy: (term) => corrected.has(term) && FUZZINESS,
      maxFuzzy: FUZZY_LETTERS,
      prefix: (term) => corrected.has(term),
      weights: CORRECTION_WEIGHTS,
      boostTerm: (term) => (added.has(term) ? ADDED_WEIGHT : isIdentifier(term) ? IDENTIFIER_WEIGHT : 1),
      boostDocument: (uid: string, term) => KIND_WEIGHT[this.#of(uid).kind] * (this.#names.get(uid) === term ? WHOLE_NAME_WEIGHT : 1),
    })
    const hits = found.map(({ id, score, queryTerms }) => ({
      record: this.#of(id as string),
      score,
      coverage: queryTerms.filter((term) => !added.has(term)).length / asked.length,
    }))
    return this.#withConstructs(question, hits)
  }

  /** Adds the records about constructs of patterns in the question: `[a-z]` is no word of the record about `[...]`. */
  #withConstructs(question: string, hits: readonly WordHit[]): WordHit[] {
    const words = question.split(/\s+/).filter((word) => PATTERN_WORD.test(word))
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

  #isMisspelled(term: string): boolean {
    return term.length >= CORRECTED_MIN && term.length <= CORRECTED_MAX && !/\d/.test(term) && !this.#terms.has(term)
  }

  #note(terms: string[]): string[] {
    for (const term of terms) this.#terms.add(term)
    return terms
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
  return text.replace(FENCED, '').replace(XML_LINE, '')
}
