/** Replays as the API returns them. */
import type { ReplayRecord } from './schema.js'
import type { ReplayDocument } from './store.js'

export function presentReplay(replay: ReplayDocument): ReplayRecord {
  return {
    id: replay._id,
    project_id: replay.project_id,
    corpus_id: replay.corpus_id,
    corpus_name: replay.corpus_name,
    content: replay.content,
    compare: replay.compare,
    clock: replay.clock ?? 'arrival',
    fields: replay.fields ?? null,
    status: replay.status,
    failure: replay.failure,
    progress: Math.min(1, replay.done_bytes / replay.total_bytes),
    events: replay.events,
    created_by: replay.created_by,
    created_by_name: replay.created_by_name,
    created_at: replay.created_at.toISOString(),
    started_at: replay.started_at?.toISOString() ?? null,
    finished_at: replay.finished_at?.toISOString() ?? null,
  }
}
