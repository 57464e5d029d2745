/** Returns a page of the rules or decoders of a ruleset. Only the page is sent to the main thread, because the whole list is several megabytes. */
import { decoderCatalog, type DecoderSelection, type FileScope, pageOfDecoders, pageOfRules, ruleCatalog, type RuleSelection } from '#engine'
import type { CatalogPageAnswer } from '../../shared/answers.js'
import type { TaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

/** A page of a catalog. `scopes`: only items of files with these scopes; null: all. */
export type CatalogRequest = { readonly scopes: readonly FileScope[] | null } & (
  | { readonly of: 'rules'; readonly selection: RuleSelection }
  | { readonly of: 'decoders'; readonly selection: DecoderSelection }
)

export interface CatalogTask extends TaskHead {
  readonly kind: 'catalog'
  readonly request: CatalogRequest
}

export const catalog: TaskDefinition<CatalogTask> = {
  run(context, { locale, request }) {
    const { ruleset, unreadable } = entryOf(context)
    const scopes = request.scopes === null ? null : new Set(request.scopes)
    const page = request.of === 'rules' ? pageOfRules(ruleCatalog(ruleset, scopes), request.selection) : pageOfDecoders(decoderCatalog(ruleset, scopes), request.selection)
    return plain({ unreadable: unreadable(locale), page } satisfies CatalogPageAnswer)
  },
}
