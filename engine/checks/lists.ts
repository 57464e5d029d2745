/** CDB lists: lines that are lost, and keys that nothing can equal (engine-rules.md 5). */
import { parseListLine } from '../lists/list.js'
import { fromByteString } from '../source/byte-string.js'
import type { SourceText } from '../source/source-text.js'
import type { CheckContext } from './context.js'

/** Of one kind in one list: a list in another format has a finding on each of a million lines, and the first ones say it all. */
const LINES_LIMIT = 100

const CIDR = /^[0-9a-fA-F.:]+\/[0-9]{1,3}$/

export function checkLists(context: CheckContext): void {
  const lists = context.files.filter(({ kind }) => kind === 'lists')
  if (lists.length === 0) return
  const used = new Set(context.order.flatMap(({ definition }) => definition.lists.map(({ path }) => path)))
  for (const { definition } of context.order) {
    if (definition.isSure('list')) continue
    for (const { content } of definition.element.children) used.add(content.replace(/\.cdb$/, ''))
  }
  for (const list of lists) {
    if (context.complete && !used.has(list.filename)) context.collector.add('list_unused', { file: list, span: null }, { list: list.filename })
    checkLines(context, list)
  }
}

type LineCode = 'list_line_invalid' | 'list_key_duplicate' | 'list_key_whitespace' | 'list_cidr_key'

function checkLines({ collector }: CheckContext, source: SourceText): void {
  const { bytes, filename } = source
  const counts = new Map<LineCode, number>()
  const firstOf = new Map<string, number>()
  const report = (code: LineCode, start: number, end: number, key: string, first: number | null = null): void => {
    const count = (counts.get(code) ?? 0) + 1
    counts.set(code, count)
    if (count > LINES_LIMIT) return
    const span = source.span(start, end)
    const related = first === null ? [] : [{ filename, span: source.span(first, first + key.length) }]
    collector.add(code, { file: source, span, evidence: fromByteString(bytes.slice(start, end)) }, { list: filename, line: span.line, key: fromByteString(key) } as never, {
      related,
    })
  }
  for (let start = 0; start < bytes.length; ) {
    let end = start
    while (end < bytes.length && bytes[end] !== '\n' && bytes[end] !== '\r') end++
    const line = bytes.slice(start, end)
    const entry = line === '' ? null : parseListLine(line)
    if (entry === null) {
      if (line.trim() !== '') report('list_line_invalid', start, end, '')
    } else {
      const { key } = entry
      const first = firstOf.get(key)
      if (first !== undefined) report('list_key_duplicate', start, end, key, first)
      else firstOf.set(key, start)
      if (key !== key.trim()) report('list_key_whitespace', start, end, key)
      else if (CIDR.test(key)) report('list_cidr_key', start, end, key)
    }
    start = end + 1
  }
}
