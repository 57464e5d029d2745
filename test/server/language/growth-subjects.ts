/** Texts that could make the language server's readers slow, for `growth.test.ts`. */
import { ContentDocument } from '../../../server/language/content/document.js'
import { complete } from '../../../server/language/features/completion.js'
import { format } from '../../../server/language/features/format.js'
import { documentSymbols, foldingRanges, semanticTokens } from '../../../server/language/features/structure.js'
import { contextAt } from '../../../server/language/text/context.js'
import { Workspace } from '../../../server/language/content/workspace.js'
import type { Subjects } from '../../support/steps.js'
import { MemoryFolder } from './memory.js'

/** Parts that are repeated. */
const PARTS = {
  openings: '<',
  names: '<a ',
  'unended values': '<a b="',
  'unended comments': '<!',
  'open elements': '<a>',
  'closing tags': '</a>',
  'open options': '<rule id="1"><match>',
  backslashes: '\\',
  'escaped brackets': '\\<',
  'open groups': '<group name="x"><rule id="1">',
  blanks: ' ',
  attributes: ' a="b"',
  comments: '<!-- x -->',
  'rules in one group': '<rule id="1" level="1"><if_sid>5, 6</if_sid><description>$(a) b</description></rule>\n',
  'letters of two bytes': 'é',
  decoders: '<decoder name="a"><parent>b</parent><order>c, d</order></decoder>',
} as const

const OPTIONS = { tabSize: 2, insertSpaces: true }
const EMPTY = new Workspace(new MemoryFolder([]))

function readAll(content: string): void {
  const document = new ContentDocument('memory:///rules/x.xml', { kind: 'rules', filename: 'x.xml', scope: 'custom', content })
  documentSymbols(document)
  foldingRanges(document)
  semanticTokens(document)
  format(document, OPTIONS)
  for (const offset of [0, content.length >> 1, content.length]) {
    contextAt(document.scanned, offset)
    document.positions.offsetOfByte(document.positions.byteOfOffset(offset))
    complete(EMPTY.snapshot(), document, offset, { locale: 'en-US', snippets: true })
  }
}

export const SUBJECTS: Subjects = Object.fromEntries(
  Object.entries(PARTS).flatMap(([name, part]) => [
    [name, (size: number): void => readAll(part.repeat(size))],
    [`${name} in a group`, (size: number): void => readAll(`<group name="a,">${part.repeat(size)}</group>`)],
  ]),
)
