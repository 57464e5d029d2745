/** Replays as the API returns them. */
import type { ReplayRecord } from './schema.js'
import type { ReplayDocument } from './store.js'

export function presentReplay(replay: ReplayDocument): ReplayRecord {
  const { _id, project_id, corpus_id, corpus_name, content, compare, clock = 'arrival', status, failure, total_bytes, done_bytes, events, created_by, created_by_name } = replay
  return {
    ...{
      id: _id,
      project_id,
      corpus_id,
      corpus_name,
      content,
      compare,
      clock,
      status,
      failure,
      progress: Math.min(1, done_bytes / total_bytes),
      events,
      created_by,
      created_by_name,
    },
    created_at: replay.created_at.toISOString(),
    started_at: replay.started_at?.toISOString() ?? null,
    finished_at: replay.finished_at?.toISOString() ?? null,
  }
}
