/** Places in a text as the language server has them: lines and UTF-16 units. */
import type { Text } from '@codemirror/state'
import type { Position, Range } from 'vscode-languageserver-types'

export function positionAt(doc: Text, offset: number): Position {
  const line = doc.lineAt(offset)
  return { line: line.number - 1, character: offset - line.from }
}

/** @param position may be behind the end: what was answered is about a text that can have changed */
export function offsetAt(doc: Text, { line, character }: Position): number {
  if (line >= doc.lines) return doc.length
  const { from, to } = doc.line(line + 1)
  return Math.min(from + character, to)
}

export function spanOf(doc: Text, { start, end }: Range): { readonly from: number; readonly to: number } {
  const from = offsetAt(doc, start)
  return { from, to: Math.max(from, offsetAt(doc, end)) }
}
