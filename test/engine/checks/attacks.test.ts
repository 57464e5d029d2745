/** `regex_backtracking`: which patterns it is reported for, and what the search for attacks takes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkAttacks } from '../../../engine/checks/attacks.js'
import { compileLayer, compileRuleset, describeDiagnostics, diagnosticsWithProofs, ownDiagnostics } from '../../../engine/index.js'
import type { Diagnostic } from '../../../engine/diagnostics/diagnostic.js'
import { attackText } from '../../../engine/redos/attack.js'
import type { CompiledRuleset } from '../../../engine/ruleset/compiled-ruleset.js'
import type { FileScope, SourceFile } from '../../../engine/source/source-file.js'

const rule = (id: number, pattern: string): string =>
  `<rule id="${id}" level="5"><category>syslog</category><regex type="pcre2">${pattern}</regex><description>Rule ${id}.</description></rule>`
const fileOf = (scope: FileScope, patterns: readonly string[], from: number): SourceFile => ({
  kind: 'rules',
  filename: `${scope}.xml`,
  scope,
  content: `<group name="${scope},">${patterns.map((pattern, index) => rule(from + index, pattern)).join('\n')}</group>`,
})
const rulesetOf = (patterns: readonly string[]): CompiledRuleset => compileRuleset([fileOf('custom', patterns, 100100)])
const CUSTOM: ReadonlySet<FileScope> = new Set<FileScope>(['custom'])
const idsOf = (diagnostics: readonly Diagnostic[], code = 'regex_backtracking'): unknown[] => diagnostics.filter((one) => one.code === code).map(({ params }) => params.id)

describe('attacks on the patterns of a ruleset', () => {
  it('says the event, how it was found and what it does', () => {
    const [blind, stall] = rulesetOf(['^.*foo.*bar', '(\\S+)\\[(\\d+)\\]:? trap']).diagnostics.filter(({ code }) => code === 'regex_backtracking')
    assert.deepEqual([blind.attack?.kind, blind.attack?.degree, blind.attack?.pump, blind.attack?.groupsCount], ['blind', 2, 'fooa', false])
    assert.ok(blind.attack !== undefined)
    assert.equal(attackText(blind.attack, blind.attack.copies).length, blind.params.bytes)
    assert.deepEqual([stall.attack?.kind, stall.attack?.degree], ['stall', 1])
    assert.match(String(stall.params.effect), /^it takes about \d\d seconds$/)
    assert.equal(blind.severity, 'warning')
  })

  it('leaves out what takes less than five seconds', () => {
    assert.deepEqual(idsOf(rulesetOf(['error.*failed', '^\\d+ .*x', '\\w+@\\w+']).diagnostics), [])
  })

  it('searches a base only where it is checked alone', () => {
    const base = compileRuleset([fileOf('default', ['^.*foo.*bar'], 100100)])
    assert.deepEqual(idsOf(base.diagnostics), [100100])
    assert.deepEqual(idsOf(compileLayer(base, [fileOf('custom', ['^.*bar.*foo'], 100200)]).diagnostics), [100200])
  })

  it('searches a base only where it is listed', () => {
    const base = (): CompiledRuleset => compileRuleset([fileOf('default', ['^.*foo.*bar'], 100100)])
    assert.deepEqual(idsOf(base().diagnosticsWithoutAttacks), [])
    assert.deepEqual(idsOf(ownDiagnostics(base())), [])
    const [counted, listed] = [false, true].map((includeBaseline) => describeDiagnostics(base(), { locale: 'en-US', includeBaseline, diagnosticsOf: diagnosticsWithProofs }))
    assert.equal(listed.diagnostics.filter(({ code }) => code === 'regex_backtracking').length, 1)
    assert.equal(listed.diagnostics.filter(({ source_scope }) => source_scope === 'default').length, listed.baseline_issue_count)
    assert.equal(counted.baseline_issue_count, listed.baseline_issue_count - 1)
    const own = compileLayer(base(), [fileOf('custom', ['^.*bar.*foo'], 100200)])
    assert.deepEqual([idsOf(ownDiagnostics(own)), idsOf(own.diagnosticsWithoutAttacks)], [[100200], []])
    assert.ok(describeDiagnostics(own, { locale: 'en-US', includeBaseline: false }).diagnostics.some(({ code }) => code === 'regex_backtracking'))
  })

  it('ends with its budget, and says how many patterns it has not searched', () => {
    const hostile = Array.from({ length: 60 }, (_, index) => `^(?:(?:\\w+[a-z]?)+x${index}?)+(?:.*a.*b)+$`)
    const nested = `${'('.repeat(60)}${Array.from({ length: 90 }, (_, index) => `a${index}`).join('|')}${')+'.repeat(60)}$`
    const budget = { left: 30_000_000 }
    const found = checkAttacks(rulesetOf([nested, ...hostile]).surveyed(), CUSTOM, budget)
    assert.ok(budget.left > -100_000, `${budget.left} are left`)
    const [unsearched] = found.filter(({ code }) => code === 'regex_attacks_not_searched')
    const reported = idsOf(found).length
    assert.ok(reported > 0 && Number(unsearched.params.count) >= 60 - reported - 1)
  })

  it('gives the same answer when the patterns are known', () => {
    const patterns = ['^.*one.*two', '^.*two.*three', '^.*three.*four', '^.*four.*five']
    const answers = [1, 2].map(() => checkAttacks(rulesetOf(patterns).surveyed(), CUSTOM, { left: 25_000_000 }))
    assert.deepEqual(answers[0], answers[1])
    assert.ok(idsOf(answers[0]).length > 0 && idsOf(answers[0], 'regex_attacks_not_searched').length === 1)
  })
})
