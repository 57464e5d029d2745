/** The SARIF logs of `validate` and `test`: checked against the schema of SARIF 2.1.0, and against GitHub's requirements for code scanning. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { DIAGNOSTICS } from '#engine'
import type { LocatedDiagnostic } from '../../../server/cli/diagnostics/located-diagnostic.js'
import { sarifRules } from '../../../server/cli/diagnostics/sarif.js'
import { writeSarif } from '../../../server/cli/diagnostics/sarif-log.js'
import { readVersion } from '../../../server/core/version.js'
import { call, OPENED, Workplace } from './call.js'
import { readLog, resultsOf, rulesOf, validateLog } from './sarif/read-log.js'

const LOST = `<group name="mine,">
  <rule id="100001" level="5">
    <if_sid>4711</if_sid>
    <match>by ana</match>
    <description>Ana.</description>
  </rule>
</group>
`

describe('SARIF', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  const folder = process.cwd()
  afterEach(() => process.chdir(folder))
  after(() => workplace.remove())
  const run = (command: 'validate' | 'test', ...argv: string[]) => call([command, '--ruleset', base, '--format', 'sarif', ...argv])

  it('is refused by the schema and the table if a property is missing', () => {
    const good = readLog(writeSarif({ locale: 'en-US', command: 'validate', loads: true, rules: [], results: [] }))
    assert.equal(validateLog({ ...good, runs: [{ ...good.runs[0], tool: {} }] }), false)
    assert.equal(validateLog({ ...good, unknown: 1 }), false)
  })

  it('links rules to the published reference if its address is given', async () => {
    const path = workplace.write('linked/rules/lost.xml', LOST)
    const linked = rulesOf(readLog((await run('validate', '--help-url', 'https://docs.example/codes', path)).stdout))
    assert.ok(linked.length > 0 && linked.every(({ id, helpUri }) => helpUri === `https://docs.example/codes#${id}`))
    assert.ok(rulesOf(readLog((await run('validate', path)).stdout)).every(({ helpUri }) => helpUri === undefined))
    // The rules about cases have no page.
    const cases = workplace.write('linked/cases.json', JSON.stringify({ cases: [{ name: 'x', event_text: 'x', expected_rule: '1' }] }))
    const tested = rulesOf(readLog((await run('test', '--custom', path, '--help-url', 'https://docs.example/codes', cases)).stdout))
    assert.deepEqual(
      tested.map(({ id, helpUri }) => [id, helpUri]),
      [['case_failed', undefined], ...linked.map(({ id, helpUri }) => [id, helpUri])],
    )
  })

  it('contains diagnostics with rule, place, fingerprint and version', async () => {
    const path = workplace.write('content/rules/lost.xml', LOST)
    workplace.write('content/rules/empty.xml', '')
    const { code, stdout } = await run('validate', `${workplace.folder}/content`)
    assert.equal(code, 1)
    const log = readLog(stdout)
    const [{ tool, automationDetails, results, invocations }] = log.runs
    assert.deepEqual([tool.driver.version, tool.driver.semanticVersion, automationDetails.id], [readVersion(), readVersion(), 'detection-content/validate/'])
    assert.equal(invocations[0].properties.loads, true)
    const lost = results.find(({ ruleId }) => ruleId === 'rule_parent_missing')
    assert.ok(lost)
    assert.equal(lost.level, 'error')
    const { artifactLocation, region } = lost.locations[0].physicalLocation
    // A file outside of the repository has an absolute URI.
    assert.deepEqual(artifactLocation, { uri: pathToFileURL(path).href })
    assert.deepEqual([region.startLine, region.startColumn, region.endLine], [3, 5, 3])
    const { help, fullDescription } = tool.driver.rules[lost.ruleIndex]
    assert.ok(help.text.startsWith(fullDescription.text) && help.text.length > fullDescription.text.length)
    assert.match(help.markdown, /```xml\n/)
    // A diagnostic of a whole file is placed at its beginning.
    const empty = results.find(({ locations }) => locations[0].physicalLocation.artifactLocation.uri.endsWith('/empty.xml'))
    assert.deepEqual(empty?.locations[0].physicalLocation.region, { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 })
  })

  it('has paths relative to the root of the repository, from any folder in it', async () => {
    const repository = join(workplace.folder, 'repository')
    workplace.write('repository/detections/rules/a b#1.xml', LOST)
    const uriIn = async (at: string, operand: string): Promise<unknown[]> => {
      process.chdir(at)
      const log = readLog((await run('validate', operand)).stdout)
      return [log.runs[0].originalUriBaseIds.SRCROOT.uri, resultsOf(log)[0].locations[0].physicalLocation.artifactLocation]
    }
    const relative = (uri: string) => ({ uri, uriBaseId: 'SRCROOT' })
    const detections = join(repository, 'detections')
    // Without a repository the working directory is the root.
    assert.deepEqual(await uriIn(detections, 'rules'), [`${pathToFileURL(detections).href}/`, relative('rules/a%20b%231.xml')])
    mkdirSync(join(repository, '.git'))
    const expected = [`${pathToFileURL(repository).href}/`, relative('detections/rules/a%20b%231.xml')]
    assert.deepEqual(await uriIn(repository, 'detections'), expected)
    assert.deepEqual(await uriIn(join(detections, 'rules'), '.'), expected)
    const github = await call(['validate', '--ruleset', base, '--format', 'github', '.'])
    assert.match(github.stdout, /^::error file=detections\/rules\/a b#1\.xml,line=3,/)
  })

  it('keeps a fingerprint when lines move or the language changes, and distinguishes equal diagnostics', async () => {
    const fingerprints = async (content: string, ...argv: string[]): Promise<string[]> => {
      workplace.write('moving/rules/lost.xml', content)
      const log = readLog((await run('validate', `${workplace.folder}/moving`, ...argv)).stdout)
      return resultsOf(log).map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash)
    }
    const before = await fingerprints(LOST)
    assert.equal(before.length, 1)
    assert.deepEqual(await fingerprints(`<!-- new -->\n\n${LOST}`), before)
    assert.deepEqual(await fingerprints(LOST, '--locale', 'pt-BR'), before)
    assert.notDeepEqual(await fingerprints(LOST.replace('4711', '4712')), before)
    // The message of a second definition contains the line of the first, which is not part of the fingerprint.
    const twice = LOST.replace('4711', '901').replace('</group>', '<rule id="100001" level="3"><match>x</match><description>X.</description></rule>\n</group>')
    const duplicate = await fingerprints(twice)
    assert.ok(duplicate.length > 0)
    assert.deepEqual(await fingerprints(`\n${twice}`), duplicate)
    const alike = await fingerprints(LOST.replace('<match>by ana</match>', '<srcip>x</srcip>\n<srcip>x</srcip>'))
    assert.equal(new Set(alike).size, alike.length)
  })

  it('contains failed cases of both kinds of suite, and diagnostics of the content', async () => {
    const custom = join(workplace.folder, 'custom')
    workplace.write('custom/rules/lost.xml', LOST)
    const suite = workplace.write(
      'tests/doors.json',
      `{"cases": [\n  {"name": "good", "event_text": ${JSON.stringify(OPENED)}, "expected_rule": "901"},\n  {"name": "lost", "event_text": ${JSON.stringify(OPENED)}, "expected_rule": "100001"},\n  {"name": "wrong", "event_text": 5}\n]}`,
    )
    const ini = workplace.write('tests/doors.ini', `[Doors]\nlog 1 pass = ${OPENED}\nrule = 900\nalert = 0\ndecoder = door\n`)
    const { code, stdout } = await run('test', '--custom', custom, suite, ini)
    assert.equal(code, 1)
    const log = readLog(stdout)
    assert.equal(log.runs[0].automationDetails.id, 'detection-content/test/')
    const shown = resultsOf(log).map(({ ruleId, message, locations: [{ physicalLocation }] }) => [
      ruleId,
      physicalLocation.artifactLocation.uri.split('/').pop(),
      physicalLocation.region.startLine,
      /^[^\n]{0,40}/.exec(message.text)?.[0],
    ])
    assert.deepEqual(shown, [
      ['rule_parent_missing', 'lost.xml', 3, 'Rule 100001 has the parent rule 4711, wh'],
      ['case_unreadable', 'doors.json', 4, 'line 4: "event_text" is not a text'],
      ['case_failed', 'doors.json', 3, 'lost: Rule: expected 100001, got 901'],
      ['case_failed', 'doors.ini', 2, 'Doors, log 1: Rule: expected 900, got 90'],
    ])
    const portuguese = readLog((await run('test', '--custom', custom, suite, ini, '--locale', 'pt-BR')).stdout)
    assert.match(resultsOf(portuguese)[2].message.text, /^lost: Regra: esperado 100001, obtido 901/)
    assert.deepEqual(
      resultsOf(portuguese)
        .map(({ partialFingerprints }) => partialFingerprints)
        .filter((__, index) => index !== 1),
      resultsOf(log)
        .map(({ partialFingerprints }) => partialFingerprints)
        .filter((__, index) => index !== 1),
    )
  })

  it('contains diagnostics of the base only if they keep Wazuh from starting', async () => {
    const suite = workplace.write('alone/doors.json', JSON.stringify({ cases: [{ name: 'good', event_text: OPENED, expected_rule: '901' }] }))
    const rules = readFileSync(join(base, 'rules/0010-base.xml'), 'utf8')
    const codesOf = async (content: string): Promise<string[]> => {
      const other = join(workplace.folder, 'other')
      workplace.write('other/decoders/0010-base.xml', readFileSync(join(base, 'decoders/0010-base.xml')))
      workplace.write('other/rules/0010-base.xml', content)
      return resultsOf(readLog((await call(['test', '--ruleset', other, '--format', 'sarif', suite])).stdout)).map(({ ruleId }) => ruleId)
    }
    assert.deepEqual(await codesOf(rules.replace('<if_sid>900</if_sid>\n    <match>^closed', '<if_sid>4711</if_sid>\n    <match>^closed')), [])
    assert.deepEqual(await codesOf(rules.replace('<match>^closed', '<mach>x</mach>\n    <match>^closed')), ['rule_element_unknown', 'case_failed'])
  })

  it('is empty for valid content', async () => {
    const suite = workplace.write('well/doors.json', JSON.stringify({ cases: [{ name: 'good', event_text: OPENED, expected_rule: '901' }] }))
    const { code, stdout } = await run('test', suite)
    assert.equal(code, 0)
    assert.deepEqual(resultsOf(readLog(stdout)), [])
  })

  it('describes every code in both languages within the limits', () => {
    const diagnostics = Object.keys(DIAGNOSTICS).map((code) => ({ diagnostic: { code } }) as unknown as LocatedDiagnostic)
    for (const locale of ['en-US', 'pt-BR'] as const) {
      const log = readLog(writeSarif({ locale, command: 'validate', loads: true, rules: sarifRules(diagnostics, locale, null), results: [] }))
      assert.equal(rulesOf(log).length, diagnostics.length)
    }
  })

  it('keeps the most severe results above the limit of code scanning, and reports how many it omitted', () => {
    const rules = [{ id: 'a', title: 'A', description: 'A.', help: { text: 'A.', markdown: 'A.' }, level: 'note' as const, tags: [] }]
    const results = Array.from({ length: 25_002 }, (__, index) => ({
      ruleId: 'a',
      level: index === 25_001 ? ('error' as const) : ('note' as const),
      message: `Result ${index}.`,
      place: { path: 'a.xml', line: index + 1 },
      related: [],
      fingerprint: `${index}`,
    }))
    const log = readLog(writeSarif({ locale: 'en-US', command: 'validate', loads: true, rules, results }))
    assert.deepEqual([resultsOf(log).length, resultsOf(log)[0].level], [25_000, 'error'])
    assert.match(log.runs[0].invocations[0].toolExecutionNotifications?.[0].message.text ?? '', /^2 results are omitted/)
  })
})
