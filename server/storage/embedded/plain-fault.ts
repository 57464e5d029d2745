/**
 * Faults of a database file as plain data, which pass from its threads to those who asked. Threads know nothing of the contract's errors: those bring their
 * texts in every language, and half a second of loading.
 */

export type PlainFault =
  | { readonly kind: 'duplicate'; readonly collection: string; readonly fields: readonly string[] }
  | { readonly kind: 'stale'; readonly collection: string; readonly index: number }
  | { readonly kind: 'too_large'; readonly collection: string }
  | { readonly kind: 'type'; readonly message: string }
  /** `code` is the extended result code of SQLite; null: it is no fault of SQLite. */
  | { readonly kind: 'other'; readonly message: string; readonly code: number | null }

/** Refuses one task; the others of its transaction stand. */
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

/** Null: the fault does not come from SQLite. */
export function resultCode(fault: unknown): number | null {
  const { rawCode } = fault as { readonly rawCode?: unknown }
  return typeof rawCode === 'number' ? rawCode : null
}
