/** A migration: one change of stored documents. */
import type { Storage } from '../contract.js'

/** Logs a warning for the operator. */
export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

export interface Migration {
  /** 1, 2, 3 … without gaps. The meaning of a number never changes after its release. */
  readonly number: number
  readonly name: string
  /**
   * Runs again after a crash, so each step must be idempotent. Migrations and `tenancy/scope.ts` are the only code that opens collections of all organizations.
   * The indexes exist when it runs.
   */
  apply(storage: Storage, warn: Warn): Promise<void>
}
