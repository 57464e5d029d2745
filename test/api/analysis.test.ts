/** The contract of the analysis endpoints. The service itself validates every answer against its declaration. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { LogtestAnswer, ValidationAnswer } from '#workers'
import { EVENT_BYTES } from '#requests'
import { FILES_LIMIT } from '#requests'
import { SMALL_BODY_BYTES } from '../../server/analysis/outcomes.js'
import type { Answer, Client, Refusal } from '../support/client.js'
import { sharedPool } from '../support/app.js'
import { type AnalysisApp, startAnalysis } from '../server/analysis/support/service.js'
import { BASE, group, KNOCKS, rule } from '../workers/support/rulesets.js'

const SSH = 'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22 ssh2'
/** A comment that makes a body too large for the main thread. */
const PADDING = `<!-- ${'padding '.repeat(SMALL_BODY_BYTES / 8)} -->`

let app: AnalysisApp
let client: Client

before(async () => {
  await sharedPool().ready()
  app = await startAnalysis()
  client = app.client()
})

after(async () => {
  await app.close()
})

const file = (content: string, more: Record<string, unknown> = {}) => ({ filename: 'local_rules.xml', kind: 'rules', scope: 'adhoc', content, ...more })
const knocks = file(KNOCKS.content)
const validate = (body: unknown, query = '') => client.post<ValidationAnswer & Refusal>(`/analysis/validate${query}`, body)
const logtest = (body: unknown, from = client) => from.post<LogtestAnswer & Refusal>('/analysis/logtest-native', body)
const raw = (content: string | Uint8Array, path = '/analysis/logtest-native') =>
  client.post<Refusal>(path, undefined, { raw: content, headers: { 'Content-Type': 'application/json' } })

function ok<T>(answer: Answer<T>): T {
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

function refused(answer: Answer<Refusal>, status: number, code: string): Refusal {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.code, code)
  assert.equal(answer.body.debug_id, answer.headers.get('x-request-id'))
  return answer.body
}

const pathsOf = ({ details }: Refusal): string[] => (details.errors as { path: string }[]).map(({ path }) => path)

describe('POST /analysis/validate', () => {
  it('uses the reference and the custom content by default, and counts its diagnostics without listing them', async () => {
    const body = ok(await validate({}))
    assert.equal(body.ok, true)
    assert.ok(body.summary.total_rules > 1000)
    assert.equal(body.summary.loaded_from_disk, true)
    assert.ok(body.baseline_issue_count > 0)
    assert.deepEqual(body.diagnostics, [])
  })

  it('lists diagnostics of the reference on request, which never make ok false', async () => {
    const body = ok(
      await validate({ files: [{ ...file('<group name="x,"><rule id="abc" level="3"><description>x</description></rule></group>'), scope: 'default' }] }, '?include_baseline=true'),
    )
    assert.equal(body.ok, true)
    assert.equal(body.diagnostics.length, body.baseline_issue_count)
    assert.ok(body.diagnostics.every(({ source_scope }) => source_scope === 'default'))
    assert.ok(body.diagnostics.some(({ severity }) => severity === 'error'))
  })

  it('omits the content on disk on request', async () => {
    const body = ok(await validate({ include_disk_defaults: false, include_disk_custom: false, files: BASE }))
    assert.deepEqual([body.summary.total_rules, body.summary.loaded_from_disk], [1, false])
    const nothing = ok(await validate({ include_disk_defaults: false, include_disk_custom: false }))
    assert.deepEqual([nothing.ok, nothing.diagnostics.some(({ severity }) => severity === 'error')], [false, true])
  })

  it('returns diagnostics for content that can be parsed, with ok: false', async () => {
    const body = ok(await validate({ files: [file('<group name="x,">\n<rule id="100001" level="99"><description>x</description></rule></group>')] }))
    assert.equal(body.ok, false)
    const diagnostic = body.diagnostics.find(({ severity }) => severity === 'error')
    assert.deepEqual([diagnostic?.filename, diagnostic?.line, diagnostic?.source_scope], ['local_rules.xml', 2, 'adhoc'])
  })

  it('answers under the old name too', async () => {
    const body = ok(await client.post<ValidationAnswer>('/rulesets/compile?include_baseline=true', { files: [knocks] }))
    assert.ok(body.diagnostics.some(({ source_scope }) => source_scope === 'default'))
  })

  it('returns the same hash for the same content, in any order of its files', async () => {
    const other = file(group(rule(100300, '<match>x</match>')), { filename: 'other.xml' })
    const one = ok(await validate({ files: [knocks, other] }))
    const two = ok(await validate({ files: [other, knocks] }))
    assert.equal(one.summary.compiled_hash, two.summary.compiled_hash)
    assert.notEqual(one.summary.compiled_hash, ok(await validate({ files: [knocks] })).summary.compiled_hash)
    assert.equal(ok(await validate({ files: [knocks, other] })).performance.cache_hit, true)
  })

  it('reveals nothing about content that other organizations have compiled', async () => {
    const body = { files: [file(group(rule(100310, '<match>x</match>')), { filename: 'shared.xml' })] }
    const large = { files: [...body.files, file(PADDING, { filename: 'padding.xml' })] }
    for (const files of [body, large]) {
      // More often than there are threads: each has compiled it for the other organization.
      for (let i = 0; i < 20; i++) ok(await validate(files))
      const first = ok(await app.client('svk_stranger_k').post<ValidationAnswer>('/analysis/validate', files))
      assert.equal(first.performance.cache_hit, false)
    }
  })

  it('answers in the language of the request', async () => {
    const body = { files: [file('<group name="x,"><rule id="100001" level="99"><description>x</description></rule></group>')] }
    const english = ok(await validate(body))
    const portuguese = ok(await client.post<ValidationAnswer>('/analysis/validate', body, { headers: { 'x-locale': 'pt-BR' } }))
    assert.deepEqual(
      english.diagnostics.map(({ code }) => code),
      portuguese.diagnostics.map(({ code }) => code),
    )
    assert.notEqual(english.diagnostics[0].message, portuguese.diagnostics[0].message)
  })

  it('lists a hundred diagnostics of one kind for a rule, and counts the others in the last one and in the event', async () => {
    app.events.length = 0
    const body = { files: [file(group(rule(100001, '<x>1</x>'.repeat(250))))] }
    const { diagnostics } = ok(await validate(body))
    assert.deepEqual([diagnostics.length, diagnostics.filter(({ more }) => more > 0).map(({ more }) => more)], [100, [150]])
    assert.match(diagnostics[99].message, / And 150 more of this kind\.$/)
    assert.match(ok(await client.post<ValidationAnswer>('/analysis/validate', body, { headers: { 'x-locale': 'pt-BR' } })).diagnostics[99].message, / E mais 150 deste tipo\.$/)
    assert.deepEqual(
      app.events.map(({ payload }) => (payload as { diagnostic_count: number }).diagnostic_count),
      [250, 250],
    )
  })

  it('takes no unit, and emits validation.completed', async () => {
    app.plan.left = 0
    app.events.length = 0
    const body = ok(await validate({ files: [knocks] }))
    app.plan.left = null
    assert.deepEqual(app.events, [
      {
        name: 'validation.completed',
        payload: { ok: true, diagnostic_count: body.diagnostics.length, total_rules: body.summary.total_rules, total_decoders: body.summary.total_decoders },
      },
    ])
  })
})

describe('a file that cannot be parsed', () => {
  const unreadable: readonly (readonly [string, string, string])[] = [
    ['an element that is not closed', '<group name="x,"><rule id="100001" level="3">', 'xml_unclosed_element'],
    ['a closing tag of nothing', '</group>', 'xml_unexpected_close'],
    ['a malformed attribute', '<group name=x></group>', 'xml_attribute_syntax'],
    ['an attribute twice', '<group name="x" name="y"></group>', 'xml_attribute_duplicate'],
    ['a comment that is not closed', '<!-- never', 'xml_comment_unclosed'],
    ['CDATA', '<group name="x,"><rule id="100001" level="3"><match><![CDATA[x]]></match></rule></group>', 'xml_comment_unclosed'],
    ['an XML declaration', '<?xml version="1.0"?>\n<group name="x,"></group>', 'xml_prolog'],
    ['text', 'just text', 'xml_empty_file'],
    ['JSON', '{"rules": []}', 'xml_empty_file'],
    ['text after a comment', '<!-- a comment --> text', 'xml_empty_file'],
  ]
  for (const [what, content, code] of unreadable) {
    it(`is 400: ${what}`, async () => {
      for (const padded of [content, `${content}\n`, PADDING + content]) {
        // An XML declaration is one only at the beginning.
        if (padded.startsWith('<!--') && code === 'xml_prolog') continue
        const body = refused(await validate({ files: [knocks, file(padded, { filename: 'broken.xml' })] }), 400, 'bad_request')
        const diagnostics = body.details.diagnostics as ValidationAnswer['diagnostics']
        assert.ok(
          diagnostics.some((diagnostic) => diagnostic.code === code && diagnostic.filename === 'broken.xml'),
          JSON.stringify(diagnostics),
        )
      }
    })
  }

  it('is 400 for decoders too, and in a logtest, which then costs nothing', async () => {
    app.plan.taken = 0
    for (const content of ['<decoder name="x">', `${PADDING}<decoder name="x">`])
      refused(await logtest({ files: [file(content, { kind: 'decoders' })], input: { event: 'x' } }), 400, 'bad_request')
    assert.equal(app.plan.taken, 0)
  })

  const readable: readonly (readonly [string, string, boolean])[] = [
    ['many roots', `${group(rule(100001, '<match>a</match>'))}\n${group(rule(100002, '<match>b</match>'))}`, true],
    ['a bare &', group(rule(100001, '<match>a & b</match>')), true],
    ['-- in a comment', `<!-- a -- b -->${group(rule(100001, '<match>a</match>'))}`, true],
    ['an empty file', '', true],
    ['blanks', ' \n\t ', false],
    ['comments only', '<!-- one --> <!-- two -->', false],
    ['variables only', '<!-- one --><var name="A">x</var>', false],
    ['a variable that is not defined', `<var name="A">x</var>${group(rule(100001, '<match>$B here</match>'))}`, false],
    ['an element that is none', '<thing></thing>', false],
  ]
  for (const [what, content, isOk] of readable) {
    it(`is not: ${what}`, async () => {
      const body = ok(await validate({ files: [file(content)] }))
      assert.equal(body.ok, isOk, JSON.stringify(body.diagnostics))
      if (content === '') assert.deepEqual([body.diagnostics[0]?.code, body.diagnostics[0]?.severity], ['xml_empty_file', 'warning'])
    })
  }
})

describe('POST /analysis/logtest-native', () => {
  it('runs an event, and explains the result', async () => {
    const body = ok(await logtest({ input: { event: SSH } }))
    assert.deepEqual([body.ok, body.predecoded.program_name, body.decoder?.name, body.rule?.id], [true, 'sshd', 'sshd', '5760'])
    assert.equal(body.matched_rules.at(-1)?.id, '5760')
    assert.equal(body.extracted_fields.srcip, '192.0.2.7')
    for (const phase of ['predecode', 'decode', 'rule']) assert.ok(body.trace.some((entry) => entry.phase === phase))
    assert.equal(body.predecoded.detected_format, 'syslog')
  })

  it('omits only the trace on request', async () => {
    for (const files of [[knocks], [file(PADDING + KNOCKS.content)]]) {
      const whole = ok(await logtest({ files, input: { event: 'knock' } }))
      const { performance: _, ...quick } = ok(await logtest({ files, trace: false, input: { event: 'knock' } }))
      const { performance: __, ...expected } = whole
      assert.ok(whole.trace.length > 0)
      assert.deepEqual(quick, { ...expected, trace: [], insights: [] })
    }
    assert.deepEqual(ok(await logtest({ trace: true, input: { event: SSH } })).trace, ok(await logtest({ input: { event: SSH } })).trace)
    assert.deepEqual(pathsOf(refused(await logtest({ trace: 'no', input: { event: SSH } }), 422, 'validation_failed')), ['/trace'])
    refused(await validate({ trace: false }), 422, 'request_validation_failed')
  })

  it('says in the language of the request what keeps an event from a rule of the request', async () => {
    const own = file(group(`<rule id="100901" level="3"><if_sid>5700</if_sid><match>Failed password</match><description>own</description></rule>`))
    const insightsOf = async (locale: string): Promise<readonly string[]> =>
      ok(await client.post<LogtestAnswer>('/analysis/logtest-native', { files: [own], input: { event: SSH } }, { headers: { 'x-locale': locale } })).insights
    const overtaken = (texts: readonly string[]): string | undefined => texts.find((text) => text.includes('100901'))
    assert.match(overtaken(await insightsOf('en-US')) ?? '', /^Your rule 100901 \(level 3\) would match too, but rule \d+ \(level \d+\) is tried before it/)
    assert.match(overtaken(await insightsOf('pt-BR')) ?? '', /^A sua regra 100901 \(nível 3\) também casaria/)
  })

  it('returns null for a missing decoder and rule', async () => {
    const body = ok(await logtest({ include_disk_defaults: false, files: BASE, input: { event: 'nobody knows' } }))
    assert.deepEqual([body.decoder, body.rule], [null, null])
  })

  it('does not run on a ruleset that Wazuh refuses', async () => {
    const body = ok(await logtest({ files: [file('<group name="x,"><rule id="abc" level="3"><description>x</description></rule></group>')], input: { event: SSH } }))
    assert.deepEqual([body.ok, body.rule], [false, null])
    assert.ok(body.diagnostics.some(({ severity }) => severity === 'error'))
  })

  it('is not ok if the own content has an error, even one for which Wazuh drops a single rule, and runs the event', async () => {
    const lost: readonly (readonly [code: string, content: string])[] = [
      ['rule_parent_missing', group(rule(100300, '<if_sid>100999</if_sid>'))],
      ['rule_duplicate_id', group(rule(100100, '<match>another</match>'))],
    ]
    for (const [code, content] of lost) {
      for (const text of [content, PADDING + content]) {
        const files = [knocks, file(text, { filename: 'zz_rules.xml' })]
        app.events.length = 0
        const checked = ok(await validate({ files }))
        const full = ok(await client.post<LogtestAnswer>('/analysis/full', { files, input: { event: 'knock' } }))
        const body = ok(await logtest({ files, input: { event: 'knock' } }))
        const byHash = ok(await logtest({ compiled_hash: checked.summary.compiled_hash, input: { event: 'knock', session_id: code } }))
        const custom = ok(await logtest({ files: files.map((one) => ({ ...one, scope: 'custom' })), input: { event: 'knock' } }))
        for (const answer of [full, body, byHash, custom]) {
          assert.deepEqual([answer.ok, answer.rule?.id], [checked.ok, '100100'])
          assert.ok(answer.diagnostics.some((diagnostic) => diagnostic.code === code && diagnostic.severity === 'error' && diagnostic.filename === 'zz_rules.xml'))
        }
        assert.deepEqual([checked.ok, checked.loads], [false, true])
        assert.deepEqual(
          app.events.filter(({ name }) => name === 'logtest.completed').map(({ payload }) => (payload as { ok: boolean }).ok),
          [false, false, false],
        )
        const reference = ok(await logtest({ files: [knocks, file(text, { filename: 'zz_rules.xml', scope: 'default' })], input: { event: 'knock' } }))
        assert.deepEqual([reference.ok, reference.diagnostics], [true, []])
      }
    }
  })

  it('correlates events of a session, only for the same caller and ruleset', async () => {
    const knock = async (session_id: string, from = client, files = [knocks]) => ok(await logtest({ files, input: { event: 'knock', session_id } }, from)).rule?.id
    assert.deepEqual([await knock('s'), await knock('s'), await knock('s')], ['100100', '100100', '100101'])
    assert.equal(await knock('s', app.client('svk_o_other')), '100100')
    assert.equal(await knock('s', app.client('svk_p_k')), '100100')
    assert.equal(await knock('s', client, [{ ...knocks, filename: 'renamed.xml' }]), '100100')
    assert.equal(await knock('t'), '100100')
  })

  it('has no state without a session id, or with an empty one', async () => {
    for (const session of [{}, { session_id: '' }]) {
      for (let i = 0; i < 4; i++) assert.equal(ok(await logtest({ files: [knocks], input: { event: 'knock', ...session } })).rule?.id, '100100')
    }
  })

  it('runs on a ruleset by its hash, for the organization that compiled it', async () => {
    const { compiled_hash } = ok(await validate({ files: [{ ...knocks, filename: 'by-hash.xml' }] })).summary
    assert.equal(ok(await logtest({ compiled_hash, input: { event: 'knock' } })).rule?.id, '100100')
    assert.equal(ok(await logtest({ compiled_hash, input: { event: 'knock' } }, app.client('svk_o_colleague'))).rule?.id, '100100')
    assert.deepEqual(refused(await logtest({ compiled_hash, input: { event: 'knock' } }, app.client('svk_p_k')), 404, 'not_found').details, { compiled_hash })
    const unknown = 'a'.repeat(64)
    assert.deepEqual(refused(await logtest({ compiled_hash: unknown, input: { event: `knock ${'x'.repeat(SMALL_BODY_BYTES)}` } }), 404, 'not_found').details, {
      compiled_hash: unknown,
    })
  })

  it('refuses files together with a hash, and an invalid hash', async () => {
    const compiled_hash = 'a'.repeat(64)
    assert.deepEqual(pathsOf(refused(await logtest({ compiled_hash, files: [knocks], input: { event: 'x' } }), 422, 'validation_failed')), ['/compiled_hash'])
    assert.deepEqual(pathsOf(refused(await logtest({ compiled_hash: 'A'.repeat(64), input: { event: 'x' } }), 422, 'validation_failed')), ['/compiled_hash'])
    refused(await validate({ compiled_hash }), 422, 'request_validation_failed')
  })

  it('takes one unit before the work, emits logtest.completed, and is refused when the quota is used up', async () => {
    app.plan.taken = 0
    app.events.length = 0
    const body = ok(await logtest({ input: { event: SSH } }))
    assert.equal(app.plan.taken, 1)
    assert.deepEqual(app.events, [{ name: 'logtest.completed', payload: { ok: true, matched_rule_id: '5760', matched_rules: body.matched_rules.map(({ id }) => id) } }])
    app.plan.left = 0
    refused(await logtest({ input: { event: SSH } }), 403, 'plan_quota_exceeded')
    refused(await logtest({ files: [file(PADDING + KNOCKS.content)], input: { event: SSH } }), 403, 'plan_quota_exceeded')
    app.plan.left = null
  })

  it('equals full, which emits nothing', async () => {
    app.plan.taken = 0
    app.events.length = 0
    const full = ok(await client.post<LogtestAnswer>('/analysis/full', { input: { event: SSH } }))
    assert.deepEqual([app.plan.taken, app.events.length], [1, 0])
    const { performance: _, ...rest } = full
    const { performance: __, ...expected } = ok(await logtest({ input: { event: SSH } }))
    assert.deepEqual(rest, expected)
  })

  it('needs analysis:run', async () => {
    const other = await startAnalysis({ permissions: ['project:view'] })
    refused(await logtest({ input: { event: 'x' } }, other.client()), 403, 'forbidden')
    await other.close()
  })
})

describe('the form of bodies', () => {
  it('is reported field by field, an unknown field with a separate code', async () => {
    const wrong = refused(await logtest({ files: [{ filename: '', kind: 'scripts', content: 1 }], input: { log_format: 'xml' } }), 422, 'validation_failed')
    assert.deepEqual(new Set(pathsOf(wrong)), new Set(['/files/0/filename', '/files/0/kind', '/files/0/content', '/input/event', '/input/log_format']))
    refused(await logtest({ input: { event: 'x', extra: 1 } }), 422, 'request_validation_failed')
    refused(await logtest({}), 422, 'validation_failed')
  })

  it('is that of an object without fields if there is no body, with any content type', async () => {
    for (const headers of [{}, { 'Content-Type': 'application/json' }, { 'Content-Type': 'text/plain' }]) {
      ok(await client.post<Refusal>('/analysis/validate', undefined, { headers }))
      ok(await client.post<Refusal>('/rulesets/compile', undefined, { headers }))
      assert.deepEqual(pathsOf(refused(await client.post<Refusal>('/analysis/logtest-native', undefined, { headers }), 422, 'validation_failed')), ['/input'])
    }
  })

  it('is the same for bodies that a worker reads', async () => {
    const padding = 'x'.repeat(SMALL_BODY_BYTES)
    const wrong = refused(await logtest({ files: [{ filename: '', kind: 'rules', content: padding }], input: { event: 'x' } }), 422, 'validation_failed')
    assert.deepEqual(pathsOf(wrong), ['/files/0/filename'])
    refused(await logtest({ input: { event: padding, extra: 1 } }), 422, 'request_validation_failed')
    refused(await raw(`{"input": {"event": "${padding}`), 400, 'bad_request')
  })

  it('has limits: filename 1-255, location 512, session id 128, at their edges', async () => {
    const body = (filename: string, location: string, session_id: string) => ({ files: [{ ...knocks, filename }], input: { event: 'x', location, session_id } })
    ok(await logtest(body('f', '', '')))
    ok(await logtest(body('é'.repeat(255), 'l'.repeat(512), 's'.repeat(128))))
    assert.deepEqual(
      new Set(pathsOf(refused(await logtest(body('f'.repeat(256), 'l'.repeat(513), 's'.repeat(129))), 422, 'validation_failed'))),
      new Set(['/files/0/filename', '/input/location', '/input/session_id']),
    )
    refused(await logtest(body('', '', '')), 422, 'validation_failed')
  })

  it('treats default values as absent', async () => {
    ok(await logtest({ input: { event: 'x' } }))
    ok(await logtest({ files: [{ filename: 'a.xml', kind: 'rules', content: KNOCKS.content }], input: { event: 'x', log_format: 'auto' } }))
  })

  it('survives hostile bodies', async () => {
    refused(await raw(`{"files":${'['.repeat(100_000)}${']'.repeat(100_000)},"input":{"event":"x"}}`), 422, 'validation_failed')
    refused(await raw('['.repeat(60)), 400, 'bad_request')
    refused(await raw('{"__proto__":{"x":1},"input":{"event":"x"}}'), 422, 'request_validation_failed')
    refused(await raw('{"input":{"event":"x","__proto__":{"x":1}}}'), 422, 'request_validation_failed')
    refused(await raw('{"input":{"event":"x","constructor":{"prototype":{}}}}'), 422, 'request_validation_failed')
    refused(await raw(Buffer.concat([Buffer.from('{"input":{"event":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')])), 400, 'bad_request')
    refused(await raw(''), 422, 'validation_failed')
    refused(await raw('null'), 422, 'validation_failed')
    refused(await raw('{"input":{"event":"x"}} trailing'), 400, 'bad_request')
    ok((await raw('{"input":{"event":"nul \\u0000 and half \\ud800 a character"}}')) as Answer<unknown>)
    assert.equal(({} as { x?: number }).x, undefined)
  })

  it('accepts a thousand files, and not one more', async () => {
    const files = Array.from({ length: FILES_LIMIT - BASE.length }, (_, i) => ({
      filename: `f${i}.xml`,
      kind: 'rules',
      content: `<group name="g,"><rule id="${200_000 + i}" level="3"><match>m${i}</match><description>d.</description></rule></group>`,
    }))
    const body = ok(await validate({ include_disk_defaults: false, files: [...BASE, ...files] }))
    assert.equal(body.summary.total_rules, files.length + 1)
    const more = refused(await validate({ include_disk_defaults: false, files: [...BASE, ...files, file('')] }), 422, 'validation_failed')
    assert.deepEqual(pathsOf(more), ['/files'])
  })

  it('refuses JSON over a limit equally in a small body and in one that a thread reads', async () => {
    const padding = `"${' '.repeat(200_000)}"`
    const faults = {
      'must have at most 64 levels': '['.repeat(65),
      'must have at most 1000 members in an object': `{${Array.from({ length: 1_001 }, (_, i) => `"m${i}":1`).join()}}`,
      'must have at most 250000 values': `[${'0,'.repeat(250_000)}0]`,
    }
    for (const [message, fault] of Object.entries(faults))
      for (const body of [`{"input":${fault}}`, `{"files":${padding},"input":${fault}}`]) {
        const { details } = refused(await raw(body), 422, 'validation_failed')
        assert.deepEqual(
          (details.errors as { path: string; message: string }[]).map((error) => [error.path, error.message]),
          [['', message]],
        )
      }
  })

  it('counts the bytes of an event, not its characters', async () => {
    const wide = await startAnalysis({ maxRequestBytes: 4 * EVENT_BYTES })
    const send = (event: string) => logtest({ include_disk_defaults: false, files: BASE, input: { event } }, wide.client())
    ok(await send('é'.repeat(EVENT_BYTES / 2)))
    assert.deepEqual(pathsOf(refused(await send(`${'é'.repeat(EVENT_BYTES / 2)}a`), 422, 'validation_failed')), ['/input/event'])
    const tooLong = refused(await logtest({ files: [file('x'.repeat(EVENT_BYTES + 1))], input: { event: 'x' } }, wide.client()), 413, 'payload_too_large')
    assert.deepEqual(tooLong.details, { limit: EVENT_BYTES })
    await wide.close()
  })

  it('accepts a body of 8 MB, and refuses a longer one before it is read', async () => {
    const shell = JSON.stringify({ include_disk_defaults: false, files: BASE, input: { event: '' } }).length
    ok(await logtest({ include_disk_defaults: false, files: BASE, input: { event: 'e'.repeat(EVENT_BYTES - shell) } }))
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = http.request(`${app.url}/api/v1/analysis/logtest-native`, {
        method: 'POST',
        headers: { 'X-API-Key': 'svk_o_k', 'Content-Type': 'application/json', 'Content-Length': EVENT_BYTES + 1 },
      })
      request.on('response', (response) => {
        resolve(response.statusCode)
        request.destroy()
      })
      request.on('error', reject)
      request.flushHeaders()
    })
    assert.equal(status, 413)
  })
})

describe('bodies that workers read', () => {
  const large = { files: [file(PADDING + KNOCKS.content)] }

  it('have the same answers as small ones', async () => {
    const strip = ({ performance: _, ...body }: LogtestAnswer) => body
    const answer = ok(await logtest({ ...large, input: { event: 'knock' } }))
    assert.equal(answer.rule?.id, '100100')
    const again = ok(await logtest({ ...large, input: { event: 'knock' } }))
    assert.deepEqual(strip(again), strip(answer))
    const { compiled_hash } = answer.summary
    assert.deepEqual(strip(ok(await logtest({ compiled_hash, input: { event: 'knock' } }))), strip(answer))
    const checked = ok(await validate(large, '?include_baseline=true'))
    assert.equal(checked.summary.compiled_hash, compiled_hash)
    assert.ok(checked.diagnostics.some(({ source_scope }) => source_scope === 'default'))
  })

  it('are found again when the thread that read them has ended', async () => {
    const { compiled_hash } = ok(await logtest({ files: [file(`${PADDING}${KNOCKS.content}<!-- another -->`)], input: { event: 'knock' } })).summary
    await Promise.all(app.pool.threadPool.workers.map((worker) => worker.terminate()))
    assert.equal(ok(await logtest({ compiled_hash, input: { event: 'knock' } })).rule?.id, '100100')
  })

  it('share sessions with small ones', async () => {
    const { compiled_hash } = ok(await logtest({ ...large, input: { event: 'knock', session_id: 'mixed' } })).summary
    assert.equal(ok(await logtest({ compiled_hash, input: { event: 'knock', session_id: 'mixed' } })).rule?.id, '100100')
    assert.equal(ok(await logtest({ ...large, input: { event: 'knock', session_id: 'mixed' } })).rule?.id, '100101')
  })

  it('are refused when too many are being processed', async () => {
    const body = { include_disk_defaults: false, files: BASE, input: { event: 'e'.repeat(7 * 1024 * 1024) } }
    const answers = await Promise.all(Array.from({ length: 14 }, () => logtest(body)))
    const statuses = answers.map(({ status }) => status)
    assert.ok(statuses.every((status) => status === 200 || status === 503))
    for (const answer of answers) if (answer.status === 503) assert.equal(answer.headers.get('retry-after'), '1')
    assert.equal(ok(await logtest(body)).ok, true)
  })
})

describe('GET /analysis/schema', () => {
  it('describes rules and decoders in the language of the request', async () => {
    interface Schema {
      readonly version: string
      readonly rules: { readonly elements: readonly { readonly name: string; readonly description: string }[] }
    }
    const english = ok(await client.get<Schema>('/analysis/schema'))
    const portuguese = ok(await client.get<Schema>('/analysis/schema', { headers: { 'x-locale': 'pt-BR' } }))
    const matchOf = ({ rules }: Schema) => rules.elements.find(({ name }) => name === 'match')?.description
    assert.ok(matchOf(english))
    assert.notEqual(matchOf(english), matchOf(portuguese))
    assert.deepEqual(ok(await client.get('/analysis/schema')), english)
  })
})
