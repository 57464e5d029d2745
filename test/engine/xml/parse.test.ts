/** The ruleset dialect of XML (BEHAVIOUR.md#xml-dialect). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { XmlElement } from '../../../engine/xml/node.js'
import { contentOffset } from '../../../engine/xml/node.js'
import { parseXml } from '../../../engine/xml/parse.js'

/** An element in short form: name, attributes, content, children. */
type Tree = [name: string, attributes: string, content: string, ...children: Tree[]]

function tree({ name, attributes, content, children }: XmlElement): Tree {
  return [name, attributes.map((one) => `${one.name}=${one.value}`).join(' '), content, ...children.map(tree)]
}

function read(text: string): Tree[] | string {
  const outcome = parseXml(text)
  return outcome.ok ? outcome.document.elements.map(tree) : outcome.error.code
}

const READ: readonly (readonly [text: string, ...trees: Tree[]])[] = [
  [''],
  ['\xef\xbb\xbf text > <a>x</a> between <b/> end', ['a', '', 'x'], ['b', '', '']],
  // content is verbatim
  ['<a> x\r\n y </a>', ['a', '', ' x\r\n y ']],
  ['<a>&lt;&#65; > ></a>', ['a', '', '&lt;&#65; > >']],
  ['<a>ab<x/>cd<y></y>ef</a>', ['a', '', 'ef', ['x', '', ''], ['y', '', '']]],
  ['<a></a>', ['a', '', '']],
  // names
  ['<a<b"?>x</a<b"?>', ['a<b"?', '', 'x']],
  ['<>x</>', ['', '', 'x']],
  ['<a/>', ['a', '', '']],
  ['<A>x</A>', ['A', '', 'x']],
  // attributes
  ['<a x="1" y=\'2"\' z= "<//\n">t</a>', ['a', 'x=1 y=2" z=<//\n', 't']],
  ['<a ="v">t</a>', ['a', '=v', 't']],
  ['<a x="1" X="2">t</a>', ['a', 'x=1 X=2', 't']],
  ['<a x="\\">t</a>', ['a', 'x=\\', 't']],
  // quirk: text after the slash of a self-closed tag belongs to the enclosing element
  ['<p>ab<x y="1"/>cd</p>', ['p', '', '>cd', ['x', 'y=1', '']]],
  ['<p>ab<x />cd</p>', ['p', '', '>cd', ['x', '', '']]],
  ['<p>ab<x/>cd</p>', ['p', '', 'cd', ['x', '', '']]],
  ['<x y="1"/><b/>', ['x', 'y=1', ''], ['b', '', '']],
  // comments
  ['<a>b<!-- x -->c<! y !>d</a>', ['a', '', 'bcd']],
  ['<!--><!!><a/>', ['a', '', '']],
  ['<a<!-- n -->b>x</a<!!>b>', ['ab', '', 'x']],
  ['<!DOCTYPE x [<a>] !><b/>', ['b', '', '']],
  ['<a><![CDATA[x]]>y</a>-->z</a>', ['a', '', 'z']],
  ['<a>x<b/>y<!-- -->z</a>', ['a', '', 'yz', ['b', '', '']]],
  // backslash before <
  ['<a>a\\<b</a>', ['a', '', 'a\\<b']],
  ['<a>a\\\\</a>', ['a', '', 'a\\\\']],
  ['<a>a\\</a>b</a>', ['a', '', 'a\\</a>b']],
  ['<a>\\<!-- x --><b</a>', ['a', '', '\\<b']],
  ['\\<a><b/>', ['b', '', '']],
  ['<a>\\x<b/></a>', ['a', '', '', ['b', '', '']]],
]

for (const [text, ...trees] of READ) test(`${JSON.stringify(text)} is read`, () => assert.deepEqual(read(text), trees))

const REFUSED: readonly (readonly [text: string, code: string])[] = [
  ['</a>', 'xml_unexpected_close'],
  ['<a></a></a>', 'xml_unexpected_close'],
  ['<a>', 'xml_unclosed_element'],
  ['<a', 'xml_unclosed_element'],
  ['<a></b>', 'xml_unclosed_element'],
  ['<a></A>', 'xml_unclosed_element'],
  ['<a></a >', 'xml_unclosed_element'],
  ['<a>x\\</a>', 'xml_unclosed_element'],
  ['<a><![CDATA[x]]></a>', 'xml_comment_unclosed'],
  ['<!-- x', 'xml_comment_unclosed'],
  ['<?xml version="1.0"?><a/>', 'xml_attribute_syntax'],
  ['<a x="1"x="2"/>', 'xml_attribute_syntax'],
  ['<a x="1" x="2"/>', 'xml_attribute_duplicate'],
  ['<a x ="1"/>', 'xml_attribute_syntax'],
  ['<a x="1>2"/>', 'xml_attribute_syntax'],
  ['<a x=1/>', 'xml_attribute_syntax'],
  ['<a x>t</a>', 'xml_attribute_syntax'],
  ['<a x="1"', 'xml_attribute_syntax'],
]

for (const [text, code] of REFUSED) test(`${JSON.stringify(text)} is refused with ${code}`, () => assert.equal(read(text), code))

const attributes = (count: number, after: string): string => `<a ${Array.from({ length: count }, (_, i) => `x${i}="1"`).join(' ')}${after}`
const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth)
/** Wazuh's own limits, as numbers: constants of the parser would make the test follow any change of them. */
const LONGEST_TEXT = 20_479
const MOST_ATTRIBUTES = 49
const DEEPEST = 1024
const long = 'x'.repeat(LONGEST_TEXT)

const LIMITS: readonly (readonly [what: string, within: string, beyond: string])[] = [
  ['a content', `<a>${long}</a>`, `<a>${long}x</a>`],
  ['a name', `<${long}></${long}>`, `<${long}x></${long}x>`],
  ['an attribute name', `<a ${long}="1"></a>`, `<a ${long}x="1"></a>`],
  ['an attribute value', `<a x="${long}"></a>`, `<a x="${long}x"></a>`],
  ['the number of attributes', attributes(MOST_ATTRIBUTES, '></a>'), attributes(MOST_ATTRIBUTES, ' ></a>')],
  ['the nesting', nested(DEEPEST), nested(DEEPEST + 1)],
]

for (const [what, within, beyond] of LIMITS) {
  test(`${what} has a limit`, () => {
    assert.notEqual(typeof read(within), 'string')
    assert.equal(read(beyond), 'xml_limit_exceeded')
  })
}

test('places refer to the file, also after comments', () => {
  const text = '<p>x</p>\n<a  k = "v">ab<!-- c -->cd</a>'.replace('k = ', 'k= ')
  const outcome = parseXml(text)
  assert.ok(outcome.ok)
  const element = outcome.document.elements[1]
  assert.equal(text.slice(element.start, element.end), '<a  k= "v">ab<!-- c -->cd</a>')
  assert.equal(text.slice(element.attributes[0].valueStart, element.attributes[0].valueEnd), 'v')
  assert.deepEqual(
    [0, 1, 2, 3].map((offset) => text[contentOffset(element, offset)]),
    ['a', 'b', 'c', 'd'],
  )
})
