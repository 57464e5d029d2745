/** The sources of `replay`: files of several hosts run together, and what is wrong with one is said and never ends the run. */
import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { WINDOW_EVENTS } from '#workers'
import { LINE_LIMIT } from '../../../server/cli/input/lines.js'
import { planSources } from '../../../server/cli/replay/plan-sources.js'
import { LANES_LIMIT } from '../../../server/cli/replay/run-replay.js'
import { callInto, CLOSED, OPENED } from './call.js'
import { alertsIn, alertsOf, madeLines, OWN_RULES, ReplayWorkplace, summaryIn, summaryWithoutRun } from './replay-call.js'

const place = new ReplayWorkplace()
const RULESET = ['--ruleset', place.ruleset()]
const OWN = place.write('own/rules/own_rules.xml', OWN_RULES)
const OPTIONS = ['--event-field', 'e', '--time-field', 't', ...RULESET, '--custom', OWN]
const START = 1_700_000_000
const TIMED = madeLines().flatMap((e, index) => (e === '' ? [] : [JSON.stringify({ e, t: START + index })]))

/** A clock that presses Ctrl-C after so many readings. Only the command is told: the runner of the tests listens too. */
function stopAfter(readings: number): () => number {
  let left = readings
  return () => {
    if (left-- === 0) process.listeners('SIGINT').at(-1)?.('SIGINT')
    return 0
  }
}

describe('the sources of replay', () => {
  after(() => place.remove())

  it('run together by their times, as one file in the order of the times does', async () => {
    const whole = await place.replay([place.write('whole.ndjson', TIMED.join('\n')), ...OPTIONS, '--select', 'time,rule.id,rule.firedtimes,log'])
    // Three hosts write all the time, and one has a file for each hour.
    const hosts: string[][] = [[], [], []]
    const hours = new Map<number, string[]>()
    for (const [index, line] of TIMED.entries()) {
      const host = (index * 7919) % 4
      if (host < 3) hosts[host].push(line)
      else hours.set(Math.floor(index / 600), [...(hours.get(Math.floor(index / 600)) ?? []), line])
    }
    for (const [host, lines] of hosts.entries()) place.write(`hosts/h${host}.ndjson`, lines.join('\n'))
    for (const [hour, lines] of hours) place.write(`hosts/a-${100 - hour}.ndjson.gz`, gzipSync(lines.join('\n')))
    const outputs: string[] = []
    for (const threads of ['1', '3']) {
      const { code, folder } = await place.replay([join(place.folder, 'hosts'), ...OPTIONS, '--select', 'time,rule.id,rule.firedtimes,log', '--threads', threads])
      assert.equal(code, 0)
      assert.deepEqual([summaryIn(folder).late_events, summaryIn(folder).sources], [0, 3 + hours.size])
      outputs.push(alertsIn(folder) + JSON.stringify(summaryWithoutRun(folder)))
      if (threads === '1') assert.equal(alertsIn(folder), alertsIn(whole.folder))
    }
    assert.equal(outputs[0], outputs[1])
    const folder = place.newFolder()
    const argv = [join(place.folder, 'hosts'), ...OPTIONS, '--select', 'time,rule.id,rule.firedtimes,log', '--threads', '2', '--out', folder, '--resume', '--quiet']
    let kills = 0
    for (let at = 0; at < 30; at++) {
      if ((await place.interrupted(argv, 2 + (at % 3), 'SIGKILL')).code === 0) break
      kills++
    }
    assert.ok(kills >= 2, `${kills} interruptions`)
    assert.equal(alertsIn(folder) + JSON.stringify(summaryWithoutRun(folder)), outputs[0])
  })

  it('that are more than run together wait, and their events are late', async () => {
    const at = (seconds: number, e = OPENED): string => JSON.stringify({ e, t: START + seconds })
    // The files that run together push the beginning of the last one out of the window before one of them ends.
    const each = Math.ceil((2 * WINDOW_EVENTS) / LANES_LIMIT)
    for (let host = 0; host <= LANES_LIMIT; host++)
      place.write(`many/${100 + host}.ndjson`, [at(host, CLOSED), ...Array.from({ length: each }, (_, index) => at(10_000 + index))].join('\n'))
    const outputs: string[] = []
    for (const threads of ['1', '2']) {
      const { code, folder } = await place.replay([join(place.folder, 'many'), ...OPTIONS, '--select', 'line,time', '--threads', threads])
      assert.equal(code, 0)
      const { late_events, events } = summaryIn(folder)
      assert.equal(events, (each + 1) * (LANES_LIMIT + 1))
      assert.ok(late_events >= 1 && late_events <= each, String(late_events))
      outputs.push(alertsIn(folder))
    }
    assert.equal(outputs[0], outputs[1])
  })

  /** Runs each file of a folder for itself, and returns the folder with the parts. */
  async function partsOf(folder: string, options: readonly string[]): Promise<string> {
    const parts = place.newFolder()
    mkdirSync(parts)
    for (const name of readdirSync(folder)) {
      const { code } = await callInto(join(parts, name), ['replay', '--partial', join(folder, name), ...options])
      assert.equal(code, 0)
    }
    return parts
  }

  it('can be run apart and joined, as one call on all of them does', async () => {
    const hosts = join(place.folder, 'hosts')
    const [name] = readdirSync(hosts).filter((one) => one.endsWith('.ndjson'))
    for (const compare of [[], ['--compare', 'none']]) {
      const options = [...OPTIONS, ...compare]
      const whole = await place.replay([hosts, ...options, '--sample', '9'])
      const parts = await partsOf(hosts, options)
      // A task that was run twice, one that was killed, one that was killed at once, and one that reads what is sent to it.
      copyFileSync(join(parts, name), join(parts, 'again'))
      writeFileSync(join(parts, 'killed'), readFileSync(join(parts, name)).subarray(0, 2000))
      writeFileSync(join(parts, 'killed at once'), '')
      const source = join(hosts, name)
      await callInto(join(parts, 'sent'), ['replay', '--partial', '-', '--name', source, ...options], { stdin: readFileSync(source) })
      const joined = await place.replay(['--merge', parts, ...options, '--sample', '9'])
      assert.deepEqual([joined.code, joined.stderr], [0, ''])
      assert.equal(alertsIn(joined.folder), alertsIn(whole.folder))
      assert.deepEqual(summaryWithoutRun(joined.folder), summaryWithoutRun(whole.folder))
      if (compare.length > 0) continue
      const folder = place.newFolder()
      const merge = ['--merge', parts, ...options, '--sample', '9', '--resume']
      const stopped = await place.replay(merge, { clock: stopAfter(12) }, folder)
      assert.deepEqual([stopped.code, summaryIn(folder).partial], [1, true])
      assert.equal((await place.replay(merge, {}, folder)).code, 0)
      assert.deepEqual([alertsIn(folder), summaryWithoutRun(folder)], [alertsIn(whole.folder), summaryWithoutRun(whole.folder)])
    }
  })

  it('that are run apart and overlap too much are refused', async () => {
    const { code, stderr } = await place.replay(['--merge', await partsOf(join(place.folder, 'many'), OPTIONS), ...OPTIONS])
    assert.equal(code, 1)
    assert.match(stderr, /^replay: .*132\.ndjson:1 comes later than more parts than run together; /)
  })

  it('that are damaged after they were run are named', async () => {
    const [one, other] = [place.write('apart/a.ndjson', TIMED.slice(0, 4000).join('\n')), place.write('apart/b.ndjson', TIMED.slice(4000).join('\n'))]
    const parts = await partsOf(join(place.folder, 'apart'), OPTIONS)
    const bytes = readFileSync(join(parts, 'a.ndjson'))
    bytes.fill(0, 300, 400)
    writeFileSync(join(parts, 'a.ndjson'), bytes)
    const { code, folder } = await place.replay(['--merge', parts, ...OPTIONS])
    const { incomplete_sources, lines } = summaryIn(folder)
    assert.deepEqual([code, incomplete_sources, lines], [1, [{ source: one, reason: 'damaged' }], TIMED.length - 4000])
    assert.ok(alertsOf(folder).every(({ source }) => source === other))
  })

  it('begin with lines without a time at the first time that is known', async () => {
    const lines = [JSON.stringify({ e: OPENED }), JSON.stringify({ e: OPENED, t: '2020-01-01T00:00:00Z' })]
    const { folder } = await place.replay([place.write('old.ndjson', lines.join('\n')), ...OPTIONS])
    const { late_events, events_without_time, first_event } = summaryIn(folder)
    assert.deepEqual([late_events, events_without_time, first_event], [0, 1, '2020-01-01T00:00:00Z'])
  })

  it('that grow are read up to the size that they had, also by a replay that goes on', async () => {
    const file = place.write('grows.ndjson', `${TIMED.join('\n')}\n`)
    const whole = await place.replay([file, ...OPTIONS])
    const grow = (): number => {
      appendFileSync(file, `${TIMED[0]}\n`)
      return 0
    }
    const grown = await place.replay([file, ...OPTIONS], { clock: grow })
    assert.equal(summaryIn(grown.folder).lines, summaryIn(whole.folder).lines)
    assert.equal(alertsIn(grown.folder), alertsIn(whole.folder))
    const folder = place.newFolder()
    const argv = [file, ...OPTIONS, '--threads', '1', '--out', folder, '--resume', '--quiet']
    const size = TIMED.length
    place.write('grows.ndjson', `${TIMED.join('\n')}\n`)
    assert.equal((await place.interrupted(argv, 1, 'SIGKILL')).signal, 'SIGKILL')
    grow()
    assert.equal((await place.interrupted(argv, 99, 'SIGKILL')).code, 0)
    assert.equal(summaryIn(folder).lines, size)
    assert.equal(alertsIn(folder), alertsIn(whole.folder))
  })

  it('that are cut off meanwhile are named', async () => {
    const file = place.write('cut.ndjson', `${TIMED.join('\n')}\n`)
    const cut = (): number => {
      truncateSync(file, 300_000)
      return 0
    }
    const { code, folder } = await place.replay([file, ...OPTIONS, '--clock', 'arrival'], { clock: cut })
    assert.deepEqual([code, summaryIn(folder).incomplete_sources], [1, [{ source: file, reason: 'truncated' }]])
    assert.ok(summaryIn(folder).lines > 1000)
  })

  it('that can be read only once are not looked at before', async () => {
    const planned = await planSources([{ name: '/nowhere', size: null }], 'event', { event: 'e', location: null, time: 't' })
    assert.deepEqual(planned, [{ source: 0, size: null, first: null }])
  })

  it('that vanish lose nothing of the others', async () => {
    const gone = place.write('vanish/b.ndjson', TIMED.slice(0, 4000).join('\n'))
    place.write('vanish/a.ndjson', TIMED.slice(4000, 8000).join('\n'))
    // It is there when the call begins, and gone before it is read.
    let calls = 0
    const { code, folder, stdout } = await place.replay([join(place.folder, 'vanish'), ...OPTIONS, '--clock', 'arrival'], {
      clock: () => {
        if (++calls === 1) rmSync(gone)
        return 0
      },
    })
    assert.equal(code, 1)
    const { incomplete_sources, lines } = summaryIn(folder)
    assert.deepEqual([incomplete_sources, lines], [[{ source: gone, reason: 'ENOENT' }], 4000])
    assert.match(stdout, /b\.ndjson was not read to its end: ENOENT/)
  })

  it('can have a line of a gigabyte, which is passed over in bounded memory', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x')
    const gigabyte = 1024
    function* stream(): Generator<Buffer> {
      yield Buffer.from(`${OPENED}\n`)
      for (let at = 0; at < gigabyte; at++) yield piece
      yield Buffer.from(`\n${CLOSED}\n${OPENED}\n`)
    }
    let most = 0
    const before = process.memoryUsage()
    const clock = (): number => {
      const { arrayBuffers } = process.memoryUsage()
      if (arrayBuffers > most) most = arrayBuffers
      return 0
    }
    const { code, folder } = await place.replay(['-', ...RULESET], { stdin: stream(), clock })
    assert.equal(code, 0)
    const { wrong_lines, lines } = summaryIn(folder)
    assert.deepEqual([lines, wrong_lines.too_long?.lines, wrong_lines.too_long?.first[0].line], [4, 1, 2])
    assert.deepEqual(
      alertsOf(folder).map(({ line }) => line),
      [1, 4],
    )
    assert.ok(most - before.arrayBuffers < 8 * LINE_LIMIT, `${most} bytes`)
  })
})
