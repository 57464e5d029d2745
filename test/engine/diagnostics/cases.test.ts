/** Every case folder of the engine against its `expected.txt`. `npm run test:update` writes these files again; its diff is then reviewed. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DIAGNOSTICS } from '../../../engine/diagnostics/codes.js'
import { type CaseFolder, caseFolders, codesOf, diagnosticsOf, renderCase } from '../../support/case-folders.js'

const UPDATES = process.env.UPDATE === '1'

/** Codes that no content of a case folder can produce, and where they are produced. */
const WITHOUT_CASE: Readonly<Record<string, string>> = {
  file_unreadable: 'reading files from disk',
  list_file_missing: 'reading ossec.conf',
  file_too_large: 'a file of two megabytes: checks.test.ts',
  decoder_list_empty: 'a ruleset without a base: checks.test.ts',
  rule_id_outside_project_range: 'the settings of a project',
  rule_element_order: 'the settings of a project',
  rule_level_vs_group: 'the classification of a project',
  rule_ignore_too_many_fields: 'cannot occur in 4.14.7; kept for other checkers',
  rule_untested: 'running the cases of a project',
  rule_without_negative_case: 'running the cases of a project',
  case_expectation_impossible: 'running the cases of a project',
  suppression_unused: 'filtering diagnostics',
  engine_step_limit: 'the matcher, while an event runs',
  engine_timeout: 'the threads',
  engine_memory_limit: 'the threads',
  engine_internal_error: 'the threads',
  custom_content_stale: 'the threads',
  custom_content_left_out: 'the threads',
  session_lost: 'the threads',
  regex_attacks_not_searched: 'patterns beyond the budget: attacks.test.ts',
  regex_idle_alternative: 'a proof: test/engine/audit',
  ruleset_loaded: 'presenting an answer',
  session_refused: 'opening a session',
  session_location_invalid: 'the location of an event: test/engine/logtest',
  session_event_dropped: 'an event: test/engine/logtest',
  session_event_truncated: 'an event of 64 KiB: test/engine/logtest',
}

/** Diagnostics of other codes that the content in `right/` of a case cannot avoid. */
const BESIDE_RIGHT: Readonly<Record<string, readonly string[]>> = {
  'rule_level_invalid-level-out-of-range': ['rule_level_unusual'],
  'rule_number_wrapped-if-level': ['rule_if_level_matches_everything'],
  'wazuh_crash-empty-group': ['group_empty'],
  'wazuh_crash-missing-parent-beside-if-matched-sid': ['rule_if_matched_sid_missing'],
}

const codeOf = ({ name }: CaseFolder): string => name.slice(0, name.indexOf('-'))

function expected(each: CaseFolder): string {
  const file = join(each.path, 'expected.txt')
  if (UPDATES) writeFileSync(file, renderCase(each))
  return readFileSync(file, 'utf8')
}

describe('diagnostics', () => {
  for (const each of caseFolders('diagnostics')) {
    test(each.name, () => {
      const code = codeOf(each)
      assert.equal(renderCase(each), expected(each))
      assert.ok(codesOf(each).has(code), 'the content does not give the code')
      if (each.right === null) return
      assert.deepEqual(
        diagnosticsOf(each.right).map((found) => found.code),
        BESIDE_RIGHT[each.name] ?? [],
        'the content that is right gives other diagnostics than expected',
      )
    })
  }

  test('every code has a case, or a reason why it has none', () => {
    const codes = new Set(caseFolders('diagnostics').map(codeOf))
    const without = Object.keys(DIAGNOSTICS).filter((code) => !codes.has(code))
    assert.deepEqual(without.sort(), Object.keys(WITHOUT_CASE).sort())
  })
})

for (const kind of ['logtest', 'issues'] as const) {
  describe(kind, () => {
    for (const each of caseFolders(kind)) test(each.name, () => assert.equal(renderCase(each), expected(each)))
  })
}

describe('fixme', () => {
  // The expected diagnostics are written by hand. When the engine returns them, the case moves to `issues`.
  for (const each of caseFolders('fixme')) test(each.name, () => assert.notEqual(renderCase(each), readFileSync(join(each.path, 'expected.txt'), 'utf8')))
})
