/** Corpora as the API returns them. */
import type { CorpusRecord } from './schema.js'
import type { CorpusDocument } from './store.js'

export function presentCorpus(corpus: CorpusDocument): CorpusRecord {
  const { _id, project_id, name, status, size_bytes, received_bytes, line_count, sha256, object_url = null, failure = null, retention_days, created_by, created_by_name } = corpus
  return {
    ...{ id: _id, project_id, name, status, size_bytes, received_bytes, line_count, sha256, object_url, failure, retention_days },
    expires_at: corpus.expires_at.toISOString(),
    ...{ created_by, created_by_name },
    created_at: corpus.created_at.toISOString(),
    updated_at: corpus.updated_at.toISOString(),
  }
}
