/** Checks CDB lists: names that rules cannot find, lines that are ignored, and keys that nothing can equal (BEHAVIOUR.md#cdb-lists). */
import { listLines, parseListLine } from '../lists/list.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { nameInRule, registeredName } from '../source/list-name.js'
import type { FileScope } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'
import { trimBytes } from '../source/white-space.js'
import type { CheckContext } from './context.js'

/** The folder of lists in every default installation. */
const LISTS_FOLDER = 'etc/lists/'
/** Parts of a path that are not names. */
const EMPTY_PARTS: ReadonlySet<string> = new Set(['', '.', '..'])

const CIDR = /^[0-9a-fA-F.:]+\/[0-9]{1,3}$/

export function checkLists(context: CheckContext): void {
  const lists = context.files.filter(({ kind }) => kind === 'lists')
  if (lists.length === 0) return
  const used = new Set(context.order.flatMap(({ definition }) => definition.lists.map(({ path }) => path)))
  for (const { definition } of context.order) {
    if (definition.isSure('list')) continue
    for (const { content } of definition.element.children) used.add(nameInRule(content))
  }
  const others = namesakes(context)
  for (const list of lists) {
    const whole = { file: list, span: null }
    const name = toByteString(registeredName(list.filename))
    checkName(context, list)
    const { before, after } = others(list)
    if (after) context.collector.add('list_duplicate_name', whole, { list: list.filename })
    else if (before !== null) context.collector.add('list_replaces', whole, { list: list.filename, scope: before })
    if (context.complete && !used.has(name)) context.collector.add('list_unused', whole, { list: list.filename })
    checkLines(context, list)
  }
}

/** For a list: the scope of the list that it replaces (null = none), and whether another list of the same scope replaces it. */
function namesakes({ ruleset, scope }: CheckContext): (list: SourceText) => { readonly before: FileScope | null; readonly after: boolean } {
  const byName = new Map<string, SourceText[]>()
  for (const file of ruleset.files) {
    if (file.kind !== 'lists') continue
    const name = registeredName(file.filename)
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [file])
    else known.push(file)
  }
  return (list) => {
    const all = byName.get(registeredName(list.filename)) ?? []
    const at = all.indexOf(list)
    const before = all.slice(0, at).findLast((file) => file.scope !== scope)
    return { before: before?.scope ?? null, after: all.slice(at + 1).some((file) => file.scope === scope) }
  }
}

/** Reports a name that does not match how rules refer to lists. */
function checkName({ collector }: CheckContext, list: SourceText): void {
  const { filename } = list
  const whole = { file: list, span: null }
  const name = registeredName(filename)
  const parts = name.split(/[/\\]/)
  const named = parts.filter((part) => !EMPTY_PARTS.has(part))
  const suggestion = named.length === 0 ? null : `${named.length === 1 ? LISTS_FOLDER : ''}${named.join('/')}`
  if (parts.length === 1) return void collector.add('list_name_folder', whole, { list: name }, { suggestion })
  const reason =
    name !== filename
      ? '".cdb" is no part of it'
      : name.startsWith('/')
        ? 'it begins with a slash'
        : name.includes('\\')
          ? 'it has a backslash'
          : parts.some((part) => EMPTY_PARTS.has(part))
            ? 'a part of it is empty, "." or ".."'
            : null
  if (reason !== null) collector.add('list_name_style', whole, { list: filename, reason }, { suggestion })
}

type LineCode = 'list_line_invalid' | 'list_key_duplicate' | 'list_key_whitespace' | 'list_cidr_key'

function checkLines({ collector }: CheckContext, source: SourceText): void {
  const { bytes, filename } = source
  const firstOf = new Map<string, number>()
  const report = (code: LineCode, start: number, end: number, key: string, first: number | null = null): void => {
    // A list in another format can cause one on each of a million lines.
    if (collector.count(code, source)) return
    const related = first === null ? [] : [{ filename, span: source.span(first, first + key.length) }]
    const evidence = fromByteString(bytes.slice(start, end))
    // A line number in the message would change the message whenever the line moves.
    collector.add(code, { file: source, span: source.span(start, end), evidence }, { list: filename, value: evidence, key: fromByteString(key) } as never, { related })
  }
  let isEmpty = true
  for (const { start, end } of listLines(bytes)) {
    const line = bytes.slice(start, end)
    const entry = parseListLine(line)
    if (entry === null) {
      if (trimBytes(line) !== '') report('list_line_invalid', start, end, '')
    } else {
      const { key } = entry
      isEmpty = false
      const first = firstOf.get(key)
      if (first !== undefined) report('list_key_duplicate', start, end, key, first)
      else firstOf.set(key, start)
      if (key !== trimBytes(key)) report('list_key_whitespace', start, end, key)
      else if (CIDR.test(key)) report('list_cidr_key', start, end, key)
    }
  }
  if (isEmpty) collector.add('list_empty', { file: source, span: null }, { list: filename })
}
