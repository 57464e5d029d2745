/** Completion: tags, attributes and values from the engine's tables, and names from the content. */
import { attackTechniques, decoderOptionExample, describeSchema, type Locale, LOCALES, ruleOptionExample, type SchemaElement } from '#engine'
import { type CompletionItem, CompletionItemKind, type CompletionList, InsertTextFormat, MarkupKind, type Range } from 'vscode-languageserver-types'
import type { ContentDocument } from '../content/document.js'
import type { NameIndex } from '../content/name-index.js'
import type { Snapshot } from '../content/workspace.js'
import { contextAt, type CursorContext, wordAround } from '../text/context.js'
import { attributeOf, type Element, isItem } from '../text/scan.js'
import { WORDS } from '../words.js'

/** Items of one answer. The client asks again when more is typed. */
const ITEMS_LIMIT = 200

export interface CompletionOptions {
  readonly locale: Locale
  /** Whether the client understands places to fill in. */
  readonly snippets: boolean
}

/** A value with what it means. */
interface Candidate {
  readonly label: string
  readonly detail?: string
  readonly kind: CompletionItemKind
}

/** Elements by the tag around them, and their name in lower case, for each language. */
const SCHEMAS = Object.fromEntries(
  LOCALES.map((locale) => {
    const { rules, decoders } = describeSchema(locale)
    return [locale, { rules: byContext(rules.elements), decoders: byContext(decoders.elements) }]
  }),
) as Readonly<Record<Locale, Readonly<Record<'rules' | 'decoders', ReadonlyMap<string, readonly SchemaElement[]>>>>>

function byContext(elements: readonly SchemaElement[]): ReadonlyMap<string, readonly SchemaElement[]> {
  const found = new Map<string, SchemaElement[]>()
  for (const element of elements) found.set(element.context, [...(found.get(element.context) ?? []), element])
  return found
}

/** The table of a tag inside another one. @param parent null: at the top of the file */
export function schemaOf(kind: ContentDocument['kind'], parent: Element | null, name: string, locale: Locale): SchemaElement | undefined {
  const lower = name.toLowerCase()
  return schemaElements(kind, parent, locale).find((element) => element.name.toLowerCase() === lower)
}

function schemaElements(kind: ContentDocument['kind'], parent: Element | null, locale: Locale): readonly SchemaElement[] {
  if (kind === 'lists') return []
  const context = parent === null ? 'file' : parent.parent === null && parent.name.toLowerCase() === 'group' ? 'group' : parent.name.toLowerCase()
  return SCHEMAS[locale][kind].get(context) ?? []
}

export function complete(snapshot: Snapshot, document: ContentDocument, offset: number, options: CompletionOptions): CompletionList {
  const context = document.kind === 'lists' ? null : contextAt(document.scanned, offset)
  if (context === null) return { isIncomplete: false, items: [] }
  const request = { snapshot, document, offset, ...options }
  switch (context.kind) {
    case 'tag':
      return completeTags(request, context.parent, context.start, Math.max(offset, context.start))
    case 'closing':
      return completeClosing(request, context)
    case 'attribute':
      return completeAttributes(request, context)
    case 'value':
      return completeWords(request, context.start, context.end, valueSeparator(context.element, context.attribute.name), valuesOf(request, context.element, context.attribute.name))
    case 'text':
      return completeText(request, context)
  }
}

interface Request extends CompletionOptions {
  readonly snapshot: Snapshot
  readonly document: ContentDocument
  readonly offset: number
}

function completeTags(request: Request, parent: Element | null, start: number, end: number, prefix = ''): CompletionList {
  const { document, locale, snippets } = request
  const range = document.positions.range(start, end)
  const isAfter = document.text[end] === '>'
  const items = schemaElements(document.kind, parent, locale).map((element, index): CompletionItem => {
    const written = isAfter ? element.name : tagText(request, element, snippets)
    return {
      label: element.name,
      kind: CompletionItemKind.Property,
      // Options are in the order of the table.
      sortText: `${element.runtime_supported ? 0 : 1}${String(index).padStart(3, '0')}`,
      filterText: prefix + element.name,
      documentation: { kind: MarkupKind.Markdown, value: describeElement(element, locale) },
      textEdit: { range, newText: prefix + written },
      insertTextFormat: snippets && !isAfter ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    }
  })
  return { isIncomplete: false, items }
}

/** The tag with places to fill in. */
function tagText({ snapshot, document }: Request, element: SchemaElement, snippets: boolean): string {
  const { name, context, attributes } = element
  if (!snippets) return name
  if (context === 'file' && (name === 'group' || name === 'decoder')) return `${name} name="${place(1, name === 'group' ? 'local,' : 'name')}">\n  ${place(0)}\n</${name}>`
  if (name === 'rule') {
    const id = String(snapshot.names.freeRuleId(document) ?? '')
    return `rule id="${place(1, id)}" level="${place(2, '5')}">\n  ${place(0)}\n  <description>${place(3)}</description>\n</rule>`
  }
  if (name === 'mitre') return `mitre>\n  <id>${place(1, 'T')}</id>\n</mitre>${place(0)}`
  const required = attributes.filter((attribute) => attribute.required)
  const written = required.map((attribute, index) => ` ${attribute.name}="${place(index + 1)}"`)
  return isEmptyTag(name) ? `${name} />${place(0)}` : `${name}${written.join('')}>${place(required.length + 1)}</${name}>${place(0)}`
}

/** A place of a snippet: the cursor jumps from one to the next, and to that of number 0 at the end. */
function place(number: number, text = ''): string {
  return `\${${number}${text === '' ? '' : `:${text}`}}`
}

/** Tags whose presence alone counts. */
function isEmptyTag(name: string): boolean {
  return /^(?:same|different|not_same)_(?!field$)/.test(name) || name === 'if_fts' || name === 'check_diff' || name === 'global_frequency'
}

function completeClosing({ document }: Request, { element, start, end }: Extract<CursorContext, { kind: 'closing' }>): CompletionList {
  const names: string[] = []
  for (let open: Element | null = element; open !== null; open = open.parent) if (!names.includes(open.name)) names.push(open.name)
  const range = document.positions.range(start, end)
  const close = document.text[end] === '>' ? '' : '>'
  return {
    isIncomplete: false,
    items: names.map((name, index) => ({ label: name, kind: CompletionItemKind.Property, sortText: String(index), textEdit: { range, newText: name + close } })),
  }
}

function completeAttributes({ document, locale, snippets }: Request, { element, attribute, start, end }: Extract<CursorContext, { kind: 'attribute' }>): CompletionList {
  const schema = schemaOf(document.kind, element.parent, element.name, locale)
  const range = document.positions.range(start, end)
  const hasValue = attribute !== null && attribute.valueStart > attribute.nameEnd
  const items = (schema?.attributes ?? [])
    .filter(({ name }) => name === attribute?.name || attributeOf(element, name) === undefined)
    .map(({ name, required, description, allowed_values }): CompletionItem => {
      const choice = allowed_values.length > 0 ? `\${1|${allowed_values.join(',')}|}` : '$1'
      return {
        label: name,
        kind: CompletionItemKind.Field,
        ...(required ? { detail: WORDS[locale].required } : {}),
        sortText: `${required ? 0 : 1}${name}`,
        documentation: { kind: MarkupKind.Markdown, value: description },
        textEdit: { range, newText: hasValue ? name : snippets ? `${name}="${choice}"` : `${name}=""` },
        insertTextFormat: snippets && !hasValue ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      }
    })
  return { isIncomplete: false, items }
}

/** The separator of the values in an attribute. */
function valueSeparator(element: Element, attribute: string): RegExp {
  return element.name.toLowerCase() === 'group' && attribute.toLowerCase() === 'name' ? /[,\s]/ : NO_SEPARATOR
}

const NO_SEPARATOR = /$^/
/** Ids, fields and words of options. */
const WORD_SEPARATOR = /[\s,]/
const GROUP_SEPARATOR = /[\s,|]/

function* valuesOf(request: Request, element: Element, attribute: string): Generator<Candidate> {
  const { snapshot, document, locale } = request
  const tag = element.name.toLowerCase()
  const name = attribute.toLowerCase()
  const schema = schemaOf(document.kind, element.parent, element.name, locale)
  for (const label of schema?.attributes.find((one) => one.name === name)?.allowed_values ?? []) yield { label, kind: CompletionItemKind.EnumMember }
  if (tag === 'rule' && name === 'id') {
    const id = snapshot.names.freeRuleId(document)
    if (id !== null) yield { label: String(id), detail: WORDS[locale].freeId, kind: CompletionItemKind.Value }
  } else if (tag === 'group' && name === 'name') yield* groupNames(snapshot.names)
  else if ((tag === 'field' && name === 'name') || (tag === 'list' && name === 'field')) yield* fieldNames(request, element)
}

function completeText(request: Request, { element, start, end }: Extract<CursorContext, { kind: 'text' }>): CompletionList {
  const { offset } = request
  if (element === null || !isItem(element.parent)) {
    const tag = element?.name.toLowerCase()
    if (tag === 'id' && element?.parent?.name.toLowerCase() === 'mitre') return completeWords(request, start, end, WORD_SEPARATOR, techniques())
    // Between tags a new one begins.
    if (element === null || isItem(element) || tag === 'group' || tag === 'mitre') return completeTags(request, element, offset, offset, '<')
    return { isIncomplete: false, items: [] }
  }
  if (element.name.toLowerCase() === 'mitre') return completeTags(request, element, offset, offset, '<')
  if (element.name.toLowerCase() === 'description') return completeFieldInText(request, element, start)
  const [separator, candidates] = textCandidates(request, element)
  return completeWords(request, start, end, separator, candidates)
}

function textCandidates(request: Request, element: Element): readonly [RegExp, Iterable<Candidate>] {
  const { names } = request.snapshot
  const { document, locale } = request
  switch (element.name.toLowerCase()) {
    case 'if_sid':
    case 'if_matched_sid':
      return [WORD_SEPARATOR, ruleIds(names, locale)]
    case 'if_group':
    case 'if_matched_group':
    case 'group':
      return [GROUP_SEPARATOR, groupNames(names)]
    case 'decoded_as':
      return [NO_SEPARATOR, decoderNames(names, locale)]
    case 'parent':
      return [NO_SEPARATOR, decoderNames(names, locale)]
    case 'list':
      return [NO_SEPARATOR, names.listNames().map((label): Candidate => ({ label, kind: CompletionItemKind.File }))]
    case 'order':
    case 'fts':
    case 'same_field':
    case 'different_field':
    case 'not_same_field':
      return [WORD_SEPARATOR, fieldNames(request, element)]
    default: {
      const values = schemaOf(document.kind, element.parent, element.name, locale)?.allowed_values ?? []
      return [NO_SEPARATOR, values.map((label): Candidate => ({ label, kind: CompletionItemKind.EnumMember }))]
    }
  }
}

/** Completes a field behind `$(`. */
function completeFieldInText(request: Request, element: Element, start: number): CompletionList {
  const { document, offset } = request
  const open = /\$\(([^()\s<>]*)$/.exec(document.text.slice(Math.max(start, offset - FIELD_ROOM), offset))
  if (open === null) return { isIncomplete: false, items: [] }
  const from = offset - open[1].length
  const close = document.text[offset] === ')' ? '' : ')'
  const list = completeWords(request, from, offset, NO_SEPARATOR, fieldNames(request, element))
  const items = list.items.map((item) => ({ ...item, textEdit: { range: document.positions.range(from, offset), newText: item.label + close } }))
  return { ...list, items }
}

/** Longer names of fields are not completed in a description. */
const FIELD_ROOM = 128

function* ruleIds(names: NameIndex, locale: Locale): Generator<Candidate> {
  for (const { item } of names.allRules()) yield { label: item.id, detail: `${WORDS[locale].level} ${item.level}: ${item.description}`, kind: CompletionItemKind.Reference }
}

function* groupNames(names: NameIndex): Generator<Candidate> {
  for (const label of names.definedNames('group')) yield { label, kind: CompletionItemKind.Module }
}

/** Root decoders, which rules and children name. */
function* decoderNames(names: NameIndex, locale: Locale): Generator<Candidate> {
  const seen = new Set<string>()
  for (const { item, document } of names.allDecoders()) {
    if (item.parent !== null || seen.has(item.name)) continue
    seen.add(item.name)
    yield { label: item.name, detail: `${WORDS[locale].decoder} · ${document.file.filename}`, kind: CompletionItemKind.Class }
  }
}

/** Fields that the decoders which lead to a rule extract. */
function* fieldNames({ snapshot, document }: Request, element: Element): Generator<Candidate> {
  const rule = document.names.rules.find((one) => one.element === element.parent)
  const decoder = rule === undefined ? null : snapshot.names.decoderOfRule(rule)
  for (const label of snapshot.names.fields(decoder)) yield { label, kind: CompletionItemKind.Variable }
}

function* techniques(): Generator<Candidate> {
  for (const [id, { name }] of attackTechniques()) yield { label: id, detail: name, kind: CompletionItemKind.Constant }
}

/** Completes one word of a text. Candidates that begin like it come first; then those that contain it, or whose meaning does. */
function completeWords({ document, offset }: Request, from: number, to: number, separator: RegExp, candidates: Iterable<Candidate>): CompletionList {
  const { start, end } = wordAround(document.text, from, Math.max(to, offset), offset, separator)
  const written = document.text.slice(start, offset).trim().toLowerCase()
  const range = document.positions.range(start, end)
  const ranked: CompletionItem[][] = [[], []]
  let isIncomplete = false
  for (const { label, detail, kind } of candidates) {
    const lower = label.toLowerCase()
    const rank = written === '' || lower.startsWith(written) ? 0 : lower.includes(written) || detail?.toLowerCase().includes(written) === true ? 1 : -1
    if (rank < 0) continue
    if (ranked[rank].length >= ITEMS_LIMIT) {
      isIncomplete = true
      continue
    }
    ranked[rank].push(itemOf(label, detail, kind, range, written, rank, ranked[rank].length))
  }
  const items = [...ranked[0], ...ranked[1]]
  return { isIncomplete: isIncomplete || items.length > ITEMS_LIMIT, items: items.slice(0, ITEMS_LIMIT) }
}

function itemOf(label: string, detail: string | undefined, kind: CompletionItemKind, range: Range, written: string, rank: number, index: number): CompletionItem {
  return {
    label,
    kind,
    ...(detail === undefined ? {} : { detail }),
    sortText: `${rank}${String(index).padStart(4, '0')}`,
    // A client filters by what is written; found by its meaning, an item must pass.
    ...(rank === 0 ? {} : { filterText: `${written} ${label}` }),
    textEdit: { range, newText: label },
  }
}

/** The help of a tag with its example, in Markdown. */
export function describeElement(element: SchemaElement, locale: Locale): string {
  const words = WORDS[locale]
  const example = element.context === 'rule' ? ruleOptionExample(element.name) : element.context === 'decoder' ? decoderOptionExample(element.name) : null
  const parts = [element.description]
  if (!element.runtime_supported) parts.push(words.noEffect)
  if (element.allowed_values.length > 0) parts.push(`${words.values}: ${element.allowed_values.map((value) => `\`${value}\``).join(', ')}`)
  if (example !== null) parts.push(`${words.example}:`, ['```xml', example.xml, '```'].join('\n'))
  return parts.join('\n\n')
}
