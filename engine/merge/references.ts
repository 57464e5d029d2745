/** What rules and decoders refer to. Wazuh looks for it when it loads the item, so that it has to be loaded before (BEHAVIOUR.md#load-order). */
import type { Item } from './split-text.js'

const ID_OPTIONS: ReadonlySet<string> = new Set(['if_sid', 'if_matched_sid'])
const GROUP_OPTIONS: ReadonlySet<string> = new Set(['if_group', 'if_matched_group'])

/** Returns keys of what an item refers to: ids and groups of rules, the name of a decoder. */
export function referencesOf({ kind, element }: Item): string[] {
  return element.children.flatMap(({ name, content }) => {
    const option = name.toLowerCase()
    if (kind === 'decoder') return option === 'parent' ? [`decoder ${content.trim()}`] : []
    if (ID_OPTIONS.has(option)) return namesIn(content).map((id) => `rule ${id.replace(/^0+(?=[0-9])/, '')}`)
    return GROUP_OPTIONS.has(option) ? namesIn(content).map((group) => `group ${group}`) : []
  })
}

/** Returns the keys by which others refer to an item. */
export function namesOf({ key, kind, element, group }: Item): string[] {
  if (kind !== 'rule') return [key]
  const own = element.children.filter(({ name }) => name.toLowerCase() === 'group').map(({ content }) => content)
  return [key, ...namesIn([group?.name ?? '', ...own].join()).map((name) => `group ${name}`)]
}

function namesIn(text: string): string[] {
  return text.split(/[\s,|]+/).filter((name) => name !== '')
}
