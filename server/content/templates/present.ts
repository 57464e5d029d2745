/** Templates as the interface shows them. */
import type { Locale } from '../../core/i18n/locale.js'
import type { Template } from './template.js'
import type { TemplateRecord } from './schema.js'

export function presentTemplate({ id, category, kind, platform, attackIds, tags, texts, xml }: Template, locale: Locale): TemplateRecord {
  const { title, description, tips } = texts[locale]
  return { id, title, description, category, kind, platform: [...platform], attack_ids: [...attackIds], tags: [...tags], xml, tips: [...tips] }
}
