/** Reads ruleset folders: `decoders/`, `rules/` and `lists/`, as a Wazuh `ruleset/` folder holds them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileScope, SourceFile } from '#engine'

/** A list in `lists/X` is the list that rules call `etc/lists/X`. */
const LIST_PREFIX = 'etc/lists/'
/** Folders deeper than this below `lists/` are not looked into. */
const LIST_DEPTH = 4

/** All files of a ruleset folder. A folder that lacks one of the three is fine; one that lacks all of them is an error. */
export function readRulesetFolder(folder: string, scope: FileScope): SourceFile[] {
  const files: SourceFile[] = []
  let found = false
  for (const kind of ['decoders', 'rules'] as const) {
    const names = listFolder(join(folder, kind))
    if (names === null) continue
    found = true
    for (const { name, isFile } of names) {
      if (isFile && name.endsWith('.xml')) files.push({ filename: name, kind, scope, content: readFileSync(join(folder, kind, name), 'utf8') })
    }
  }
  const lists = readLists(join(folder, 'lists'), '', scope, 0)
  if (!found && lists.length === 0) throw new Error(`${folder}: no decoders/, rules/ or lists/ in it`)
  return [...files, ...lists]
}

function readLists(folder: string, path: string, scope: FileScope, depth: number): SourceFile[] {
  if (depth > LIST_DEPTH) return []
  return (listFolder(folder) ?? []).flatMap(({ name, isFile }): SourceFile[] => {
    if (!isFile) return readLists(join(folder, name), `${path}${name}/`, scope, depth + 1)
    if (name.endsWith('.cdb') || name.startsWith('.')) return []
    return [{ filename: `${LIST_PREFIX}${path}${name}`, kind: 'lists', scope, content: readFileSync(join(folder, name), 'utf8') }]
  })
}

function listFolder(folder: string): { name: string; isFile: boolean }[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFile: !entry.isDirectory() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return null
  }
}
