/** Reads a decoders file: XML to decoder definitions, with everything that is wrong with each by itself (engine-decoding.md 4.2, 5.2). */
import type { Collector } from '../diagnostics/collector.js'
import { suggest } from '../diagnostics/suggest.js'
import type { Dialect } from '../expressions/expression.js'
import { append } from '../source/append.js'
import { fromByteString } from '../source/byte-string.js'
import type { Span } from '../source/span.js'
import type { SourceText } from '../source/source-text.js'
import { ElementReporter } from '../xml/element-reporter.js'
import type { XmlElement } from '../xml/node.js'
import type { DecoderDefinition, FtsFields, Offset, OrderWord, PatternSource, PluginName } from './decoder.js'
import { OFFSETS } from './decoder.js'
import { DECODER_OPTIONS, DECODER_TEXT_LIMIT, findDecoderOption } from './options.js'

/** What is known of a decoder while its tags are read. */
export interface DecoderDraft {
  texts: Map<'parent' | 'ftscomment', string>
  patterns: Map<PatternTag, { text: string; dialect: Dialect; offset: Offset; elements: readonly XmlElement[] }>
  order: OrderWord[] | null
  orderElement: XmlElement | null
  type: DecoderDefinition['type']
  useOwnName: boolean
  plugin: { name: PluginName; offset: Offset } | null
  pluginElement: XmlElement | null
  accumulate: boolean
  fts: FtsFields | null
  ftsElement: XmlElement | null
  jsonNull: 'string' | 'discard'
  jsonArray: 'array' | 'csv'
}

export type PatternTag = 'program_name' | 'prematch' | 'regex'

const DEFAULT_DIALECT: Record<PatternTag, Dialect> = { program_name: 'osmatch', prematch: 'osregex', regex: 'osregex' }
const DIALECTS: Record<PatternTag, readonly Dialect[]> = {
  program_name: ['osmatch', 'osregex', 'pcre2'],
  prematch: ['osregex', 'pcre2'],
  regex: ['osregex', 'pcre2'],
}

/** What a decoders file holds. `refused`: the reference engine would not start with it. */
export interface DecodersFile {
  readonly source: SourceText
  readonly definitions: readonly DecoderDefinition[]
  readonly refused: boolean
}

/** @param elements top-level elements of the file */
export function parseDecoders(source: SourceText, elements: readonly XmlElement[], collector: Collector): DecodersFile {
  const definitions: DecoderDefinition[] = []
  let refused = false
  for (const element of elements) {
    if (element.name.toLowerCase() !== 'decoder') {
      collector.add(
        'decoders_root_invalid',
        { file: source, span: source.span(element.start, element.nameEnd), evidence: `<${fromByteString(element.name)}>` },
        { name: fromByteString(element.name) },
        { suggestion: suggest(fromByteString(element.name), ['decoder']) },
      )
      refused = true
      continue
    }
    const reader = new DecoderReader(source, element, collector)
    const definition = reader.read()
    if (definition !== null) definitions.push(definition)
    refused ||= reader.refused
  }
  return { source, definitions, refused }
}

/** Reads one `<decoder>`. The options of `options.ts` call back into it. */
export class DecoderReader extends ElementReporter {
  readonly draft: DecoderDraft = {
    texts: new Map(),
    patterns: new Map(),
    order: null,
    orderElement: null,
    type: 'syslog',
    useOwnName: false,
    plugin: null,
    pluginElement: null,
    accumulate: false,
    fts: null,
    ftsElement: null,
    jsonNull: 'string',
    jsonArray: 'array',
  }

  constructor(
    source: SourceText,
    readonly element: XmlElement,
    collector: Collector,
  ) {
    super(source, collector, element)
  }

  read(): DecoderDefinition | null {
    const { element } = this
    const [first, second, third] = element.attributes
    if (first === undefined || first.name.toLowerCase() !== 'name') {
      this.refuse('decoder_name_missing', element, {})
      return null
    }
    this.subject = { decoder: fromByteString(first.value) }
    if (second !== undefined && second.name.toLowerCase() !== 'status') this.refuseAttribute('decoder_attribute_invalid', second, { name: second.name })
    else if (third !== undefined) this.refuseAttribute('decoder_attribute_invalid', third, { name: third.name })
    if (element.children.length === 0) {
      this.refuse('decoder_empty', element, {})
      return null
    }
    for (const child of element.children) {
      const option = findDecoderOption(child.name)
      if (option === undefined) {
        const names = DECODER_OPTIONS.map((known) => known.name)
        this.refuse('decoder_element_unknown', child, { name: child.name }, { known: names })
        continue
      }
      this.#checkAttributes(
        child,
        option.attributes.map((attribute) => attribute.name),
      )
      // An empty program_name is how people say "any program".
      if (child.content === '' && (option.name === 'prematch' || option.name === 'regex')) {
        this.report('decoder_element_empty', child, { name: option.name })
      }
      option.read(this, child)
    }
    return this.#finish(first.value)
  }

  /** Appends to a text tag. Over the limit the whole text is dropped, with an error-level message, and loading goes on. */
  joinText(tag: 'parent' | 'ftscomment', element: XmlElement): void {
    const joined = (this.draft.texts.get(tag) ?? '') + element.content
    if (joined.length > DECODER_TEXT_LIMIT) {
      this.report('decoder_text_too_long', element, { name: tag, length: joined.length, limit: DECODER_TEXT_LIMIT })
      this.draft.texts.delete(tag)
    } else this.draft.texts.set(tag, joined)
  }

  /** Appends to a pattern tag: texts join, the dialect is that of the last tag, only the first may have an offset. */
  joinPattern(tag: PatternTag, element: XmlElement): void {
    const before = this.draft.patterns.get(tag)
    const dialect = this.#dialect(tag, element)
    let offset: Offset = before?.offset ?? 'none'
    const written = tag === 'program_name' ? undefined : element.attributes.find((attribute) => attribute.name === 'offset')
    if (written !== undefined) {
      const known = OFFSETS.find((word) => word !== 'none' && word === written.value.toLowerCase())
      if (before !== undefined) this.refuseAttribute('decoder_offset_duplicate', written, { name: tag })
      else if (known === undefined) {
        // On prematch the reference logs this as an error, on regex as a warning; both load.
        this.reportAttribute(
          tag === 'prematch' ? 'decoder_prematch_offset_unknown' : 'decoder_offset_invalid',
          written,
          { name: tag, value: written.value },
          { known: OFFSETS.slice(1) },
        )
      } else offset = known
    }
    const text = (before?.text ?? '') + element.content
    if (text.length > DECODER_TEXT_LIMIT) {
      this.report('decoder_text_too_long', element, { name: tag, length: text.length, limit: DECODER_TEXT_LIMIT })
      this.draft.patterns.delete(tag)
      return
    }
    this.draft.patterns.set(tag, { text, dialect, offset, elements: append(before?.elements ?? [], element) })
  }

  #dialect(tag: PatternTag, element: XmlElement): Dialect {
    const written = element.attributes.find((attribute) => attribute.name === 'type')
    if (written === undefined) return DEFAULT_DIALECT[tag]
    const known = DIALECTS[tag].find((dialect) => dialect === written.value.toLowerCase())
    if (known !== undefined) return known
    this.reportAttribute('decoder_expression_type_invalid', written, { name: tag, value: written.value, expected: DIALECTS[tag].join(', '), default: DEFAULT_DIALECT[tag] })
    return DEFAULT_DIALECT[tag]
  }

  /** Unknown attributes are ignored silently by the engine; a near miss is worth a word. */
  #checkAttributes(element: XmlElement, allowed: readonly string[]): void {
    for (const attribute of element.attributes) {
      if (allowed.includes(attribute.name)) continue
      const near = suggest(fromByteString(attribute.name), allowed)
      this.reportAttribute(
        near === null ? 'decoder_attribute_ignored' : 'decoder_attribute_misspelled',
        attribute,
        { name: attribute.name, tag: element.name },
        { suggestion: near },
      )
    }
  }

  #finish(name: string): DecoderDefinition {
    const { draft, source, element } = this
    let span: Span | null = null
    const pattern = (tag: PatternTag): PatternSource | null => draft.patterns.get(tag) ?? null
    const definition: DecoderDefinition = {
      name,
      parent: draft.texts.get('parent') ?? null,
      programName: pattern('program_name'),
      prematch: pattern('prematch'),
      regex: pattern('regex'),
      order: draft.order,
      type: draft.type,
      useOwnName: draft.useOwnName,
      plugin: draft.plugin,
      accumulate: draft.accumulate,
      fts: draft.fts,
      ftsComment: draft.texts.get('ftscomment') ?? null,
      jsonNull: draft.jsonNull,
      jsonArray: draft.jsonArray,
      source,
      get span() {
        span ??= source.span(element.start, element.end)
        return span
      },
      element,
    }
    this.#checkWhole(definition)
    return definition
  }

  /** Checks of the whole decoder, in the order of 5.2. */
  #checkWhole(definition: DecoderDefinition): void {
    const { draft, element } = this
    const { prematch, regex, parent, programName, order, plugin } = definition
    const root = parent === null
    const first = (pattern: PatternSource): XmlElement => pattern.elements[0]
    if (prematch === null && root && programName === null) this.refuse('decoder_no_prematch', element, { name: definition.name })
    if (regex !== null && draft.orderElement === null) this.refuse('decoder_regex_without_order', first(regex), {})
    if (order !== null && regex === null) this.refuse('decoder_order_without_regex', draft.orderElement as XmlElement, {})
    if (draft.fts !== null && regex === null) this.refuse('decoder_fts_without_regex', draft.ftsElement as XmlElement, {})
    if (regex !== null) {
      if (regex.offset === 'after_parent' && root) this.#anchorMissing(first(regex), 'regex', regex.offset)
      if (regex.offset === 'after_prematch' && !root && prematch === null) this.#anchorMissing(first(regex), 'regex', regex.offset)
      if (regex.offset === 'after_regex' && root) this.#anchorMissing(first(regex), 'regex', regex.offset)
    }
    if (prematch !== null) {
      if (prematch.offset === 'after_parent' && root) this.#anchorMissing(first(prematch), 'prematch', prematch.offset)
      if (prematch.offset === 'after_prematch' || prematch.offset === 'after_regex') {
        this.refuse('decoder_prematch_offset_invalid', first(prematch), { value: prematch.offset })
      }
    }
    if (plugin !== null) {
      const tag = draft.pluginElement as XmlElement
      if (plugin.offset === 'after_parent' && root) this.#anchorMissing(tag, 'plugin_decoder', plugin.offset)
      if (plugin.offset === 'after_prematch' && prematch === null) this.#anchorMissing(tag, 'plugin_decoder', plugin.offset)
      if (regex !== null && order !== null) this.refuse('decoder_plugin_with_regex', tag, { name: plugin.name })
    }
  }

  #anchorMissing(element: XmlElement, tag: string, offset: string): void {
    this.refuse('decoder_offset_anchor_missing', element, { name: tag, value: offset })
  }
}
