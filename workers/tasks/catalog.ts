/** Rules and decoders of a ruleset. */
import { decoderCatalog, ruleCatalog } from '#engine'
import type { CatalogAnswer, CatalogTask } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

export function catalog(context: TaskContext, _task: CatalogTask): TaskResult {
  const { ruleset } = entryOf(context)
  const answer: CatalogAnswer = { compiled_hash: ruleset.hash, rules: ruleCatalog(ruleset), decoders: decoderCatalog(ruleset) }
  return plain(answer)
}
