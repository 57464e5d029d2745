import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CaseRunOptions, runCaseChunks } from '../../../workers/runs/case-run.js'

const CASES = Array.from({ length: 640 }, (_, index) => ({ name: String(index), event_text: 'knock' }))
const STOP = { outcome: 'timeout', timeoutMs: 1, at: { index: 0, ruleId: null, decoder: null } } as const
const SUMMARY = { contentReport: null, loads: true, overran: false, stop: null }

type Submit = CaseRunOptions['submit']

/** Answers that are the names of the cases. */
const answersTo = (cases: Parameters<Submit>[0]): Awaited<ReturnType<Submit>> => ({
  outcome: 'ok',
  part: { ...SUMMARY, count: cases.length, answers: cases.map(({ name }) => ({ name }) as never) },
})

const optionsWith = (submit: Submit): CaseRunOptions => ({ window: 3, signal: undefined, submit, describe: (stop) => ({ outcome: stop.outcome }) as never })

describe('runCaseChunks', () => {
  it('runs as many tasks at once as its window has, after the first has reported the ruleset', async () => {
    const running: (() => void)[] = []
    const withDiagnostics: boolean[] = []
    let most = 0
    const submit: Submit = (cases, isFirst) => {
      withDiagnostics.push(isFirst)
      if (isFirst) return Promise.resolve(answersTo(cases))
      return new Promise((resolve) => {
        running.push(() => resolve(answersTo(cases)))
        most = Math.max(most, running.length)
        // The last of three ends first: their answers are read in the order of the cases.
        if (running.length === 3) for (const end of running.splice(0).reverse()) end()
      })
    }
    const names: unknown[] = []
    for await (const chunk of runCaseChunks(CASES, optionsWith(submit))) {
      assert.ok('results' in chunk)
      for (const result of chunk.results) names.push(result.outcome === 'ok' && result.report.name)
    }
    assert.deepEqual(
      names,
      CASES.map(({ name }) => name),
    )
    assert.equal(most, 3)
    assert.deepEqual(withDiagnostics, [true, ...new Array<boolean>(9).fill(false)])
  })

  it('cancels the tasks that run ahead when its reader leaves, and when too many cases were stopped', async () => {
    for (const leaves of [true, false]) {
      const signals = new Set<AbortSignal>()
      const outcomes: string[] = []
      const submit: Submit = (cases, isFirst, _, signal) => {
        signals.add(signal)
        return Promise.resolve(isFirst || leaves ? answersTo(cases) : STOP)
      }
      for await (const chunk of runCaseChunks(CASES, optionsWith(submit))) {
        assert.ok('results' in chunk)
        for (const { outcome } of chunk.results) outcomes.push(outcome)
        if (leaves && outcomes.length > 64) break
      }
      assert.deepEqual(outcomes, leaves ? new Array(128).fill('ok') : [...new Array(64).fill('ok'), ...new Array(576).fill('timeout')])
      assert.deepEqual(
        [...signals].map(({ aborted }) => aborted),
        [true],
      )
    }
  })
})
