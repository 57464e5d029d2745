/** Decides what a file in a folder of content is, and its name in the ruleset. Paths may have either separator. */
import type { FileKind } from '#engine'

/** Folders with these names contain only files of one kind. @param folder a path */
export function kindOfFolder(folder: string): FileKind | null {
  const name = stepsOf(folder).at(-1)
  return name === 'rules' || name === 'decoders' || name === 'lists' ? name : null
}

/**
 * Detected by the first tag that only rules or only decoders have, then by the file name. A file without tags and with another name is a list if it looks like
 * one or is inside a folder `lists`. Null: it is none of these.
 */
export function kindOfContent(path: string, content: string): FileKind | null {
  for (const tag of tagsOf(content)) {
    if (tag === 'decoder') return 'decoders'
    if (tag === 'group' || tag === 'rule') return 'rules'
  }
  if (path.toLowerCase().endsWith('.xml')) return /decoder/i.test(baseNameOf(path)) ? 'decoders' : 'rules'
  return isList(content) || isInLists(path) ? 'lists' : null
}

/** Whether an XML file is content: its first tag is one of rules or decoders. */
export function looksLikeContent(content: string): boolean {
  const { value } = tagsOf(content).next()
  return value !== undefined && FIRST_TAGS.has(value)
}

const FIRST_TAGS: ReadonlySet<string> = new Set(['decoder', 'group', 'rule', 'var'])

/** Names of the opening tags in lower case, without those in comments. A declaration such as `<?xml?>` is none. */
function* tagsOf(content: string): Generator<string, undefined> {
  const name = /([a-z_][\w-]*)[\s>]/iy
  for (let at = content.indexOf('<'); at >= 0; at = content.indexOf('<', at)) {
    if (content.startsWith('<!--', at)) {
      const end = content.indexOf('-->', at + 4)
      if (end >= 0) {
        at = end + 3
        continue
      }
      // Nothing ends a later comment either.
      return
    }
    at++
    name.lastIndex = at
    const found = name.exec(content)
    if (found !== null) yield found[1].toLowerCase()
  }
}

/** `key:`, `key:value` or `"key":value`. A key with blanks is recognized only in quotes. */
const LIST_LINE = /^(?:"[^"]+"|[^\s":]+)\s*:/

function isList(content: string): boolean {
  const lines = content.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  return lines.length > 0 && lines.every((line) => LIST_LINE.test(line))
}

/** The name of a file in its ruleset. Rules refer to a list by `etc/lists/` and its path inside the folder `lists`, or its name alone. */
export function nameInRuleset(path: string, kind: FileKind): string {
  return kind === 'lists' ? `etc/lists/${(stepsBelowLists(path) ?? [baseNameOf(path)]).join('/')}` : baseNameOf(path)
}

/** Whether a file is inside a folder `lists`. */
export function isInLists(path: string): boolean {
  return stepsBelowLists(path) !== null
}

export function baseNameOf(path: string): string {
  return stepsOf(path).at(-1) ?? path
}

function stepsOf(path: string): string[] {
  return path.split(/[\\/]/)
}

/** The path segments of a file inside the innermost folder `lists`; null: it is not in one. */
function stepsBelowLists(path: string): string[] | null {
  const steps = stepsOf(path)
  const folder = steps.lastIndexOf('lists', steps.length - 2)
  return folder < 0 ? null : steps.slice(folder + 1)
}
