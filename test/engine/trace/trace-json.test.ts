/** The JSON of a trace equals that of its entries, for any ruleset and any event. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import type { LogtestInput, Session, SourceFile, TestCase } from '../../../engine/index.js'
import { compileLayer, compileRuleset, createSession, EventRunner, LOG_FORMATS } from '../../../engine/index.js'
import { runStages } from '../../../engine/logtest/logtest.js'
import { headerFormOf } from '../../../engine/trace/header-form.js'
import { TRACE_TEXT_LIMIT } from '../../../engine/trace/text.js'
import { TracePrinter } from '../../../engine/trace/trace-json.js'
import { TraceRecorder } from '../../../engine/trace/trace-recorder.js'
import { REFERENCE_RULESET_DIR, readRulesetFolder } from '../../../workers/content/content.js'
import { haveConformance, readLines, rulesetOf } from '../../parity/conformance.js'
import { DOOR, FILES, MOMENT } from '../logtest/small-ruleset.js'

const CASES = join(dirname(fileURLToPath(import.meta.url)), '../../../../test/cases/reference')

/** Every kind of decision, as it is named in the entries; `null`: a rule that matched. */
type Met = Set<string>

/** Runs an event and compares; null if it was refused. Adds each decision to `met`. */
function check(printer: TracePrinter, runner: EventRunner, input: LogtestInput, session: Session | null, met: Met = new Set()): string | null {
  const recorder = new TraceRecorder()
  const run = runStages(runner, input, MOMENT, session, recorder, { locale: 'en-US' })
  if (run.kind === 'refused') return null
  const form = headerFormOf(run.text)
  const entries = recorder.entries(run.event, form)
  const json = printer.print(recorder, run.event, form)
  const expected = JSON.stringify(entries)
  // deepEqual describes a difference better, but takes too long for a million entries.
  if (`[${json}]` !== expected) assert.deepEqual(JSON.parse(`[${json}]`), JSON.parse(expected))
  assert.ok(`[${json}]` === expected)
  for (const { step, matched } of recorder.decoderSteps) met.add(step === 'regex' ? `${step} ${matched}` : step)
  for (const { failure } of recorder.ruleSteps) met.add(failure === null ? 'null' : failure.kind)
  return json
}

const auto = (event: string): LogtestInput => ({ event, log_format: 'auto' })

test('holds for the cases of the reference ruleset, each in a session', () => {
  const runner = new EventRunner(compileRuleset(readRulesetFolder(REFERENCE_RULESET_DIR, 'default')))
  const printer = new TracePrinter()
  const met: Met = new Set()
  let count = 0
  for (const file of readdirSync(CASES)) {
    for (const one of (JSON.parse(readFileSync(join(CASES, file), 'utf8')) as { cases: TestCase[] }).cases) {
      const session = createSession()
      const format = one.log_format ?? 'auto'
      for (const { event_text } of one.events ?? [{ event_text: one.event_text ?? '' }]) {
        if (check(printer, runner, { event: event_text, log_format: format }, session, met) !== null) count++
      }
    }
  }
  assert.ok(count > 500, `${count} events`)
  assert.deepEqual([...met].sort(), EVERY_DECISION)
  // The cache has part of what was printed.
  assert.ok(printer.kept > 100_000 && printer.kept < 4_000_000, `${printer.kept} characters`)
})

const EVERY_DECISION = [
  'built-in',
  'check_diff',
  'child',
  'condition',
  'decoder',
  'entered',
  'history',
  'if_fts',
  'list',
  'null',
  'plugin',
  'prematch',
  'program_name',
  'regex false',
  'regex true',
  'root',
]

test(
  'holds for the lines of the recordings on the stock ruleset',
  { skip: haveConformance() ? false : 'the recordings of the reference engine (../shared/conformance) are not here' },
  () => {
    const printer = new TracePrinter()
    const runner = new EventRunner(rulesetOf('default'))
    for (const { event } of readLines<{ event: string }>('speed/lines.jsonl')) check(printer, runner, auto(event), null)
    for (const { events } of readLines<{ events: string[] }>('sequences.jsonl').slice(0, 100)) {
      const session = createSession()
      for (const event of events) check(printer, runner, auto(event), session)
    }
    assert.ok(printer.kept > 0)
  },
)

/** Texts with a meaning in JSON, UTF-8, JavaScript or the printer. */
const HOSTILE = [
  '"',
  '\\',
  '"\\ud800"',
  '\\ud800',
  '\ud800',
  '\udc00\ud800',
  '\0\x01\x1f\x7f',
  '\n\r\t\b\f',
  '\u2028\u2029',
  'é',
  '漢字',
  '🚪',
  '\ufffd',
  '__proto__',
  '"text":',
  '},{',
  'x'.repeat(TRACE_TEXT_LIMIT - 1),
  'é'.repeat(TRACE_TEXT_LIMIT),
]

/** The small ruleset, and rules and decoders with such texts in every place that a trace shows. */
function hostileFiles(filename: string): SourceFile[] {
  // A file ends at its first NUL.
  const escaped = HOSTILE.map((text) => text.replaceAll('\0', '').replaceAll('\\', '\\\\'))
  const rules = escaped.flatMap((text, i) => [
    `<rule id="${100200 + i}" level="1"><match type="osmatch">zz${text}</match><description>one</description></rule>`,
    `<rule id="${100300 + i}" level="1"><field name="alpha" negate="${i % 2 === 0 ? 'yes' : 'no'}">zz${text}</field><match>zz${text}</match><description>two</description></rule>`,
  ])
  const decoders = ['"', '\\\\', 'é', '__proto__', '🚪'].map(
    (name) =>
      `<decoder name="n${name.replaceAll('"', '&quot;')}"><prematch>^n${name} </prematch><regex offset="after_prematch">(\\S+) (\\.*)$</regex><order>srcip, e${name.replaceAll('"', '')}</order></decoder>`,
  )
  return [
    ...FILES,
    { filename, kind: 'rules', scope: 'adhoc', content: `<group name="hostile,">\n${rules.join('\n')}\n</group>` },
    { filename: `d${filename}`, kind: 'decoders', scope: 'adhoc', content: decoders.join('\n') },
  ]
}

const pieces = fc.constantFrom(
  ...HOSTILE,
  'nn',
  'né ',
  'n__proto__ ',
  'n🚪 ',
  'lamp ',
  'level 9 room hall',
  'Nov 17 08:15:30 gate doord[42]: ',
  'opened by bob from 192.0.2.7 badge=17',
  '{"alpha":"',
  '","__proto__":"',
  '"}',
  '<Event>',
  '</Event>',
  ' ',
)
const events = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
  fc.dictionary(fc.constantFrom('alpha', '__proto__', 'constructor', 'é', '"'), pieces).map((fields) => JSON.stringify(fields)),
  pieces.map((text) => `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='${text}'/><EventID>4624</EventID></System></Event>`),
)

test('holds for texts that need escapes, in events, rules, decoders and file names', () => {
  const printer = new TracePrinter()
  const met: Met = new Set()
  for (const filename of ['plain.xml', 'quoted ".xml', '\ud800', 'z"\ud800"', 'é\0.xml']) {
    const ruleset = compileRuleset(hostileFiles(filename))
    assert.ok(ruleset.loads)
    const runner = new EventRunner(ruleset)
    const session = createSession()
    const all = new Set<string>()
    fc.assert(
      fc.property(events, fc.constantFrom(...LOG_FORMATS), (event, log_format) => {
        const json = check(printer, runner, { event, log_format }, session, met)
        if (json !== null) all.add(json)
      }),
      // Random events seldom match the expression of a decoder.
      { numRuns: 300, examples: [['n__proto__ lamp on', 'syslog']] },
    )
    assert.ok(all.size > 100)
    for (let i = 0; i < HOSTILE.length; i++)
      for (const id of [100200 + i, 100300 + i])
        assert.ok(
          [...all].some((json) => json.includes(`"name":"${id}"`)),
          `${id} is asked`,
        )
  }
  for (const decision of ['condition', 'decoder', 'regex true', 'built-in', 'plugin']) assert.ok(met.has(decision), decision)
})

test('holds for rules with one id in several rulesets, and for conditions that rules share', () => {
  const printer = new TracePrinter()
  const base = compileRuleset(FILES)
  const layer = (tag: string, pattern: string, filename: string) =>
    new EventRunner(
      compileLayer(base, [
        {
          filename,
          kind: 'rules',
          scope: 'adhoc',
          content: `<group name="t,"><rule id="100500" level="3"><${tag}>${pattern}</${tag}><description>a</description></rule>
<rule id="100503" level="3"><decoded_as>door</decoded_as><match>never</match><description>a</description></rule>
<rule id="100501" level="3"><regex>shared</regex><description>a</description></rule><rule id="100502" level="3"><match type="osregex">shared</match><description>a</description></rule></group>`,
        },
      ]),
    )
  const runners = [layer('match', 'one', 'a.xml'), layer('match', 'two', 'b.xml'), layer('regex', 'one', 'a.xml'), new EventRunner(base)]
  for (let round = 0; round < 2; round++) {
    const [one, two, three, none] = runners.map((runner) => check(printer, runner, auto('lamp level 3'), null) ?? '')
    const entryOf = (json: string, id: string) =>
      (JSON.parse(`[${json}]`) as { name: string; details: { condition: string; pattern: string }; filename: string }[]).find(({ name }) => name === id)
    assert.deepEqual(
      [one, two, three].map((json) => entryOf(json, '100500')?.details.pattern),
      ['one', 'two', 'one'],
    )
    assert.deepEqual(
      [one, two, three].map((json) => entryOf(json, '100500')?.filename),
      ['a.xml', 'b.xml', 'a.xml'],
    )
    assert.deepEqual(
      [one, three].map((json) => entryOf(json, '100500')?.details.condition),
      ['match', 'regex'],
    )
    assert.deepEqual(
      ['100501', '100502'].map((id) => entryOf(one, id)?.details.condition),
      ['regex', 'match'],
    )
    // Here only the rule distinguishes the entries.
    assert.deepEqual(
      [one, two].map((json) => entryOf(json, '100503')?.filename),
      ['a.xml', 'b.xml'],
    )
    assert.equal(entryOf(none, '100500'), undefined)
  }
})

test('holds for a rule that fails on one list, and then on another', () => {
  const printer = new TracePrinter()
  const lists = ['srcip', 'dstuser'].map((field) => `<list field="${field}" lookup="address_match_key">etc/lists/bad</list>`).join('')
  const content = `<group name="t,"><rule id="100510" level="13"><if_sid>100002</if_sid>${lists}<description>a</description></rule></group>`
  const runner = new EventRunner(compileRuleset([...FILES, { filename: 'zz.xml', kind: 'rules', scope: 'adhoc', content }]))
  for (const [address, field] of [
    ['192.0.2.7', 'srcip'],
    ['203.0.113.7', 'dstuser'],
    ['192.0.2.7', 'srcip'],
  ]) {
    const json = check(printer, runner, auto(DOOR.replace('192.0.2.7', address)), null) ?? ''
    assert.ok(json.includes(`"name":"100510","matched":false,"details":{"condition":"list","list":"etc/lists/bad","field":"${field}"`), field)
  }
})

test('the cache does not exceed its limit, and evicted entries are printed again', () => {
  const runner = new EventRunner(compileRuleset(hostileFiles('zz.xml')))
  const [roomy, tight, none] = [new TracePrinter(), new TracePrinter(3000), new TracePrinter(0)]
  let mostKept = 0
  for (let i = 0; i < 5; i++) {
    const json = check(roomy, runner, auto(`lamp level ${i}`), null)
    assert.equal(check(tight, runner, auto(`lamp level ${i}`), null), json)
    assert.equal(check(none, runner, auto(`lamp level ${i}`), null), json)
    assert.equal(none.kept, 0)
    assert.ok(tight.kept <= 3000)
    mostKept = Math.max(mostKept, tight.kept)
  }
  assert.ok(mostKept > 0 && roomy.kept > 3000)
  const { kept } = roomy
  check(roomy, runner, auto('lamp level 77'), null)
  assert.equal(roomy.kept, kept, 'the same decisions take no more room')
})

test('cached entries do not keep an unused ruleset alive', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const printer = new TracePrinter()
  const used = (): WeakRef<object>[] => {
    const ruleset = compileRuleset(hostileFiles('gone.xml'))
    check(printer, new EventRunner(ruleset), auto('lamp level 3'), null)
    return [new WeakRef(ruleset), ...ruleset.rules.inOrder().map((rule) => new WeakRef<object>(rule))]
  }
  const refs = used()
  assert.ok(printer.kept > 0 && refs.length > 10)
  for (let i = 0; i < 20 && refs.some((ref) => ref.deref() !== undefined); i++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  assert.equal(refs.filter((ref) => ref.deref() !== undefined).length, 0)
})
