import type { Collector, Extra } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { fromByteString } from '../source/byte-string.js'
import type { SourceText } from '../source/source-text.js'
import type { XmlElement } from './node.js'
import { contentOffset, placeInJoined } from './node.js'

/** A pattern that does not compile, joined from the texts of some tags. */
export interface WrongPattern {
  readonly tag: string
  readonly dialect: string
  readonly text: string
  readonly elements: readonly XmlElement[]
}

/** Reports a diagnostic at the byte at which compiling a pattern of a rule or decoder stopped. @param error its offset is in the joined text */
export function reportWrongPattern(
  collector: Collector,
  { source, element: owner }: { readonly source: SourceText; readonly element: XmlElement },
  { tag, dialect, text, elements }: WrongPattern,
  error: { readonly offset: number; readonly message: string },
  extra: Extra = {},
): Diagnostic {
  const { element, offset } = placeInJoined(elements, error.offset)
  const start = Math.min(contentOffset(element, offset), source.bytes.length)
  const end = Math.max(start, Math.min(element.contentEnd, start + 1))
  const place = { file: source, span: source.span(start, end), evidence: () => fromByteString(text), owner }
  return collector.add('regex_invalid', place, { name: tag, dialect, reason: error.message }, extra)
}
