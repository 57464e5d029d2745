/** Rules and decoders of a ruleset, all of them or a page. */
import { decoderCatalog, type FileScope, pageOfDecoders, pageOfRules, ruleCatalog } from '#engine'
import type { CatalogAnswer, CatalogPageAnswer, CatalogPageTask, CatalogTask } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

export function catalog(context: TaskContext, task: CatalogTask): TaskResult {
  const { ruleset } = entryOf(context)
  const scopes = scopesOf(task)
  const answer: CatalogAnswer = { compiled_hash: ruleset.hash, rules: ruleCatalog(ruleset, scopes), decoders: decoderCatalog(ruleset, scopes) }
  return plain(answer)
}

/** Only what is asked for leaves the thread: the whole list is some megabytes, which the main thread would have to read. */
export function catalogPage(context: TaskContext, { locale, request }: CatalogPageTask): TaskResult {
  const { ruleset, unreadable } = entryOf(context)
  const scopes = scopesOf(request)
  const page = request.of === 'rules' ? pageOfRules(ruleCatalog(ruleset, scopes), request.selection) : pageOfDecoders(decoderCatalog(ruleset, scopes), request.selection)
  return plain({ unreadable: unreadable(locale), page } satisfies CatalogPageAnswer)
}

function scopesOf({ scopes }: Pick<CatalogTask, 'scopes'>): ReadonlySet<FileScope> | null {
  return scopes === null ? null : new Set(scopes)
}
