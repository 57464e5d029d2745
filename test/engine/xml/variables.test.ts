/** `<var>` (BEHAVIOUR.md#xml-variables). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseXml } from '../../../engine/xml/parse.js'

/** Returns the contents of the remaining elements, or the error. */
function read(text: string): string[] | string {
  const outcome = parseXml(text)
  return outcome.ok ? outcome.document.elements.map(({ content }) => content) : outcome.error.code
}

const V = '<var name="AA">xyz</var>'

const CONTENTS: readonly (readonly [content: string, filled: string])[] = [
  ['$AA', 'xyz'],
  ['$aa.$Aa|$AA,$AA $AA', 'xyz.xyz|xyz,xyz xyz'],
  ['$AA$AA', 'xyzxyz'],
  ['a$', 'a$'],
  ['(a$|b)', '(a$|b)'],
  ['$.x$', '$.x$'],
  ['x$(srcip)', 'x$(srcip)'],
  // quirk: the cursor is not moved over $(…)
  ['^b c$(x) $AA d', '^b c$xyz d'],
]

for (const [content, filled] of CONTENTS) test(`${JSON.stringify(content)} becomes ${JSON.stringify(filled)}`, () => assert.deepEqual(read(`${V}<a>${content}</a>`), [filled]))

const FILES: readonly (readonly [why: string, text: string, expected: string[] | string])[] = [
  ['the garbled text of two variables behind a reference', '<var name="V">val</var><a>x $(a.b) $V y $V</a>', ['x $(a.val y val']],
  ['texts of two bytes are not scanned', '<var name="A">x</var><a>$A</a><a>$A.</a>', ['$A', 'x.']],
  ['a variable is known only behind its definition', `<a>$AA.</a>${V}<b>$AA.</b>`, ['$AA.', 'xyz.']],
  ['without any variable a dollar is harmless', '<a>$NOPE</a>', ['$NOPE']],
  ['an unknown name refuses the file', `${V}<a>cost $NOPE</a>`, 'xml_variable_undefined'],
  ['other bytes belong to the name', `${V}<a>(a|b$)</a>`, 'xml_variable_undefined'],
  ['an escaped dollar is no exception', `${V}<a>\\$x</a>`, 'xml_variable_undefined'],
  ['the first definition wins, in any case', `${V}<var name="aa">other</var><a>$AA.</a>`, ['xyz.']],
  ['values are not scanned', `${V}<var name="B">$AA</var><a>$B.</a>`, ['$AA.']],
  ['var is written in any case', '<VAR NAME="B">b</VAR><a>$B.</a>', ['b.']],
  ['a nested variable counts for what follows', `<p>${V}</p><a>$AA.</a>`, ['', 'xyz.']],
  ['the first attribute must be the name', '<var id="A">x</var>', 'xml_variable_invalid'],
  ['a variable needs an attribute', '<var>x</var>', 'xml_variable_invalid'],
  ['quirk: without one it takes the next of the file', '<var>x</var><a name="B">$B.</a><b>$B.</b>', ['x.', 'x.']],
  ['as many as stand in front of it', `${'<var>x</var>'.repeat(200_000)}<a name="B">$B.</a>`, ['x.']],
  ['values may be long, and be written often', `<var name="AA">${'x'.repeat(20_000)}</var><a>${'$AA '.repeat(800)}</a>`, [`${'x'.repeat(20_000)} `.repeat(800)]],
  ['but not without end', `<var name="AA">${'x'.repeat(20_000)}</var><a>${'$AA '.repeat(5000)}</a>`, 'xml_limit_exceeded'],
  ['nor in many texts', `<var name="AA">${'x'.repeat(20_000)}</var>${`<a>${'$AA '.repeat(400)}</a>`.repeat(3)}`, 'xml_limit_exceeded'],
  ['the next attribute must be a name too', '<var>x</var><a id="B">$B.</a>', 'xml_variable_invalid'],
  ['an attribute called var is refused', '<a var="x">y</a>', 'xml_variable_invalid'],
  ['a name of 256 bytes is refused', `<var name="${'n'.repeat(256)}">x</var>`, 'xml_variable_invalid'],
  ['a name of 255 bytes is not', `<var name="${'n'.repeat(255)}">x</var><a>$${'n'.repeat(255)}</a>`, ['x']],
  ['a reference of 256 bytes is refused', `${V}<a>$${'n'.repeat(256)}</a>`, 'xml_variable_invalid'],
]

for (const [why, text, expected] of FILES) test(why, () => assert.deepEqual(read(text), expected))

test('attribute values are filled in, and variables leave no element', () => {
  const outcome = parseXml(`${V}<g><var name="B">b</var><r id="$AA" k="$B.x"/></g>`)
  assert.ok(outcome.ok)
  const [group] = outcome.document.elements
  assert.deepEqual(
    group.children.map(({ name, attributes }) => [name, ...attributes.map(({ value }) => value)]),
    [['r', 'xyz', 'b.x']],
  )
  assert.deepEqual(
    outcome.document.variables.map(({ name, used }) => [name, used]),
    [
      ['AA', true],
      ['B', true],
    ],
  )
})
