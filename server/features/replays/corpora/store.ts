/** Stored corpora: samples of events. Their bytes are chunks, each compressed and encrypted with the key of its corpus; that key is sealed like other secrets. */
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'
import type { ObjectFailure } from './object-store.js'

/** `failed`: its import. `deleting`: the key is gone already, and the chunks follow. */
export const CORPUS_STATUSES = ['uploading', 'importing', 'ready', 'failed', 'deleting'] as const
export type CorpusStatus = (typeof CORPUS_STATUSES)[number]

export interface CorpusDocument extends TenantDocument {
  readonly project_id: string
  readonly name: string
  readonly status: CorpusStatus
  /** Declared when it was created. An import that is complete has as many as it received. */
  readonly size_bytes: number
  /** Bytes that were received. */
  readonly received_bytes: number
  /** Null: it is not complete. */
  readonly line_count: number | null
  /** SHA-256 of the bytes as they were uploaded, in lower-case hex. */
  readonly sha256: string | null
  /** The sealed key of its chunks; null: it is being deleted. */
  readonly data_key: string | null
  /** The address that it is imported from, without its query; absent or null: it is uploaded. */
  readonly object_url?: string | null
  /** The sealed `ObjectSource` of an import that has not ended. */
  readonly source?: string | null
  /** Why its import failed. */
  readonly failure?: ObjectFailure | null
  readonly retention_days: number
  /** When it is deleted. */
  readonly expires_at: Date
  readonly created_by: string
  readonly created_by_name: string
  readonly created_at: Date
  readonly updated_at: Date
}

export const CORPORA = tenantCollection<CorpusDocument>('corpora', [
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, created_at: -1, _id: -1 } },
])

export interface CorpusChunkDocument extends TenantDocument {
  readonly corpus_id: string
  /** Position of the first byte of the chunk in the corpus, from 0. */
  readonly offset: number
  readonly bytes: number
  /** Sealed, in base64. */
  readonly content: string
}

export const CORPUS_CHUNKS = tenantCollection<CorpusChunkDocument>('corpus_chunks', [{ keys: { corpus_id: 1, offset: 1 }, unique: true }])

/** The place to which the source of an import is bound. */
export function sealedForSource({ _id }: Pick<CorpusDocument, '_id'>): string {
  return `corpus-source:${_id}`
}

/** The place to which the key of a corpus is bound. */
export function sealedForCorpus({ _id }: Pick<CorpusDocument, '_id'>): string {
  return `corpus:${_id}`
}
