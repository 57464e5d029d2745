/** `replay --compare`: what two contents make of the same events, in one pass. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { compileRuleset, createSession, EventRunner, readLocation, type SourceFile, toByteString, utcMoment } from '#engine'
import { readRulesetFolder } from '#workers'
import { CLOSED, gitEnvironment, OPENED } from './call.js'
import { alertsIn, madeLines, OWN_RULES, ReplayWorkplace, summaryIn, summaryWithoutRun } from './replay-call.js'

const place = new ReplayWorkplace()
const BASE = place.ruleset()
const RULESET = ['--ruleset', BASE]
const OWN = place.write('own/rules/own_rules.xml', OWN_RULES)
/** The own rules as they were before: one has another pattern, one is new, and one is gone. */
const BEFORE = place.write(
  'before/rules/own_rules.xml',
  `${OWN_RULES.replace('<match>by</match>', '<match>by ana door 1</match>').replace(/<rule id="100002".*\n/, '')}
<group name="own,"><rule id="100009" level="4"><if_sid>901</if_sid><match>192.0.2.1$</match><description>Gone since.</description></rule></group>`,
)
const START = 1_700_000_000
const MADE = madeLines()
const TIMED = MADE.map((e, index) => JSON.stringify({ e, t: START + 3 * index }))
const TIMED_FILE = place.write('timed.ndjson', `${TIMED.join('\n')}\n`)
const TIMED_OPTIONS = ['--event-field', 'e', '--time-field', 't', ...RULESET, '--custom', OWN, '--compare', BEFORE]

/** The ids of the rules of alerts for each line, as one session in one thread has them. */
function answersOf(own: string): readonly (string | null)[] {
  const files: SourceFile[] = [...readRulesetFolder(BASE, 'default'), { kind: 'rules', scope: 'custom', filename: 'own_rules.xml', content: own }]
  const runner = new EventRunner(compileRuleset(files))
  const session = createSession()
  const origin = readLocation('stdin')
  assert.ok(origin !== null)
  return MADE.map((line, index) => {
    if (line === '') return null
    const { alert, rule } = runner.run(toByteString(line), origin, utcMoment(START + 3 * index), session)
    return alert ? String(rule?.id) : null
  })
}

describe('replay --compare', () => {
  after(() => place.remove())

  it('finds the alerts that only one content makes, with any number of threads', async () => {
    const now = answersOf(OWN_RULES)
    const before = answersOf(
      `${OWN_RULES.replace('<match>by</match>', '<match>by ana door 1</match>').replace(/<rule id="100002".*\n/, '')}
<group name="own,"><rule id="100009" level="4"><if_sid>901</if_sid><match>192.0.2.1$</match><description>Gone since.</description></rule></group>`,
    )
    const outputs: string[] = []
    for (const threads of ['1', '2', '3', '7']) {
      const { code, stderr, folder } = await place.replay([TIMED_FILE, ...TIMED_OPTIONS, '--threads', threads])
      assert.deepEqual([code, stderr], [0, ''])
      outputs.push(alertsIn(folder) + JSON.stringify(summaryWithoutRun(folder)))
      if (threads !== '1') continue
      const { compare, alerts } = summaryIn(folder)
      assert.ok(compare !== null)
      const count = (test: (index: number) => boolean): number => now.filter((_, index) => test(index)).length
      assert.equal(
        alerts,
        count((index) => now[index] !== null),
      )
      assert.deepEqual(compare.alerts, { before: count((index) => before[index] !== null), after: alerts })
      assert.equal(
        compare.new_alerts,
        count((index) => now[index] !== null && now[index] !== before[index]),
      )
      assert.equal(
        compare.lost_alerts,
        count((index) => before[index] !== null && now[index] !== before[index]),
      )
      assert.equal(
        compare.newly_alerted_events,
        count((index) => now[index] !== null && before[index] === null),
      )
      assert.ok(compare.new_alerts > 100 && compare.lost_alerts > 20 && compare.no_longer_alerted_events === count((index) => now[index] === null && before[index] !== null))
      for (const { id, new: added, lost } of compare.rules) {
        assert.equal(
          added.alerts,
          count((index) => now[index] === id && before[index] !== id),
          id,
        )
        assert.equal(
          lost.alerts,
          count((index) => before[index] === id && now[index] !== id),
          id,
        )
        for (const { line, other_rule } of added.samples) assert.deepEqual([now[line - 1], before[line - 1]], [id, other_rule])
        for (const { line, other_rule } of lost.samples) assert.deepEqual([before[line - 1], now[line - 1]], [id, other_rule])
      }
      const gone = compare.rules.find(({ id }) => id === '100009')
      assert.deepEqual([gone?.level, gone?.alerts.after, gone?.steps.after], [{ before: 4, after: null }, null, null])
      const days = (3 * (MADE.length - 1)) / 86_400
      assert.ok(Math.abs((compare.a_day?.new ?? 0) - compare.new_alerts / days) < 1)
      assert.ok(compare.steps_an_event.before > 0 && compare.steps_an_event.after !== compare.steps_an_event.before)
    }
    assert.equal(new Set(outputs).size, 1)
  })

  it('crosses thresholds with exit code 1, and names them', async () => {
    const { code, stderr, stdout, folder } = await place.replay([TIMED_FILE, ...TIMED_OPTIONS, '--max-new-alerts-per-day', '50', '--max-cost', '+0.1%', '--locale', 'en-US'])
    assert.equal(code, 1)
    assert.match(stderr, /^replay: --max-new-alerts-per-day 50\.0 is crossed: [\d,.]+\nreplay: --max-cost \+0\.1 % is crossed: \+[\d.]+ %\n$/)
    assert.match(stdout, /^Compared with .*own_rules.xml$/m)
    assert.deepEqual(
      summaryIn(folder).compare?.thresholds.map(({ option, limit, crossed }) => [option, limit, crossed]),
      [
        ['max-new-alerts-per-day', 50, true],
        ['max-cost', 0.1, true],
      ],
    )
    const again = await place.replay([TIMED_FILE, ...TIMED_OPTIONS, '--max-new-alerts-per-day', '50', '--max-cost', '+0.1%', '--resume'], {}, folder)
    assert.equal(again.code, 1)
    const fine = await place.replay([TIMED_FILE, ...TIMED_OPTIONS, '--max-new-alerts-per-day', '100000', '--max-cost', '900'])
    assert.deepEqual([fine.code, fine.stderr], [0, ''])
  })

  it('says that there is no forecast where events have no times', async () => {
    const file = place.write('plain.log', [OPENED, CLOSED, `${CLOSED} by ana`].join('\n'))
    const options = [file, ...RULESET, '--custom', OWN, '--compare', 'none']
    const { code, folder, stdout } = await place.replay(options)
    assert.equal(code, 0)
    const { compare } = summaryIn(folder)
    assert.deepEqual([compare?.a_day, compare?.new_alerts, compare?.lost_alerts], [null, 1, 0])
    assert.match(stdout, /^No forecast a day/m)
    const { code: refused, stderr } = await place.replay([...options, '--max-new-alerts-per-day', '5'])
    assert.equal(refused, 2)
    assert.match(stderr, /--max-new-alerts-per-day needs --clock event/)
    const short = place.write('short.ndjson', JSON.stringify({ e: CLOSED, t: START }))
    const unknown = await place.replay([short, ...TIMED_OPTIONS, '--max-new-alerts-per-day', '5'])
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /--max-new-alerts-per-day cannot be checked/)
  })

  it('takes a whole ruleset in the place of the base, and a revision of a repository', async () => {
    const other = join(place.folder, 'other-base')
    cpSync(BASE, other, { recursive: true })
    place.write(
      'other-base/rules/0020-more.xml',
      '<group name="doors,"><rule id="905" level="6"><if_sid>903</if_sid><match>door 3</match><description>Third.</description></rule></group>',
    )
    const file = place.write('third.log', [`${CLOSED} by ana door 3`, OPENED].join('\n'))
    const whole = await place.replay([file, ...RULESET, '--custom', OWN, '--compare', other])
    assert.equal(whole.code, 0)
    const moved = summaryIn(whole.folder).compare
    // The rule of the other base is before that of the own content, which stays.
    assert.deepEqual(
      moved?.rules.filter(({ new: added, lost }) => added.alerts + lost.alerts > 0).map(({ id, new: added, lost }) => [id, added.alerts, lost.alerts]),
      [
        ['905', 0, 1],
        ['100001', 1, 0],
      ],
    )
    const repository = join(place.folder, 'repository')
    mkdirSync(repository)
    place.write('repository/content/rules/own_rules.xml', OWN_RULES)
    const env = gitEnvironment(repository)
    for (const argv of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-q', '-m', 'x'],
    ])
      execFileSync('git', argv, { cwd: repository, env })
    const same = await place.replay([file, ...RULESET, '--custom', OWN, '--compare', 'HEAD:content'], { env })
    const { compare } = summaryIn(same.folder)
    assert.deepEqual([same.code, compare?.with, compare?.rules, compare?.cost_change_percent], [0, 'HEAD:content', [], 0])
    assert.equal((await place.replay([file, ...RULESET, '--compare', 'HEAD:nothing'], { env })).code, 2)
  })

  it('goes on after kill -9 with the same bytes', async () => {
    const argv = [TIMED_FILE, ...TIMED_OPTIONS, '--threads', '2', '--sample', '20']
    const expected = await place.replay(argv)
    const folder = place.newFolder()
    let kills = 0
    for (let at = 0; at < 20; at++) {
      const { code } = await place.interrupted([...argv, '--out', folder, '--resume', '--quiet'], 1 + (at % 2), 'SIGKILL')
      if (code === 0) break
      kills++
    }
    assert.ok(kills >= 1)
    assert.equal(alertsIn(folder), alertsIn(expected.folder))
    assert.deepEqual(summaryWithoutRun(folder), summaryWithoutRun(expected.folder))
  })
})
