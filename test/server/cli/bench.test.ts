import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { after, describe, it } from 'node:test'
import { assertReportPage, HOSTILE } from '../../support/report-pages.js'
import { CLOSED, call, OPENED, Workplace } from './call.js'

describe('bench', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())

  it('measures stages, latency and compile times as JSON, with a profile', async () => {
    const events = workplace.write('events.jsonl', [OPENED, CLOSED, '{"a": 1}'].map((event) => JSON.stringify({ event, kind: 'door' })).join('\n'))
    const { code, stdout } = await call(['bench', events, '--ruleset', base, '--seconds', '0.1', '--json', '--profile'])
    assert.equal(code, 0)
    const report = JSON.parse(stdout)
    assert.ok(report.events_per_second > 0)
    for (const phase of ['predecode', 'decode', 'rules', 'whole', 'report', 'json']) assert.ok(report.phases[phase].events_per_second > 0, phase)
    const { p50, p90, p99, max } = report.latency_us
    assert.ok(p50 <= p90 && p90 <= p99 && p99 <= max)
    assert.ok(report.compile_ms.cold > 0 && report.compile_ms.layered > 0)
    assert.ok(report.kinds.door > 0)
    const rule = report.profile.rules.find(({ name }: { name: string }) => name === '901')
    assert.equal(rule.matches, report.profile.events / 3)
    assert.ok(rule.checks >= rule.matches && rule.ns > 0)
    const matchesOf = (decoder: string): number => report.profile.decoders.find(({ name }: { name: string }) => name === decoder).matches
    assert.equal(matchesOf('json'), report.profile.events / 3)
    assert.equal(matchesOf('door'), (2 * report.profile.events) / 3, 'a root also matches where its child answers')
    assert.equal(matchesOf('door-opened'), report.profile.events / 3)
    const pattern = report.profile.patterns.find(({ name }: { name: string }) => name.startsWith('osregex by '))
    assert.equal(pattern.matches, report.profile.events / 3)
    const costs = report.profile.rules.map(({ ns }: { ns: number }) => ns)
    assert.deepEqual(
      costs,
      [...costs].sort((a: number, b: number) => b - a),
    )
  })

  it('reports as text', async () => {
    const { code, stdout } = await call(['bench', '-', '--ruleset', base, '--seconds', '0.1'], { stdin: `${OPENED}\n${CLOSED}\n` })
    assert.equal(code, 0)
    assert.match(stdout, /events\/s/)
    assert.match(stdout, /p50 .* p90 .* p99 .* max/)
    assert.match(stdout, /50 rules on the compiled base/)
    assert.match(stdout, /Formats of the events: syslog 2\n/)
  })

  it('runs each event in its own format, or in the detected one', async () => {
    const Event = '<Event><System><EventID>4624</EventID></System></Event>'
    const lines = [{ event: JSON.stringify({ Event }) }, { event: JSON.stringify({ Event }), log_format: 'syslog' }, { event: 'x', log_format: 'no format' }]
    const stdin = [...lines.map((line) => JSON.stringify(line)), JSON.stringify({ Event })].join('\n')
    const { code, stdout } = await call(['bench', '-', '--ruleset', base, '--seconds', '0.05', '--json', '--profile'], { stdin })
    assert.equal(code, 0)
    const { formats, profile } = JSON.parse(stdout)
    assert.deepEqual(formats, { eventchannel: 2, syslog: 2 })
    assert.equal(profile.decoders.find(({ name }: { name: string }) => name === 'json').matches, profile.events / 4, 'the built-in decoder runs for the others')
  })

  it('writes the same measurement as JSON and as a page, with the names of the profile escaped', async () => {
    const hostile = workplace.write('hostile/decoders/a.xml', `<decoder name="${HOSTILE.replace(/["'<>]/g, '_')}">\n<prematch>opened "'&gt;&amp;</prematch>\n</decoder>\n`)
    const events = workplace.write('kinds.jsonl', [OPENED, CLOSED].map((event) => JSON.stringify({ event, kind: HOSTILE })).join('\n'))
    const [json, html] = [`${workplace.folder}/speed.json`, `${workplace.folder}/speed.html`]
    const argv = [
      'bench',
      events,
      '--ruleset',
      base,
      '--custom',
      dirname(dirname(hostile)),
      '--seconds',
      '0.1',
      '--profile',
      '--output',
      `json=${json}`,
      '--output',
      `html=${html}`,
    ]
    const { code, stderr } = await call([...argv, '--locale', 'pt-BR'])
    assert.equal(code, 0, stderr)
    const measured = JSON.parse(readFileSync(json, 'utf8'))
    const page = readFileSync(html, 'utf8')
    assertReportPage(page)
    assert.match(page, /<html lang="pt-BR">/)
    assert.ok(page.includes(`<p class="score">${measured.events_per_second.toLocaleString('pt-BR')}</p>`))
    for (const part of ['Decoders mais caros', 'Padrões mais caros', '0010-base.xml:', '&lt;script&gt;']) assert.ok(page.includes(part), part)
    assert.equal((await call([...argv, '--output', 'junit=x'])).code, 2)
  })

  it('requires events and a valid duration', async () => {
    assert.equal((await call(['bench'])).code, 2)
    assert.equal((await call(['bench', '-', '--ruleset', base], { stdin: '\n' })).code, 2)
    assert.equal((await call(['bench', '-', '--seconds', 'x', '--ruleset', base], { stdin: 'x' })).code, 2)
    const refused = JSON.stringify({ event: OPENED, location: '[001' })
    assert.equal((await call(['bench', '-', '--ruleset', base], { stdin: refused })).code, 2)
    const { code, stderr } = await call(['bench', '-', '--ruleset', base, '--seconds', '0.05'], { stdin: `${refused}\n${OPENED}\n` })
    assert.equal(code, 0)
    assert.match(stderr, /1 of 2 events/)
  })
})
