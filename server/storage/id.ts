/** Ids of documents. */
import { randomUUID } from 'node:crypto'

/** UUID v4: opaque, and nobody guesses another's. */
export const newId = (): string => randomUUID()
