/** What is under the pointer: a tag and its options, a rule, a decoder, a group, a field or a list. */
import { describeDiagnostic, diagnosticHelp, type Locale, STATIC_FIELDS } from '#engine'
import { type Hover, MarkupKind } from 'vscode-languageserver-types'
import type { ContentDocument } from '../content/document.js'
import type { Found } from '../content/name-index.js'
import { type DefinedDecoder, type DefinedRule, type NamePlace, nameAt } from '../content/names.js'
import type { Snapshot } from '../content/workspace.js'
import { contextAt } from '../text/context.js'
import { WORDS } from '../words.js'
import { describeElement, schemaOf } from './completion.js'

/** Names of a list in a hover. */
const NAMES_SHOWN = 12
/** Diagnostics whose pages a hover shows. */
const PAGES_SHOWN = 2

/** @param withPages whether the pages of diagnostics are a part of it @param notesOn what else is known of a rule, in Markdown */
export function hover(
  snapshot: Snapshot,
  document: ContentDocument,
  offset: number,
  locale: Locale,
  withPages: boolean,
  notesOn: (rule: string) => readonly string[],
): Hover | null {
  const found = describe(snapshot, document, offset, locale, notesOn)
  const pages = withPages ? pagesAt(snapshot, document, offset, locale) : []
  if (found === null && pages.length === 0) return null
  const value = [...(found === null ? [] : [found.text]), ...pages].join('\n\n---\n\n')
  return { contents: { kind: MarkupKind.Markdown, value }, ...(found === null ? {} : { range: document.positions.range(found.start, found.end) }) }
}

interface Described {
  readonly text: string
  readonly start: number
  readonly end: number
}

function describe(snapshot: Snapshot, document: ContentDocument, offset: number, locale: Locale, notesOn: (rule: string) => readonly string[]): Described | null {
  const place = nameAt(document.names, offset)
  const named = place === undefined ? null : describeName(snapshot, place, locale)
  const text = named === null ? null : [named, ...(place?.kind === 'rule' ? notesOn(place.name) : [])].join('\n\n')
  if (place !== undefined && text !== null) return { text, start: place.start, end: place.end }
  const context = document.kind === 'lists' ? null : contextAt(document.scanned, offset)
  if (context === null) return null
  const { start, end } = context
  if (context.kind === 'tag' || context.kind === 'closing') {
    const { element } = context
    const schema = schemaOf(document.kind, element.parent, element.name, locale)
    return schema === undefined ? null : { text: `\`<${schema.name}>\`\n\n${describeElement(schema, locale)}`, start, end }
  }
  if (context.kind !== 'attribute' && context.kind !== 'value') return null
  const { element, attribute } = context
  const schema =
    attribute === null ? undefined : schemaOf(document.kind, element.parent, element.name, locale)?.attributes.find(({ name }) => name === attribute.name.toLowerCase())
  if (schema === undefined) return null
  const values = schema.allowed_values.length === 0 ? [] : [`${WORDS[locale].values}: ${schema.allowed_values.map((value) => `\`${value}\``).join(', ')}`]
  return { text: [`\`${schema.name}\``, schema.description, ...values].join('\n\n'), start, end }
}

function describeName({ names }: Snapshot, { kind, name, at }: NamePlace, locale: Locale): string | null {
  const words = WORDS[locale]
  switch (kind) {
    case 'rule': {
      const rule = names.rule(name)
      return rule === undefined ? null : describeRule(rule, locale)
    }
    case 'decoder': {
      const decoders = names.decoders(name)
      return decoders.length === 0 ? null : describeDecoders(decoders, names.childDecoders(name), locale)
    }
    case 'group':
      // The tag itself is explained at its name.
      return `**${escapeMarkdown(name)}**: ${words.groupOf(names.places('group', name).filter(({ item }) => item.isDefinition).length)}`
    case 'list': {
      const list = names.list(name)
      return list === undefined ? null : `**${escapeMarkdown(name)}**: ${words.list(list.text.split('\n').filter((line) => line.trim() !== '').length)}`
    }
    case 'field': {
      const by = new Set(
        names
          .places('field', name)
          .flatMap(({ item, document }) => (item.at === 'order' ? (document.names.decoders.find(({ element }) => element === item.item)?.name ?? []) : [])),
      )
      if (by.size === 0) return (STATIC_FIELDS as readonly string[]).includes(name) ? `**${escapeMarkdown(name)}**: ${words.staticField}` : null
      return at === 'order' ? null : `**${escapeMarkdown(name)}**: ${words.extractedBy(listed([...by], locale))}`
    }
  }
}

function describeRule({ document, item }: Found<DefinedRule>, locale: Locale): string {
  const words = WORDS[locale]
  const line = document.positions.positionAt(item.element.start).line + 1
  const rows = [
    `**${words.rule} ${escapeMarkdown(item.id)}** · ${words.level} ${escapeMarkdown(item.level)}`,
    escapeMarkdown(item.description),
    item.parents.length === 0 ? '' : `${words.parents}: ${listed(item.parents, locale)}`,
    item.groups.length === 0 ? '' : `${words.groups}: ${listed(item.groups, locale)}`,
    `${words.file}: ${escapeMarkdown(document.file.filename)}:${line}`,
  ]
  return rows.filter((row) => row !== '').join('\n\n')
}

function describeDecoders(decoders: readonly Found<DefinedDecoder>[], children: readonly Found<DefinedDecoder>[], locale: Locale): string {
  const words = WORDS[locale]
  const [{ document, item }] = decoders
  const fields = [...new Set([...decoders, ...children].flatMap((one) => one.item.fields))]
  const line = document.positions.positionAt(item.element.start).line + 1
  const rows = [
    `**${words.decoder} ${escapeMarkdown(item.name)}**${item.parent === null ? '' : ` · ${words.parent} ${escapeMarkdown(item.parent)}`}`,
    fields.length === 0 ? '' : `${words.fields}: ${listed(fields, locale)}`,
    `${words.file}: ${escapeMarkdown(document.file.filename)}:${line}`,
  ]
  return rows.filter((row) => row !== '').join('\n\n')
}

function listed(names: readonly string[], locale: Locale): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `\`${name.replaceAll('`', '')}\``)
  return names.length > NAMES_SHOWN ? `${shown.join(', ')} ${WORDS[locale].and(names.length - NAMES_SHOWN)}` : shown.join(', ')
}

/** Pages of the diagnostics at the pointer, for clients that cannot open a link. */
function pagesAt(snapshot: Snapshot, document: ContentDocument, offset: number, locale: Locale): string[] {
  const { positions } = document
  const here = snapshot.diagnosticsOf(document).filter(({ span }) => span !== null && positions.offsetOfByte(span.start) <= offset && offset <= positions.offsetOfByte(span.end))
  // Those of the smallest range: a diagnostic of a whole rule is at every place in it.
  const smallest = Math.min(...here.map(({ span }) => (span === null ? 0 : span.end - span.start)))
  return here
    .filter(({ span }) => span !== null && span.end - span.start === smallest)
    .slice(0, PAGES_SHOWN)
    .map((diagnostic) => `**\`${diagnostic.code}\`** ${escapeMarkdown(describeDiagnostic(diagnostic, locale).message)}\n\n${diagnosticHelp(diagnostic.code, locale).markdown}`)
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\<*_`[\]]/g, '\\$&')
}
