/** A source makes records from one kind of declarations. It yields them one by one, so that the build can pause between two; one that reads files waits for them. */
import type { Route } from '../../../../core/http/route.js'
import type { Locale } from '../../../../core/i18n/locale.js'
import type { KnowledgeRecord } from '../knowledge.js'

export type Source = (declarations: Declarations) => Iterable<KnowledgeRecord> | AsyncIterable<KnowledgeRecord>

/** What higher parts of the service declare. They pass it in, because a source must not import them. */
export interface Declarations {
  readonly routes: readonly Route[]
  /** The texts of the interface document's tags. */
  readonly tags: Readonly<Record<string, string>>
  readonly templates: readonly DeclaredTemplate[]
}

/** A template, as the catalog has it. */
export interface DeclaredTemplate {
  readonly id: string
  readonly kind: 'rule' | 'decoder' | 'mixed'
  readonly tags: readonly string[]
  readonly attackIds: readonly string[]
  readonly xml: string
  readonly texts: Readonly<Record<Locale, { readonly title: string; readonly description: string; readonly tips: readonly string[] }>>
}
