import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { CLOSED, call, OPENED, Workplace } from './call.js'

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
    assert.ok(lines.includes('  Header   Mar 10 08:15:30 · host hall · program door'))
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

  it('says why there is no alert, and that no rule or decoder answers', async () => {
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

  it('reads files, lines that come in pieces, CRLF, and a last line without an end', async () => {
    const file = workplace.write('door.log', `${OPENED}\r\n\r\n${CLOSED}`)
    assert.match((await run([file], '')).stderr, /^2 events/)
    const bytes = Buffer.from(`${OPENED.replace('ana', 'zoë')}\n${CLOSED}`)
    const at = bytes.indexOf(0xc3) + 1
    const { stdout } = await run([], [bytes.subarray(0, at), bytes.subarray(at, at + 3), bytes.subarray(at + 3)])
    assert.match(stdout, /Door opened by zoë/)
    assert.match(stdout, /Door closed/)
  })

  it('lets no event command the terminal', async () => {
    const { stdout } = await run([], `Mar 10 08:15:30 hall door[7]: opened by \x1b[31mana from 192.0.2.1\n`)
    assert.equal(stdout.includes('\x1b'), false)
    assert.match(stdout, /␛\[31mana/)
  })

  it('explains why a rule did not answer', async () => {
    const { stdout } = await run(['--explain', '903'], OPENED)
    assert.match(stdout, /Explain .*903/)
    assert.match(stdout, /✓ 900 › ✗ 903/)
    assert.match((await run(['--explain', '555'], OPENED)).stdout, /No rule 555 is loaded/)
  })

  it('traces every decision', async () => {
    const { stdout } = await run(['--trace'], OPENED)
    assert.match(stdout, /Trace {4}✓ predecode/)
    assert.match(stdout, /✓ rule {7}901/)
  })

  it('answers JSON lines in their order, each fresh, and goes on after a wrong one', async () => {
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

  it('keeps sessions: of one line, and by their id', async () => {
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

  it('traces and explains in JSON only when asked', async () => {
    const [answer] = parse((await run(['--jsonl', '--trace', '--explain', '903'], JSON.stringify({ event: OPENED }))).stdout)
    assert.ok(answer.trace.length > 3)
    assert.equal(answer.explanation.rule_id, '903')
    assert.equal(answer.explanation.matched, false)
  })

  it('takes custom content on top', async () => {
    workplace.write(
      'mine/rules/my_rules.xml',
      '<group name="mine,"><rule id="100001" level="10"><if_sid>901</if_sid><srcip>192.0.2.1</srcip><description>Known door.</description></rule></group>',
    )
    assert.match((await run(['--custom', `${workplace.folder}/mine`], OPENED)).stdout, /100001 · level 10 · Known door\./)
  })

  it('says what keeps a ruleset from loading, and ends with 1', async () => {
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

  it('answers many lines without mixing them up', async () => {
    const count = 3000
    const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ event: OPENED.replace('ana', `u${index}`) }))
    const answers = parse((await run(['--jsonl'], lines.join('\n'))).stdout)
    assert.equal(answers.length, count)
    for (const [index, answer] of answers.entries()) assert.equal(answer.extracted_fields.srcuser, `u${index}`)
  })
})
