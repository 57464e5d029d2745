/** Recovery from files that the parser refuses. */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { XmlElement } from '../../../engine/xml/node.js'
import { parseXml } from '../../../engine/xml/parse.js'
import { type FileShape, recoverXml } from '../../../engine/xml/recover.js'

const SHAPE: FileShape = {
  wrapper: 'group',
  item: 'rule',
  options: new Map([
    ['match', []],
    ['description', []],
    ['id', []],
    ['mitre', ['id']],
    ['group', []],
  ]),
}

/** Returns an element as text: its name, its attributes, and its children or its text. */
function outline({ name, attributes, children, content }: XmlElement): string {
  const inside = children.length > 0 ? children.map(outline).join(' ') : content.trim()
  return `${name}${attributes.map((attribute) => `.${attribute.value}`).join('')}(${inside})`
}

function recover(text: string): { read: string; faults: string[]; broken: string[]; hidden: string[] } {
  const { document, faults, broken, hidden } = recoverXml(text, SHAPE)
  return {
    read: document.elements.map(outline).join(' '),
    faults: faults.map(({ code, start }) => `${start} ${code}`),
    broken: [...broken.keys()].map(({ name, start }) => `${start} ${name}`),
    hidden: hidden.map(({ start, end }) => text.slice(start, end)),
  }
}

test('a file without a fault is parsed as usual', () => {
  const text = '<group name="g"><rule id="1"><match>a</match></rule></group>'
  assert.deepEqual(recover(text), { read: 'group.g(rule.1(match(a)))', faults: [], broken: [], hidden: [] })
})

test('an option that is not closed loses only itself', () => {
  const { read, faults, broken } = recover('<group name="g"><rule id="1"><match>a<mitre><id>T1</id></mitre><description>d</description></rule><rule id="2"></rule></group>')
  assert.equal(read, 'group.g(rule.1(mitre(id(T1)) description(d)) rule.2())')
  assert.deepEqual([faults, broken], [['91 xml_unclosed_element'], ['16 rule']])
})

test('tags inside an option that is not closed are not options of the rule', () => {
  const { read } = recover('<group name="g"><rule id="1"><mitre><id>T1</id><description>d</description></rule></group>')
  assert.equal(read, 'group.g(rule.1(description(d)))')
})

test('a rule that is not closed ends where the next one begins, and so does a group', () => {
  const { read, faults } = recover('<group name="g"><rule id="1"><match>a</match> <rule id="2"></rule><group name="h"><rule id="3"></rule></group>')
  assert.equal(read, 'group.g(rule.1(match(a)) rule.2()) group.h(rule.3())')
  assert.deepEqual(faults, ['110 xml_unclosed_element', '66 xml_unclosed_element'])
})

test('the closing tags of nested rules are not separate faults', () => {
  const { read, faults } = recover('<group name="g"><rule id="1"><rule id="2"></rule></rule><rule id="3" x=1></rule></group>')
  assert.equal(read, 'group.g(rule.1() rule.2() rule.3())')
  assert.deepEqual(faults, ['69 xml_attribute_syntax', '29 xml_unclosed_element'])
})

test('attributes before a wrong attribute of a tag are known', () => {
  const { read } = recover(`<group name="g"><rule id="1" level='2' x=3 y="4"><match>a</match><what /></rule></group>`)
  assert.equal(read, 'group.g(rule.1.2(match(a) what()))')
})

test('groups inside rules, comments and escaped tags do not split a rule', () => {
  const { read } = recover('<group name="g"><rule id="1"><group>a,</group><match>\\<rule </match><!-- <rule id="9"> --></rule><rule id="2"><match>b</mach></rule></group>')
  assert.equal(read, 'group.g(rule.1(group(a,) match(\\<rule)) rule.2())')
})

test('a comment without an end hides the rest', () => {
  const { read, faults, hidden } = recover('<group name="g"><rule id="1"></rule><!-- <rule id="2"></rule></group>')
  assert.deepEqual([read, faults, hidden], ['group.g(rule.1())', ['69 xml_comment_unclosed'], ['<!-- <rule id="2"></rule></group>']])
})

test('what a comment without an end hides is no other fault', () => {
  for (const [text, broken] of [
    ['<group name="g"><rule id="1"><match>a</match><!-- </rule></group>', ['16 rule']],
    ['<group name="g"><rule id="1"><match>a<!-- </match></rule></group>', ['16 rule']],
    ['<group name="g"><!-- <rule id="1"></rule></group>', ['0 group']],
  ] as const) {
    const found = recover(text)
    assert.deepEqual([found.faults, found.broken], [[`${text.length} xml_comment_unclosed`], broken], text)
  }
  // The fault before it is the first.
  assert.deepEqual(recover('<group name="g"><rule id=1></rule><rule id="2"><!-- </rule></group>').faults, ['22 xml_attribute_syntax', '67 xml_comment_unclosed'])
})

test('an attribute without its closing quote has no value, and one without a blank behind it has', () => {
  const read = (tag: string): string => recover(`<group name="g"><rule ${tag}></rule></group>`).read
  assert.equal(read('id="1 level="3"'), 'group.g(rule())')
  assert.equal(read('level="3" id="1 frequency="3"'), 'group.g(rule.3())')
  assert.equal(read('id="1"level="3"'), 'group.g(rule.1())')
})

test('an element that is nested too deeply is one fault', () => {
  const deep = `${'<a>'.repeat(1100)}${'</a>'.repeat(1100)}`
  assert.equal(recover(`<group name="g"><rule id="1"><match>${deep}</match></rule></group>`).faults.length, 1)
})

test('CDATA and a document type end where XML ends them', () => {
  const { read, faults } = recover('<!DOCTYPE x>\n<group name="g"><rule id="1"><match><![CDATA[a]]></match><id>b</id></rule><rule id="2"></rule></group>')
  assert.equal(read, 'group.g(rule.1(id(b)) rule.2())')
  assert.deepEqual(faults.length, 2)
})

test('every undefined variable is reported, and its text is kept', () => {
  const { read, faults, broken } = recover('<var name="X">x</var><group name="g"><rule id="1"><match>$Y</match><id>$X.1</id><description>$Z 1</description></rule></group>')
  assert.equal(read, 'group.g(rule.1(match($Y) id(x.1) description($Z 1)))')
  assert.deepEqual([faults, broken], [['93 xml_variable_undefined'], ['80 description']])
})

test('after a wrong definition no variable is reported as undefined', () => {
  assert.deepEqual(recover('<var name="X">x</var><var nam="Y">y</var><group name="g"><rule id="1"><match>$Y 1</match></rule></group>').faults, ['21 xml_variable_invalid'])
})

const PIECE = fc.oneof(
  fc.constantFrom(
    '<group name="g">',
    '</group>',
    '<rule id="1">',
    '</rule>',
    '<match>',
    '</match>',
    '<match>a</match>',
    '<mitre><id>T1</id></mitre>',
    '<description>',
    '</description>',
  ),
  fc.constantFrom(
    '<rule id=1>',
    '<rule id="1"',
    '<group>a</group>',
    '<x>',
    '</x>',
    '<x/>',
    '<!-- c -->',
    '<!--',
    '-->',
    '<![CDATA[x]]>',
    '<var name="X">x</var>',
    '$X',
    '$Y .',
    '\\',
    '"',
    ' ',
    'a',
  ),
)

test('recovery works for any text: its first fault is that of the parser, and what is read is in the file', () => {
  fc.assert(
    fc.property(fc.array(PIECE, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      const outcome = parseXml(text)
      const { document, faults, broken, hidden } = recoverXml(text, SHAPE)
      if (outcome.ok) assert.deepEqual([document, faults, hidden], [outcome.document, [], []])
      else assert.deepEqual({ ...faults[0] }, { ...outcome.error })
      for (const error of broken.values()) assert.ok(faults.includes(error))
      for (const { start, end, error } of hidden) assert.ok(start < end && end <= text.length && faults.includes(error))
      const check = (elements: readonly XmlElement[], from: number): void => {
        for (const element of elements) {
          assert.ok(element.start >= from && element.end >= element.start && element.end <= text.length)
          check(element.children, element.start)
        }
      }
      check(document.elements, 0)
    }),
    { numRuns: 3000 },
  )
})
