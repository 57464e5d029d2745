import assert from 'node:assert/strict'
import test from 'node:test'
import { splitXml } from '../../../../server/content/templates/split-xml.js'

test('decoders and rules become files of their own, in their order', () => {
  const { decoders, rules } = splitXml(`
<decoder name="a"><prematch>^a</prematch></decoder>
<group name="one,"><rule id="100000" level="3"><match>x</match><group>two,</group></rule></group>
<decoder name="b"><parent>a</parent></decoder>
<group name="three,"></group>
`)
  assert.equal(decoders, '<decoder name="a"><prematch>^a</prematch></decoder>\n\n<decoder name="b"><parent>a</parent></decoder>\n')
  assert.equal(rules, '<group name="one,"><rule id="100000" level="3"><match>x</match><group>two,</group></rule></group>\n\n<group name="three,"></group>\n')
})

test('a comment goes with the element that follows it, whatever it says', () => {
  const { decoders, rules } = splitXml('<!-- <group> of lines -->\n<decoder name="a"></decoder>\n\n<!-- about the rules -->\n<group name="b,"></group>\n')
  assert.equal(decoders, '<!-- <group> of lines -->\n<decoder name="a"></decoder>\n')
  assert.equal(rules, '<!-- about the rules -->\n<group name="b,"></group>\n')
})

test('variables stand with the rules', () => {
  assert.deepEqual(splitXml('<var name="NET">10.</var>\n<group name="a,"></group>'), { decoders: null, rules: '<var name="NET">10.</var>\n\n<group name="a,"></group>\n' })
})

test('empty elements, and attributes with angle brackets, are one tag', () => {
  const rule = '<group name="a,"><rule id="100000" level="3"><same_srcip /><field name="x>y">z</field></rule></group>'
  assert.deepEqual(splitXml(rule), { decoders: null, rules: `${rule}\n` })
})

test('what a template lacks is null', () => {
  assert.deepEqual(splitXml('<decoder name="a"></decoder>'), { decoders: '<decoder name="a"></decoder>\n', rules: null })
  assert.deepEqual(splitXml('<!-- nothing -->'), { decoders: null, rules: null })
})

test('what does not nest, or belongs to neither, is refused', () => {
  assert.throws(() => splitXml('<group name="a,">'), RangeError)
  assert.throws(() => splitXml('<group name="a,"></decoder>'), RangeError)
  assert.throws(() => splitXml('</group>'), RangeError)
  assert.throws(() => splitXml('<rule id="1" level="0"></rule>'), RangeError)
})
