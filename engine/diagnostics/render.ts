/**
 * Formats a diagnostic for a terminal, with its source line:
 *
 *     error[rule_if_sid_empty]: The <if_sid> of rule 100001 is empty.
 *       --> local_rules.xml:3:5
 *        |
 *      3 |     <if_sid></if_sid>
 *        |     ^^^^^^^^^^^^^^^^^
 *        = hint: Write the id of the parent, …
 *
 * Invariant: no control character of a file reaches the terminal.
 */
import type { Severity } from './codes.js'
import type { Diagnostic } from './diagnostic.js'
import { describeDiagnostic, type Locale, WORDS } from './text.js'

/** Columns of a tab, at any position: lines and carets then agree without tab stops. */
const TAB_WIDTH = 4

/** Shown characters of a source line: the width of a terminal without the gutter. */
const LINE_WINDOW = 120

/** Characters shown before the span where the line is cut, for context. */
const LEAD = 20

export interface RenderStyle {
  /** Whether to use ANSI colours. */
  readonly color: boolean
}

const COLORS: Record<Severity | 'frame', string> = { error: '1;31', warning: '1;33', info: '1;36', success: '1;32', frame: '1;34' }

/** Returns a diagnostic as text with its source line and a caret. @param lineText the line where the span begins, without its line break; null: it is not available */
export function renderDiagnostic(diagnostic: Diagnostic, lineText: string | null, locale: Locale, style: RenderStyle = { color: false }): string {
  const { severity, span, code } = diagnostic
  const paint = (text: string, color: Severity | 'frame'): string => (style.color ? `\x1b[${COLORS[color]}m${text}\x1b[0m` : text)
  const { message, hint } = describeDiagnostic(diagnostic, locale)
  const words = WORDS[locale]
  const gutter = ' '.repeat(span === null ? 1 : String(span.line).length)
  const place = visible(diagnostic.filename) + (span === null ? '' : `:${span.line}:${span.column}`)
  const lines = [`${paint(`${words.severity[severity]}[${code}]`, severity)}: ${message}`, `${gutter} ${paint('-->', 'frame')} ${place}`]
  if (span !== null && lineText !== null) {
    const { text, before, width } = excerpt(lineText, span.column, span.endLine === span.line ? span.endColumn : null)
    const continuation = span.endLine === span.line ? '' : ` … ${span.endLine}:${span.endColumn}`
    lines.push(`${gutter} ${paint('|', 'frame')}`)
    lines.push(`${paint(`${span.line} |`, 'frame')} ${text}`)
    lines.push(`${gutter} ${paint('|', 'frame')} ${' '.repeat(before)}${paint('^'.repeat(width) + continuation, severity)}`)
  }
  lines.push(`${gutter} ${paint('=', 'frame')} ${words.hint}: ${hint}`)
  for (const { filename, span: related } of diagnostic.related) {
    lines.push(`${gutter} ${paint('=', 'frame')} ${words.related}: ${visible(filename)}:${related.line}:${related.column}`)
  }
  return lines.join('\n')
}

/**
 * Returns the part of a line around a span, and the position of the carets: `before` blanks, then `width` carets.
 *
 * @param column first character of the span, from 1
 * @param endColumn character after the span; null if it continues after this line
 */
function excerpt(lineText: string, column: number, endColumn: number | null): { text: string; before: number; width: number } {
  const characters = Array.from(lineText.replace(/\r$/, ''), (char) => (char === '\t' ? ' '.repeat(TAB_WIDTH) : visible(char)))
  const start = Math.min(column - 1, characters.length)
  const end = Math.max(start, Math.min(endColumn === null ? characters.length : endColumn - 1, characters.length))
  const from = characters.length <= LINE_WINDOW ? 0 : Math.max(0, Math.min(start - LEAD, characters.length - LINE_WINDOW))
  const to = Math.min(characters.length, from + LINE_WINDOW)
  const cutBefore = from > 0 ? '…' : ''
  const cutAfter = to < characters.length ? '…' : ''
  return {
    text: cutBefore + characters.slice(from, to).join('') + cutAfter,
    before: cutBefore.length + lengthOf(characters, from, start),
    width: Math.max(1, lengthOf(characters, start, Math.min(end, to))),
  }
}

/** Returns the columns of a text: tabs are already blanks, every other character takes one. */
function lengthOf(characters: readonly string[], from: number, to: number): number {
  let length = 0
  for (let i = from; i < to; i++) length += characters[i][0] === ' ' ? characters[i].length : 1
  return length
}

/** Replaces control characters by their visible symbols (block U+2400), which take one column. */
function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (char) => {
    const code = char.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
  })
}
