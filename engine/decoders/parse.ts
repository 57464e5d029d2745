/** Reads a decoders file: XML to decoder definitions, with everything that is wrong with each by itself (BEHAVIOUR.md#decoder-tags, #decoder-checks). */
import type { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { suggest } from '../diagnostics/suggest.js'
import type { Dialect } from '../expressions/expression.js'
import { append } from '../source/append.js'
import { fromByteString } from '../source/byte-string.js'
import type { Span } from '../source/span.js'
import type { SourceText } from '../source/source-text.js'
import { ElementReporter } from '../xml/element-reporter.js'
import type { XmlElement } from '../xml/node.js'
import { ANY_TAG, type BrokenElements, isSure, NO_TAGS, NOTHING_BROKEN, withTag } from '../xml/unsure.js'
import type { DecoderDefinition, FtsFields, Offset, OrderWord, PatternSource, PluginName } from '../event/decoder.js'
import { OFFSETS } from '../event/decoder.js'
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
  /** The first fault of one that has no name, and so is not among the definitions. */
  readonly unnamed: Diagnostic | null
}

/** @param elements top-level elements of the file; @param survey read on behind a fault, to tell everything that can be known */
export function parseDecoders(source: SourceText, elements: readonly XmlElement[], collector: Collector, survey: boolean, broken: BrokenElements = NOTHING_BROKEN): DecodersFile {
  const definitions: DecoderDefinition[] = []
  let refused = false
  let unnamed: Diagnostic | null = null
  for (const element of elements) {
    let fault: Diagnostic | null = null
    if (element.name.toLowerCase() !== 'decoder') {
      fault = collector.add(
        'decoders_root_invalid',
        { file: source, span: source.span(element.start, element.nameEnd), evidence: `<${fromByteString(element.name)}>` },
        { name: fromByteString(element.name) },
        { suggestion: suggest(fromByteString(element.name), ['decoder']) },
      )
      refused = true
      if (!survey || fault.suggestion === null) continue
    }
    const reader = new DecoderReader(source, element, collector, survey, broken, fault)
    const definition = reader.read()
    if (definition !== null) definitions.push(definition)
    else unnamed ??= reader.fault
    refused ||= reader.refused
  }
  return { source, definitions, refused, unnamed }
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

  readonly #survey: boolean
  readonly #broken: BrokenElements
  #unsure = NO_TAGS
  /** Findings that say why the text of a tag was dropped. */
  #dropped: Map<string, Diagnostic> | null = null

  /** @param fault what is wrong with its tag; only a survey reads such a decoder */
  constructor(
    source: SourceText,
    readonly element: XmlElement,
    collector: Collector,
    survey: boolean,
    broken: BrokenElements,
    fault: Diagnostic | null,
  ) {
    super(source, collector, element)
    this.#survey = survey
    this.#broken = broken
    this.fault = fault
  }

  /** Null when it does not come to be. In a survey it also comes with a fault, unless its name is not known. */
  read(): DecoderDefinition | null {
    const { element } = this
    if (this.#broken.has(element)) this.#noteBroken(element, ANY_TAG)
    const isBroken = this.fault !== null
    const [first] = element.attributes
    const isNamed = first !== undefined && first.name.toLowerCase() === 'name'
    if (!isNamed) {
      if (isSure(this.#unsure)) this.refuse('decoder_name_missing', element, {})
      if (!this.#survey) return null
    }
    const name = isNamed ? first : element.attributes.find((attribute) => attribute.name.toLowerCase() === 'name')
    if (name !== undefined) this.subject = { decoder: fromByteString(name.value) }
    if (isNamed) this.#checkOwnAttributes()
    const isEmpty = element.children.length === 0
    if (isEmpty && isSure(this.#unsure)) this.refuse('decoder_empty', element, {})
    if (isEmpty && !this.#survey) return null
    this.#readTags()
    const definition = this.#finish(name?.value ?? '', isBroken || !isNamed || isEmpty)
    if (!isEmpty) this.#checkWhole(definition)
    definition.fault = this.fault
    return name === undefined ? null : definition
  }

  /** Behind the name only `status` may stand, and nothing behind that. */
  #checkOwnAttributes(): void {
    const others = this.element.attributes.slice(1)
    const status = others.find((attribute) => attribute.name.toLowerCase() === 'status')
    for (const attribute of others) if (attribute !== status) this.refuseAttribute('decoder_attribute_invalid', attribute, { name: attribute.name })
  }

  #noteBroken(element: XmlElement, tag: string): void {
    this.fault ??= this.#broken.get(element) ?? null
    this.#unsure = withTag(this.#unsure, tag)
  }

  #readTags(): void {
    for (const child of this.element.children) {
      const option = findDecoderOption(child.name)
      if (option === undefined) {
        const names = DECODER_OPTIONS.map((known) => known.name)
        this.refuse('decoder_element_unknown', child, { name: child.name }, { known: names })
        this.#unsure = withTag(this.#unsure, suggest(child.name, names) ?? '')
        continue
      }
      if (this.#broken.has(child)) {
        this.#noteBroken(child, option.name)
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
      const faults = this.faultCount
      option.read(this, child)
      if (this.faultCount > faults) this.#unsure = withTag(this.#unsure, option.name)
    }
  }

  /** Appends to a text tag. Over the limit the whole text is dropped, with an error-level message, and loading goes on. */
  joinText(tag: 'parent' | 'ftscomment', element: XmlElement): void {
    const joined = (this.draft.texts.get(tag) ?? '') + element.content
    if (joined.length > DECODER_TEXT_LIMIT) {
      this.#dropText(tag, element, joined.length)
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
      this.#dropText(tag, element, text.length)
      this.draft.patterns.delete(tag)
      return
    }
    this.draft.patterns.set(tag, { text, dialect, offset, elements: append(before?.elements ?? [], element) })
  }

  #dropText(tag: string, element: XmlElement, length: number): void {
    this.#dropped ??= new Map()
    this.#dropped.set(tag, this.report('decoder_text_too_long', element, { name: tag, length, limit: DECODER_TEXT_LIMIT }))
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

  #finish(name: string, isUnread: boolean): DecoderDefinition {
    const { draft, source, element } = this
    let span: Span | null = null
    const pattern = (tag: PatternTag): PatternSource | null => draft.patterns.get(tag) ?? null
    return {
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
      fault: null,
      unsure: this.#unsure,
      isUnread,
    }
  }

  /** Checks of the whole decoder, in the order of 5.2. */
  #checkWhole(definition: DecoderDefinition): void {
    const { draft, element } = this
    const { prematch, regex, parent, programName, order, plugin } = definition
    const root = parent === null
    const first = (pattern: PatternSource): XmlElement => pattern.elements[0]
    const sure = (...tags: readonly string[]): boolean => isSure(this.#unsure, ...tags)
    if (prematch === null && root && programName === null && sure('prematch', 'program_name', 'parent')) {
      this.refuse('decoder_no_prematch', element, { name: definition.name }, this.#because('prematch', 'program_name', 'parent'))
    }
    if (regex !== null && draft.orderElement === null && sure('order')) this.refuse('decoder_regex_without_order', first(regex), {})
    if (order !== null && regex === null && sure('regex')) this.refuse('decoder_order_without_regex', draft.orderElement as XmlElement, {}, this.#because('regex'))
    if (draft.fts !== null && regex === null && sure('regex')) this.refuse('decoder_fts_without_regex', draft.ftsElement as XmlElement, {}, this.#because('regex'))
    const needsParent = root && sure('parent')
    const needsPrematch = prematch === null && sure('prematch')
    if (regex !== null) {
      if (regex.offset === 'after_parent' && needsParent) this.#anchorMissing(first(regex), 'regex', regex.offset)
      if (regex.offset === 'after_prematch' && !root && needsPrematch) this.#anchorMissing(first(regex), 'regex', regex.offset)
      if (regex.offset === 'after_regex' && needsParent) this.#anchorMissing(first(regex), 'regex', regex.offset)
    }
    if (prematch !== null) {
      if (prematch.offset === 'after_parent' && needsParent) this.#anchorMissing(first(prematch), 'prematch', prematch.offset)
      if (prematch.offset === 'after_prematch' || prematch.offset === 'after_regex') {
        this.refuse('decoder_prematch_offset_invalid', first(prematch), { value: prematch.offset })
      }
    }
    if (plugin !== null) {
      const tag = draft.pluginElement as XmlElement
      if (plugin.offset === 'after_parent' && needsParent) this.#anchorMissing(tag, 'plugin_decoder', plugin.offset)
      if (plugin.offset === 'after_prematch' && needsPrematch) this.#anchorMissing(tag, 'plugin_decoder', plugin.offset)
      if (regex !== null && order !== null) this.refuse('decoder_plugin_with_regex', tag, { name: plugin.name })
    }
  }

  /** What lacks one of these tags because its text was dropped follows from that. */
  #because(...tags: readonly string[]): { cause: Diagnostic | null } {
    const lost = tags.find((tag) => this.#dropped?.has(tag))
    return { cause: lost === undefined ? null : (this.#dropped?.get(lost) ?? null) }
  }

  #anchorMissing(element: XmlElement, tag: string, offset: string): void {
    const anchor = offset === 'after_prematch' ? 'prematch' : 'parent'
    this.refuse('decoder_offset_anchor_missing', element, { name: tag, value: offset }, this.#because(anchor))
  }
}
