/** Reads the catalog of templates once, at the start. The tests check each file against its schema; a service that starts does not check it again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validatorFor } from '#requests'
import { splitXml } from './split-xml.js'
import { CATEGORIES, type Category, type Template, TemplateFile } from './template.js'

/** Content is not built: it lies beside the sources. */
export const CATALOG_DIR = fileURLToPath(new URL('../../../../server/content/templates/catalog/', import.meta.url))

const ATTACK_ID = /<id>(T\d{4}(?:\.\d{3})?)<\/id>/g

/** By category, then by id. */
export const TEMPLATES: readonly Template[] = CATEGORIES.flatMap((category) =>
  readdirSync(join(CATALOG_DIR, category))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => readTemplate(category, name.slice(0, -'.json'.length))),
)

function readTemplate(category: Category, id: string): Template {
  const path = join(CATALOG_DIR, category, id)
  return buildTemplate(category, id, readFileSync(`${path}.xml`, 'utf8'), JSON.parse(readFileSync(`${path}.json`, 'utf8')) as TemplateFile)
}

/** @throws TypeError when `file` does not fit the schema, RangeError when `xml` is no XML of a template */
export function parseTemplate(category: Category, id: string, xml: string, file: unknown): Template {
  const [issue] = validatorFor(TemplateFile).check(file, true)
  if (issue !== undefined) throw new TypeError(`template ${id}: ${issue.path} ${issue.message}`)
  return buildTemplate(category, id, xml, file as TemplateFile)
}

function buildTemplate(category: Category, id: string, xml: string, file: TemplateFile): Template {
  const { decoders, rules } = splitXml(xml)
  return {
    ...file,
    id,
    category,
    kind: decoders === null ? 'rule' : rules === null ? 'decoder' : 'mixed',
    attackIds: [...new Set([...xml.matchAll(ATTACK_ID)].map(([, attackId]) => attackId))].sort(),
    xml,
    decoders,
    rules,
  }
}
