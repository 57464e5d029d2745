/** Stored corpora: samples of events. Their bytes are chunks, each compressed and encrypted with the key of its corpus; that key is sealed like other secrets. */
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

/** `deleting`: the key is gone already, and the chunks follow. */
export const CORPUS_STATUSES = ['uploading', 'ready', 'deleting'] as const
export type CorpusStatus = (typeof CORPUS_STATUSES)[number]

export interface CorpusDocument extends TenantDocument {
  readonly project_id: string
  readonly name: string
  readonly status: CorpusStatus
  /** Declared when it was created. */
  readonly size_bytes: number
  /** Bytes that were received. */
  readonly received_bytes: number
  /** Null: it is not complete. */
  readonly line_count: number | null
  /** Of the bytes as they were uploaded, in lower-case hex. */
  readonly sha256: string | null
  /** The sealed key of its chunks; null: it is being deleted. */
  readonly data_key: string | null
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
  /** Of its first byte in the corpus. */
  readonly offset: number
  readonly bytes: number
  /** Sealed, in base64. */
  readonly content: string
}

export const CORPUS_CHUNKS = tenantCollection<CorpusChunkDocument>('corpus_chunks', [{ keys: { corpus_id: 1, offset: 1 }, unique: true }])

/** The place to which the key of a corpus is bound. */
export function sealedForCorpus({ _id }: Pick<CorpusDocument, '_id'>): string {
  return `corpus:${_id}`
}
