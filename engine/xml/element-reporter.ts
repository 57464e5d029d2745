import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Collector, Extra } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { ParamValue } from '../diagnostics/entry.js'
import { suggest } from '../diagnostics/suggest.js'
import { fromByteString } from '../source/byte-string.js'
import type { SourceText } from '../source/source-text.js'
import type { Span } from '../source/span.js'
import { contentOffset, type XmlAttribute, type XmlElement } from './node.js'

/** Values for a diagnostic's placeholders; strings are byte strings. */
export type Params = Readonly<Record<string, ParamValue>>

/** Candidates for a suggestion: a list of words, or a function that returns names of the ruleset. */
export interface Known extends Extra {
  readonly known?: readonly string[] | (() => readonly string[])
  /** The wrong bytes of the value or content; the diagnostic is then at these. */
  readonly within?: readonly [start: number, end: number] | null
}

/** Reports diagnostics about one element of a file and its content. */
export class ElementReporter {
  /** A diagnostic was reported that makes Wazuh refuse to load. */
  refused = false
  /** The first diagnostic that makes the engine drop the element, and the number of such diagnostics. */
  fault: Diagnostic | null = null
  faultCount = 0
  /** The engine has dropped the rule and does not read what follows. */
  protected unread = false
  /** Parameters that all diagnostics of this element share: its name or id. */
  protected subject: Readonly<Record<string, string | number>> = {}

  constructor(
    readonly source: SourceText,
    readonly collector: Collector,
    readonly owner: XmlElement,
  ) {}

  /** Reports a diagnostic without consequences about an element, or about the opening tag of the owner. */
  report(code: DiagnosticCode, element: XmlElement, params: Params, { within, ...extra }: Known = {}): Diagnostic {
    if (within != null && !element.substituted) {
      const [start, end] = [contentOffset(element, within[0]), contentOffset(element, within[1] - 1) + 1]
      return this.reportSpan(code, this.source.span(start, end), params, extra)
    }
    const end = element === this.owner ? Math.min(element.end, Math.max(element.nameEnd, element.contentStart)) : element.end
    return this.reportSpan(code, this.source.span(element.start, end), params, extra)
  }

  /** Reports a diagnostic that makes Wazuh refuse to load. */
  refuse(code: DiagnosticCode, element: XmlElement, params: Params, extra: Known = {}): void {
    this.refuseFor(this.report(code, element, params, extra))
  }

  /** Reports a diagnostic at an attribute, from its name to its closing quote. */
  reportAttribute(code: DiagnosticCode, attribute: XmlAttribute, params: Params, { within, ...extra }: Known = {}): Diagnostic {
    const { value, valueStart, valueEnd } = attribute
    // Positions in a value with variables cannot be mapped to the file.
    if (within != null && this.source.bytes.slice(valueStart, valueEnd) === value) {
      return this.reportSpan(code, this.source.span(valueStart + within[0], valueStart + within[1]), params, extra)
    }
    return this.reportSpan(code, this.source.span(attribute.nameStart, attribute.valueEnd + 1), params, extra)
  }

  /** Reports a diagnostic at an attribute that makes Wazuh refuse to load. */
  refuseAttribute(code: DiagnosticCode, attribute: XmlAttribute, params: Params, extra: Known = {}): void {
    this.refuseFor(this.reportAttribute(code, attribute, params, extra))
  }

  /** Records that Wazuh refuses to load because of a diagnostic. */
  protected refuseFor(diagnostic: Diagnostic): void {
    this.refused = true
    this.noteFault(diagnostic)
  }

  protected noteFault(diagnostic: Diagnostic): void {
    this.fault ??= diagnostic
    this.faultCount++
  }

  /** Reports a diagnostic at a range. Texts of params are byte strings, unless they are there in each language. If `known` is present, the nearest known word becomes the suggestion. */
  reportSpan(code: DiagnosticCode, span: Span, params: Params, { known, ...extra }: Omit<Known, 'within'> = {}): Diagnostic {
    const texts: Record<string, ParamValue> = { ...this.subject }
    for (const name in params) {
      const value = params[name]
      texts[name] = typeof value === 'string' ? fromByteString(value) : value
    }
    const wrong = texts.value ?? texts.name
    const evidence = (): string => fromByteString(this.source.bytes.slice(span.start, span.end))
    return this.collector.add(
      code,
      { file: this.source, span, evidence, owner: this.owner },
      texts,
      known === undefined || typeof wrong !== 'string'
        ? { ...extra, unread: this.unread }
        : { ...extra, unread: this.unread, suggestion: () => (typeof known === 'function' ? this.collector.suggest(wrong, known) : suggest(wrong, known)) },
    )
  }
}
