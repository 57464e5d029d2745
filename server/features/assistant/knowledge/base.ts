/**
 * The knowledge base: builds the records, and searches them by words and by meaning. Invariants:
 *  1. one build runs at a time, in slices on the event loop; searches use the former base until the new one is complete, and a reindex begins after the build
 *     that runs
 *  2. a build that fails changes nothing, and the next search or reindex tries again
 *  3. a search by meaning fails with the provider of vectors: it is never by words alone instead. It is by words only until the vectors of the records are known
 *  4. computing the vectors of the records serves all, and ends with the base, not with a caller
 */
import { LOCALES, type Locale } from '../../../core/i18n/locale.js'
import type { Log } from '../../../core/observability/log.js'
import { type AiContextType, type FoundRecord, type KnowledgeBase, type KnowledgeQuery, type KnowledgeRecord, SEARCH_LIMIT } from './knowledge.js'
import { operatorRecords } from './operator-folder.js'
import { Pauses } from './pauses.js'
import { type Candidate, chooseRecords, fuseRankings } from './ranking.js'
import type { Declarations } from './sources/source.js'
import { prepareConcepts } from './thesaurus.js'
import { languageOf } from './tokens.js'
import { VectorIndex } from './vector-index.js'
import type { WordIndex } from './word-index.js'

/** Candidates of each ranking that are considered. */
const CANDIDATES = 100
/** Longer questions are cut; the API accepts no longer ones. */
const QUESTION_CHARACTERS = 2000

export interface KnowledgeParts {
  /** Read at each build. */
  readonly declarations: () => Declarations
  /** Folder of the operator; null: none. */
  readonly folder: string | null
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly clock: () => number
}

/** A complete build. */
interface Built {
  readonly records: ReadonlyMap<string, KnowledgeRecord>
  readonly words: Readonly<Record<Locale, WordIndex>>
  readonly vectors: Map<Locale, VectorIndex>
}

export class IndexedKnowledge implements KnowledgeBase {
  readonly #parts: KnowledgeParts
  readonly #ending = new AbortController()
  #built: Built | null = null
  #building: Promise<Built> | null = null
  /** The reindex that begins after the build that runs; all who ask meanwhile wait for it. */
  #next: Promise<Built> | null = null

  constructor(parts: KnowledgeParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#built?.records.size ?? 0
  }

  hasVectors(locale: Locale, embeddingModel: string): boolean {
    const vectors = this.#built?.vectors.get(locale)
    return vectors?.model === embeddingModel && vectors.isFull
  }

  /** Ends the computing of vectors. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.settled()
  }

  async reindex(): Promise<number> {
    // The build that runs may have read the folder before the change for which this one is wanted.
    this.#next ??= (this.#building ?? Promise.resolve())
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        this.#next = null
        return this.#build()
      })
    return (await this.#next).records.size
  }

  async search(query: string, request: KnowledgeQuery): Promise<readonly FoundRecord[]> {
    const built = this.#built ?? (await this.#build())
    const question = query.slice(0, QUESTION_CHARACTERS)
    const accepts = acceptsType(request.contextType)
    const hits = built.words[languageOf(question) ?? request.locale].search(question).filter(({ record }) => accepts(record))
    const [best] = hits
    const byWords: Candidate[] = hits
      .slice(0, CANDIDATES)
      .map(({ record, score }) => ({ record: translated(record, request.locale, built), score: (score / best.score) * best.coverage }))
    const byMeaning = await this.#searchByMeaning(built, question, request)
    return chooseRecords(byMeaning === null ? byWords : fuseRankings(byWords, byMeaning), Math.min(request.limit, SEARCH_LIMIT))
  }

  /** Resolves when no vectors are being computed. */
  async settled(): Promise<void> {
    await Promise.all([...(this.#built?.vectors.values() ?? [])].map((vectors) => vectors.settled()))
  }

  /** @returns null: without vectors, or they are not known yet */
  async #searchByMeaning(built: Built, question: string, { locale, embed, embeddingModel = '', contextType, signal }: KnowledgeQuery): Promise<Candidate[] | null> {
    if (embed === undefined) return null
    const { log, clock } = this.#parts
    let vectors = built.vectors.get(locale)
    if (vectors?.model !== embeddingModel) {
      const records = [...built.records.values()].filter((record) => (record.locale ?? locale) === locale)
      vectors = new VectorIndex({ model: embeddingModel, records, earlier: vectors ?? null, clock })
      built.vectors.set(locale, vectors)
    }
    // The provider is asked even if its answer is not used, so that its failure is reported at once.
    const [vector] = await embed([question], signal ?? this.#ending.signal)
    if (!vectors.isFull) {
      vectors.fill(embed, this.#ending.signal, (error) => log.warn({ err: error }, 'the vectors of the knowledge base could not be computed'))
      return null
    }
    return vectors.search(vector, acceptsType(contextType), CANDIDATES).map(({ record, similarity }) => ({ record, score: Math.max(0, similarity) }))
  }

  #build(): Promise<Built> {
    this.#building ??= this.#buildAll().finally(() => {
      this.#building = null
    })
    return this.#building
  }

  async #buildAll(): Promise<Built> {
    const { declarations, folder, log, clock } = this.#parts
    const started = performance.now()
    const records = new Map<string, KnowledgeRecord>()
    // Loaded with the first search: the sources need the whole engine, which an event loop does not load otherwise.
    const [{ WordIndex }, { SOURCES }] = await Promise.all([import('./word-index.js'), import('./sources/index.js')])
    const words = { 'en-US': new WordIndex('en-US'), 'pt-BR': new WordIndex('pt-BR') } satisfies Record<Locale, WordIndex>
    const pauses = new Pauses()
    for (const locale of LOCALES) await prepareConcepts(locale, pauses)
    const add = async (record: KnowledgeRecord): Promise<void> => {
      if (records.has(record.uid)) throw new Error(`two records of the knowledge base have the uid ${record.uid}`)
      records.set(record.uid, record)
      for (const locale of LOCALES) {
        if ((record.locale ?? locale) !== locale) continue
        words[locale].add(record)
        await pauses.ifDue()
      }
    }
    const declared = declarations()
    for (const source of SOURCES) for await (const record of source(declared)) await add(record)
    if (folder !== null) for await (const record of operatorRecords(folder, log)) await add(record)
    const built: Built = { records, words, vectors: new Map() }
    for (const [locale, earlier] of this.#built?.vectors ?? []) {
      const own = [...records.values()].filter((record) => (record.locale ?? locale) === locale)
      built.vectors.set(locale, new VectorIndex({ model: earlier.model, records: own, earlier, clock }))
    }
    this.#built = built
    log.info({ records: records.size, milliseconds: Math.round(performance.now() - started) }, 'the knowledge base was built')
    return built
  }
}

function acceptsType(contextType: AiContextType | undefined): (record: KnowledgeRecord) => boolean {
  return contextType === undefined ? () => true : ({ contextTypes }) => contextTypes.includes(contextType)
}

/** The same record in another language; itself if it has one language. */
function translated(record: KnowledgeRecord, locale: Locale, { records }: Built): KnowledgeRecord {
  if (record.locale === null || record.locale === locale) return record
  const uid = record.uid.replace(new RegExp(`:${record.locale}(?=#|$)`), `:${locale}`)
  return records.get(uid) ?? records.get(uid.replace(/#\d+$/, '')) ?? record
}
