import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { after, describe, it } from 'node:test'
import { CLOSED, call, LOSING, OPENED, Workplace } from './call.js'

const parse = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('logtest', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())
  const run = (argv: readonly string[], stdin: string | Buffer | readonly (string | Buffer)[]) => call(['logtest', '--ruleset', base, ...argv], { stdin })

  it('reports decoder, aligned fields, rule, groups, MITRE, norms, path and alert', async () => {
    const { code, stdout, stderr } = await run([], `${OPENED}\n`)
    assert.equal(code, 0)
    const lines = stdout.split('\n')
    assert.equal(lines[0], OPENED)
    assert.ok(lines.includes('  Header   Mar 10 08:15:30 · host hall · program door · log opened by ana from 192.0.2.1'))
    assert.ok(lines.includes('  Fields   srcip    192.0.2.1'))
    assert.ok(lines.includes('           srcuser  ana'))
    assert.ok(lines.includes('  Rule     901 · level 7 · Door opened by ana.'))
    assert.ok(lines.includes('  Groups   doors, entry'))
    assert.ok(lines.includes('  MITRE    T1078'))
    assert.ok(lines.includes('  Norms    PCI DSS 9.1'))
    assert.ok(lines.includes('  Alert    yes'))
    assert.ok(lines.some((line) => /^ {2}Path .*900 › 901$/.test(line)))
    assert.match(stderr, /^1 event · 1 alert · /)
  })

  it('explains why there is no alert, and reports a missing rule or decoder', async () => {
    const { stdout, stderr } = await run([], `${CLOSED}\nMar 10 08:15:31 hall window[7]: broken\n`)
    assert.match(stdout, /Alert {4}no: alerts begin at level 3/)
    assert.match(stdout, /Decoder {2}none/)
    assert.match(stdout, /Rule {5}none/)
    assert.match(stderr, /2 events · 0 alerts · 1 with a rule but no alert · 1 without a rule · 1 without a decoder/)
  })

  it('counts for correlation rules only in a session', async () => {
    const three = `${OPENED}\n`.repeat(3)
    assert.doesNotMatch((await run([], three)).stdout, /902 · level/)
    const { stdout } = await run(['--session'], three)
    assert.match(stdout, /902 · level 12 · Door opened often from 192\.0\.2\.1\. \(counts 3 events\)/)
    assert.match(stdout, /Counted/)
  })

  it('reads files, lines split into chunks, CRLF, and a last line without a line end', async () => {
    const file = workplace.write('door.log', `${OPENED}\r\n\r\n${CLOSED}`)
    assert.match((await run([file], '')).stderr, /^2 events/)
    const bytes = Buffer.from(`${OPENED.replace('ana', 'zoë')}\n${CLOSED}`)
    const at = bytes.indexOf(0xc3) + 1
    const { stdout } = await run([], [bytes.subarray(0, at), bytes.subarray(at, at + 3), bytes.subarray(at + 3)])
    assert.match(stdout, /Door opened by zoë/)
    assert.match(stdout, /Door closed/)
  })

  it('prints no control characters of events', async () => {
    const { stdout } = await run([], `Mar 10 08:15:30 hall door[7]: opened by \x1b[31mana from 192.0.2.1\n`)
    assert.equal(stdout.includes('\x1b'), false)
    assert.match(stdout, /␛\[31mana/)
  })

  it('explains why a rule did not match', async () => {
    const { stdout } = await run(['--explain', '903'], OPENED)
    assert.match(stdout, /Reason .*903/)
    assert.match(stdout, /✓ 900 › ✗ 903/)
    assert.match((await run(['--explain', '555'], OPENED)).stdout, /No rule 555 is loaded/)
  })

  it('traces every decision', async () => {
    const { stdout } = await run(['--trace'], OPENED)
    assert.match(stdout, /Trace {4}✓ predecode/)
    assert.match(stdout, /✓ rule {7}901/)
    assert.doesNotMatch(stdout, /predecoder/)
  })

  it('says in the trace where the alert of Wazuh shows another host', async () => {
    const traced = async (event: string, ...more: string[]): Promise<string> => (await run(['--trace', ...more], event)).stdout
    assert.match(await traced('2026-03-10T08:15:30+01:00 hall door[7]: closed'), /hostname=hall .*\(the alert of Wazuh has no predecoder\.hostname\)/)
    assert.match(await traced('Mar 10 08:15:30 [hall] door: closed'), /\(the alert of Wazuh has predecoder\.hostname \[hall\]\)/)
    assert.match(await traced('Mar 10 08:15:30 Closed: door'), /program_name=Closed .*predecoder\.hostname Closed:/)
    assert.match(await traced(OPENED, '--location', '[001] (FAR) any->/x'), /hostname=FAR .*predecoder\.hostname hall/)
    assert.match(await traced(OPENED, '--location', '[001] (FAR) any->/x', '--locale', 'pt-BR'), /o alerta do Wazuh tem predecoder\.hostname hall/)
  })

  it('says at most three times what keeps lines from an own rule, with options of the command line', async () => {
    const content = '<group name="own,"><rule id="100100" level="3"><if_sid>900</if_sid><match>opened by</match><description>own</description></rule></group>'
    const { stdout } = await run(['--custom', workplace.write('own/rules/own.xml', content)], `${OPENED}\n`.repeat(5))
    assert.equal([...stdout.matchAll(/Your rule 100100 \(level 3\) would match too, but rule 901 \(level 7\)/g)].length, 3)
    assert.equal([...stdout.matchAll(/Rule 902 counts events like this one.*Run them with --session/g)].length, 5)
  })

  it('answers JSON lines in order, each in a new session, and continues after an invalid one', async () => {
    const lines = [
      JSON.stringify({ event: OPENED }),
      'no json',
      '{"events": 1}',
      '[]',
      JSON.stringify({ event: OPENED, log_format: 'what' }),
      '',
      JSON.stringify({ event: CLOSED, location: '[001] (gate) any->/var/log/door', note: 'kept by people' }),
    ]
    const { code, stdout, stderr } = await run(['--jsonl'], lines.join('\n'))
    assert.equal(code, 1)
    assert.equal(stderr, '')
    const [opened, noJson, noList, noObject, noFormat, closed] = parse(stdout)
    assert.equal(opened.ok, true)
    assert.equal(opened.rule.id, '901')
    assert.equal(opened.rule.firedtimes, 1)
    assert.equal(opened.rule.frequency, null)
    assert.equal(opened.alert, true)
    assert.deepEqual(
      opened.matched_rules.map(({ id }: { id: string }) => id),
      ['1', '900', '901'],
    )
    assert.deepEqual(opened.extracted_fields, { srcip: '192.0.2.1', srcuser: 'ana' })
    assert.deepEqual(opened.trace, [])
    assert.equal(opened.performance.cache_hit, false)
    assert.equal(closed.performance.cache_hit, true)
    assert.equal(typeof opened.summary.compiled_hash, 'string')
    for (const [answer, code_, line] of [
      [noJson, 'invalid_json', 2],
      [noList, 'invalid_line', 3],
      [noObject, 'invalid_line', 4],
      [noFormat, 'invalid_line', 5],
    ]) {
      assert.equal(answer.ok, false)
      assert.equal(answer.error.code, code_)
      assert.equal(answer.error.line, line)
    }
    assert.equal(closed.alert, false)
    assert.equal(closed.predecoded.hostname, 'gate')
  })

  it('keeps sessions of one line and by id', async () => {
    const lines = [
      { events: [OPENED, { event: OPENED }, OPENED] },
      { event: OPENED, session_id: 'a' },
      { event: OPENED },
      { event: OPENED, session_id: 'b' },
      { events: [OPENED, OPENED], session_id: 'a' },
    ]
    const { code, stdout } = await run(['--jsonl'], lines.map((line) => JSON.stringify(line)).join('\n'))
    assert.equal(code, 0)
    const [together, firstOfA, fresh, firstOfB, restOfA] = parse(stdout)
    assert.deepEqual(
      together.results.map(({ rule }: { rule: { id: string } }) => rule.id),
      ['901', '901', '902'],
    )
    assert.deepEqual(
      [firstOfA, fresh, firstOfB].map(({ rule }) => rule.id),
      ['901', '901', '901'],
    )
    assert.deepEqual(
      restOfA.results.map(({ rule }: { rule: { id: string } }) => rule.id),
      ['901', '902'],
    )
    assert.equal(restOfA.results[1].rule.frequency, 3)
  })

  it('traces and explains in JSON only on request', async () => {
    const [answer] = parse((await run(['--jsonl', '--trace', '--explain', '903'], JSON.stringify({ event: OPENED }))).stdout)
    assert.ok(answer.trace.length > 3)
    assert.equal(answer.explanation.rule_id, '903')
    assert.equal(answer.explanation.matched, false)
  })

  const HEAD = '2026 Jan 05 10:11:12 (gate) any->/var/log/door.log'
  const rulesOf = (stdout: string): (string | undefined)[] => [...stdout.matchAll(/^ {2}Rule +(\w+)/gm)].map(([, id]) => id)

  it('names a record about a log in files, and runs the log in it with --unwrap', async () => {
    const record = `${HEAD} ${OPENED}\n`
    const named = await run([], record)
    assert.deepEqual(rulesOf(named.stdout), ['none'])
    assert.match(named.stdout, /Hint {5}The event is a line of archives\.log: Wazuh has put "2026 Jan .*" in front of the log\..* --unwrap runs it\.\n/)
    assert.equal(named.stdout.match(/Hint/g)?.length, 1)
    assert.doesNotMatch((await run(['--fast'], record)).stdout, /Hint/)
    const { stdout, stderr } = await run(['--unwrap', '--location', '/elsewhere'], `${record}${OPENED}\n"full_log": "${CLOSED}",\n`)
    assert.deepEqual(rulesOf(stdout), ['901', '901', '903'])
    assert.match(stdout, /^The log inside, from \[gate\] \(gate\) any->\/var\/log\/door\.log:\n/)
    assert.match(stdout, /The log inside, from \/elsewhere:\n.*closed/)
    assert.match(stderr, /^3 events/)
    assert.match((await run(['--unwrap', '--locale', 'pt-BR'], record)).stdout, /^O log de dentro, vindo de /)
    assert.match((await run([], `{"event": ${JSON.stringify(OPENED)}, "log_format": "syslog"}`)).stdout, /--jsonl runs such lines/)
  })

  it('reads each line of a file as an event, and with --unwrap records and documents over several lines as one', async () => {
    const entry = [
      '** Alert 1767607872.123: - door,',
      '2026 Jan 05 10:11:12 hall->/var/log/door',
      "Rule: 901 (level 7) -> 'x'",
      'User: ana',
      OPENED,
      '',
      '** Alert 1767607873.1: - ossec,',
      '',
    ]
    const file = workplace.write('records.log', [...entry, '{', '  "door": "open"', '}'].join('\n'))
    const lines = await run([file], '')
    assert.match(lines.stderr, /^9 events/)
    assert.match(lines.stdout, /^\{\n[\s\S]*?Hint {5}The line is only the first of a JSON or XML document, .* --unwrap runs the document as one event\./m)
    assert.match(lines.stdout, /This line is not the log\. --unwrap runs only the log\./)
    const { stdout, stderr } = await run(['--unwrap', file], '')
    assert.deepEqual(rulesOf(stdout), ['901', 'none'])
    assert.match(stdout, /^ {2}Fields {3}door {2}open$/m)
    assert.match(stderr, /^1 line of alerts\.log or of wazuh-logtest is not a log and was skipped\n2 events/)
  })

  it('unwraps JSON lines, which can be records themselves', async () => {
    const record = { timestamp: 'x', agent: { id: '007', name: 'gate' }, manager: { name: 'hq' }, decoder: { name: 'door' }, location: '/l', full_log: OPENED }
    const lines = [record, { event: `"${OPENED}"`, session_id: 's' }, { events: [JSON.stringify(record)] }].map((line) => JSON.stringify(line)).join('\n')
    const [refused, quoted] = parse((await run(['--jsonl'], lines)).stdout)
    assert.match(refused.error.message, /--unwrap runs the log in it/)
    assert.equal(quoted.rule, null)
    const { code, stdout } = await run(['--jsonl', '--unwrap'], lines)
    assert.equal(code, 0)
    const [own, unquoted, { results }] = parse(stdout)
    assert.deepEqual(
      [own, unquoted, ...results].map(({ rule, predecoded }) => [rule.id, predecoded.location]),
      [
        ['901', '(gate) any->/l'],
        ['901', 'stdin'],
        ['901', '(gate) any->/l'],
      ],
    )
  })

  it('at a terminal keeps one session, joins the lines of a document, and runs the log in a record', async () => {
    const typed = (argv: readonly string[], lines: readonly string[]) =>
      call(['logtest', '--ruleset', base, '--no-color', '--locale', 'en-US', ...argv], { stdin: lines.map((line) => `${line}\n`), isTTY: true })
    // The events of another agent would not count.
    const counted = await typed([], [OPENED, OPENED, `2026 Jan 05 10:11:12 hall->/var/log/door.log ${OPENED}`])
    assert.deepEqual(rulesOf(counted.stdout), ['901', '901', 'none', '902'])
    assert.match(counted.stdout, /\n\nThe log inside, from \/var\/log\/door\.log:\n/)
    assert.match(counted.stderr, /They are one session/)
    assert.deepEqual(rulesOf((await typed(['--no-session'], [OPENED, OPENED, OPENED])).stdout), ['901', '901', '901'])
    const joined = await typed(['-q'], ['{', '"door": "open"', '}', '{', '"unfinished":', '', '', OPENED])
    assert.match(joined.stdout, /^\{"door": "open"\}\n/)
    assert.deepEqual([rulesOf(joined.stdout).at(-1), joined.stderr], ['901', ''])
    assert.match((await typed([], ['x'.repeat(4095)])).stderr, /This line has 4095 bytes, after which a terminal drops the rest/)
    // Content that is made for such records runs them only.
    const custom = workplace.write(
      'relay.xml',
      '<group name="mine,"><rule id="100009" level="3"><decoded_as>json</decoded_as><field name="rule.id">7</field><description>Relay.</description></rule></group>',
    )
    const alert = JSON.stringify({ timestamp: 'x', rule: { id: '7', level: 3 }, agent: { id: '007' }, manager: { name: 'hq' }, decoder: {}, location: '/l', full_log: OPENED })
    const relayed = await typed(['--custom', custom], [alert])
    assert.deepEqual([rulesOf(relayed.stdout), relayed.stdout.includes('Hint')], [['100009'], false])
  })

  it('knows the options of wazuh-logtest', async () => {
    const test = async (value: string, stdin: string, ...more: string[]) => run([...more, '-U', value], stdin)
    assert.deepEqual(await test('901:7:door', `${OPENED}\n`, '-q'), { code: 0, stdout: '', stderr: '' })
    assert.deepEqual(await test('901:7:gate', `${OPENED}\n`, '-q'), { code: 1, stdout: '', stderr: '' })
    const failed = await test('901:7:gate', `${OPENED}\n`)
    assert.match(failed.stdout, /Unit test failed: expected 901:7:gate, got 901:7:door\n$/)
    assert.match((await test('902:12:door', `${OPENED}\n`.repeat(3))).stdout, /Unit test passed: 902:12:door\n$/)
    assert.deepEqual([(await test('::', 'nothing')).code, (await test('::', '')).code], [0, 1])
    assert.match((await run(['-v', '-l', '[001] (gate) any->/l'], OPENED)).stdout, /host gate [\s\S]*Trace {4}✓ predecode/)
    assert.equal((await run(['-V'], '')).code, 0)
    assert.match((await run(['--debug'], '')).stderr, /What it does in wazuh-logtest, --trace does here\./)
  })

  it('keeps names of fields apart from their values', async () => {
    const name = 'a.name.of.far.more.than.thirty.characters'
    assert.match((await run([], JSON.stringify({ [name]: 'x', b: 'y' }))).stdout, new RegExp(`^ {2}Fields {3}${name} {2}x\n {11}b {29}y$`, 'm'))
  })

  it('loads custom content on top', async () => {
    workplace.write(
      'mine/rules/my_rules.xml',
      '<group name="mine,"><rule id="100001" level="10"><if_sid>901</if_sid><srcip>192.0.2.1</srcip><description>Known door.</description></rule></group>',
    )
    assert.match((await run(['--custom', `${workplace.folder}/mine`], OPENED)).stdout, /100001 · level 10 · Known door\./)
  })

  it('reports the errors that keep a ruleset from loading, with exit code 1', async () => {
    workplace.write('broken/rules/my_rules.xml', '<group name="mine,"><rule id="100001" level="99"><description>Much.</description></rule></group>')
    const { code, stdout, stderr } = await run(['--custom', `${workplace.folder}/broken`], OPENED)
    assert.equal(code, 1)
    assert.match(stderr, /error\[rule_level_invalid\]/)
    assert.match(stderr, /Wazuh would not start/)
    assert.match(stdout, /Not run/)
    const json = await run(['--custom', `${workplace.folder}/broken`, '--jsonl'], JSON.stringify({ event: OPENED }))
    assert.equal(json.code, 1)
    const [answer] = parse(json.stdout)
    assert.equal(answer.ok, false)
    assert.equal(answer.rule, null)
    assert.equal(answer.diagnostics[0].code, 'rule_level_invalid')
  })

  it('reports rules that Wazuh drops on stderr, with exit code 1, although it runs every event', async () => {
    const file = workplace.write('losing/rules/my_rules.xml', LOSING)
    const { code, stdout, stderr } = await run(['--custom', `${workplace.folder}/losing`], `${OPENED}\n`)
    assert.equal(code, 1)
    assert.match(stdout, /Rule {5}100001 · level 9/)
    assert.doesNotMatch(stdout, /error|100002/)
    assert.ok(stderr.includes('error[rule_parent_missing]: Rule 100002 has the parent rule 4711'), stderr)
    assert.ok(stderr.includes(`--> ${file}:7:5\n  |\n7 |     <if_sid>4711</if_sid>\n`), stderr)
    assert.ok(stderr.includes('error[rule_duplicate_id]'), stderr)
    assert.ok(stderr.includes(`--> ${file}:10:3\n`), stderr)
    assert.match(stderr, /\n\n2 errors in your own content\.\n\n1 event · 1 alert/)
    const portuguese = (await run(['--custom', `${workplace.folder}/losing`, '--locale', 'pt-BR'], OPENED)).stderr
    assert.match(portuguese, /^erro\[rule_parent_missing\]: A regra 100002 [\s\S]*\n2 erros no seu próprio conteúdo\.\n/)
  })

  it('sets ok of JSON lines to false after an error of the own content, without its text in them', async () => {
    workplace.write('losing/rules/my_rules.xml', LOSING)
    const lines = [{ event: OPENED }, { events: [OPENED, CLOSED] }].map((line) => JSON.stringify(line)).join('\n')
    const { code, stdout, stderr } = await run(['--jsonl', '--custom', `${workplace.folder}/losing`], lines)
    assert.equal(code, 1)
    const [one, { results }] = parse(stdout)
    assert.deepEqual(
      [one, ...results].map(({ ok, rule }) => [ok, rule.id]),
      [
        [false, '100001'],
        [false, '100001'],
        [false, '903'],
      ],
    )
    assert.match(stderr, /error\[rule_parent_missing\][\s\S]*error\[rule_duplicate_id\]/)
  })

  it('counts consequences of a diagnostic, and shows only their cause', async () => {
    const custom = workplace.write(
      'cascade/rules/my_rules.xml',
      LOSING.replace('<if_sid>903', '<if_sid>100002').replaceAll(/id="100001" level="9">\n {4}<if_sid>100002/g, 'id="100003" level="9">\n    <if_sid>100002'),
    )
    const { code, stderr } = await run(['--custom', custom], OPENED)
    assert.equal(code, 1, stderr)
    assert.equal(stderr.match(/^error\[/gm)?.length, 1)
    assert.match(stderr, /\n1 error, 1 more follows from another in your own content\. `detection-content validate` shows all diagnostics\.\n/)
  })

  it('shows warnings, counts remarks, and exits with 0', async () => {
    const unused = workplace.write('remarks/lists/unused', 'a:1\n')
    workplace.write('remarks/rules/my_rules.xml', LOSING.replace('4711', '901').replace(/ {2}<rule id="100001" level="9">\n {4}<if_sid>903[\s\S]*?<\/rule>\n/, ''))
    const { code, stderr } = await run(['--custom', `${workplace.folder}/remarks`], OPENED)
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^warning\[rule_overlapping_level\][\s\S]*\n1 warning, \d+ remarks? in your own content\. `detection-content validate` shows all diagnostics\.\n/)
    assert.ok(!stderr.includes(unused))
    assert.ok((await call(['validate', '--ruleset', base, '--custom', `${workplace.folder}/remarks`])).stdout.includes(unused))
  })

  it('shows the first of many diagnostics, errors before warnings', async () => {
    const rules = Array.from({ length: 50 }, (_, i) => `<rule id="${100100 + i}" level="3"><if_sid>4711</if_sid><description>Rule.</description></rule>`).join('\n')
    workplace.write('many/rules/my_rules.xml', `<group name="mine,">\n${rules}\n</group>`)
    const { code, stderr } = await run(['--custom', `${workplace.folder}/many`], OPENED)
    assert.equal(code, 1)
    assert.equal(stderr.match(/^error\[/gm)?.length, 20)
    assert.match(stderr, /\n50 errors.* in your own content\. `detection-content validate` shows all diagnostics\.\n/)
  })

  it('accepts files instead of a folder, and detects their kind by content', async () => {
    const rules = workplace.write(
      'loose/mine.txt',
      '<group name="mine,"><rule id="100001" level="10"><decoded_as>gate</decoded_as><list field="srcip" lookup="match_key">etc/lists/known</list><description>Known at the gate.</description></rule></group>',
    )
    const decoders = workplace.write(
      'loose/own.xml',
      '<decoder name="gate"><program_name>^gate</program_name></decoder><decoder name="gate-from"><parent>gate</parent><regex>from (\\S+)</regex><order>srcip</order></decoder>',
    )
    const list = workplace.write('loose/known', '192.0.2.1:\n"192.0.2.2":ana\n')
    const event = 'Mar 10 08:15:30 hall gate[7]: somebody from 192.0.2.2'
    const { code, stdout, stderr } = await run(['--custom', rules, '--custom', decoders, '--custom', list], event)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /100001 · level 10 · Known at the gate\./)
    // Each file is loaded once, even if it is named several times.
    assert.equal((await run(['--custom', rules, '--custom', decoders, '--custom', list, '--custom', rules, '--custom', decoders], event)).code, 0)
    const alone = await run(['--custom', rules], event)
    assert.equal(alone.code, 1)
    assert.ok(alone.stderr.includes(`--> ${rules}:1:`), alone.stderr)
    const nested = workplace.write('nested/lists/deep/known', '192.0.2.2:\n')
    const deep = workplace.write(
      'loose/deep.xml',
      '<group name="mine,"><rule id="100002" level="10"><decoded_as>gate</decoded_as><list field="srcip" lookup="match_key">etc/lists/deep/known</list><description>Deep.</description></rule></group>',
    )
    assert.match((await run(['--custom', deep, '--custom', decoders, '--custom', nested], event)).stdout, /100002 · level 10/)
    // A folder without decoders/, rules/ and lists/ is searched.
    assert.match((await run(['--custom', dirname(deep), '--custom', nested], event)).stdout, /100002 · level 10/)
    const neither = workplace.write('loose/event.log', `${OPENED}\n`)
    for (const [path, message] of [
      [neither, /contains no rules, decoders or list/],
      [`${workplace.folder}/loose/none`, /no such file/],
      [workplace.empty(), /contains no rules, decoders or lists/],
    ] as const) {
      const refused = await run(['--custom', path], event)
      assert.deepEqual([refused.code, refused.stdout], [2, ''])
      assert.match(refused.stderr, message)
    }
  })

  it('answers many lines without mixing them up', async () => {
    const count = 3000
    const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ event: OPENED.replace('ana', `u${index}`) }))
    const answers = parse((await run(['--jsonl'], lines.join('\n'))).stdout)
    assert.equal(answers.length, count)
    for (const [index, answer] of answers.entries()) assert.equal(answer.extracted_fields.srcuser, `u${index}`)
  })

  it('shows progress on standard error alone: how many events, of how many bytes, and how long it takes', async () => {
    const count = 500
    const log = workplace.write('many.log', `${OPENED}\n`.repeat(count))
    const watched = (...argv: readonly string[]) => call(['logtest', '--ruleset', base, ...argv], { clock: steadily(20) })
    const plain = await watched(log)
    assert.match(plain.stderr, /^logtest: 250 events · \d+\/s · 50 % · 5 s left\n/)
    assert.equal(plain.stderr.match(/^logtest: /gm)?.length, 2)
    assert.equal(plain.stdout, (await call(['logtest', '--ruleset', base, log])).stdout)
    assert.match((await watched(log, '--locale', 'pt-BR')).stderr, /^logtest: 250 eventos · \d+\/s · 50 % · faltam 5 s\n/)
    assert.equal((await watched(log, '--quiet')).stderr, '')
    const lines = workplace.write('many.jsonl', `${JSON.stringify({ event: OPENED })}\n`.repeat(2000))
    const answered = await call(['logtest', '--ruleset', base, '--jsonl', lines], { clock: steadily(4000) })
    assert.equal(parse(answered.stdout).length, 2000)
    assert.match(answered.stderr, /^(?:logtest: [\d,]+ lines · \d\.\d\/s · \d+ % · .+ left\n)+$/)
  })
})

/** A clock that is later each time. */
function steadily(ms: number): () => number {
  let now = 0
  return () => (now += ms)
}
