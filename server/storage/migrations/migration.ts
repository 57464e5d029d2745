/** One change of what is stored. */
import type { Storage } from '../contract.js'

/** Logs something that the operator should look at. */
export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

export interface Migration {
  /** 1, 2, 3 … without gaps; never another meaning once released. */
  readonly number: number
  readonly name: string
  /**
   * May be called again after a crash in its middle, so every part of it must be fine with having been done. Beside `tenancy/scope.ts` this is the only
   * place that sees documents of all organizations. Indexes are there already when it runs.
   */
  apply(storage: Storage, warn: Warn): Promise<void>
}
