/** The unread parts of a survey, and what they may contain. */
import type { DecoderDefinition } from '../event/decoder.js'
import type { UnreadDecoders } from '../decoders/link.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { SourceText } from '../source/source-text.js'
import type { RuleElement } from '../rules/parse.js'
import type { Survey, UnreadText } from '../ruleset/compiled-ruleset.js'

/**
 * Limit of searched bytes of unread text. A typical fault hides some kilobytes; 35,000 broken rules and as many that name a missing group would
 * take minutes.
 */
const SEARCHED_BYTES_LIMIT = 16 * 1024 * 1024

/** Bytes after a tag in which its id or name is searched. */
const RULE_ID = /<rule\b[^>]{0,500}?\bid\s*=\s*["']?([0-9]{1,6})(?![0-9])/gi
const DECODER_NAME = /<decoder\b[^>]{0,500}?\bname\s*=\s*["']?([^"'<>]{1,200})/gi

export class UnreadCollector {
  readonly #rules: UnreadText[]
  readonly #names: Map<string, Diagnostic>
  readonly #ids = new Map<SourceText, Map<number, Diagnostic>>()
  #hiding: Diagnostic | null
  readonly #isBaseWhole: boolean
  #searched = 0
  /** Whether a part of a file was added. */
  hasText = false

  /** @param base the unread parts of the survey of the base */
  constructor(base: Survey | null) {
    this.#rules = [...(base?.unreadRules ?? [])]
    this.#names = new Map(base?.unreadDecoders.names)
    this.#hiding = base?.unreadDecoders.hiding ?? null
    this.#isBaseWhole = base === null || base.isComplete
  }

  get decoders(): UnreadDecoders {
    return { names: this.#names, hiding: this.#hiding }
  }

  survey(isFull: boolean): Survey {
    return { unreadDecoders: this.decoders, unreadRules: this.#rules, isComplete: this.#isBaseWhole && !this.hasText && !isFull }
  }

  /** Adds a part of a file that is in no complete element. */
  addText(source: SourceText, start: number, end: number, fault: Diagnostic): void {
    this.hasText = true
    const text = source.bytes.slice(start, end)
    if (source.kind === 'decoders') {
      this.#hiding ??= fault
      for (const [, name] of text.matchAll(DECODER_NAME)) if (!this.#names.has(name)) this.#names.set(name, fault)
      return
    }
    this.#rules.push({ text: text.toLowerCase(), fault })
    const ids = this.#ids.get(source) ?? new Map<number, Diagnostic>()
    this.#ids.set(source, ids)
    for (const [, digits] of text.matchAll(RULE_ID)) if (!ids.has(Number(digits))) ids.set(Number(digits), fault)
  }

  /** Adds a rule with unknown tags. */
  addRule(source: SourceText, { element, group }: RuleElement, fault: Diagnostic): void {
    const text = source.bytes.slice(group.start, group.attributes.at(-1)?.valueEnd ?? group.nameEnd) + source.bytes.slice(element.start, element.end)
    this.#rules.push({ text: text.toLowerCase(), fault })
  }

  /** Adds a decoder with an unknown name. */
  hideDecoder(fault: Diagnostic): void {
    this.#hiding ??= fault
  }

  /** Adds decoders that only the survey contains. */
  noteDecoders(definitions: readonly DecoderDefinition[]): void {
    for (const { name, isUnread, fault } of definitions) if (isUnread && fault !== null && !this.#names.has(name)) this.#names.set(name, fault)
    for (const { name, isUnread } of definitions) if (!isUnread) this.#names.delete(name)
  }

  /** Returns the ids of rules in the unread part of a file. */
  idsOf(source: SourceText): Iterable<[number, Diagnostic]> {
    return this.#ids.get(source) ?? []
  }

  /** Returns the fault of the first unread text that contains a word; null if there is none or the limit is reached. */
  find(word: string): Diagnostic | null {
    const wanted = word.toLowerCase()
    if (wanted === '') return null
    for (const { text, fault } of this.#rules) {
      this.#searched += text.length
      if (this.#searched > SEARCHED_BYTES_LIMIT) return null
      if (text.includes(wanted)) return fault
    }
    return null
  }
}
