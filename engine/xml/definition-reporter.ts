/** Reports diagnostics about a rule or decoder: at one of its elements, or inside a pattern. */
import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Extra } from '../diagnostics/collector.js'
import type { RelatedPlace } from '../diagnostics/diagnostic.js'
import type { SourceText } from '../source/source-text.js'
import type { Span } from '../source/span.js'
import type { Known, Params } from './element-reporter.js'
import { ElementReporter } from './element-reporter.js'
import type { XmlElement } from './node.js'
import { contentOffset, placeInJoined } from './node.js'

/** Children of an element with the name, in any case. @param tag lower case */
export function elementsOf(element: XmlElement, tag: string): XmlElement[] {
  return element.children.filter(({ name }) => name === tag || name.toLowerCase() === tag)
}

/** The location of another definition, shown with a diagnostic. */
export function placeOf({ source, span }: { readonly source: SourceText; readonly span: Span }): RelatedPlace {
  return { filename: source.filename, span }
}

/** The range in the file of a range of a pattern, and the element in which it begins. The pattern may be joined from several elements. */
function rangeOfPattern(elements: readonly XmlElement[], start: number, end: number): { element: XmlElement; start: number; end: number } {
  const { element, offset } = placeInJoined(elements, start)
  if (element.substituted) return { element, start: element.contentStart, end: element.contentEnd }
  const from = contentOffset(element, offset)
  const to = contentOffset(element, Math.min(offset + end - start, element.content.length))
  return { element, start: from, end: Math.max(from, Math.min(to, element.contentEnd)) }
}

export class DefinitionReporter extends ElementReporter {
  /** Reports at the first element of a tag, or at the opening tag of the definition when there is none. */
  at(code: DiagnosticCode, tag: string | null, params: Params, extra: Known = {}): void {
    this.report(code, (tag === null ? undefined : elementsOf(this.owner, tag)[0]) ?? this.owner, params, extra)
  }

  /** Reports at a range of a pattern. */
  inPattern(code: DiagnosticCode, elements: readonly XmlElement[], start: number, end: number, params: Params, extra: Extra = {}): void {
    const range = rangeOfPattern(elements, start, end)
    this.reportSpan(code, this.source.span(range.start, range.end), params, extra)
  }
}
