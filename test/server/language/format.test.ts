/** Formatting changes white space between tags, and no meaning. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compileLayer, compileRuleset, compareSemantics, describeSemantics, type SourceFile } from '../../../engine/index.js'
import { ContentDocument } from '../../../server/language/content/document.js'
import { format } from '../../../server/language/features/format.js'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '../../../workers/content/content.js'
import { BASE } from '../../support/case-folders.js'
import { runs } from '../../support/runs.js'

const OPTIONS = { tabSize: 2, insertSpaces: true }

function formatted(content: string, kind: SourceFile['kind'] = 'rules', options = OPTIONS): string {
  const document = new ContentDocument('memory:///x.xml', { kind, filename: 'x.xml', scope: 'custom', content })
  let text = content
  for (const { range, newText } of format(document, options).reverse()) {
    text = text.slice(0, document.positions.offsetAt(range.start)) + newText + text.slice(document.positions.offsetAt(range.end))
  }
  return text
}

describe('formatting', () => {
  it('puts each tag on its line, and keeps comments and texts', () => {
    const content =
      '<!-- Doors -->\n\n\n\n<group name="a,"><rule id="100100" level="5"><if_sid>501</if_sid> <!-- parent -->\n<match>  a\n b </match>\n\n\n\n<!-- why --><description>é 🚪</description><mitre><id>T1</id></mitre></rule>\n   <!-- last -->\n</group>'
    assert.equal(
      formatted(content),
      '<!-- Doors -->\n\n<group name="a,">\n  <rule id="100100" level="5">\n    <if_sid>501</if_sid> <!-- parent -->\n    <match>  a\n b </match>\n\n    <!-- why -->\n    <description>é 🚪</description>\n    <mitre>\n      <id>T1</id>\n    </mitre>\n  </rule>\n  <!-- last -->\n</group>\n',
    )
  })

  it('uses tabs and the line ends of the file', () => {
    assert.equal(
      formatted('<decoder name="a">\r\n<prematch>x</prematch></decoder>', 'decoders', { tabSize: 4, insertSpaces: false }),
      '<decoder name="a">\r\n\t<prematch>x</prematch>\r\n</decoder>\r\n',
    )
  })

  it('does not touch a document with an unclosed tag, nor a list', () => {
    for (const content of ['<group name="a,">\n<rule id="1">\n</group>', '<group name="a,"></rule></group>', '<a', '<!-- x']) assert.equal(formatted(content), content)
    assert.equal(formatted('a:b\n  c:d', 'lists'), 'a:b\n  c:d')
  })

  it('keeps the meaning of every reference file, and is done after one time', () => {
    const files = readRulesetFolder(REFERENCE_RULESET_DIR, 'default')
    const after = files.map((file) => ({ ...file, content: formatted(file.content, file.kind) }))
    for (const file of after) assert.equal(formatted(file.content, file.kind), file.content, file.filename)
    assert.ok(after.some((file, index) => file.content !== files[index].content))
    const [first, second] = [compileRuleset(files), compileRuleset(after)]
    assert.deepEqual(differences(first, second), [])
    assert.deepEqual(second.diagnostics.map(({ code }) => code).sort(), first.diagnostics.map(({ code }) => code).sort())
  })

  it('keeps the meaning of any document', () => {
    const base = compileRuleset(BASE)
    const gap = fc.constantFrom('', ' ', '\n', '\n\n\n', '\t', '\r\n', ' <!-- c --> ', '\n<!-- d\n e -->\n', '<!-- f -->')
    const option = fc.constantFrom(
      '<if_sid>501</if_sid>',
      '<match> a </match>',
      '<match>\n b\n</match>',
      '<description>é $(srcip)</description>',
      '<mitre> <id>T1110</id>\n</mitre>',
      '<group>x,</group>',
      '<same_srcip />',
      'text',
      '<regex>a\\<b</regex>',
    )
    const rule = fc.tuple(fc.array(fc.tuple(gap, option), { minLength: 1, maxLength: 6 }), gap).map(([parts, end]) => parts.map(([space, text]) => space + text).join('') + end)
    fc.assert(
      fc.property(fc.array(fc.tuple(gap, rule), { maxLength: 4 }), gap, gap, (rules, start, end) => {
        const inside = rules.map(([space, text], index) => `${space}<rule id="${100100 + index}" level="5"${index % 2 === 0 ? '' : '\n   noalert="0"'}>${text}</rule>`).join('')
        const content = `${start}<group name="g,">${inside}${end}</group>${end}`
        const compile = (text: string) => compileLayer(base, [{ kind: 'rules', filename: 'x.xml', scope: 'custom', content: text }])
        const result = formatted(content)
        const [first, second] = [compile(content), compile(result)]
        assert.equal(first.loads, second.loads)
        assert.deepEqual(second.diagnostics.map(({ code }) => code).sort(), first.diagnostics.map(({ code }) => code).sort(), `${content}\n---\n${result}`)
        assert.deepEqual(differences(first, second), [])
        assert.equal(formatted(result), result)
      }),
      { numRuns: runs(150, 5000) },
    )
  })
})

function differences(first: ReturnType<typeof compileRuleset>, second: ReturnType<typeof compileRuleset>): unknown[] {
  const { rules, decoders } = compareSemantics(describeSemantics(first), describeSemantics(second))
  return [rules, decoders].flatMap(({ added, removed, changed }) => [...added, ...removed, ...changed])
}
