/** The page of a replay: what it shows, and that hostile texts stay texts. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type CompiledRule, compileRuleset, LOCALES } from '#engine'
import type { BlockAnswer } from '#workers'
import { comparisonSummary } from '../../../server/cli/replay/comparison-summary.js'
import { createComparison, noteAnswers } from '../../../server/cli/replay/comparison.js'
import { countFault, countRule, createCounters } from '../../../server/cli/replay/counters.js'
import { summaryOf } from '../../../server/cli/replay/summary.js'
import { countAt } from '../../../server/cli/replay/time-buckets.js'
import { replayPage } from '../../../server/cli/report/replay-page.js'
import { assertReportPage, HOSTILE } from '../../support/report-pages.js'
import { FOUNDATION } from '../../support/rulesets.js'

const RULES = `<group name="own,"><rule id="200" level="9"><match>a</match><description>fires often</description><mitre><id>T1078</id></mitre></rule>
<rule id="201" level="5"><match>b</match><description>stays silent</description></rule></group>`
const START = 1_700_000_000

for (const locale of LOCALES)
  it(`shows alerts, noise, silent rules and unknown events in ${locale}`, () => {
    const ruleset = compileRuleset([...FOUNDATION, { kind: 'rules', scope: 'custom', filename: 'own.xml', content: RULES }])
    const counters = createCounters()
    const fired = ruleset.rules.find(200)
    assert.ok(fired !== undefined)
    for (let i = 0; i < 300; i++) {
      countRule(counters, fired.index, START + i * 3600).alerts++
      countAt(counters.time, START + i * 3600)
    }
    Object.assign(counters, { events: 301, alerts: 300, unknownEvents: 1, first: START, last: START + 299 * 3600 })
    counters.hosts.set(HOSTILE, { events: 301, alerts: 300 })
    counters.unknown.set(HOSTILE, { template: HOSTILE, count: 1, example: HOSTILE })
    countFault(counters, 'not_json', HOSTILE, 7)
    const run = { seconds: 1, events_per_second: 301, threads: 1, peak_memory_mb: 1 }
    const item = { name: HOSTILE, filename: HOSTILE, line: 1, checks: 5, matches: 2, steps: 70 }
    const cost = { events: 10, steps: 70, rules: [item], decoders: [item], patterns: [item] }
    const differences = createComparison()
    const bytes = Buffer.from(HOSTILE.repeat(2), 'latin1')
    const places = { lines: Uint32Array.of(0, 1), starts: Uint32Array.of(0, HOSTILE.length), ends: Uint32Array.of(HOSTILE.length, 2 * HOSTILE.length) }
    const block = { source: HOSTILE, firstLine: 4, answers: [{ bytes, ...places } as Partial<BlockAnswer> as BlockAnswer], hosts: [], left: 2 }
    noteAnswers(differences, 200, -1, { block, at: 0, seconds: START })
    noteAnswers(differences, 201, 200, { block, at: 1, seconds: START })
    const before = { ruleset, counters: createCounters(), cost: { ...cost, steps: 35, rules: [] } }
    const thresholds = [
      { option: 'max-new-alerts-per-day', limit: 0.1 },
      { option: 'max-cost', limit: 20 },
    ] as const
    const comparison = comparisonSummary({ other: HOSTILE, after: { ruleset, counters, cost }, before, comparison: differences, days: 12.5, thresholds })
    const isOwn = ({ definition }: CompiledRule): boolean => definition.source.filename === 'own.xml'
    const summary = summaryOf({
      ruleset,
      counters,
      isOwn,
      days: 12.5,
      cost,
      comparison,
      sources: 1,
      incomplete: [{ source: HOSTILE, reason: 'truncated' }],
      clock: 'event',
      isPartial: true,
      run,
    })
    assert.deepEqual(
      summary.own_rules_without_events.map(({ id }) => id),
      ['201'],
    )
    // 300 hours are more steps than are kept, so they are joined.
    assert.equal(summary.alerts_over_time.seconds, 6 * 3600)
    assert.equal(
      summary.alerts_over_time.counts.reduce((sum, { alerts }) => sum + alerts, 0),
      300,
    )
    assert.deepEqual([comparison.new_alerts, comparison.lost_alerts, comparison.newly_alerted_events, comparison.no_longer_alerted_events], [2, 1, 1, 0])
    assert.deepEqual([comparison.a_day?.new, comparison.cost_change_percent], [0.16, 100])
    assert.deepEqual(
      comparison.thresholds.map(({ crossed }) => crossed),
      [true, true],
    )
    assert.deepEqual(
      comparison.rules.map(({ id, new: added, lost }) => [id, added.alerts, added.of_other_rules, lost.alerts, lost.samples.map(({ other_rule }) => other_rule)]),
      [
        ['200', 1, 0, 1, ['201']],
        ['201', 1, 1, 0, []],
      ],
    )
    const page = replayPage(summary, locale)
    assertReportPage(page)
    for (const text of ['stays silent', 'fires often', 'T1078', 'Valid Accounts', 'own.xml:2']) assert.ok(page.includes(text), text)
    assert.equal(page, replayPage(summary, locale))
  })
