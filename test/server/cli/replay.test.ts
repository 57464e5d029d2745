/** The subcommand `replay`: alerts are those of one session in one thread, whatever the threads, the sources and the interruptions. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { compileRuleset, createSession, EventRunner, readLocation, toByteString, utcMoment } from '#engine'
import { ARRIVAL_START, readRulesetFolder, WINDOW_EVENTS } from '#workers'
import { LINE_LIMIT } from '../../../server/cli/input/lines.js'
import { CLOSED, OPENED } from './call.js'
import { alertsIn, alertsOf, LINES, madeLines, OWN_RULES, ReplayWorkplace, summaryIn } from './replay-call.js'

const place = new ReplayWorkplace()
const BASE = place.ruleset()
const RULESET = ['--ruleset', BASE]
const OWN = place.write('own/rules/own_rules.xml', OWN_RULES)
const MADE = madeLines()
const MADE_FILE = place.write('made/made.log', `${MADE.join('\n')}\n`)
const replay = place.replay.bind(place)
const newFolder = place.newFolder.bind(place)
const parsed = alertsOf

describe('replay', () => {
  after(() => place.remove())

  it('writes the alerts of one session in one thread, with any number of threads', async () => {
    const runner = new EventRunner(compileRuleset([...readRulesetFolder(BASE, 'default'), ...readRulesetFolder(join(place.folder, 'own'), 'custom')]))
    const session = createSession()
    const origin = readLocation('stdin')
    assert.ok(origin !== null)
    const expected = MADE.flatMap((line, index) => {
      if (line === '') return []
      const { alert, rule, firedTimes, previous, description } = runner.run(toByteString(line), origin, utcMoment(ARRIVAL_START + index), session)
      return alert ? [[index + 1, String(rule?.id), firedTimes, previous, description]] : []
    })
    assert.ok(expected.length > 1000 && ['902', '100001', '100002', '100003'].every((id) => expected.some((one) => one[1] === id)))
    const outputs: string[] = []
    for (const threads of ['1', '2', '3', '7']) {
      const { code, stderr, folder } = await replay([MADE_FILE, ...RULESET, '--custom', OWN, '--threads', threads])
      assert.deepEqual([code, stderr], [0, ''])
      const { run: _, ...summary } = summaryIn(folder)
      outputs.push(alertsIn(folder) + JSON.stringify(summary))
      if (threads !== '1') continue
      const found = parsed(folder).map(({ line, rule, previous_output }) => {
        const { id, firedtimes, description } = rule as Record<string, unknown>
        return [line, id, firedtimes, previous_output, description]
      })
      assert.deepEqual(found, expected)
      assert.ok(summary.events_with_history > 1000 && summary.events_with_history < summary.events)
      assert.equal(summary.lines, LINES)
      assert.equal(summary.events, MADE.filter((line) => line !== '').length)
      assert.equal(summary.alerts, expected.length)
      assert.deepEqual(summary.unknown_kinds[0]?.template, 'unknown program <*> says <*> key=<*>')
    }
    assert.equal(new Set(outputs).size, 1)
  })

  it('runs the log in records of Wazuh, with their agent, location and time, in the order of their times', async () => {
    const json = (second: number, ip: string, more = ''): string =>
      JSON.stringify({
        timestamp: `2026-01-05T10:00:${String(second).padStart(2, '0')}.123+0000`,
        agent: { id: '007', name: 'web' },
        manager: { name: 'm' },
        full_log: OPENED.replace('192.0.2.1', ip),
        location: '/var/log/door',
        decoder: {},
        ...(more === '' ? {} : { rule: { id: more, level: 3 } }),
      })
    const lines = [json(3, '192.0.2.1'), json(1, '192.0.2.2', '901'), `2026 Jan 05 10:00:02 (hall) 192.0.2.9->/var/log/door ${OPENED}`, json(2, '192.0.2.3')]
    const { code, folder } = await replay([place.write('archives.json', lines.join('\n')), ...RULESET])
    assert.equal(code, 0)
    assert.equal(summaryIn(folder).clock, 'event')
    assert.deepEqual(
      parsed(folder).map(({ line, time, agent, location, host }) => [line, time, agent, location, host]),
      [
        [2, '2026-01-05T10:00:01Z', '007', '(web) any->/var/log/door', 'web'],
        [3, '2026-01-05T10:00:02Z', 'hall', '(hall) 192.0.2.9->/var/log/door', 'hall'],
        [4, '2026-01-05T10:00:02Z', '007', '(web) any->/var/log/door', 'web'],
        [1, '2026-01-05T10:00:03Z', '007', '(web) any->/var/log/door', 'web'],
      ],
    )
  })

  it('runs events that come too late where they arrive, and counts them and those without a time', async () => {
    const event = (time: number | null): string => JSON.stringify({ m: { text: OPENED }, ...(time === null ? {} : { '@timestamp': time }) })
    const lines = [...Array.from({ length: WINDOW_EVENTS + 10 }, (_, index) => event(2_000_000_000 + index)), event(2_000_000_005), event(1000), event(null)]
    const options = ['--event-field', 'm.text', '--time-field', '@timestamp']
    const file = place.write('late.ndjson', lines.join('\n'))
    const first = await replay([file, ...options, ...RULESET, '--threads', '1'])
    assert.equal(first.code, 0)
    const { late_events, events_without_time, alerts, first_event } = summaryIn(first.folder)
    assert.deepEqual([late_events, events_without_time, alerts, first_event], [3, 1, WINDOW_EVENTS + 13, '2033-05-18T03:33:20Z'])
    const times = parsed(first.folder).map(({ time }) => String(time))
    assert.deepEqual(times, [...times].sort())
    const second = await replay([file, ...options, ...RULESET, '--threads', '3'])
    assert.equal(alertsIn(second.folder), alertsIn(first.folder))
  })

  it('counts lines that are wrong, with the places of the first ones, and goes on', async () => {
    const good = JSON.stringify({ e: OPENED })
    const lines = [good, 'no json', '{"e": 7}', '{"e": "x", "l": "[1"}', '{"e": "<Event "}', good]
    const { code, folder, stdout } = await replay([place.write('wrong.ndjson', lines.join('\n')), '--event-field', 'e', '--location-field', 'l', ...RULESET])
    assert.equal(code, 0)
    const { wrong_lines, events, lines: read } = summaryIn(folder)
    assert.deepEqual([read, events], [6, 2])
    const file = join(place.folder, 'wrong.ndjson')
    const at = (line: number) => ({ lines: 1, first: [{ source: file, line }] })
    assert.deepEqual(wrong_lines, { not_json: at(2), no_event: at(3), bad_location: at(4), dropped: at(5) })
    assert.match(stdout, /^1 lines are no JSON \(first: .*wrong\.ndjson:2\)$/m)
  })

  it('runs what is not UTF-8 as it is, and leaves out a line that is too long', async () => {
    const long = Buffer.alloc(LINE_LIMIT + 10, 'x')
    const bytes = Buffer.concat([Buffer.from(`${OPENED}\n`), long, Buffer.from(`\n${OPENED} \xff\n`, 'latin1'), long, Buffer.from('\n'), Buffer.from(OPENED)])
    const { code, folder } = await replay([place.write('bytes.log', bytes), ...RULESET])
    assert.equal(code, 0)
    const { wrong_lines, lines, alerts } = summaryIn(folder)
    assert.deepEqual([lines, alerts], [5, 3])
    assert.deepEqual(
      Object.entries(wrong_lines).map(([fault, { lines: count, first }]) => [fault, count, first.map(({ line }) => line)]),
      [
        ['too_long', 2, [2, 4]],
        ['not_utf8', 1, [3]],
      ],
    )
    assert.deepEqual(
      parsed(folder).map(({ line }) => line),
      [1, 3, 5],
    )
  })

  it('reads folders in the order of their names, compressed files and standard input, as one session', async () => {
    const whole = await replay([MADE_FILE, ...RULESET, '--custom', OWN, '--select', 'line,rule.id,rule.firedtimes'])
    const half = MADE.length / 2
    const text = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\n')}\n`)
    place.write('parts/a.log.gz', Buffer.concat([gzipSync(text(MADE.slice(0, 100))), gzipSync(text(MADE.slice(100, half)))]))
    place.write('parts/b/c.log', text(MADE.slice(half)))
    place.write('parts/.hidden', OPENED)
    place.write('parts/empty.log', '')
    const parts = await replay([join(place.folder, 'parts'), ...RULESET, '--custom', OWN, '--select', 'line,rule.id,rule.firedtimes'])
    assert.equal(parts.code, 0)
    const later = parsed(parts.folder).map((alert, index, all) =>
      index > 0 && all.slice(0, index).some(({ line }) => Number(line) > Number(alert.line)) ? { ...alert, line: Number(alert.line) + half } : alert,
    )
    assert.deepEqual(
      later.map(({ line: _, ...alert }) => alert),
      parsed(whole.folder).map(({ line: _, ...alert }) => alert),
    )
    const piped = await replay(['-', ...RULESET, '--custom', OWN, '--select', 'line,rule.id,rule.firedtimes'], { stdin: [text(MADE).subarray(0, 77), text(MADE).subarray(77)] })
    assert.equal(alertsIn(piped.folder), alertsIn(whole.folder))
  })

  it('names a source that is not read to its end, and reads the others', async () => {
    const packed = gzipSync(`${OPENED}\n`.repeat(5000))
    place.write('cut/a.log.gz', packed.subarray(0, packed.length - 9))
    place.write('cut/b.log.gz', 'no gzip')
    const gone = place.write('cut/c.log', OPENED)
    place.write('cut/d.log', OPENED)
    const { code, folder, stdout } = await replay([join(place.folder, 'cut'), ...RULESET], {
      clock: () => {
        rmSync(gone, { force: true })
        return 0
      },
    })
    assert.equal(code, 1)
    const { incomplete_sources, alerts, partial } = summaryIn(folder)
    assert.deepEqual(
      incomplete_sources.map(({ source, reason }) => [source.slice(-8), reason]),
      [
        ['a.log.gz', 'truncated'],
        ['b.log.gz', 'Z_DATA_ERROR'],
        ['ut/c.log', 'ENOENT'],
      ],
    )
    assert.ok(alerts > 1000 && !partial)
    assert.match(stdout, /c\.log was not read to its end: ENOENT/)
  })

  it('writes chosen fields in their order, and a sample of each rule', async () => {
    const file = place.write('few.log', [OPENED, OPENED, CLOSED, OPENED, OPENED, OPENED].join('\n'))
    const { folder } = await replay([file, ...RULESET, '--select', 'rule.id,srcip,level,rule.firedtimes,nothing,decoder.name', '--sample', '1'])
    const alert = (id: string, level: number) => `{"rule.id":"${id}","srcip":"192.0.2.1","level":${level},"rule.firedtimes":1,"nothing":null,"decoder.name":"door"}\n`
    // Which of the alerts of 901 it is depends on the path, and their number of times with it.
    const lines = alertsIn(folder)
      .replace(/"rule.firedtimes":\d/g, '"rule.firedtimes":1')
      .split('\n')
    assert.deepEqual(lines.sort(), ['', alert('901', 7).trim(), alert('902', 12).trim()])
    assert.equal(summaryIn(folder).alerts, 5)
    assert.deepEqual(readdirSync(folder).sort(), ['alerts.ndjson', 'checkpoint.bin', 'report.html', 'summary.json'])
    const whole = await replay([file, ...RULESET])
    assert.deepEqual(parsed(whole.folder)[0], {
      ...{ source: file, line: 1, time: '2023-11-14T22:13:20Z', agent: '000', host: 'hall', location: 'stdin', program_name: 'door' },
      decoder: { name: 'door', parent: 'door' },
      rule: { id: '901', level: 7, description: 'Door opened by ana.', groups: ['doors', 'entry', 'pci_dss_9.1'], attack_ids: ['T1078'], firedtimes: 1 },
      ...{ fields: { srcip: '192.0.2.1', srcuser: 'ana' }, previous_output: [], log: OPENED },
    })
  })

  it('lists own rules that no event fired, and not those of a manager that are in the base', async () => {
    const base = join(place.folder, 'managed')
    cpSync(BASE, base, { recursive: true })
    place.write('managed/rules/local_rules.xml', '<group name="local,"><rule id="100500" level="5"><match>never</match><description>Of the manager.</description></rule></group>')
    const { folder } = await replay([place.write('one.log', CLOSED), '--ruleset', base, '--custom', OWN])
    const silent = summaryIn(folder).own_rules_without_events.map(({ id }) => id)
    assert.deepEqual(silent.sort(), ['100001', '100002', '100003', '100004'])
  })

  it('refuses a folder with something in it, and goes on only with the same call', async () => {
    const file = place.write('short.log', OPENED)
    const { folder } = await replay([file, ...RULESET])
    assert.equal((await replay([file, ...RULESET], {}, folder)).code, 2)
    const before = alertsIn(folder)
    const again = await replay([file, ...RULESET, '--resume'], {}, folder)
    assert.deepEqual([again.code, again.stderr, alertsIn(folder)], [0, 'replay: this replay is finished\n', before])
    assert.equal((await replay([file, ...RULESET, '--resume', '--sample', '1'], {}, folder)).code, 2)
    assert.equal((await replay([file, ...RULESET, '--custom', OWN, '--resume'], {}, folder)).code, 2)
    assert.equal((await replay([file, ...RULESET, '--resume'], {}, place.empty())).code, 0)
    const foreign = join(place.folder, 'foreign')
    place.write('foreign/mine.txt', 'x')
    assert.equal((await replay([file, ...RULESET, '--resume'], {}, foreign)).code, 2)
  })

  it('says that the disk is full, and where to go on', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    symlinkSync('/dev/full', join(folder, 'alerts.ndjson'))
    const { code, stderr } = await replay([MADE_FILE, ...RULESET, '--resume'], {}, folder)
    assert.equal(code, 1)
    assert.match(stderr, /^replay: the results cannot be written: ENOSPC: .*; --resume goes on from the last checkpoint\n$/)
  })

  it('goes on after kill -9 and Ctrl-C with the same bytes', async () => {
    const argv = [MADE_FILE, ...RULESET, '--custom', OWN, '--threads', '2']
    const expected = await replay(argv)
    const folder = newFolder()
    let kills = 0
    for (let at = 0; ; at++) {
      const signal = at % 3 === 2 ? 'SIGINT' : 'SIGKILL'
      const { code, signal: ended } = await place.interrupted([...argv, '--out', folder, '--resume', '--quiet'], 1 + (at % 4), signal)
      if (code === 0) break
      assert.ok(at < 40)
      kills++
      // A signal may come when everything is written.
      if (signal === 'SIGINT') assert.deepEqual([code, summaryIn(folder).partial], code === null ? [null, false] : [1, true])
      else assert.equal(ended, 'SIGKILL')
    }
    assert.ok(kills >= 2, `${kills} interruptions`)
    assert.equal(alertsIn(folder), alertsIn(expected.folder))
    const { run: _, ...summary } = summaryIn(folder)
    const { run: __, ...whole } = summaryIn(expected.folder)
    assert.deepEqual(summary, whole)
  })
})
