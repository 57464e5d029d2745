/** What a path of a folder can be, as `validate` and `test` see it. */
import { join } from 'node:path'
import type { FileKind } from '#engine'
import { isInRuleset } from '#workers'
import { kindOfContent, kindOfFolder, nameInRuleset } from '../../language/content/file-kind.js'
import type { FolderFile } from '../../playground/folder-api.js'
import { isCaseName } from '../input/case-files.js'
import { isContentName, isSkipped } from '../input/content-files.js'

/** Folders that make the folder above them a ruleset: other files in that are no content. */
export const RULESET_FOLDERS: ReadonlySet<string> = new Set(['decoders', 'rules', 'lists'])
/** Lines of events, which the page's own export has beside its folders. */
const EVENTS = 'events.log'
/** A JSON file of cases, also while somebody is editing it. */
const CASES = /"cases"\s*:\s*\[/

export interface Layout {
  readonly root: string
  /** Whether the folder has the structure of a ruleset. */
  readonly isRuleset: boolean
}

/** `content`: rules, decoders or a list, by its folder or by its content. */
export type Place = { readonly as: 'content'; readonly kind: FileKind | null } | { readonly as: 'cases' } | { readonly as: 'events' }

/** Null: nothing is read at this path. */
export function placeOf(steps: readonly string[], { root, isRuleset }: Layout): Place | null {
  const name = steps.at(-1) ?? ''
  if (steps.some(isSkipped)) return null
  if (steps.length === 1 && name === EVENTS) return { as: 'events' }
  if (isRuleset) {
    if (isInRuleset(steps)) return { as: 'content', kind: kindOfFolder(steps[0]) }
  } else {
    let kind = kindOfFolder(root)
    for (const step of steps.slice(0, -1)) kind = kind === 'lists' ? kind : kindOfFolder(step)
    if (isContentName(name, kind)) return { as: 'content', kind }
  }
  return isCaseName(name) ? { as: 'cases' } : null
}

/** The kind of a file, and its name in a ruleset. Null: it is neither content nor cases. */
export function identify(steps: readonly string[], place: Place, content: string, { root, isRuleset }: Layout): Pick<FolderFile, 'kind' | 'filename'> | null {
  const name = steps.at(-1) ?? ''
  if (place.as === 'events') return { kind: 'events', filename: EVENTS }
  if (place.as === 'cases') return !/\.json$/i.test(name) || CASES.test(content) ? { kind: 'cases', filename: steps.join('/') } : null
  const path = join(root, ...steps)
  const kind = place.kind ?? kindOfContent(path, content)
  if (kind === null) return null
  return { kind, filename: kind === 'lists' && isRuleset ? `etc/lists/${steps.slice(1).join('/')}` : nameInRuleset(path, kind) }
}
