/** The worker of the playground, as it is bundled for browsers: every test asks it by messages. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type AuditRecord, compileRuleset, describeDiagnostics, type Difference, type Locale, LOCALES, type TestCase } from '#engine'
import type { EnginePort } from '../../../server/playground/worker/client.js'
import type { ContentFile, EventAnswer, EventInput, LanguageMethod, LanguageRequest, Opened, RefusalCode, RunPart, RunRequest } from '../../../server/playground/worker/protocol.js'
import { BASE, caseFolders } from '../../support/case-folders.js'
import { BUNDLE, MANIFEST, readAssets, startEngine } from '../../support/playground.js'

const { BASE_CHARACTERS, CASES_LIMIT, CONTENT_CHARACTERS, CONTENT_FILES, EVENTS_CHARACTERS, EVENTS_LIMIT, LAST_SECOND, TRACED_EVENTS_LIMIT } = BUNDLE

const LOGIN = 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122'
const OWN: ContentFile = {
  kind: 'rules',
  filename: 'own_rules.xml',
  content: `<group name="own,">
    <rule id="100100" level="10"><if_sid>5710</if_sid><user>admin</user><description>Admin from $(srcip)</description></rule>
    <rule id="100101" level="12" frequency="3" timeframe="60"><if_matched_sid>100100</if_matched_sid><description>Many</description></rule>
    <rule id="100102" level="12"><if_sid>5710</if_sid><user type="osregex">^admix</user><description>Root</description></rule>
    <rule id="100103" level="12"><if_sid>5710</if_sid><match>web1 sshd</match><description>Header</description></rule>
  </group>`,
}
const LOST: ContentFile = { ...OWN, filename: 'lost.xml', content: OWN.content.replaceAll('1001', '1002').replace('5710', '99999') }

describe('the worker of the playground', () => {
  let engine: EnginePort
  let close: () => void
  before(() => {
    ;({ engine, close } = startEngine())
  })
  after(() => close?.())

  const run = async (events: readonly EventInput[], options: Partial<RunRequest> = {}): Promise<readonly EventAnswer[]> => {
    const answers: EventAnswer[] = []
    const send = (part: RunPart): void => {
      assert.equal(part.first, answers.length)
      answers.push(...part.answers)
    }
    const { events: count } = await engine.run({ events, session: false, now: null, locale: 'en-US', ...options }, send)
    assert.equal(count, answers.length)
    return answers
  }
  const ruleOf = ({ report }: EventAnswer): string | undefined => report.rule?.id
  const refused = (code: RefusalCode, limit: number | null, asked: Promise<unknown>): Promise<void> =>
    assert.rejects(asked, (error: { code: string; limit: number | null }) => {
      assert.deepEqual([error.code, error.limit], [code, limit])
      return true
    })

  test('an event runs on the reference ruleset before any content is opened', async () => {
    const [{ report, inside }] = await run([{ event: LOGIN, trace: true }])
    assert.deepEqual([report.rule?.id, report.decoder?.parent, report.extracted_fields.srcip, inside], ['5710', 'sshd', '203.0.113.7', null])
    assert.ok(report.trace.length > 10)
  })

  test('the audit judges own rules part by part, and each event was run', async () => {
    await engine.open({ files: [OWN, LOST] })
    const records: AuditRecord[] = []
    for (;;) {
      const { loads, total, more, records: some } = await engine.audit({ locale: 'en-US', from: records.length })
      assert.deepEqual([loads, more, some.length > 0 || total === records.length], [true, 0, true])
      records.push(...some)
      if (records.length >= total) break
    }
    const fires = records.find(({ rule_id }) => rule_id === '100100') as AuditRecord
    assert.deepEqual([fires.verdict, fires.final_rule], ['fires', '100100'])
    const [{ event }] = fires.events
    assert.equal(ruleOf((await run([{ event }]))[0]), '100100')
    await engine.open({ files: [{ ...OWN, content: '<rule>' }] })
    assert.deepEqual(await engine.audit({ locale: 'pt-BR', from: 0 }), { loads: false, total: 0, more: 0, records: [] })
  })

  test('differences have an event that was run with both contents, and are superseded by newer content', async () => {
    await engine.open({ files: [OWN] })
    // They are sent together, as the page does it after a change: searches are about what was opened before them.
    const [, found, { marks, diagnostics }] = await Promise.all([
      engine.open({ files: [{ ...OWN, content: OWN.content.replace('level="10"', 'level="0"') }] }),
      engine.differences({ before: [OWN] }),
      engine.prove({ locale: 'en-US', includeBaseline: false }),
    ])
    assert.equal(marks.length, diagnostics.length)
    assert.deepEqual([found.loads, found.complete, found.alerts.lost > 0], [true, true, true])
    const { effect, record } = found.differences.find(({ record: { item } }) => 'rule_id' in item && item.rule_id === '100100') as Difference
    assert.deepEqual([effect, record.item, record.old?.level, record.new?.level], ['lost', { rule_id: '100100' }, 10, 0])
    const [answer] = await run([{ event: record.witness?.events[0].event ?? '' }])
    assert.deepEqual([ruleOf(answer), answer.report.alert], ['100100', false])
    // Events run beside the search.
    const asked = engine.differences({ before: [LOST] })
    await run([{ event: LOGIN }])
    const superseded = refused('superseded', null, engine.differences({ before: [{ ...OWN, content: OWN.content.replaceAll('admi', 'root') }] }))
    await refused('superseded', null, asked)
    await engine.open({ files: [OWN] })
    await superseded
    const { loads, differences } = await engine.differences({ before: [{ ...OWN, content: '<rule>' }] })
    assert.deepEqual([loads, differences], [false, []])
  })

  test('content is a layer on the base, and its hints name it', async () => {
    const opened = await engine.open({ files: [OWN] })
    assert.ok(opened.loads)
    const [admin, other] = await run([{ event: LOGIN }, { event: LOGIN.replace('admin', 'guest'), trace: true }])
    assert.deepEqual([ruleOf(admin), admin.report.trace.length, ruleOf(other)], ['100100', 0, '5710'])
    assert.ok(
      other.report.insights.some((insight) => insight.includes('100103')),
      other.report.insights.join(),
    )
    assert.ok(other.report.insights.some((insight) => insight.includes('Turn the session on')))
  })

  test('a rule or decoder is inspected, and what came near is found', async () => {
    await engine.open({ files: [OWN] })
    const request = { events: [{ event: LOGIN }], session: false, now: null } as const
    const rule = await engine.inspect({ ...request, target: { kind: 'rule', id: '100102' } })
    const failed = rule.path.at(-1)?.conditions.find(({ state }) => state === 'failed')
    assert.deepEqual([rule.path.at(-1)?.state, failed?.text, failed?.stopped_at?.text_offset], ['failed', 'admin', 4])
    const decoder = await engine.inspect({ ...request, target: { kind: 'decoder', name: 'sshd-accepted' } })
    assert.deepEqual(
      decoder.path.slice(0, 2).map(({ name, state }) => [name, state]),
      [
        ['sshd', 'met'],
        ['sshd-accepted', 'failed'],
      ],
    )
    const [nearest] = await engine.near({ ...request, events: [{ event: LOGIN.replace('Invalid user', 'Invalid usr') }] })
    assert.deepEqual([nearest.name, nearest.matched_part], ['5710', 'Invalid us'])
    // A session has the events before the last one.
    const counted = async (...seconds: readonly number[]): Promise<number | null | undefined> => {
      const events = seconds.map((at) => ({ event: LOGIN, at }))
      const { path } = await engine.inspect({ events, session: true, now: null, target: { kind: 'rule', id: '100101' } })
      return path.at(-1)?.conditions.find(({ events: needed }) => needed !== null)?.events?.counted
    }
    assert.deepEqual([await counted(0, 5), await counted(0, 70)], [1, 0])
    const { decode_ms, rule_ms } = await engine.costs({ ...request, session: true, events: [{ event: LOGIN }, { event: LOGIN }] })
    assert.ok(decode_ms > 0 && rule_ms > 0)
    for (const method of ['near', 'costs'] as const) await refused('too_many_events', 0, engine[method]({ ...request, events: [] }))
    await refused('too_many_events', 0, engine.inspect({ ...request, events: [], target: { kind: 'rule', id: '1' } }))
  })

  test('the rules of base and content are a graph', async () => {
    const { counts } = await engine.open({ files: [OWN] })
    const { rules, tactics } = await engine.graph()
    assert.equal(rules.length, counts.rules)
    const rule = rules.find(({ id }) => id === '100101')
    assert.deepEqual([rule?.links, rule?.counts, rule?.filename], [[{ kind: 'if_matched_sid', id: '100100' }], { events: 3, seconds: 60 }, OWN.filename])
    assert.ok(tactics.some(({ techniques }) => techniques.some(({ id }) => id === 'T1110')))
  })

  test('the language server sees what is typed, speaks the language of the page, and knows the base', async () => {
    const uri = 'own:///rules/own_rules.xml'
    const textDocument = { uri }
    const ask = async <M extends LanguageMethod>(method: M, params: LanguageRequest<M>['params'], files: readonly ContentFile[] | null = null, locale: Locale = 'en-US') => {
      const found = await engine.language<M>({ ask: method, params, locale, files })
      assert.ok('answer' in found, JSON.stringify(found))
      return found.answer
    }
    const idsAt = async (line: number, character: number): Promise<string[]> =>
      (await ask('textDocument/completion', { textDocument, position: { line, character } }))?.items.map(({ label }) => label) ?? []
    const other: ContentFile = { kind: 'rules', filename: 'other rules.xml', content: '<group name="b,"><rule id="100900" level="3"><if_sid>100100</if_sid></rule></group>' }
    const parent = { line: 1, character: OWN.content.split('\n')[1].indexOf('5710') + 1 }
    const hover = await ask('textDocument/hover', { textDocument, position: parent }, [OWN, other])
    assert.match(JSON.stringify(hover), /rule 5710.*level 5.*0030-sshd\.xml/)
    assert.match(JSON.stringify(await ask('textDocument/hover', { textDocument, position: parent }, null, 'pt-BR')), /regra 5710.*nível 5/)
    assert.deepEqual(
      (await ask('textDocument/definition', { textDocument, position: parent })).map((place) => place.uri),
      ['base:///rules/0030-sshd.xml'],
    )
    const id = { line: 1, character: OWN.content.split('\n')[1].indexOf('100100') + 1 }
    const renamed = await ask('textDocument/rename', { textDocument, position: id, newName: '100150' })
    assert.deepEqual(
      Object.entries(renamed?.changes ?? {}).map(([file, edits]) => [file, edits.length]),
      [
        [uri, 2],
        ['own:///rules/other%20rules.xml', 1],
      ],
    )
    assert.deepEqual(await engine.language({ ask: 'textDocument/rename', params: { textDocument, position: id, newName: '5710' }, locale: 'en-US', files: null }), {
      fault: 'Rule 5710 exists already',
    })
    const stock = { line: 0, character: 0 }
    const inBase = await ask('workspace/symbol', { query: '5710' })
    const { uri: base, range = { start: stock, end: stock } } = inBase[0].location as { uri: string; range?: { start: typeof stock; end: typeof stock } }
    const actions = await ask('textDocument/codeAction', { textDocument: { uri: base }, range, context: { diagnostics: [], only: ['refactor.rewrite'] } }, [OWN])
    assert.match(JSON.stringify(actions[0].edit?.documentChanges), /own:\/\/\/rules\/local_rules\.xml.*overwrite=\\"yes\\"/)

    // Half a tag, and what is not there.
    await ask('textDocument/documentSymbol', { textDocument }, [{ ...OWN, content: '<group name="a,"><rule id="100100" level="5"><if_sid>57</if_s <<< \u0000 &' }])
    assert.deepEqual(await ask('textDocument/hover', { textDocument: { uri: 'own:///rules/gone.xml' }, position: stock }), null)
    const short = '<group name="a,"><rule id="100100" level="5"><if_sid>'
    await ask('textDocument/documentSymbol', { textDocument }, [{ ...OWN, content: short }])
    assert.ok((await idsAt(0, short.length)).includes('5710'))
    await engine.base({ ruleset: 'none' })
    assert.deepEqual(await idsAt(0, short.length), ['100100'])
    await engine.base({ ruleset: 'reference' })
    assert.ok((await idsAt(0, short.length)).includes('5710'))
    await refused('too_many_files', CONTENT_FILES, engine.language({ ask: 'workspace/symbol', params: { query: '' }, locale: 'en-US', files: Array(CONTENT_FILES + 1).fill(OWN) }))
  })

  test('the page about a diagnostic has its texts', async () => {
    assert.match(await engine.help({ code: 'rule_element_unknown', locale: 'en-US' }), /What to do.*```xml/s)
    assert.match(await engine.help({ code: 'rule_element_unknown', locale: 'pt-BR' }), /O que fazer/)
  })

  test('a session has a clock of its own', async () => {
    await engine.open({ files: [OWN] })
    const at = (...seconds: readonly number[]): readonly EventInput[] => seconds.map((second) => ({ event: LOGIN, at: second }))
    const now = '2026-01-05T22:30:00-03:00'
    assert.deepEqual((await run(at(0, 20, 40), { session: true, now })).map(ruleOf), ['100100', '100100', '100101'])
    assert.deepEqual((await run(at(0, 20, 140), { session: true, now })).map(ruleOf), ['100100', '100100', '100100'])
    assert.deepEqual((await run(at(0, 0, 0), { now })).map(ruleOf), ['100100', '100100', '100100'])
    const [, , third] = await run([{ event: LOGIN }, { event: LOGIN }, { event: LOGIN, trace: true }], { session: true, now })
    assert.deepEqual([third.report.rule?.frequency, third.report.previous_output.length], [3, 2])
  })

  test('the log in a record about it is found', async () => {
    const [{ inside }] = await run([{ event: JSON.stringify({ timestamp: 'x', full_log: LOGIN, location: '/var/log/auth.log', agent: { id: '000', name: 'web1' } }) }])
    assert.deepEqual([inside?.event, inside?.location], [LOGIN, '/var/log/auth.log'])
  })

  test('another base replaces the reference ruleset, and the content stays', async () => {
    await engine.open({ files: [OWN] })
    const none = await engine.base({ ruleset: 'none' })
    assert.equal(none.counts.rules, 0)
    const local = (...ids: readonly number[]): ContentFile => ({
      kind: 'rules',
      filename: 'local_rules.xml',
      content: `<group name="local,">${ids.map((id) => `<rule id="${id}" level="3"><match>door ${id}</match><description>Door</description></rule>`).join('')}</group>`,
    })
    const other = await engine.base({ ruleset: [...BASE, local(100_200, 100_201)] })
    assert.deepEqual([other.loads, ruleOf((await run([{ event: 'door 100201' }]))[0])], [true, '100201'])
    // A local file of the content replaces that of the base.
    const replaced = await engine.open({ files: [local(100_202)] })
    assert.equal(replaced.counts.rules, other.counts.rules - 1)
    await engine.base({ ruleset: 'reference' })
  })

  test('content that Wazuh refuses runs no event, and says why', async () => {
    const { loads } = await engine.open({ files: [{ ...OWN, content: '<group name="own,"><rule id="100100" level="3">' }] })
    const [{ report }] = await run([{ event: LOGIN }])
    const { ok, diagnostics } = await engine.diagnose({ locale: 'en-US', includeBaseline: false })
    assert.deepEqual([loads, report.ok, ok], [false, false, false])
    assert.ok(diagnostics.some(({ severity, filename }) => severity === 'error' && filename === OWN.filename))
  })

  test('its diagnostics are those of the service, in every language', async () => {
    await engine.base({ ruleset: 'none' })
    const codes = new Set<string>()
    for (const [index, { files }] of caseFolders('diagnostics').entries()) {
      const own = files.filter(({ scope }) => scope !== 'default')
      await engine.open({ files: own })
      const locale = LOCALES[index % LOCALES.length]
      const { marks, ...report } = await engine.diagnose({ locale, includeBaseline: true })
      assert.equal(marks.length, report.diagnostics.length)
      const ruleset = compileRuleset(own.map((file) => ({ ...file, scope: 'custom' })))
      assert.deepEqual(report, describeDiagnostics(ruleset, { locale, includeBaseline: true }))
      for (const { code } of report.diagnostics) codes.add(code)
    }
    assert.ok(codes.size > 100, String(codes.size))
    await engine.base({ ruleset: 'reference' })
  })

  test('a diagnostic has its place in UTF-16 units, and its fixes', async () => {
    const content = '<group name="own,"><!-- 😀 ã --><rule id="100100" level="3"><if_sid>5710</if_sid><descripton>Ü</descripton></rule></group>'
    await engine.open({
      files: [
        { ...OWN, content: '<group name="a,"></group>', filename: 'a.xml' },
        { ...OWN, content },
      ],
    })
    const { diagnostics, marks } = await engine.diagnose({ locale: 'en-US', includeBaseline: false })
    const mark = marks[diagnostics.findIndex(({ code }) => code === 'rule_element_unknown')]
    assert.ok(mark)
    assert.deepEqual([mark.file, content.slice(mark.from, mark.to)], [1, '<descripton>Ü</descripton>'])
    const corrected = [...mark.fixes[0].edits].reverse().reduce((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), content)
    assert.equal(corrected, content.replaceAll('descripton', 'description'))
  })

  test('what needs a proof follows, unless the content changes', async () => {
    const rule = (id: number, options: string): string => `<rule id="${id}" level="3">${options}<description>d</description></rule>`
    const content = `<group name="own,">${rule(100_100, '<if_sid>5710</if_sid><match>^Invalid user</match>')}${rule(100_101, '<if_sid>100100</if_sid><match>^Failed</match>')}</group>`
    await engine.open({ files: [{ ...OWN, content }] })
    const quick = await engine.diagnose({ locale: 'en-US', includeBaseline: false })
    const { diagnostics, marks } = await engine.prove({ locale: 'en-US', includeBaseline: false })
    assert.deepEqual(
      [quick, { diagnostics, marks }].map((found) => found.diagnostics.map(({ code }) => code)),
      [[], ['rule_unreachable']],
    )
    assert.equal(content.slice(marks[0]?.from, marks[0]?.to), '<match>^Failed</match>')
    // Enough rules for several slices.
    const many = Array.from({ length: 400 }, (_, index) => rule(101_000 + index, `<if_sid>5710</if_sid><regex>word${index} (\\w+) .*end</regex>`)).join('')
    await engine.open({ files: [{ ...OWN, content: `<group name="own,">${many}</group>` }] })
    const superseded = assert.rejects(engine.prove({ locale: 'en-US', includeBaseline: false }), { code: 'superseded' })
    await engine.open({ files: [OWN] })
    await superseded
  })

  test('the event of an attack is brought to its pattern, unless the content changes', async () => {
    const content = `<group name="own,">
      <rule id="100100" level="3"><if_sid>5710</if_sid><user type="pcre2">^(\\w+\\.?)+$</user><description>d</description></rule>
      <rule id="100101" level="3"><if_sid>5710</if_sid><field name="never" type="pcre2">^(a+\\.?)+$</field><description>d</description></rule>
    </group>`
    await engine.open({ files: [{ ...OWN, content }] })
    const { diagnostics } = await engine.diagnose({ locale: 'en-US', includeBaseline: false })
    const asked = diagnostics
      .filter(({ attack }) => attack !== undefined)
      .map(({ line, column }) => engine.attack.bind(engine, { kind: 'rules', filename: OWN.filename, line: line ?? 0, column: column ?? 0 }))
    const found = [await asked[0](), await asked[1]()]
    assert.match(found[0]?.event ?? '', /sshd\[\d+\]: .*(\w)\1{20}/)
    assert.equal(found[1], null)
    const [{ report }] = await run([{ event: found[0]?.event ?? '', trace: true }])
    assert.equal(report.rule?.id, '5710')
    const superseded = assert.rejects(asked[0](), { code: 'superseded' })
    await engine.open({ files: [OWN] })
    await superseded
  })

  test('cases run, those of one session one after the other', async () => {
    await engine.open({ files: [OWN] })
    const testCase = (name: string, expected_rule: string, session_id = ''): TestCase => ({ name, event_text: LOGIN, expected_rule, session_id })
    const cases = [testCase('good', '100100'), testCase('bad', '5710'), testCase('one', '100100', 's'), testCase('two', '100100', 's'), testCase('three', '100101', 's')]
    const outcomes = await engine.test({ cases, locale: 'pt-BR' })
    assert.deepEqual(
      outcomes.map(({ passed }) => passed),
      [true, false, true, true, true],
    )
    assert.deepEqual(outcomes[1].checks, [{ label: 'Regra', expected: '5710', actual: '100100', passed: false }])
    assert.deepEqual(
      ['5710', '100100'].map((id) => outcomes[0].covered_rules.includes(id)),
      [true, true],
    )
    const ini = { name: 'Log-in, log 1', line: 2, verdict: 'pass', events: [LOGIN], rule: '100100', level: '10', decoder: 'sshd' } as const
    assert.deepEqual(
      (await engine.test({ cases: [ini, { ...ini, level: '9' }], locale: 'en-US' })).map(({ passed }) => passed),
      [true, false],
    )
  })

  test('a text is split into its events, with the logs inside of records', async () => {
    const archived = JSON.stringify({ timestamp: 'x', full_log: LOGIN, location: '/var/log/auth.log', agent: { id: '000', name: 'web1' } })
    const { events, inside } = await engine.split({ text: `${LOGIN}\r\n\n${JSON.stringify({ a: { b: 1 } }, null, 2)}\n${archived}\n` })
    assert.deepEqual(events, [LOGIN, '{"a": {"b": 1}}', archived])
    assert.deepEqual(
      inside.map((log) => log?.event),
      [undefined, undefined, LOGIN],
    )
  })

  test('a file of the base can be read', async () => {
    assert.match((await engine.baseFile({ kind: 'rules', filename: '0030-sshd.xml' })) ?? '', /<rule id="5710"/)
    assert.equal(await engine.baseFile({ kind: 'rules', filename: '../0030-sshd.xml' }), null)
  })

  test('only the newest of several requests is answered', async () => {
    const asked: Promise<Opened>[] = [OWN, LOST, OWN].map((file) => engine.open({ files: [file] }))
    const results = await Promise.allSettled(asked)
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? 'answered' : (result.reason as { code: string }).code)),
      ['superseded', 'superseded', 'answered'],
    )
  })

  test('new content ends a run of the old one', async () => {
    await engine.open({ files: [OWN] })
    let parts = 0
    const events = Array.from({ length: EVENTS_LIMIT }, (_, index) => ({ event: `${LOGIN} ${index}`.repeat(20) }))
    let opened: Promise<Opened> | null = null
    const long = engine.run({ events, session: true, now: null, locale: 'en-US' }, () => {
      parts++
      opened ??= engine.open({ files: [] })
    })
    await refused('superseded', null, long)
    assert.ok(opened !== null && parts > 0)
    assert.ok((await (opened as Promise<Opened>)).loads)
  })

  test('too much is refused', async () => {
    const ask = (events: readonly EventInput[], options: Partial<RunRequest> = {}): Promise<unknown> => run(events, options)
    const many = (length: number, event: EventInput): EventInput[] => Array.from({ length }, () => event)
    await refused('too_many_events', EVENTS_LIMIT, ask(many(EVENTS_LIMIT + 1, { event: 'x' })))
    await refused('events_too_large', EVENTS_CHARACTERS, ask([{ event: 'x'.repeat(EVENTS_CHARACTERS + 1) }]))
    await refused('too_many_traces', TRACED_EVENTS_LIMIT, ask(many(TRACED_EVENTS_LIMIT + 1, { event: 'x', trace: true })))
    await refused('too_many_cases', CASES_LIMIT, engine.test({ cases: Array.from({ length: CASES_LIMIT + 1 }, () => ({ name: '', event_text: '' })), locale: 'en-US' }))
    await refused('events_too_large', EVENTS_CHARACTERS, engine.split({ text: 'x'.repeat(EVENTS_CHARACTERS + 1) }))
    await refused('clock_invalid', null, ask([{ event: 'x' }], { now: 'today' }))
    for (const second of [-1, 0.5, Number.NaN, LAST_SECOND + 1]) await refused('second_invalid', LAST_SECOND, ask([{ event: 'x', at: second }]))
    await refused(
      'second_invalid',
      LAST_SECOND,
      ask([
        { event: 'x', at: 5 },
        { event: 'x', at: 4 },
      ]),
    )
    await refused('too_many_files', CONTENT_FILES, engine.open({ files: Array.from({ length: CONTENT_FILES + 1 }, () => OWN) }))
    await refused('content_too_large', CONTENT_CHARACTERS, engine.open({ files: [{ ...OWN, content: 'x'.repeat(CONTENT_CHARACTERS + 1) }] }))
    await refused('content_too_large', BASE_CHARACTERS, engine.base({ ruleset: Array.from({ length: 5 }, () => ({ ...OWN, content: 'x'.repeat(BASE_CHARACTERS / 4) })) }))
    // Wazuh cuts an event, and so does the engine.
    const [{ report }] = await run([{ event: LOGIN.padEnd(70_000, 'x') }])
    assert.deepEqual([report.rule?.id, report.diagnostics.map(({ code }) => code)], ['5710', ['session_event_truncated']])
  })
})

/** Bytes of gzip. */
const ENGINE_LIMIT = 260 * 1000
const FIRST_ANSWER_LIMIT = 700 * 1000

describe('the bundle of the playground', () => {
  const assets = readAssets()
  const sizeOf = (name: string): number => gzipSync(assets.get(name) as string, { level: 9 }).length

  test('is as small as was promised', (context) => {
    const engineBytes = [MANIFEST.worker, MANIFEST.start].flatMap(({ file, imports }) => [file, ...imports]).reduce((sum, name) => sum + sizeOf(name), 0)
    const languages = LOCALES.map((locale) => sizeOf(MANIFEST[`texts/${locale}`].file))
    const reference = sizeOf(MANIFEST.reference.file)
    const first = engineBytes + Math.max(...languages) + reference
    context.diagnostic(`gzip: engine ${engineBytes}, languages ${languages.join(' and ')}, reference ruleset ${reference}, before the first answer ${first}`)
    assert.ok(engineBytes > 100_000 && engineBytes <= ENGINE_LIMIT, String(engineBytes))
    assert.ok(first <= FIRST_ANSWER_LIMIT, String(first))
  })

  test('has nothing of Node, and compiles no code at run time', () => {
    const scripts = [MANIFEST.worker, MANIFEST.start, MANIFEST.engine].flatMap(({ file, imports }) => [file, ...imports])
    assert.ok(scripts.length >= 4)
    for (const name of scripts) assert.ok(!/["'`]node:|\brequire\(|\bprocess\.|\beval\(|\bnew Function\b/.test(assets.get(name) as string), name)
  })

  test('is beside the licenses of the packages in it', () => {
    assert.match(assets.get('LICENSES.txt') as string, /^@noble\/hashes\n.+^sax\n/ms)
  })
})
