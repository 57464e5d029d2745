/**
 * Finds diagnostics that say that a file cannot be parsed at all, rather than that its content is wrong (CONTRACT.md#analysis). An empty file, or one with
 * comments or variables only, can be parsed: it has no content.
 */
import type { Diagnostic, DiagnosticCode, SourceFile } from '#engine'

const READER_CODES: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'xml_unclosed_element',
  'xml_unexpected_close',
  'xml_attribute_syntax',
  'xml_attribute_duplicate',
  'xml_comment_unclosed',
  'xml_limit_exceeded',
  'xml_prolog',
])

/** @param diagnostics diagnostics of the loader @param own the files of the request */
export function findUnreadable(diagnostics: readonly Diagnostic[], own: readonly SourceFile[]): readonly Diagnostic[] {
  if (own.length === 0) return []
  const suspects = diagnostics.filter(({ code }) => READER_CODES.has(code) || code === 'xml_empty_file')
  if (suspects.length === 0) return []
  const files = new Map(own.map((file) => [nameOf(file), file]))
  return suspects.filter((diagnostic) => {
    const file = files.get(nameOf(diagnostic))
    return file !== undefined && (diagnostic.code !== 'xml_empty_file' || isTextAlone(file.content))
  })
}

/** Returns the key that identifies a file of the request, and the file of a diagnostic. */
export function nameOf({ kind, scope, filename }: Pick<SourceFile, 'kind' | 'scope' | 'filename'>): string {
  return `${kind} ${scope} ${filename}`
}

/**
 * Whether the content has text, and no element: only blanks, a byte order mark and comments may be beside the text. Comments end where the parser ends them;
 * what else begins with `<` is a variable, because the parser has found no other element. Linear: a missing end is searched for once.
 */
function isTextAlone(content: string): boolean {
  let bang = content.indexOf('!>')
  let dash = content.indexOf('-->')
  let hasText = false
  for (let at = 0; at < content.length; ) {
    if (content.startsWith('<!', at)) {
      if (bang >= 0 && bang < at + 2) bang = content.indexOf('!>', at + 2)
      if (dash >= 0 && dash < at + 2) dash = content.indexOf('-->', at + 2)
      if (bang < 0 && dash < 0) return true
      at = dash < 0 || (bang >= 0 && bang < dash) ? bang + 2 : dash + 3
      continue
    }
    if (content[at] === '<') return false
    hasText ||= !isBlank(content.charCodeAt(at))
    at++
  }
  return hasText
}

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0xfeff
}
