/** The table of limits that a request of each load acquires. */
import type { RefusedResource, WaitingResource } from './table.js'

/**
 * `holds`: acquired for the whole request. `slot`: acquired by waiting, right before the handler; `keepsSlot`: it is held until the request ends, not only
 * during the handler.
 */
export const LOADS = {
  /** Reads or writes some documents. */
  documents: { holds: 'requests', slot: 'database_turns', keepsSlot: false },
  /** Runs one task on a worker thread. */
  analysis: { holds: 'analyses', slot: null, keepsSlot: false },
  /** Runs tasks for as long as the client sends lines. */
  batch: { holds: 'batches', slot: null, keepsSlot: false },
  /** Runs many tasks and collects their results. */
  run: { holds: 'requests', slot: 'runs', keepsSlot: true },
  /** Reads a repository, and may run many tasks. */
  repository: { holds: 'requests', slot: 'repository_reads', keepsSlot: true },
  /** Reads all documents of a kind. */
  export: { holds: 'exports', slot: 'database_turns', keepsSlot: false },
  /** Waits for an external provider, for up to a minute. It uses the database for moments only, and holds no turn meanwhile. */
  provider: { holds: 'provider_requests', slot: null, keepsSlot: false },
  /** Keeps its connection for hours. */
  stream: { holds: 'event_streams', slot: null, keepsSlot: false },
} as const satisfies Readonly<Record<string, { readonly holds: RefusedResource; readonly slot: WaitingResource | null; readonly keepsSlot: boolean }>>
export type Load = keyof typeof LOADS
