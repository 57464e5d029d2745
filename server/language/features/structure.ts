/** The structure of a document: symbols, folding and tokens. */
import { type DocumentSymbol, type FoldingRange, FoldingRangeKind, type Range, SymbolKind, type WorkspaceSymbol } from 'vscode-languageserver-types'
import type { ContentDocument } from '../content/document.js'
import type { Snapshot } from '../content/workspace.js'
import { allElements, attributeOf, childrenOf, type Element, isItem, textOf } from '../text/scan.js'
import { locationOf } from './navigation.js'

/** Symbols of one answer. */
const SYMBOLS_LIMIT = 500

export function documentSymbols(document: ContentDocument): DocumentSymbol[] {
  return document.scanned.roots.flatMap((element) => symbolOf(document, element) ?? [])
}

function symbolOf(document: ContentDocument, element: Element): DocumentSymbol | null {
  const { positions } = document
  const tag = element.name.toLowerCase()
  const named = attributeOf(element, tag === 'rule' ? 'id' : 'name')
  const range = positions.range(element.start, element.end)
  const selectionRange = named === undefined ? positions.range(element.start, Math.min(element.nameEnd, element.end)) : positions.range(named.valueStart, named.valueEnd)
  // Clients refuse a symbol without a name.
  const name = named === undefined || named.value.trim() === '' ? `<${element.name}>` : named.value
  const symbol = (kind: SymbolKind, detail: string, children: DocumentSymbol[] = []): DocumentSymbol => ({ name, detail, kind, range, selectionRange, children })
  if (tag === 'group')
    return symbol(
      SymbolKind.Namespace,
      '',
      element.children.flatMap((child) => symbolOf(document, child) ?? []),
    )
  if (tag === 'rule') return symbol(SymbolKind.Function, descriptionOf(document, element))
  if (tag === 'decoder')
    return symbol(
      SymbolKind.Class,
      childrenOf(element, 'parent')
        .map((parent) => textOf(document.scanned, parent).trim())
        .join(', '),
    )
  return tag === 'var' ? symbol(SymbolKind.Variable, textOf(document.scanned, element).trim()) : null
}

function descriptionOf(document: ContentDocument, rule: Element): string {
  const level = attributeOf(rule, 'level')?.value ?? ''
  const description = childrenOf(rule, 'description')
    .map((child) => textOf(document.scanned, child))
    .join('')
    .trim()
  return level === '' ? description : `${level} · ${description}`
}

/** Rules and decoders whose id, name or description contains every word of the query; own ones first. */
export function workspaceSymbols(snapshot: Snapshot, query: string): WorkspaceSymbol[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const matches = (text: string): boolean => {
    const lower = text.toLowerCase()
    return words.every((word) => lower.includes(word))
  }
  const found: WorkspaceSymbol[] = []
  for (const { document, item } of snapshot.names.allRules()) {
    if (found.length >= SYMBOLS_LIMIT) return found
    const name = `${item.id} ${item.description}`
    if (matches(name)) found.push({ name, kind: SymbolKind.Function, containerName: document.file.filename, location: locationOf(document, item.idStart, item.idEnd) })
  }
  for (const { document, item } of snapshot.names.allDecoders()) {
    if (found.length >= SYMBOLS_LIMIT) return found
    if (matches(item.name))
      found.push({ name: item.name, kind: SymbolKind.Class, containerName: document.file.filename, location: locationOf(document, item.nameStart, item.nameEnd) })
  }
  return found
}

export function foldingRanges({ scanned, positions }: ContentDocument): FoldingRange[] {
  const ranges: FoldingRange[] = []
  const add = (start: number, end: number, kind?: FoldingRangeKind): void => {
    const startLine = positions.positionAt(start).line
    const endLine = positions.positionAt(end).line
    if (endLine > startLine) ranges.push({ startLine, endLine, ...(kind === undefined ? {} : { kind }) })
  }
  for (const element of allElements(scanned.roots)) add(element.start, element.closing?.start ?? element.end)
  for (const { start, end } of scanned.comments) add(start, end, FoldingRangeKind.Comment)
  return ranges.sort((a, b) => a.startLine - b.startLine)
}

/** The range of the rule or decoder around an offset, then that of its element, for growing selections. */
export function selectionRanges({ scanned, positions }: ContentDocument, offset: number): Range[] {
  const ranges: Range[] = []
  let siblings: readonly Element[] = scanned.roots
  for (;;) {
    const inner = siblings.find(({ start, end }) => start <= offset && offset <= end)
    if (inner === undefined) return ranges
    ranges.push(positions.range(inner.start, inner.end))
    if (inner.children.length === 0 && inner.contentStart <= offset && offset <= inner.contentEnd) ranges.push(positions.range(inner.contentStart, inner.contentEnd))
    siblings = inner.children
  }
}

/** Types of tokens, in the order of the legend. */
export const TOKEN_TYPES = ['type', 'property', 'string', 'number', 'regexp', 'class', 'variable', 'comment', 'namespace'] as const
type TokenType = (typeof TOKEN_TYPES)[number]

/** Tags with a pattern. */
const PATTERN_TAGS: ReadonlySet<string> = new Set([
  'match',
  'regex',
  'prematch',
  'program_name',
  'field',
  'hostname',
  'location',
  'user',
  'srcuser',
  'dstuser',
  'url',
  'status',
  'action',
  'protocol',
  'data',
  'extra_data',
  'system_name',
  'srcport',
  'dstport',
  'id',
  'if_matched_regex',
])
const NAME_TOKENS = { rule: 'number', decoder: 'class', group: 'namespace', list: 'string', field: 'variable' } as const satisfies Record<string, TokenType>

interface Token {
  readonly start: number
  readonly end: number
  readonly type: TokenType
}

/** The tokens of a range, as the protocol encodes them: five numbers each, relative to the token before. @param from offset of the range */
export function semanticTokens(document: ContentDocument, from = 0, to = Number.POSITIVE_INFINITY): number[] {
  const { positions, text } = document
  const data: number[] = []
  let line = 0
  let character = 0
  let last = 0
  for (const { start, end, type } of tokensOf(document).sort((a, b) => a.start - b.start)) {
    // What an earlier token covers has its type already.
    if (start < last || end <= from || start >= to) continue
    last = end
    // Clients expect tokens of one line.
    for (let at = start; at < end; ) {
      const lineEnd = endOfLine(text, at, end)
      if (lineEnd > at) {
        const place = positions.positionAt(at)
        data.push(place.line - line, place.line === line ? place.character - character : place.character, lineEnd - at, TOKEN_TYPES.indexOf(type), 0)
        line = place.line
        character = place.character
      }
      at = lineEnd + 1
    }
  }
  return data
}

function endOfLine(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) if (text[at] === '\n' || text[at] === '\r') return at
  return to
}

function tokensOf({ scanned, names }: ContentDocument): Token[] {
  const tokens: Token[] = []
  const add = (type: TokenType, start: number, end: number): void => {
    if (end > start) tokens.push({ type, start, end })
  }
  const named = new Set<number>()
  for (const { kind, start, end } of names.places) {
    named.add(start)
    add(NAME_TOKENS[kind], start, end)
  }
  for (const { start, end } of scanned.comments) add('comment', start, end)
  for (const element of allElements(scanned.roots)) {
    add('type', element.start + 1, element.start + 1 + element.name.length)
    if (element.closing !== null) add('type', element.closing.nameStart, element.closing.nameEnd)
    for (const { nameStart, nameEnd, valueStart, valueEnd } of element.attributes) {
      add('property', nameStart, nameEnd)
      if (!named.has(valueStart)) add('string', valueStart, valueEnd)
    }
    const isPattern = isItem(element.parent) && PATTERN_TAGS.has(element.name.toLowerCase())
    if (isPattern && element.children.length === 0 && !named.has(element.contentStart)) add('regexp', element.contentStart, element.contentEnd)
  }
  return tokens
}
