/** Compares two contents by their `ContentSemantics`. */
import { compareContents, type ContentSemantics } from '#engine'
import type { TaskHead } from '../../shared/protocol.js'
import { plain, type TaskDefinition } from './context.js'

export interface CompareTask extends TaskHead {
  readonly kind: 'compare'
  /** As returned by `semantics`. */
  readonly before: Uint8Array
  readonly after: Uint8Array
  /** Maximum number of entries of each list. */
  readonly limit: number
}

export const compare: TaskDefinition<CompareTask> = {
  run: (_context, { before, after, limit }) => plain(compareContents(parse(before), parse(after), limit)),
}

function parse(semantics: Uint8Array): ContentSemantics {
  return JSON.parse(new TextDecoder().decode(semantics)) as ContentSemantics
}
