/** Reads a decoders file into definitions, and reports the faults of each single definition (BEHAVIOUR.md#decoder-tags, #decoder-checks). */
import type { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { suggest, suggestMeant } from '../diagnostics/suggest.js'
import { fromByteString } from '../source/byte-string.js'
import type { SourceText } from '../source/source-text.js'
import { ElementReporter } from '../xml/element-reporter.js'
import { isNamed, wraps, type XmlElement } from '../xml/node.js'
import { ANY_TAG, type BrokenElements, isSure, NOTHING_BROKEN } from '../xml/unsure.js'
import { DecoderDefinition, type PatternSource } from '../event/decoder.js'
import { DECODER_OPTIONS, findDecoderOption } from './options/index.js'
import { INVENTED_OPTIONS } from './options/invented.js'

/** Maximum length of the joined text of a tag. */
const TEXT_LIMIT = 1023

/** The contents of a decoders file. `refused`: Wazuh would not start with it. */
export interface DecodersFile {
  readonly source: SourceText
  readonly definitions: readonly DecoderDefinition[]
  readonly refused: boolean
  /** The first fault of a decoder without a name, which is therefore not among the definitions. */
  readonly unnamed: Diagnostic | null
}

/** @param elements top-level elements of the file; @param survey continue after a fault, to report everything that can be known */
export function parseDecoders(source: SourceText, elements: readonly XmlElement[], collector: Collector, survey: boolean, broken: BrokenElements = NOTHING_BROKEN): DecodersFile {
  const definitions: DecoderDefinition[] = []
  let refused = false
  let unnamed: Diagnostic | null = null
  const read = (element: XmlElement, fault: Diagnostic | null): void => {
    const reader = new DecoderReader(source, element, collector, survey, broken, fault)
    const definition = reader.read()
    if (definition !== null) definitions.push(definition)
    else unnamed ??= reader.fault
    refused ||= reader.refused
  }
  for (const element of elements) {
    let fault: Diagnostic | null = null
    if (!isNamed(element, 'decoder')) {
      fault = collector.add(
        'decoders_root_invalid',
        { file: source, span: source.span(element.start, element.nameEnd), evidence: `<${fromByteString(element.name)}>` },
        { name: fromByteString(element.name) },
        { suggestion: suggest(fromByteString(element.name), ['decoder']) },
      )
      refused = true
      if (survey && wraps(element, 'decoder')) {
        for (const child of element.children) if (isNamed(child, 'decoder')) read(child, null)
        continue
      }
      if (!survey || fault.suggestion === null) continue
    }
    read(element, fault)
  }
  return { source, definitions, refused, unnamed }
}

const OPTION_NAMES = DECODER_OPTIONS.map(({ name }) => name)

/** Reads one `<decoder>`. The options call its methods. */
export class DecoderReader extends ElementReporter {
  readonly draft: DecoderDefinition
  readonly #survey: boolean
  readonly #broken: BrokenElements
  /** Diagnostics for texts that were dropped, by tag. */
  #dropped: Map<string, Diagnostic> | null = null

  /** @param fault of its opening tag; only a survey reads such a decoder */
  constructor(
    source: SourceText,
    readonly element: XmlElement,
    collector: Collector,
    survey: boolean,
    broken: BrokenElements,
    fault: Diagnostic | null,
  ) {
    super(source, collector, element)
    this.draft = new DecoderDefinition(source, element)
    this.#survey = survey
    this.#broken = broken
    this.fault = fault
  }

  /** Returns null when there is no definition. A survey also returns a faulty one, unless its name is unknown. */
  read(): DecoderDefinition | null {
    const { element, draft } = this
    if (this.#broken.has(element)) this.#noteBroken(element, ANY_TAG)
    const isBroken = this.fault !== null
    const [first] = element.attributes
    const isNamed = first !== undefined && first.name.toLowerCase() === 'name'
    if (!isNamed) {
      if (isSure(this.draft.unsure)) this.refuse('decoder_name_missing', element, {})
      if (!this.#survey) return null
    }
    const name = isNamed ? first : element.attributes.find((attribute) => attribute.name.toLowerCase() === 'name')
    if (name !== undefined) this.subject = { decoder: fromByteString(name.value) }
    if (isNamed) this.#checkOwnAttributes()
    const isEmpty = element.children.length === 0
    if (isEmpty && isSure(this.draft.unsure)) this.refuse('decoder_empty', element, {})
    if (isEmpty && !this.#survey) return null
    this.#readTags()
    draft.name = name?.value ?? ''
    draft.isUnread = isBroken || !isNamed || isEmpty
    if (!isEmpty) this.#checkWhole()
    draft.fault = this.fault
    return name === undefined ? null : draft
  }

  /** After `name` only `status` is allowed, and nothing after that. */
  #checkOwnAttributes(): void {
    const others = this.element.attributes.slice(1)
    const status = others.find((attribute) => attribute.name.toLowerCase() === 'status')
    for (const attribute of others) if (attribute !== status) this.refuseAttribute('decoder_attribute_invalid', attribute, { name: attribute.name })
  }

  #noteBroken(element: XmlElement, tag: string): void {
    this.fault ??= this.#broken.get(element) ?? null
    this.draft.addUnsure(tag)
  }

  #readTags(): void {
    for (const child of this.element.children) {
      const option = findDecoderOption(child.name)
      if (option === undefined) {
        const suggestion = (): string | null => suggestMeant(child.name, OPTION_NAMES, INVENTED_OPTIONS)
        this.refuse('decoder_element_unknown', child, { name: child.name }, { suggestion })
        this.draft.addUnsure(suggestion() ?? '')
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
      const faults = this.faultCount
      option.read(this, child)
      if (this.faultCount > faults) this.draft.addUnsure(option.name)
    }
  }

  /** Appends the text of a tag to the earlier ones. Over the limit Wazuh logs an error, drops the whole text and continues: null. */
  joinText(tag: string, before: string | null, element: XmlElement): string | null {
    const joined = (before ?? '') + element.content
    if (joined.length <= TEXT_LIMIT) return joined
    this.#dropped ??= new Map()
    this.#dropped.set(tag, this.report('decoder_text_too_long', element, { name: tag, length: joined.length, limit: TEXT_LIMIT }))
    return null
  }

  /** Reports unknown attributes. The engine ignores them, but one may be a misspelled attribute. */
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

  /** Checks of the whole decoder, in the engine's order (BEHAVIOUR.md#decoder-checks). */
  #checkWhole(): void {
    const { draft, element } = this
    const { prematch, regex, parent, programName, order, plugin } = draft
    const root = parent === null
    const first = (pattern: PatternSource): XmlElement => pattern.elements[0]
    const sure = (...tags: readonly string[]): boolean => isSure(this.draft.unsure, ...tags)
    if (prematch === null && root && programName === null && sure('prematch', 'program_name', 'parent')) {
      this.refuse('decoder_no_prematch', element, { name: draft.name }, this.#because('prematch', 'program_name', 'parent'))
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

  /** The diagnostic of the first tag that was dropped, as the cause of what is missing because of it. */
  #because(...tags: readonly string[]): { cause: Diagnostic | null } {
    const lost = tags.find((tag) => this.#dropped?.has(tag))
    return { cause: lost === undefined ? null : (this.#dropped?.get(lost) ?? null) }
  }

  #anchorMissing(element: XmlElement, tag: string, offset: string): void {
    const anchor = offset === 'after_prematch' ? 'prematch' : 'parent'
    this.refuse('decoder_offset_anchor_missing', element, { name: tag, value: offset }, this.#because(anchor))
  }
}
