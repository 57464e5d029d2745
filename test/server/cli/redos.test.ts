/** `redos`: attacks on the patterns of content, with the events as a file and as JSON lines. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { call } from './call.js'

describe('redos', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redos-'))
  after(() => rmSync(folder, { recursive: true }))
  const base = join(folder, 'base')
  for (const name of ['rules', 'decoders']) mkdirSync(join(base, name), { recursive: true })
  const rule = (id: number, condition: string): string => `<rule id="${id}" level="5"><decoded_as>door</decoded_as>${condition}<description>Rule ${id}.</description></rule>`
  writeFileSync(join(base, 'decoders/d.xml'), '<decoder name="door"><program_name>^doord</program_name></decoder><decoder name="gate"><prematch>^gate</prematch></decoder>')
  writeFileSync(
    join(base, 'rules/r.xml'),
    `<group name="test,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>All.</description></rule>${rule(100100, '<regex type="pcre2">^.*foo.*bar</regex>')}${rule(100101, '<regex type="pcre2">^user \\d+</regex>')}</group>`,
  )

  it('tells the attack and the event that reaches the rule, and writes it', async () => {
    const file = join(folder, 'events.log')
    const { code, stdout } = await call(['redos', '--ruleset', base, '--events', file])
    assert.equal(code, 1)
    assert.match(stdout, /^rule 100100 <regex>\n\^\.\*foo\.\*bar\n +polynomial[^\n]*2\n +event +"a" \+ "fooa" × [\d,]+ \+ "!raboof"\n/)
    assert.match(stdout, /reached +by an event of [\d,]+ bytes, which was run/)
    assert.match(stdout, /1 patterns can be blinded, 0 stalled; 1 by an event that was run\. 2 patterns were searched\n$/)
    assert.match(readFileSync(file, 'utf8'), /^Nov 23 10:11:12 web1 doord\[2201\]: \S*fooafooafooa\S*[^\n]*\n$/)
  })

  it('answers with JSON lines and with an exit code', async () => {
    const { code, stdout } = await call(['redos', '--ruleset', base, '--rule', '100100', '--jsonl'])
    const { rule_id, kind, degree, event } = JSON.parse(stdout) as { rule_id: string; kind: string; degree: number; event: { log_format: string } }
    assert.deepEqual([code, rule_id, kind, degree, event.log_format], [1, '100100', 'blind', 2, 'syslog'])
    assert.equal((await call(['redos', '--ruleset', base, '--rule', '100101', '-q'])).code, 0)
    assert.equal((await call(['redos', '--ruleset', base, '--rule', '7'])).code, 2)
  })
})
