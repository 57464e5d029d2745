/** Looks up templates. The catalog never changes while the service runs. */
import type { Locale } from '../../core/i18n/locale.js'
import { TEMPLATES } from './catalog.js'
import { CATEGORIES, type Category, type Template } from './template.js'
import type { TemplateListQuery } from './schema.js'

const BY_ID: ReadonlyMap<string, Template> = new Map(TEMPLATES.map((template) => [template.id, template]))

export function findTemplate(id: string): Template | null {
  return BY_ID.get(id) ?? null
}

/** Content of a project that is created from a template; null: there is no such template. */
export function templateContent(id: string): { readonly decoders_xml: string; readonly rules_xml: string } | null {
  const template = BY_ID.get(id)
  if (template === undefined) return null
  return { decoders_xml: template.decoders ?? '', rules_xml: template.rules ?? '' }
}

/** Templates that match every filter, in the order of the catalog. `q` is searched in the texts of the locale. */
export function listTemplates({ category, kind, platform, attack_id: attackId, q }: TemplateListQuery, locale: Locale): readonly Template[] {
  const words = q === undefined ? [] : fold(q).split(/\s+/)
  return TEMPLATES.filter(
    (template) =>
      (category === undefined || template.category === category) &&
      (kind === undefined || template.kind === kind) &&
      (platform === undefined || template.platform.includes(platform)) &&
      (attackId === undefined || template.attackIds.some((id) => id === attackId || id.startsWith(`${attackId}.`))) &&
      (words.length === 0 || holdsAll(template, locale, words)),
  )
}

/** How many there are of each category that has one. */
export function countCategories(templates: readonly Template[]): { id: Category; count: number }[] {
  return CATEGORIES.map((id) => ({ id, count: templates.filter(({ category }) => category === id).length })).filter(({ count }) => count > 0)
}

function holdsAll({ id, texts, tags, attackIds }: Template, locale: Locale, words: readonly string[]): boolean {
  const { title, description } = texts[locale]
  const text = fold([id, title, description, ...tags, ...attackIds].join(' '))
  return words.every((word) => text.includes(word))
}

/** Without case and accents. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
