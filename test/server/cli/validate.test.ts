import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { after, describe, it } from 'node:test'
import { call, Workplace } from './call.js'
import { readLog, resultsOf } from './sarif/read-log.js'

const GOOD = '<group name="mine,">\n  <rule id="100001" level="5">\n    <if_sid>901</if_sid>\n    <match>by ana</match>\n    <description>Ana.</description>\n  </rule>\n</group>\n'
const BAD =
  '<group name="mine,">\n  <rule id="100002" level="5">\n    <if_sid>901</if_sid>\n    <descripton>Typo, "quoted": 100%</descripton>\n    <description>Bad.</description>\n  </rule>\n</group>\n'

describe('validate', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  const good = workplace.write('content/rules/good_rules.xml', GOOD)
  const bad = workplace.write('content/rules/bad_rules.xml', BAD)
  after(() => workplace.remove())
  const run = (...argv: string[]) => call(['validate', '--ruleset', base, ...argv])

  it('reports no diagnostics for valid content', async () => {
    const { code, stdout } = await run(good)
    assert.equal(code, 0)
    assert.match(stdout, /no diagnostics\. Wazuh would start with it\./)
  })

  it('shows a diagnostic with its path, its source line, and a caret', async () => {
    const { code, stdout } = await run(bad)
    assert.equal(code, 1)
    assert.match(stdout, /error\[rule_element_unknown\]: .*Did you mean "description"\?/)
    assert.ok(stdout.includes(`--> ${bad}:4:5`))
    const lines = stdout.split('\n')
    const shown = lines.findIndex((line) => line.startsWith('4 |'))
    assert.match(lines[shown + 1], /^ {2}\| {5}\^+$/)
    assert.match(stdout, /1 error\. Wazuh would not start with it\./)
  })

  it('shows the error with which Wazuh does not start first, then dropped rules, warnings and remarks, in every format', async () => {
    const rule = (id: number, inside: string): string => `<rule id="${id}" level="5"><if_sid>901</if_sid>${inside}<description>Gate.</description></rule>`
    const several = workplace.write(
      'several/rules/gate_rules.xml',
      `<group name="mine,">\n${[
        rule(100050, '<regex>plain text</regex>'),
        rule(100051, '<match>a|</match>'),
        rule(100052, '<list field="srcuser">etc/lists/absent</list>'),
        rule(100053, '<severity>high</severity>'),
      ].join('\n')}\n</group>\n`,
    )
    const order = ['rule_element_unknown', 'rule_list_not_loaded', 'rule_condition_always_true', 'regex_literal_only']
    const found = (text: string): string[] => [...text.matchAll(new RegExp(order.join('|'), 'g'))].map(([code]) => code)
    for (const format of ['pretty', 'json', 'github', 'gitlab', 'junit']) {
      const { stdout } = await run(several, '--format', format)
      assert.deepEqual([...new Set(found(stdout))], order, format)
    }
    const { results } = (JSON.parse((await run(several, '--format', 'sarif')).stdout) as { runs: { results: { ruleId: string }[] }[] }).runs[0]
    assert.deepEqual(
      results.map(({ ruleId }) => ruleId),
      order,
    )
  })

  it('shows a hundred diagnostics of one kind for a rule, and counts the others in every format', async () => {
    const many = workplace.write('many/rules/many_rules.xml', GOOD.replace('<match>', `${'<x>1</x>'.repeat(150)}<match>`))
    const { code, stdout } = await run(many)
    assert.equal(code, 1)
    assert.match(stdout, /\n150 errors\. Wazuh would not start/)
    assert.equal(stdout.match(/error\[rule_element_unknown\]/g)?.length, 100)
    assert.equal(stdout.match(/And 50 more of this kind\./g)?.length, 1)
    assert.match((await run(many, '--locale', 'pt-BR')).stdout, /E mais 50 deste tipo\.[\s\S]*\n150 erros\. /)
    const { diagnostics } = JSON.parse((await run(many, '--format', 'json')).stdout) as { diagnostics: { more: number }[] }
    assert.deepEqual([diagnostics.length, diagnostics.reduce((sum, { more }) => sum + 1 + more, 0)], [100, 150])
    const results = resultsOf(readLog((await run(many, '--format', 'sarif')).stdout))
    assert.deepEqual([results.length, results.reduce((sum, { occurrenceCount = 1 }) => sum + occurrenceCount, 0)], [100, 150])
    for (const format of ['junit', 'gitlab', 'github']) assert.match((await run(many, '--format', format)).stdout, /And 50 more of this kind\./, format)
  })

  it('reports in Portuguese', async () => {
    assert.match((await run(bad, '--locale', 'pt-BR')).stdout, /1 erro\. O Wazuh não iniciaria com isto\./)
  })

  it('detects kinds by folder and content, and searches folders', async () => {
    workplace.write('mixed/one.xml', GOOD)
    workplace.write('mixed/deep/two.xml', '<decoder name="gate">\n  <program_name>^gate</program_name>\n</decoder>\n')
    workplace.write('mixed/lists/users', 'ana:1\n')
    const { code, stdout } = await run(`${workplace.folder}/mixed`)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /3 files checked/)
    assert.equal((await run(workplace.write('mixed/notes.txt', 'hello'))).code, 2)
  })

  it('names lists by their path below lists/, as a ruleset folder does', async () => {
    const using = (name: string): string => GOOD.replace('<match>by ana</match>', `<list field="srcuser">etc/lists/${name}</list>`)
    workplace.write('listed/rules/users.xml', using('people/vip'))
    const vip = workplace.write('listed/lists/people/vip', 'ana:1\nno entry\n')
    workplace.write('listed/lists/people/vip.cdb', 'compiled')
    const folder = `${workplace.folder}/listed`
    for (const argv of [[folder], ['--custom', folder], ['--custom', folder, vip], [`${folder}/rules`, vip]]) {
      const { code, stdout } = await run(...argv)
      assert.equal(code, 0, stdout)
      assert.doesNotMatch(stdout, /rule_list_not_loaded|list_unused|list_name|list_replaces/, argv.join(' '))
    }
    assert.match((await run(`${folder}/rules`)).stdout, /error\[rule_list_not_loaded\]/)
  })

  it('reports a file that is not UTF-8', async () => {
    const latin = workplace.write('latin/rules/latin.xml', Buffer.from(GOOD.replace('by ana', 'por João'), 'latin1'))
    const { code, stdout } = await run(latin)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /warning\[file_encoding\]/)
    assert.ok(stdout.includes(`--> ${latin}:4:`), stdout)
  })

  it('loads a file once that is also in the custom folder', async () => {
    const { code, stdout } = await run('--custom', `${workplace.folder}/content`, good)
    assert.equal(code, 1)
    assert.doesNotMatch(stdout, /rule_duplicate_id/)
  })

  it('loads a file once that is also in the base folder, and shows its diagnostics', async () => {
    const { code, stdout } = await run(`${base}/rules/0010-base.xml`)
    assert.equal(code, 0, stdout)
    const lost = workplace.write('own-base/rules/0020-lost.xml', GOOD.replace('901', '4711').replace('100001', '2001'))
    const named = await call(['validate', '--ruleset', `${workplace.folder}/own-base`, lost, '--format', 'json'])
    assert.equal(named.code, 1)
    const { ok, diagnostics } = JSON.parse(named.stdout)
    assert.equal(ok, false)
    assert.ok(diagnostics.some((diagnostic: { code: string; filename: string }) => diagnostic.code === 'rule_parent_missing' && diagnostic.filename === lost))
    assert.ok(diagnostics.every((diagnostic: { code: string }) => diagnostic.code !== 'rule_id_reserved_range'))
  })

  it('checks a file of the custom folder as part of that folder', async () => {
    const rules = workplace.write('whole/rules/x.xml', GOOD.replace('<match>by ana</match>', '<list field="user" lookup="match_key">etc/lists/known</list>'))
    workplace.write('whole/lists/known', 'ana:\n')
    for (const path of [rules, relative(process.cwd(), rules)]) {
      const { code, stdout } = await run('--custom', `${workplace.folder}/whole`, path)
      assert.equal(code, 0, stdout)
      assert.doesNotMatch(stdout, /list_unused|rule_duplicate_id/)
      assert.ok(stdout.includes(`${path} checked`), stdout)
    }
    // Another file is on top of the folder, which is checked without it.
    const other = workplace.write('elsewhere/y.xml', GOOD.replace('100001', '100005'))
    assert.equal((await run('--custom', `${workplace.folder}/whole`, other)).code, 0)
  })

  it('accepts a file as custom content, and detects a list by its lines', async () => {
    const list = workplace.write('loose/known-users', 'ana:\n"zoë":1\n')
    const rules = workplace.write('loose/rules.txt', GOOD.replace('<match>by ana</match>', '<list field="srcip" lookup="match_key">etc/lists/known-users</list>'))
    const { code, stdout } = await run('--custom', list, '--custom', rules)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /no diagnostics\. Wazuh would start with it\./)
    assert.match((await run(list)).stdout, /info\[list_unused\]/)
    assert.equal((await run(rules)).code, 1)
    assert.equal((await run('--custom', list, rules)).code, 0)
  })

  it('checks what --custom or --ruleset names if no file is named, and fails without any of them', async () => {
    assert.equal((await run()).code, 0)
    assert.ok((await run('--custom', `${workplace.folder}/content`)).stdout.includes(`--> ${bad}:4:5`))
    assert.equal((await call(['validate'])).code, 2)
  })

  it('writes several reports of one run, each as --format prints it', async () => {
    const formats = ['sarif', 'junit', 'github', 'gitlab'] as const
    const path = (format: string): string => `${workplace.folder}/reports/new/${format}`
    const { code, stdout } = await run(bad, ...formats.flatMap((format) => ['--output', `${format}=${path(format)}`]))
    assert.equal(code, 1)
    assert.match(stdout, /1 error\. Wazuh would not start with it\./)
    for (const format of formats) assert.equal(readFileSync(path(format), 'utf8'), (await run(bad, '--format', format)).stdout, format)
  })

  it('refuses a report without a file, of text, or of an unknown format, before anything is compiled', async () => {
    for (const value of ['sarif', 'sarif=', 'pretty=x', 'toString=x', '=x']) {
      const { code, stdout, stderr } = await run('--output', value, '/nowhere')
      assert.deepEqual([code, stdout], [2, ''], value)
      assert.match(stderr, /--output/, value)
    }
    // The name of a file may contain "=".
    assert.equal((await run(good, '--output', `json=${workplace.folder}/a=b`)).code, 0)
    assert.equal(JSON.parse(readFileSync(`${workplace.folder}/a=b`, 'utf8')).ok, true)
    assert.equal((await run(good, '--output', `json=${good}/under-a-file`)).code, 2)
  })

  it('reports only named files and what follows from them with --only-named, compiled with the rest', async () => {
    const child = workplace.write('parted/rules/child.xml', GOOD.replace('901', '100001').replaceAll('100001" ', '100003" '))
    const parent = workplace.write('parted/rules/a-parent.xml', GOOD)
    const broken = workplace.write('parted/rules/broken.xml', BAD)
    const only = (...argv: string[]) => run('--custom', `${workplace.folder}/parted`, '--only-named', ...argv)
    for (const fine of [child, parent]) {
      const { code, stdout } = await only(fine)
      assert.equal(code, 0, stdout)
      assert.doesNotMatch(stdout, /rule_element_unknown/)
    }
    // Without the rest, the child has no parent; with all of it, the broken file counts.
    assert.match((await run('--only-named', child)).stdout, /error\[rule_parent_missing\]/)
    assert.equal((await run('--custom', `${workplace.folder}/parted`, child)).code, 1)
    assert.match((await only(child, broken)).stdout, /error\[rule_element_unknown\]/)
    // A rule of another file that is lost with its parent is a consequence.
    workplace.write('parted/rules/broken.xml', GOOD.replace('100001', '100009'))
    workplace.write('parted/rules/a-parent.xml', GOOD.replace('901', '4711'))
    const { code, stdout } = await only(parent, '--format', 'json')
    assert.equal(code, 1)
    assert.deepEqual(
      JSON.parse(stdout).diagnostics.map(({ filename, cause }: { filename: string; cause: { filename: string } | null }) => [filename, cause?.filename ?? null]),
      [
        [parent, null],
        [child, parent],
      ],
    )
    assert.deepEqual((await only()).code, 2)
  })

  it('checks content without any base with --ruleset none', async () => {
    const alone = await call(['validate', '--ruleset', 'none', '--custom', base])
    assert.match(alone.stdout, /; 5 rules and 3 decoders loaded in total/)
    assert.equal(alone.code, 0, alone.stdout)
    assert.match((await call(['validate', '--ruleset', 'none', '--custom', good])).stdout, /error\[rule_parent_missing\]/)
    assert.equal((await call(['validate', '--ruleset', 'none'])).code, 2)
  })

  it('writes a ValidationResponse as JSON', async () => {
    const report = JSON.parse((await run(bad, '--format', 'json')).stdout)
    assert.equal(report.ok, false)
    assert.equal(report.loads, false)
    assert.equal(report.diagnostics[0].code, 'rule_element_unknown')
    assert.equal(report.diagnostics[0].filename, bad)
    assert.equal(report.diagnostics[0].line, 4)
    assert.equal(typeof report.performance.total_ms, 'number')
  })

  it('writes SARIF 2.1.0', async () => {
    const log = JSON.parse((await run(bad, '--format', 'sarif')).stdout)
    assert.equal(log.version, '2.1.0')
    assert.match(log.$schema, /sarif-2\.1\.0/)
    const [sarifRun] = log.runs
    const { driver } = sarifRun.tool
    assert.equal(driver.name, 'detection-content')
    for (const result of sarifRun.results) {
      assert.equal(driver.rules[result.ruleIndex].id, result.ruleId)
      assert.ok(['error', 'warning', 'note'].includes(result.level))
      assert.ok(result.message.text.length > 0)
      const { artifactLocation, region } = result.locations[0].physicalLocation
      assert.ok(artifactLocation.uri.endsWith('content/rules/bad_rules.xml'))
      assert.ok(region.startLine >= 1 && region.startColumn >= 1)
    }
    assert.equal(sarifRun.results[0].locations[0].physicalLocation.region.startLine, 4)
    const named = workplace.write('odd/a: b#1?.xml', '<group name="x,"><rule/></group>')
    const odd = JSON.parse((await run(named, '--format', 'sarif')).stdout).runs[0].results[0]
    assert.ok(odd.locations[0].physicalLocation.artifactLocation.uri.endsWith('/odd/a:%20b%231%3F.xml'))
  })

  it('writes JUnit XML: one suite per file, errors as failures', async () => {
    const { stdout } = await run(good, bad, '--format', 'junit')
    assert.match(stdout, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites [^>]*tests="2" failures="1"/)
    assert.equal(stdout.match(/<testsuite /g)?.length, 2)
    assert.equal(stdout.match(/<failure type="rule_element_unknown" message="[^"<]*">/g)?.length, 1)
    assert.ok(stdout.includes('&lt;descripton&gt;'))
    assert.ok(stdout.trimEnd().endsWith('</testsuites>'))
  })

  it('groups consequences of a diagnostic under it', async () => {
    const child = (id: number, parent: number) => `<rule id="${id}" level="5"><if_sid>${parent}</if_sid><match>m${id}</match><description>Child.</description></rule>`
    const children = Array.from({ length: 7 }, (_, index) => child(100011 + index, 100010)).join('\n')
    const lost = workplace.write('lost/rules/lost.xml', `<group name="mine,">\n${child(100010, 4711)}\n${children}\n</group>\n`)
    const { code, stdout } = await run(lost)
    assert.equal(code, 1)
    assert.equal(stdout.match(/^error\[/gm)?.length, 1)
    assert.match(stdout, /\n {2}7 diagnostics follow from this:\n {4}[^\n]*lost\.xml:3:29 rule_parent_dropped\n(?: {4}[^\n]*rule_parent_dropped\n){4} {4}… \+2\n\n/)
    assert.match(stdout, /\n1 error, 7 more follow from others\. Wazuh would start with it\./)
    assert.match((await run(lost, '--locale', 'pt-BR')).stdout, /\n {2}7 diagnósticos decorrem deste:\n[\s\S]*\n1 erro, mais 7 decorrem de outros\. /)

    const junit = (await run(lost, '--format', 'junit')).stdout
    assert.match(junit, /^[^\n]*\n<testsuites [^>]*tests="1" failures="1"/)
    assert.equal(junit.match(/lost\.xml:\d+:29 rule_parent_dropped: /g)?.length, 7)

    const [{ results }] = JSON.parse((await run(lost, '--format', 'sarif')).stdout).runs
    assert.equal(results.length, 8)
    for (const { ruleId, relatedLocations } of results.slice(1)) {
      assert.equal(ruleId, 'rule_parent_dropped')
      const { artifactLocation, region } = relatedLocations.at(-1).physicalLocation
      assert.ok(artifactLocation.uri.endsWith('lost/rules/lost.xml'))
      assert.deepEqual([region.startLine, region.startColumn], [2, 29])
    }

    const { diagnostics } = JSON.parse((await run(lost, '--format', 'json')).stdout)
    assert.deepEqual(diagnostics[1].cause, { code: 'rule_parent_missing', filename: lost, line: 2, column: 29 })
    assert.equal(diagnostics[0].cause, null)
  })

  it('counts diagnostics of a named base, and does not count intended ones of the shipped ruleset', async () => {
    const faulty = new Workplace()
    const named = faulty.ruleset()
    faulty.write('base/lists/unused', 'a:1\n')
    const shown = await call(['validate', '--ruleset', named, good])
    faulty.remove()
    assert.match(shown.stdout, /\n\d+ diagnostics of the base ruleset \(--baseline shows them\)\n$/)
    const shipped = await call(['validate', workplace.write('shipped/rules/x.xml', GOOD.replace('901', '5710'))])
    assert.equal(shipped.code, 0, shipped.stdout)
    assert.doesNotMatch(shipped.stdout, /base ruleset/)
  })

  it('writes GitHub workflow commands, one per line', async () => {
    const lines = (await run(bad, '--format', 'github')).stdout.trimEnd().split('\n')
    assert.match(lines[0], /^::error file=[^,]*bad_rules\.xml,line=4,endLine=4,col=5,endColumn=\d+,title=rule_element_unknown::/)
    for (const line of lines) assert.match(line, /^::(?:error|warning|notice) /)
    assert.match(lines[0], /%0A/)
  })

  it("writes GitLab's code quality report, with fingerprints that do not depend on lines", async () => {
    const [diagnostic] = JSON.parse((await run(bad, '--format', 'gitlab')).stdout)
    assert.equal(diagnostic.check_name, 'rule_element_unknown')
    assert.equal(diagnostic.severity, 'blocker')
    assert.equal(diagnostic.location.lines.begin, 4)
    workplace.write('content/rules/bad_rules.xml', `\n\n${BAD}`)
    const [moved] = JSON.parse((await run(bad, '--format', 'gitlab')).stdout)
    workplace.write('content/rules/bad_rules.xml', BAD)
    assert.equal(moved.location.lines.begin, 6)
    assert.equal(moved.fingerprint, diagnostic.fingerprint)
  })

  it('answers JSON lines: whether the ruleset would load, and which rules it has', async () => {
    const lines = [
      { files: [{ kind: 'rules', filename: 'good_rules.xml', content: GOOD }] },
      { files: [{ kind: 'rules', filename: 'bad_rules.xml', content: BAD }] },
      { files: [{ kind: 'what', filename: 'x.xml', content: '' }] },
      {
        files: [
          {
            kind: 'rules',
            filename: 'orphan.xml',
            content: GOOD.replace('901', '4711').replace('</group>', '<rule id="20" level="3"><match>x</match><description>X.</description></rule></group>'),
          },
        ],
      },
    ]
    const { code, stdout } = await call(['validate', '--jsonl', '--ruleset', base], { stdin: lines.map((line) => JSON.stringify(line)).join('\n') })
    assert.equal(code, 1)
    const [first, second, third, fourth] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual([first.loads, first.ok, first.rules_present], [true, true, ['100001']])
    assert.deepEqual([second.loads, second.ok, second.rules_present], [false, false, null])
    assert.equal(second.diagnostics[0].filename, 'bad_rules.xml')
    assert.equal(third.error.code, 'invalid_line')
    assert.deepEqual([fourth.loads, fourth.rules_present], [true, ['20']])
  })

  it('lets a local_*.xml file replace the one of the ruleset', async () => {
    const folder = new Workplace()
    const own = folder.ruleset()
    folder.write('base/rules/local_rules.xml', GOOD)
    const line = JSON.stringify({ files: [{ kind: 'rules', filename: 'local_rules.xml', content: GOOD.replace('100001', '100009') }] })
    const { stdout } = await call(['validate', '--jsonl', '--ruleset', own], { stdin: line })
    const { summary, rules_present } = JSON.parse(stdout)
    folder.remove()
    assert.deepEqual(rules_present, ['100009'])
    assert.equal(summary.total_rules, 6)
  })
})
