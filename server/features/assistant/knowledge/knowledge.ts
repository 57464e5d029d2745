/**
 * The contract of the knowledge base from which the assistant answers. Invariants:
 *  1. no record has content of an organization, so that one base serves all
 *  2. records of trust `built_in` are made from the project's own declarations; those of trust `operator` come from the folder of the operator
 */
import type { Locale } from '../../../core/i18n/locale.js'

/** What a question is about; filters the records. */
export const AI_CONTEXT_TYPES = ['rule', 'decoder', 'general'] as const
export type AiContextType = (typeof AI_CONTEXT_TYPES)[number]

export const KNOWLEDGE_KINDS = ['diagnostic', 'rule_option', 'decoder_option', 'regex', 'template', 'reference', 'behaviour', 'command', 'interface', 'operator'] as const
export type KnowledgeKind = (typeof KNOWLEDGE_KINDS)[number]

export type KnowledgeTrust = 'built_in' | 'operator'

export interface KnowledgeRecord {
  /** Unique, and the same in every build of one version: `diagnostic:rule_no_condition:pt-BR`. */
  readonly uid: string
  readonly kind: KnowledgeKind
  readonly title: string
  readonly text: string
  /** Words that are searched and not shown. */
  readonly keywords?: string
  /** null: the source has one language, which is not known or is English for all. */
  readonly locale: Locale | null
  readonly contextTypes: readonly AiContextType[]
  readonly trust: KnowledgeTrust
}

/** Vectors of texts, in their order. All have the same length. @throws EmbeddingStoppedError, and what the provider fails with */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>

/** The provider is no longer the one that was asked. */
export class EmbeddingStoppedError extends Error {
  override readonly name = 'EmbeddingStoppedError'
}

/** The provider answered with vectors that cannot be used: of several lengths, too long, or with numbers that are not finite. */
export class UnusableVectorsError extends Error {
  override readonly name = 'UnusableVectorsError'
}

export interface KnowledgeQuery {
  readonly limit: number
  /** Only records of this type. Default: all. */
  readonly contextType?: AiContextType
  /** The language of the records that are found. The question may be in another one. Records without a language are always searched. */
  readonly locale: Locale
  /** Adds a search by meaning, once the vectors of all records are known; the first question starts to compute them. Default: by words alone. */
  readonly embed?: Embed
  /** Names the model of `embed`, with its server: vectors of another one are computed again. */
  readonly embeddingModel?: string
  /** Ends the search. Computing the vectors of the records, which serve all, continues. Default: it is not ended. */
  readonly signal?: AbortSignal
}

export interface FoundRecord {
  readonly record: KnowledgeRecord
  /** From 0 to 1, descending: how well the record fits, and how much of the question it is about. */
  readonly score: number
}

export interface KnowledgeBase {
  /** Number of records; 0 before the first build. */
  readonly size: number
  /** At most `SEARCH_LIMIT` records, best first. Builds the base first, if it does not exist yet. @throws what `embed` fails with, UnusableVectorsError */
  search(query: string, request: KnowledgeQuery): Promise<readonly FoundRecord[]>
  /** Whether searches in that language use the vectors of that model. */
  hasVectors(locale: Locale, embeddingModel: string): boolean
  /** Builds the base again. Searches use the former one until the new one is complete. @returns the number of records */
  reindex(): Promise<number>
}

/** Maximum number of records that a search finds. */
export const SEARCH_LIMIT = 50
