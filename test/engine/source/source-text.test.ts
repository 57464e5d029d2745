/** Places in a file, as diagnostics report them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceText } from '../../../engine/source/source-text.js'

const textOf = (content: string): SourceText => new SourceText({ filename: 'x.xml', kind: 'rules', scope: 'adhoc', content })

test('columns count characters, at any place in a line of any length', () => {
  // Longer than the distance between two counted places, with characters of one to four bytes and lines that begin anywhere.
  const words = ['a', 'é', '中', '😀', 'xyz', '\n', 'ação ']
  let content = ''
  for (let at = 0; content.length < 9000; at++) content += at % 97 === 0 ? '\n' : words[(at * 7 + (at >> 3)) % 5]
  for (const text of [content, content.replaceAll('\n', ''), content.slice(0, 1024), 'a'.repeat(2048), '']) {
    const source = textOf(text)
    let [offset, line, column] = [0, 1, 1]
    for (const character of text) {
      assert.deepEqual(source.span(offset, offset), { start: offset, end: offset, line, column, endLine: line, endColumn: column })
      offset += Buffer.byteLength(character)
      if (character === '\n') [line, column] = [line + 1, 1]
      else column++
    }
    assert.deepEqual([source.span(0, offset).endLine, source.span(0, offset).endColumn], [line, column])
  }
})
