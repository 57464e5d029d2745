/** THE table of what a request of each kind holds. */
import type { RefusedResource, WaitingResource } from './table.js'

/** What a request takes of the service, and what it holds for that. */
export const LOADS = {
  /** Some documents of the database. */
  documents: { holds: 'requests', turn: 'database_turns', isTurnKept: false },
  /** One task of the analysis threads. */
  analysis: { holds: 'analyses', turn: null, isTurnKept: false },
  /** Tasks as long as its client sends lines. */
  batch: { holds: 'batches', turn: null, isTurnKept: false },
  /** Many tasks, whose results are gathered. */
  run: { holds: 'requests', turn: 'runs', isTurnKept: true },
  /** All documents of a kind. */
  export: { holds: 'exports', turn: 'database_turns', isTurnKept: false },
  /** A connection for hours. */
  stream: { holds: 'event_streams', turn: null, isTurnKept: false },
} as const satisfies Readonly<Record<string, { readonly holds: RefusedResource; readonly turn: WaitingResource | null; readonly isTurnKept: boolean }>>
export type Load = keyof typeof LOADS
