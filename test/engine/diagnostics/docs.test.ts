import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIAGNOSTICS } from '../../../engine/diagnostics/codes.js'
import { diagnosticReference } from '../../../engine/diagnostics/docs.js'
import { LOCALES } from '../../../engine/diagnostics/text.js'

test('the reference has a section for every code, in every language', () => {
  for (const locale of LOCALES) {
    const sections = [...diagnosticReference(locale).matchAll(/^### `(\w+)`$/gm)].map(([, code]) => code)
    assert.deepEqual(new Set(sections), new Set(Object.keys(DIAGNOSTICS)))
    assert.equal(sections.length, Object.keys(DIAGNOSTICS).length)
  }
})

test("a section has the severity, Wazuh's behaviour, its message numbers, and an example", () => {
  const reference = diagnosticReference('en-US')
  const section = reference.slice(reference.indexOf('### `rule_duplicate_id`'), reference.indexOf('### `rule_overwrite_target_missing`'))
  assert.match(section, /Severity: error · Wazuh: drops the rule without an error · Wazuh message: 7612/)
  assert.match(section, /Wrong:\n\n```xml\n<rule id="5710" level="8">\n```/)
})

test('tags in texts are escaped', () => {
  assert.ok(diagnosticReference('en-US').includes('Wazuh refuses a \\<group> without a \\<rule>.'))
})
