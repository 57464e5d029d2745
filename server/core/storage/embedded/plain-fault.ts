/**
 * Faults of a database file as plain data, which threads send to the main thread. Threads do not load the errors of the contract, because their texts in every
 * language take half a second to load.
 */

export type PlainFault =
  | { readonly kind: 'duplicate'; readonly collection: string; readonly fields: readonly string[] }
  | { readonly kind: 'stale'; readonly collection: string; readonly index: number }
  | { readonly kind: 'too_large'; readonly collection: string }
  | { readonly kind: 'type'; readonly message: string }
  /** `code` is the extended result code of SQLite; null: the fault is not from SQLite. */
  | { readonly kind: 'other'; readonly message: string; readonly code: number | null }

/** Refuses one task; the other tasks of the transaction are not affected. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  constructor(readonly fault: PlainFault) {
    super(fault.kind)
  }
}

export function plainFault(fault: unknown): PlainFault {
  if (fault instanceof Refusal) return fault.fault
  return { kind: 'other', message: (fault as Error).message, code: resultCode(fault) }
}

/** Returns the result code of SQLite; null: the fault is not from SQLite. */
export function resultCode(fault: unknown): number | null {
  const { rawCode } = fault as { readonly rawCode?: unknown }
  return typeof rawCode === 'number' ? rawCode : null
}
