/** A record for each template of the catalog and language. */
import { LOCALES } from '../../../../core/i18n/locale.js'
import type { AiContextType } from '../knowledge.js'
import { lines, listed, recordsOf, wordsOf } from '../record.js'
import type { DeclaredTemplate, Source } from './source.js'

const CONTEXT_TYPES: Readonly<Record<DeclaredTemplate['kind'], readonly AiContextType[]>> = {
  rule: ['rule'],
  decoder: ['decoder'],
  mixed: ['rule', 'decoder'],
}

export const templates: Source = function* ({ templates: declared }) {
  for (const { id, kind, tags, attackIds, xml, texts } of declared) {
    for (const locale of LOCALES) {
      const { title, description, tips } = texts[locale]
      const words = wordsOf(locale)
      yield* recordsOf(
        { uid: `template:${id}:${locale}`, kind: 'template', title: `${title} (${words.template} ${id})`, locale, contextTypes: CONTEXT_TYPES[kind] },
        lines(description, listed(words.tips, tips, ' '), listed(words.tags, [...tags, ...attackIds], ', '), xml),
      )
    }
  }
}
