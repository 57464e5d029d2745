/** What the kernel finds in a received text is what a model finds, and patterns search the log that an event has, whatever was in the memory before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Event } from '../../../engine/event/event.js'
import { createMatchResult, type Expression } from '../../../engine/expressions/expression.js'
import { compileOsMatch } from '../../../engine/expressions/osmatch/osmatch.js'
import { compileOsRegex } from '../../../engine/expressions/osregex/osregex.js'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'
import { PrefilterScanner, PrefilterTable } from '../../../engine/expressions/prefilter-table.js'
import { scan } from '../../../engine/expressions/window-scan.js'
import { compileRuleset, createSession, EventRunner } from '../../../engine/index.js'
import { bytesOf } from '../../../engine/kernel/last-bytes.js'
import { LOG_ROOM } from '../../../engine/kernel/layout.js'
import { BYTES, Chunk } from '../../../engine/kernel/memory.js'
import { searchedLog } from '../../../engine/kernel/searched-text.js'
import { readAsl } from '../../../engine/predecoding/macos-asl.js'
import { predecode } from '../../../engine/predecoding/predecode.js'
import { findHeader } from '../../support/predecoding/headers.js'
import { readSyslogTag } from '../../support/predecoding/syslog-tag.js'

const ORIGIN = { location: 'stdin', agentId: '000', agentName: undefined }

const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

function read(text: string): unknown {
  const { fullLog, timestamp, hostname, programName, log, logFollowsByte, logLower } = predecode(text, ORIGIN, 0)
  return { fullLog, timestamp, hostname, programName, log, follows: logFollowsByte, logLower }
}

/** The same by the model. */
function modelled(text: string): unknown {
  const [fullLog] = text.split('\0')
  const found = (parts: { timestamp?: string; hostname?: string | undefined; programName?: string | undefined; log: string; follows: boolean }): unknown => ({
    fullLog,
    timestamp: undefined,
    hostname: undefined,
    programName: undefined,
    ...parts,
    logLower: fold(parts.log),
  })
  const header = findHeader(fullLog.startsWith('\xc3\xa4', 1) ? `Ma${fullLog.slice(3)}` : fullLog, fullLog.length)
  if (header === null) return found({ log: fullLog, follows: false })
  if (header.tail === 'asl') return found({ ...readAsl(fullLog, header.log), follows: true })
  const timestamp = fullLog.slice(header.from, header.to)
  if (header.tail === 'none') return found({ timestamp, log: fullLog.slice(header.log), follows: header.followsByte })
  const { hostname, programName, start, end, followsByte } = readSyslogTag(fullLog, header.log)
  return found({ timestamp, hostname, programName, log: fullLog.slice(start, end), follows: followsByte })
}

const HEADERS = [
  'Jan  5 10:11:12 ',
  '2019-01-05 10:11:12,345 ',
  '2019-01-05T10:11:12+01:00 ',
  '2019-01-05T10:11:12.123+01:00 ',
  '2019-01-05T10:11:12.123456+01:00 ',
  '2019-01-05T10:11:12.12345+01:00 ',
  '2019 Jan 05 10:11:12 ',
  '2019-01-05 10:11:12.123456-0700 ',
  'Mon Apr 17 18:27:14 2006 1 ',
  '01/28-09:13:16.240702  ',
  '01/28/2019-09:13:16.240702  ',
  '[Mon Jan 05 10:11:12 2019] ',
  '[Time 2006.12.28 15:53:55 UTC] ',
  '1583741730.412  10203 192.0.2.3 ',
  '1583741730.412 110203  192.0.2.3 ',
  'M\xc3\xa4r  5 10:11:12 ',
]
const TAGS = [
  'host sshd[123]: ',
  'host sshd: ',
  'host sshd[123] ',
  'sshd: ',
  'sshd: [ID 4711 kern.info] ',
  'host su: [ID 47 auth.notice] ',
  'host su[1]: [ID 47 auth.notice',
  'host kern|daemon:warn appd[42]: ',
  'host kern|daemon:warn appd[42] ',
  'host kern|daemon:warn appd x',
  'ho st sshd:x',
  'averylonghostname.example.com-1234567890 averylongprogramname/with/path-1234567[1]:y',
  '[Sender sshd] [Facility x] [PID -1] [Message Up] [Host h]',
]

const piece = fc.constantFrom(...' :[]|.-/,+TI\0\xc3\xa4AZaz09@_()#\xff')
const message = fc.oneof(
  fc.constantFrom('', 'x', 'Failed PASSWORD for \xc0\xc9 ROOT'),
  fc.nat(90).map((length) => 'Failed PASSWORD '.repeat(6).slice(0, length)),
)
const written = fc.tuple(fc.constantFrom('', ...HEADERS), fc.oneof(fc.constantFrom('', ...TAGS), fc.string({ maxLength: 30, unit: piece })), message).map((parts) => parts.join(''))
/** Bytes replaced, inserted or removed near the beginning, or the rest cut. */
const edit = fc.record({ at: fc.nat(70), kind: fc.nat(3), byte: piece })
const received = fc.tuple(written, fc.array(edit, { maxLength: 3 })).map(([text, edits]) =>
  edits.reduce((edited, { at, kind, byte }) => {
    const rest = kind === 3 ? '' : edited.slice(kind === 1 ? at : at + 1)
    return edited.slice(0, at) + (kind < 2 ? byte : '') + rest
  }, text),
)

test('a received text has the header, host, program and log of the model', () => {
  fc.assert(
    fc.property(received, (text) => assert.deepEqual(read(text), modelled(text))),
    { numRuns: 20_000 },
  )
})

test('the same with more names of programs than have numbers, and in texts of the length of a room and longer', () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 700; i++) {
      const text = `Jan  5 10:11:12 host ${'p'.repeat(i % 27)}${i}: m`
      assert.deepEqual(read(text), modelled(text))
    }
  }
  for (const length of [LOG_ROOM - 1, LOG_ROOM, LOG_ROOM + 1, 3 * LOG_ROOM]) {
    for (const nul of ['', '\0', '\0 more']) {
      const text = `Jan  5 10:11:12 host su[1]: ${'A b'.repeat(length)}`.slice(0, length) + nul
      assert.deepEqual(read(text), modelled(text))
    }
  }
})

function compiled(outcome: { ok: true; expression: Expression } | { ok: false }): Expression {
  assert(outcome.ok)
  return outcome.expression
}

/** Patterns of each dialect, and the same as JavaScript: those without groups for the folded text. */
const PATTERNS: readonly (readonly [expression: Expression, same: RegExp])[] = [
  [compiled(compileOsMatch('password')), /password/],
  [compiled(compileOsMatch('^failed p|root$|^up$')), /^failed p|root$|^up$/],
  [compiled(compileOsMatch('!for')), /^(?!.*for)/s],
  [compiled(compileOsRegex('password for')), /password for/],
  [compiled(compileOsRegex('^Up$')), /^up$/],
  [compiled(compileOsRegex('\\.+')), /./s],
  [compiled(compileOsRegex('^failed|accepted')), /^failed|accepted/],
  [compiled(compilePcre2('(?i)for .+root')), /for .+root/],
]
const CAPTURING = compiled(compilePcre2('([A-Z][A-Z]+)(?=[ \\n]|$)'))
const CAPTURED = /([A-Z][A-Z]+)(?=[ \n]|$)/

function checkSearches(event: Event): void {
  const { log } = event
  for (const [{ tried, pattern }, same] of PATTERNS) {
    assert.equal(tried.matches(searchedLog(event), 0), same.test(fold(log)), `${pattern} on ${log}`)
    assert.equal(tried.find(searchedLog(event), 0, createMatchResult()), same.test(fold(log)), `${pattern} on ${log}`)
  }
  const result = createMatchResult()
  const found = CAPTURED.exec(log)
  assert.equal(CAPTURING.tried.find(searchedLog(event), 0, result), found !== null)
  if (found !== null) assert.equal(log.slice(result.bounds[0], result.bounds[1]), found[1])
}

/** The same for a text that is no log. */
function checkStrings(text: string): void {
  const lower = fold(text)
  for (const [expression, same] of PATTERNS) assert.equal(expression.test(text, lower, 0), same.test(lower), `${expression.pattern} on ${text}`)
  assert.equal(CAPTURING.search(text, lower, 0, createMatchResult()), CAPTURED.test(text))
}

const NEEDLES = ['password', 'accepted', 'failed pass']
const TABLE = new PrefilterTable()
const NUMBERS = NEEDLES.map((value) => TABLE.intern({ kind: 'contains', values: [value] }))

/** What happens to one of several events, which are then searched in turn. */
type Step = readonly [event: number, kind: number, text: string]

test('patterns find what the log of an event has, among other events, after it was replaced, and in a memory that grows', () => {
  const scanners = [new PrefilterScanner(TABLE), new PrefilterScanner(TABLE)]
  const run = (events: Event[], [index, kind, text]: Step): void => {
    const event = events[index % events.length]
    const scanner = scanners[index % 2]
    const actions: (() => unknown)[] = [
      () => assert.equal(event.logLower, fold(event.log)),
      () => event.setLog(text),
      () => event.replaceLogs(text),
      () => event.deferLogs(() => text),
      () => event.cutLog(Math.min(3, event.fullLog.length)),
      () => {
        events[index % events.length] = predecode(text, ORIGIN, 0)
      },
      () => assert.equal(Buffer.from(bytesOf(text).subarray(0, text.length)).toString('latin1'), text),
      () => checkStrings(text),
      () => checkStrings(event.logLower),
      () => {
        if (event.hasUnreadLog) scanner.beginUnread(event)
        else scanner.begin(event)
        for (let round = 0; round < 2; round++)
          for (const [at, needle] of NEEDLES.entries()) if (!scanner.mayMatch(NUMBERS[at])) assert.ok(!fold(event.log).includes(needle), `${needle} in ${event.log}`)
      },
    ]
    actions[kind]()
  }
  const text = fc.oneof(
    received,
    fc.constantFrom('Up', 'Failed PASSWORD for ROOT', 'ACCEPTED password', '', 'F'.repeat(LOG_ROOM + 5)),
    received.map((one) => one + ' Failed PASSWORD for ROOT'.repeat(9)),
  )
  fc.assert(
    fc.property(fc.array(text, { minLength: 3, maxLength: 3 }), fc.array(fc.tuple(fc.nat(2), fc.nat(9), text), { maxLength: 12 }), (texts, steps) => {
      const events = texts.map((one) => predecode(one, ORIGIN, 0))
      for (const step of steps) {
        run(events, step)
        checkSearches(events[step[0]])
        checkSearches(events[(step[0] + 1) % events.length])
      }
    }),
    { numRuns: 600 },
  )
  const event = predecode('Jan  5 10:11:12 host su: Failed PASSWORD for ROOT', ORIGIN, 0)
  checkSearches(event)
  const before = BYTES
  while (BYTES === before) void new Chunk(1 << 20)
  checkSearches(event)
  assert.deepEqual(read('Jan  5 10:11:12 host su: Up'), modelled('Jan  5 10:11:12 host su: Up'))
})

test('a scan counts for its text alone', () => {
  const event = predecode('Failed PASSWORD for ROOT '.repeat(9), ORIGIN, 0)
  const long = new Event('F'.repeat(LOG_ROOM + 5), 0)
  for (const one of [event, long, event, long]) {
    scan(searchedLog(one))
    checkStrings('Accepted PASSWORD for Root'.repeat(9))
    checkSearches(event)
    checkSearches(long)
  }
})

test('runners that take turns in one thread, each with a session, have the outcomes that they have alone', () => {
  const rules = (word: string): ConstructorParameters<typeof EventRunner>[0] =>
    compileRuleset([
      {
        kind: 'decoders',
        scope: 'adhoc',
        filename: 'd.xml',
        content:
          '<decoder name="su"><program_name>^su$</program_name></decoder>' +
          '<decoder name="user"><parent>su</parent><regex type="pcre2">user=([A-Z]\\w+)</regex><order>user</order></decoder>' +
          '<decoder name="alert"><prematch>^ossec: Alert|^ALERT </prematch><plugin_decoder>OSSECAlert_Decoder</plugin_decoder></decoder>',
      },
      {
        kind: 'rules',
        scope: 'adhoc',
        filename: 'r.xml',
        content:
          `<group name="g,"><rule id="1" level="3"><match>${word}</match><description>$(dstuser)</description></rule>` +
          '<rule id="2" level="3"><decoded_as>su</decoded_as><user>^Root$</user><description>root</description></rule>' +
          '<rule id="3" level="5" frequency="3" timeframe="60"><if_matched_sid>1</if_matched_sid><description>often</description></rule></group>',
      },
    ])
  const rulesets = [rules('failed|^up'), rules('accepted login|denied$')]
  const lines = ['user=Root FAILED', 'Up', 'user=Alice Accepted LOGIN', 'user=root DENIED', 'user=Root nothing'].flatMap((log) => [
    `Jan  5 10:11:12 host su[1]: ${log}`,
    `Jan  5 10:11:12 host app: ${log}`,
    log,
    `ALERT ${log}`,
  ])
  const moment = { seconds: 0, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
  const runs = (ruleset: (typeof rulesets)[number]): ((line: string) => unknown) => {
    const runner = new EventRunner(ruleset)
    const session = createSession()
    return (line) => {
      const { rule, description, event, firedTimes } = runner.run(line, ORIGIN, moment, session)
      return [rule?.id, description, event.statics, event.programName, firedTimes, event.logLower]
    }
  }
  const alone = rulesets.map((ruleset) => lines.map(runs(ruleset)))
  const turns = rulesets.map(runs)
  const together = lines.map((line) => turns.map((run) => run(line)))
  assert.deepEqual(
    rulesets.map((_, index) => together.map((outcomes) => outcomes[index])),
    alone,
  )
  assert.ok(alone[0].some((outcome) => (outcome as unknown[])[0] === 3) && alone[0].some((outcome) => (outcome as unknown[])[0] === 2))
})
